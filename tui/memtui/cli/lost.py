"""``memtui lost``: what a compaction kept and lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.output import print_groups, print_json, say
from memtui.cli.project import project_of, root_option
from memtui.documents.sources import citation
from memtui.flows.aftermath import as_object, newest_or_named
from memtui.ground.clock import local_minute, parse_iso
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.lost.records import TITLES, Aftermath, Row
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.short_text import shortened

_WIDTH = 200
_MARKS = {"kept": "✓", "handed over": "↺", "lost": "✗", "not named": "?"}


@click.command("lost")
@click.argument("compaction", default="", metavar="[CAPTURE|SESSION]")
@click.option("--all", "every", is_flag=True, help="Every compaction of the session, the oldest first.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, an object for each compaction.")
@root_option
def command(compaction: str, every: bool, as_json: bool, root: Path | None) -> None:
    """Print what a compaction kept and lost.

    That is the newest compaction of SESSION (an id, the beginning of one, or a transcript; without it the
    project's newest), or the one that CAPTURE belongs to. Each fact of the conversation that was replaced is
    kept by the summary (✓), handed over by memtui (↺), lost (✗: a file or a command that neither names), or
    not named in its own words (?), though the summary may paraphrase it. The worst losses come first. L476
    names line 476 of the transcript.
    """
    places = Places(project_of(root), memtui_home(), claude_config())
    found = newest_or_named(places, compaction, every=every)
    if as_json:
        print_json([masked_in(as_object(each)) for each in found])
        return
    for number, each in enumerate(found):
        if number:
            say()
        say(headline(each))
        say()
        print_groups((title, [masked(line) for line in lines]) for title, lines in _groups(each))


def headline(aftermath: Aftermath) -> str:
    """``2026-02-23 13:32  155k -> 42k  7 losses that count, 12 missing in all, 31 kept``."""
    compaction = aftermath.compaction
    moment = parse_iso(compaction.source.timestamp)
    sizes = [f"{round(size / 1000)}k" for size in (compaction.pre_tokens, compaction.post_tokens) if size]
    heavy, missing, kept = len(aftermath.counted_losses), len(aftermath.missing), len(aftermath.kept)
    parts = (
        local_minute(moment) if moment else "",
        f"session {aftermath.session_id[:8]}",
        " -> ".join(sizes),
        f"{heavy} {'loss' if heavy == 1 else 'losses'} that count, {missing} missing in all, {kept} kept",
    )
    return "  ".join(part for part in parts if part)


def _groups(aftermath: Aftermath) -> Iterator[tuple[str, list[str]]]:
    if aftermath.missing:
        yield "Lost", [_line(row, number) for number, row in enumerate(aftermath.missing, 1)]
    if aftermath.unfounded:
        yield "Said by the summary alone", [f"! {u.text}: {u.reason}" for u in aftermath.unfounded]
    for kind, title in TITLES.items():
        if lines := [_line(row) for row in aftermath.kept if row.kind == kind]:
            yield f"Kept: {title}", lines


def _why(row: Row) -> str:
    return "marked by hand" if row.by_hand else "still there" if row.preserved else ""


def _line(row: Row, number: int = 0) -> str:
    notes = (citation(row.source), row.need.label if row.need else "", _why(row))
    remarks = ", ".join(note for note in notes if note)
    mark = f"{_MARKS[row.state]} {number}." if number else _MARKS[row.state]
    return f"{mark} {shortened(row.text, _WIDTH)}{f' ({remarks})' if remarks else ''}"
