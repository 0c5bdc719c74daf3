"""Printing: the only module that writes to stdout, for people and for programs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.startup import can_show_app
from memtui.ground.clean import clean, clean_line, without_surrogates

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from memtui.ground.clipboard import Copied

# Characters that json.dumps does not escape and a terminal or a line-based reader may act on.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")

_LEAST = 24
"""Minimum width of a table's flexible column; with less room it gets a line of its own."""
_LONG, _SHORTENED = 36, 8
"""Width above which other columns are shortened then, and to which; ids and names of files have less."""


def is_terminal() -> bool:
    return sys.stdout.isatty()


def can_answer() -> bool:
    """Whether a user sees the output and can type."""
    return sys.stdin is not None and sys.stdin.isatty() and is_terminal()


def need_terminal() -> None:
    """Refuse to open the app without a terminal, where it would wait forever."""
    if not can_show_app():
        reason = (
            "the app needs a terminal, for stderr too; `memtui captures`, `review`, `transcript` need none."
        )
        raise click.ClickException(reason)


def say(text: str = "", *, err: bool = False, hang: int = 0) -> None:
    """Print untrusted text, cleaned; a single line is wrapped at words on a terminal, after its indent.

    Its other rows have `hang` more.
    """
    text, stream = clean(text), sys.stderr if err else sys.stdout
    # A text to copy stays as it is.
    whole = len(text) < _LEAST or "\n" in text or not (stream and stream.isatty())
    if not whole and text.isascii():
        import shutil  # most output does not ask how wide the terminal is

        whole = len(text) <= shutil.get_terminal_size((0, 0)).columns
    if whole:
        click.echo(text, err=err)
        return
    indent = text[: len(text) - len(text.lstrip())]
    _draw_line(_console(err=err), text.strip(), indent, indent + " " * hang)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print one JSON value, indented by 2, or on one line.

    On a terminal every string is cleaned. A program gets unchanged strings, with control characters as JSON
    escapes; only lone surrogates, which cannot be encoded, become U+FFFD.
    """
    safe = _map_strings(value, clean if is_terminal() else without_surrogates)
    text = json.dumps(safe, ensure_ascii=False, indent=indent)
    click.echo(_UNSAFE_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text))


def _map_strings(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_map_strings(key, change): _map_strings(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_map_strings(item, change) for item in value]
    return value


def print_result(value: Any, text: str, as_json: bool, *, indent: int | None = 2) -> None:
    """Print what a command did: a sentence, or with ``--json`` a value."""
    if as_json:
        print_json(value, indent=indent)
    else:
        say(text)


Rows = Sequence[Sequence[str]]


def print_list(
    values: Any, columns: Sequence[str], rows: Rows, nothing: str, as_json: bool, *, flexible: int
) -> None:
    """Print a list: a table (see `print_table`), `nothing` without rows, or with ``--json`` the values."""
    if as_json or not rows:
        print_result(values, nothing, as_json)
    else:
        print_table(columns, rows, flexible=flexible)


def print_table(columns: Sequence[str], rows: Rows, *, flexible: int) -> None:
    """Print rows: a table on a terminal, else one line per row, with tabs between the fields and no heading.

    The `flexible` column shrinks when the terminal is narrow.
    """
    lines = [[clean_line(field) for field in row] for row in rows]
    if is_terminal():
        _draw_table(columns, lines, flexible)
    else:
        click.echo("".join("\t".join(line) + "\n" for line in lines), nl=False)


def _draw_table(columns: Sequence[str], lines: Sequence[Sequence[str]], flexible: int) -> None:
    # Imported here: only people need rich, which takes longer than the command itself.
    from rich.cells import cell_len
    from rich.text import Text

    console = _console()
    widths = [max(map(cell_len, column)) for column in zip(columns, *lines, strict=True)]
    room = console.width - sum(widths) - 2 * (len(widths) - 1) + widths[flexible]
    stacked = room < min(_LEAST, widths[flexible])
    widths[flexible] = min(widths[flexible], console.width - 2 if stacked else room)
    lacking = sum(widths) - widths[flexible] + 2 * (len(widths) - 2) - console.width
    long = [n for n, width in enumerate(widths) if n != flexible and width > _LONG]
    while stacked and lacking > 0 and long and max(widths[n] for n in long) > _SHORTENED:
        widths[max(long, key=widths.__getitem__)] -= 1
        lacking -= 1
    aligned = not stacked or lacking <= 0
    for line in (columns, *lines):
        fields = [Text(field or "-" * (not aligned), "bold" if line is columns else "") for field in line]
        for field, width in zip(fields, widths, strict=True):
            field.truncate(width, overflow="ellipsis", pad=aligned)
        if not stacked:
            text = Text("  ").join(fields)
            text.rstrip()
            console.print(text, overflow="ignore", no_wrap=True)
        elif line is not columns or aligned:
            below = fields.pop(flexible)
            below.rstrip()
            console.print(Text("  ").join(fields), Text("  ") + below, sep="\n")


def _console(*, err: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    rest = memoryview(data)
    while rest:  # with PYTHONUNBUFFERED, a pipe takes as much at a time as it holds
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def print_marked(pieces: Iterable[tuple[str, bool]], *, indent: str = "") -> None:
    """Print one line of cleaned pieces, wrapped at words on a terminal; there some are bold."""
    if not is_terminal():
        click.echo(indent + clean_line("".join(text for text, _ in pieces)))
        return
    from rich.text import Text

    line = Text()
    for text, is_bold in pieces:
        line.append(_clean_piece(text), style="bold" if is_bold else "")
    _draw_line(_console(), line, indent, indent)


def _clean_piece(text: str) -> str:
    """A cleaned piece of a line, with the blanks at its ends, as a word may continue in the next piece."""
    return re.sub(r"\s", " ", clean(text))


def copied(text: str, name: str = "") -> Copied:
    """Copy a text from a command, by a native tool or through the terminal."""
    from memtui.ground.clipboard import copy, osc52

    return copy(text, lambda sequence: click.echo(osc52(sequence), nl=False), name=name)


def print_groups(groups: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Print titled lists: bold titles on a terminal, else ``Title:`` and ``- item`` lines."""
    if not is_terminal():
        blocks = (
            f"{clean_line(title)}:\n" + "".join(f"- {clean_line(item)}\n" for item in items)
            for title, items in groups
        )
        click.echo("\n".join(blocks), nl=False)
        return
    console = _console()
    for number, (title, items) in enumerate(groups):
        if number:
            console.print()
        _draw_line(console, clean_line(title), style="bold")
        for item in items:
            _draw_line(console, clean_line(item), "  ", "  ")


