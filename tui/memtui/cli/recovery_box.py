"""The box that shows a Recovery ID (seed 000, section 5, step 4)."""

from __future__ import annotations

import sys

import click

from memtui.ground.clean import clean_line

_WIDTH = 78
"""Minimum width of the box."""

_UNICODE = ("╔═╗", "║ ║", "╚═╝", "✓")
_ASCII = ("+-+", "| |", "+-+", "OK")


def recovery_box(memory_id: str, *, ascii_only: bool = False) -> str:
    """The seed's box for an id of any width, with memtui's own command in it.

    Args:
        memory_id: the Recovery ID.
        ascii_only: draw with ASCII characters.
    """
    from rich.cells import cell_len

    top, side, bottom, done = _ASCII if ascii_only else _UNICODE
    lines = (
        f"{done} Session Memory Saved",
        "",
        f"Recovery ID: {clean_line(memory_id)}",
        "",
        'To restore: "Please import memory <ID>"',
        "(MCP: core_memory export | CLI: memtui core-memory export --id <ID>)",
    )
    inner = max(_WIDTH - 2, *(cell_len(line) + 4 for line in lines))
    rows = (f"{side[0]}  {line}{' ' * (inner - 2 - cell_len(line))}{side[2]}" for line in lines)
    return "\n".join(
        (f"{top[0]}{top[1] * inner}{top[2]}", *rows, f"{bottom[0]}{bottom[1] * inner}{bottom[2]}")
    )


def print_recovery_box(memory_id: str) -> None:
    """Print the box, in ASCII if stdout cannot encode the seed's characters."""
    try:
        "".join(_UNICODE).encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    click.echo(recovery_box(memory_id, ascii_only=ascii_only))
