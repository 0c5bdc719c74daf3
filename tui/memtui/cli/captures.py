"""``memtui captures``: the captures of a project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.formats.capture import Capture
from memtui.formats.capture_text import opening
from memtui.ground.clock import local_minute
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.listing import Entry


@dataclass(frozen=True, slots=True)
class Listed:
    """A capture in a list, with the keys of ``--json``. Missing values of a broken one are empty."""

    file: str
    path: str
    status: str
    """``pending``, ``reviewed`` or ``broken``."""
    timestamp: str = ""
    """ISO 8601 with its offset."""
    session_id: str = ""
    transcript: str = ""
    title: str = ""
    summary: str = ""
    memory: str = ""
    """The memory file's name."""
    problem: str = ""
    """Why it is broken."""


@click.command("captures")
@click.option("--pending", is_flag=True, help="Only captures that are pending review.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@root_option
def command(pending: bool, as_json: bool, root: Path | None) -> None:
    """List what auto-compactions captured in this project, newest first.

    Each line shows status, local time, title and file. When the output is not a terminal, tabs separate the
    fields, and a broken capture shows what is wrong with it in place of a title.
    """
    store = CaptureStore(project_of(root))
    listed = [row for row in _listed(store) if row[0].status == "pending" or not pending]
    if as_json:
        print_json([asdict(row) for row, _ in listed])
    elif listed:
        fields = [(row.status, _when(capture), row.title or row.problem, row.file) for row, capture in listed]
        print_table(("Status", "Time", "Title", "File"), fields, flexible=2)
    else:
        say(_nothing(store, pending))


def title_of(message: str) -> str:
    """The title of a capture with this first message."""
    return opening(message) or "(no message)"


def _listed(store: CaptureStore) -> Iterator[tuple[Listed, Capture | None]]:
    for entry in store.entries():
        try:
            capture = store.load(entry)
        except CaptureProblem as problem:
            yield (
                Listed(
                    entry.name, str(entry.path), "broken", problem=problem.reason.removeprefix("is broken: ")
                ),
                None,
            )
        else:
            yield _readable(entry, capture), capture


def _readable(entry: Entry, capture: Capture) -> Listed:
    return Listed(
        file=entry.name,
        path=str(entry.path),
        status=capture.status,
        timestamp=capture.timestamp.isoformat(),
        session_id=capture.session_id,
        transcript=capture.transcript,
        title=title_of(capture.first_message),
        summary=capture.summary,
        memory=capture.memory,
    )


def _when(capture: Capture | None) -> str:
    return local_minute(capture.timestamp) if capture else "-"


def _nothing(store: CaptureStore, pending: bool) -> str:
    if pending:
        return f"Nothing waits for a review in {store.project.name}."
    return (
        f"No captures in {store.folder} yet. Claude Code's PreCompact hook writes them there; "
        "`memtui demo` shows what they look like."
    )
