"""``memtui check``: the quality checklist of a recovery text."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from memtui.cli.memory_store import full_id, opened_here
from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.documents.checklist import Point, Verdict, check_recovery
from memtui.flows.citation_check import unsourced_lines
from memtui.flows.sessions import find_transcript
from memtui.formats.model import FormatError
from memtui.ground.files.problems import reading
from memtui.ground.project import Places, claude_config, expanded, memtui_home
from memtui.secrets.secrets import find, holds_secrets
from memtui.store.base import MemoryMissing

_NAMED = 20
_LIMIT = 16 << 20
"""Maximum size of checked texts in bytes; usual ones have ten thousand."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A text to check."""

    name: str
    """Its path, its Recovery ID, or ``standard input``."""
    data: bytes


@click.command("check")
@click.argument("source", metavar="FILE|ID|-")
@click.option("--cited", is_flag=True, help="Check the lines of the session's transcript it cites, too.")
@click.option("--session", metavar="ID", default="", help="The session that it cites; implies --cited.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@root_option
@click.pass_context
def command(
    ctx: click.Context, source: str, cited: bool, session: str, as_json: bool, root: Path | None
) -> None:
    """Check a recovery text: thirteen points, each pass, warn or fail.

    The text comes from a file, a stored memory, or standard input (-). An id may be given by its unique
    beginning. With --cited a fourteenth point names the decisions, constraints and issues that cite no line
    which holds their words, as in (L476: "the words"); the session is the one that memtui was started from,
    else the project's newest. The exit code is 1 when a point fails.
    """
    given = _read_source(source, root)
    text = given.data.decode("utf-8", "replace")
    try:
        points = check_recovery(text)
        points += (_sources(text, session, root),) if cited or session else ()
    except FormatError as error:
        raise click.ClickException(f"{given.name} is not a recovery text: {error}.") from error
    secrets = find(text)
    if as_json:
        answer = {"source": given.name, "verdict": worst(points), "points": as_json_points(points)}
        print_json({**answer, "secrets": [hit._asdict() for hit in secrets]})
    else:
        print_points(points)
        say(summary(points), err=True)
        if secrets:
            say(f"{holds_secrets(secrets)}.", err=True)
    if worst(points) is Verdict.FAIL:
        ctx.exit(1)


def _sources(text: str, session: str, root: Path | None) -> Point:
    """The point on the cited lines."""
    places = Places(project_of(root), memtui_home(), claude_config())
    transcript = find_transcript(places, session)
    with reading(transcript):
        lines = unsourced_lines(text, transcript, places.project.root)
    if not lines:
        return Point("Sources", Verdict.PASS, "every statement cites a line that holds its words", None)
    named = ", ".join(map(str, lines[:_NAMED])) + (", ..." if len(lines) > _NAMED else "")
    message = f"cite no line that holds their words, end them with (no source): line {named}"
    return Point("Sources", Verdict.WARN, message, lines[0])


def worst(points: Sequence[Point]) -> Verdict:
    """The worst verdict of all points."""
    return max((point.verdict for point in points), key=list(Verdict).index)


def as_json_points(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Points with the keys of ``--json``."""
    return [
        {
            "number": number,
            "name": point.name,
            "verdict": point.verdict,
            "message": point.message,
            "line": point.line,
        }
        for number, point in enumerate(points, 1)
    ]


def print_points(points: Sequence[Point]) -> None:
    """Print points, one per line."""
    rows = [(point.verdict, point.name, str(point.line or ""), point.message) for point in points]
    print_table(("Verdict", "Point", "Line", "What is found"), rows, flexible=3)


def summary(points: Sequence[Point]) -> str:
    """The number of points per verdict, in a sentence."""
    number = Counter(point.verdict for point in points)
    parts = [f"{number[Verdict.PASS]} of {len(points)} points pass"]
    parts += [f"{number[Verdict.WARN]} warn"] if number[Verdict.WARN] else []
    parts += [f"{number[Verdict.FAIL]} fail"] if number[Verdict.FAIL] else []
    return f"Checklist: {', '.join(parts)}."


def _read_source(source: str, root: Path | None) -> _Source:
    if source == "-":
        data = sys.stdin.buffer.read(_LIMIT + 1) if sys.stdin is not None else b""
        return _within_limit(_Source("standard input", data))
    path = expanded(source)
    if path.is_dir():
        raise click.ClickException(f"{source} is a folder; name a file in it.")
    if path.exists():
        with reading(path), path.open("rb") as file:
            return _within_limit(_Source(source, file.read(_LIMIT + 1)))
    backend = opened_here(root)
    try:
        memory_id = full_id(backend, source, root)
    except MemoryMissing as missing:
        raise click.ClickException(f"there is no file {source}, and {missing}.") from missing
    return _Source(memory_id, backend.get(memory_id).body)


def _within_limit(given: _Source) -> _Source:
    if len(given.data) > _LIMIT:
        limit = _LIMIT >> 20
        raise click.ClickException(f"{given.name} is larger than {limit} MB: it is not a recovery text.")
    return given