def print_changes(lines: Iterable[Sequence[tuple[str, str]]]) -> None:
    """Print lines made of pieces, each with ``added``, ``removed`` or "" for its colour on a terminal."""
    is_plain = not is_terminal() or os.environ.get("NO_COLOR")  # https://no-color.org
    colours = {} if is_plain else {"added": "green", "removed": "red"}
    for line in lines:
        pieces = [(_clean_piece(text), colours.get(change)) for text, change in line]
        click.echo("".join(click.style(text, fg=colour) if colour else text for text, colour in pieces))


def print_document(text: str) -> None:
    """Print a Markdown text: on a terminal with bold headings and wrapped at words, else only cleaned."""
    if not is_terminal():
        say(text.rstrip("\n"))
        return
    console = _console()
    for line in clean(text.rstrip("\n")).split("\n"):
        bullet = "- " if line.startswith("- ") else ""
        style = "bold" if line.startswith("#") else ""
        _draw_line(console, line.removeprefix(bullet), bullet, " " * len(bullet), style)


def _draw_line(
    console: Console, text: str | Text, first: str = "", others: str = "", style: str = ""
) -> None:
    """Print one line wrapped at words, with prefixes for its first row and for the others."""
    from rich.text import Text

    before, line = first, Text(text, style) if isinstance(text, str) else text
    for row in line.wrap(console, max(1, console.width - max(len(first), len(others)))):
        row.rstrip()
        console.print(Text(before) + row, overflow="ignore", no_wrap=True)
        before = others


RECOVERY_BOX = """\
╔════════════════════════════════════════════════════════════════════════════╗
║  ✓ Session Memory Saved                                                    ║
║                                                                            ║
║  Recovery ID: {:<61}║
║                                                                            ║
║  To restore: "Please import memory <ID>"                                   ║
║  (MCP: core_memory export | CLI: memtui core-memory export --id <ID>)      ║
╚════════════════════════════════════════════════════════════════════════════╝"""
"""The box that shows a Recovery ID (seed 000, section 5, step 4), with memtui's own command in it."""


def print_recovery_box(memory_id: str) -> None:
    click.echo(RECOVERY_BOX.format(memory_id))
