"""``memtui compact``: turns a session into a recovery text under a Recovery ID."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from memtui.cli.accept_draft import accepted_draft, edited
from memtui.cli.changes import changes_in
from memtui.cli.check import as_json_points, summary
from memtui.cli.engine import asking, draft_note, engine_option
from memtui.cli.output import (
    can_answer,
    is_terminal,
    print_bytes,
    print_document,
    print_json,
    say,
)
from memtui.cli.project import project_of, root_option
from memtui.cli.recovery_box import print_recovery_box
from memtui.documents.checklist import Point, Verdict, check_recovery
from memtui.engines.engine_choice import Engine
from memtui.flows.compact import Compacted, draft, keep, stored_already
from memtui.formats.recovery import parse_recovery
from memtui.formats.tags import tags_of
from memtui.ground.clean import clean_line
from memtui.ground.clipboard import copy, osc52
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, claude_config, expanded, memtui_home

_ALREADY = "Already stored as"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run, with the keys of ``--json``."""

    operation: str
    """``compact``."""
    id: str
    """The Recovery ID; "" when nothing was stored."""
    message: str
    text: str
    """The recovery text."""
    project: str
    """The root named in the text."""
    session_id: str
    """Claude Code's session."""
    transcript: str
    description: str
    tags: tuple[str, ...]
    engine: str
    """The origin of the wording: ``facts`` or ``claude``."""
    note: str
    """A remark on the origin of the text, or ""."""
    checklist: list[dict[str, Any]]
    """The points of ``memtui check --json``."""


@click.command("compact")
@click.option(
    "--transcript",
    type=click.Path(path_type=Path),
    metavar="T",
    help="A session's JSONL file.",
)
@click.option("--session", default="", metavar="ID", help="A session of this project, or its id's beginning.")
@click.option("--description", default="", help="The title in lists, instead of the objective.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags, separated by commas; may be repeated.")
@click.option("--force", is_flag=True, help="Store the text without asking.")
@engine_option
@click.option("--print", "only_print", is_flag=True, help="Print the text and store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, ask nothing.")
@root_option
def command(
    transcript: Path | None,
    session: str,
    description: str,
    tags: tuple[str, ...],
    force: bool,
    engine: str,
    only_print: bool,
    as_json: bool,
    root: Path | None,
) -> None:
    """Turn a session into a recovery text, and store it under a Recovery ID.

    The session is the project's newest one unless --session or --transcript names another. The text is
    drafted from its transcript: plan, files, decisions, open work. It is shown first, with the verdicts of
    the checklist; you accept it, edit it in $EDITOR, or leave it. Without a terminal, nothing is stored
    unless --force is given, and the exit code is 1.

    With --engine claude, `claude -p` improves that text under the same rules. If it fails, the text drafted
    from the facts is kept, and a line says why.
    """
    if transcript is not None and session:
        raise click.UsageError("name the session once: with --session or with --transcript.")
    places = Places(project_of(root), memtui_home(), claude_config())
    compacted = draft(places, transcript=_file(transcript), session=session)
    if engine == Engine.CLAUDE:
        compacted = _by_claude(compacted)
    compacted = replace(compacted, description=description.strip() or compacted.description)
    labels = tags_of(*tags)
    if only_print:
        _print(compacted, labels, as_json)
        return
    accepted = compacted if force else _ask(compacted, labels, as_json)
    if accepted is None:
        say("Nothing was stored.")
        return
    known = stored_already(places, accepted, description=description.strip(), tags=labels)
    memory_id = (
        known
        or keep(places, system_clock, accepted, tags=labels, wrote=changes_in(places.project.root).wrote).id
    )
    if as_json:
        message = f"{_ALREADY} {known}" if known else f"Created memory: {memory_id}"
        print_json(asdict(_outcome(accepted, labels, memory_id, message)))
    else:
        _report(accepted, places, memory_id, known=bool(known))


def _report(accepted: Compacted, places: Places, memory_id: str, *, known: bool) -> None:
    _tell(check_recovery(accepted.text), accepted.note)
    print_recovery_box(memory_id)
    if known:
        say(f"{_ALREADY} {memory_id}: the session has not changed since. Nothing was added.")
    if accepted.root != places.project.root:
        say(f"The session worked in {accepted.root}, and the memory is kept as one of that project.")
    if is_terminal():
        say(copy(memory_id, _send).message)


def _by_claude(compacted: Compacted) -> Compacted:
    from memtui.flows.draft_model import compact_by_claude

    with asking() as called_off:
        compacted, problem = compact_by_claude(compacted, cancelled=called_off)
    return replace(compacted, note=draft_note(problem, compacted.note))


def _file(transcript: Path | None) -> Path | None:
    if transcript is None:
        return None
    path = expanded(transcript)
    if path.is_dir():
        raise click.ClickException(f"{transcript} is a folder; name one of the .jsonl files in it.")
    return path


def _print(compacted: Compacted, tags: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        print_json(asdict(_outcome(compacted, tags)))
    elif is_terminal():
        print_document(compacted.text)
    else:
        print_bytes(compacted.text.encode())


def _ask(compacted: Compacted, tags: tuple[str, ...], as_json: bool) -> Compacted | None:
    """Show the draft and ask the user; None to store nothing."""
    if as_json or not can_answer():
        _print(compacted, tags, as_json)
        if not as_json:
            sys.stdout.flush()
            click.echo()
        raise click.ClickException("nothing was stored; store the text with --force.")
    return accepted_draft(compacted, "Store (y), edit (e) or leave it (n)?", _show, _edit)


def _show(compacted: Compacted) -> None:
    print_document(compacted.text)
    say()
    _tell(check_recovery(compacted.text), compacted.note)


def _edit(compacted: Compacted) -> Compacted:
    return edited(compacted.text, lambda text: _read(compacted, text), "recovery text") or compacted


def _read(compacted: Compacted, text: str) -> Compacted:
    parse_recovery(text)
    return replace(compacted, text=text)


def _tell(points: Sequence[Point], note: str) -> None:
    """Print the text's origin, and the points that do not pass."""
    if note:
        say(f"Drafted {note}.")
    for point in points:
        if point.verdict is not Verdict.PASS:
            where = f" (line {point.line})" if point.line else ""
            say(f"{point.verdict}  {point.name}{where}: {clean_line(point.message)}")
    say(summary(points))


def _outcome(
    compacted: Compacted, tags: tuple[str, ...], memory_id: str = "", message: str = "Nothing was stored"
) -> Outcome:
    return Outcome(
        operation="compact",
        id=memory_id,
        message=message,
        text=compacted.text,
        project=str(compacted.root),
        session_id=compacted.session_id,
        transcript=os.fspath(compacted.transcript or ""),
        description=compacted.description,
        tags=tags,
        engine=compacted.engine,
        note=compacted.note,
        checklist=as_json_points(check_recovery(compacted.text)),
    )


def _send(text: str) -> None:
    click.echo(osc52(text), nl=False)
