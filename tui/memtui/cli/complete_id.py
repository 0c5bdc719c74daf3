"""Completion of Recovery IDs in the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NEWEST = 500
"""The most memories searched, of all projects."""


def complete_id(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """The ids that begin or end with the typed text, newest first, with their titles; none on errors."""
    # Imported here: only completion needs them.
    from click.shell_completion import CompletionItem

    from memtui.cli.memory_store import opened
    from memtui.ground.clean import clean_line
    from memtui.ground.files import FileProblem

    wanted = typed.upper()
    try:
        items = opened().list(limit=_NEWEST).items
    except (FileProblem, OSError):
        return []
    return [
        CompletionItem(listed.meta.id, help=clean_line(listed.title))
        for listed in items
        if listed.meta.id.startswith((wanted, f"CMEM-{wanted}")) or listed.meta.id.endswith(wanted)
    ]
