"""``memtui compact``: turns a session into a recovery text under a Recovery ID, and checks such texts."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from memtui.cli import options, output
from memtui.documents.checklist import Point, Verdict, check_recovery
from memtui.documents.memory import tags_of
from memtui.documents.recovery import parse_recovery
from memtui.engines.drafts import compact_by_claude, unsourced_lines
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.files import reading
from memtui.ground.project import Places
from memtui.ground.text import FormatError
from memtui.secrets.secrets import find, holds_secrets
from memtui.store.compact import Compacted, draft, keep, stored_already
from memtui.store.sessions import find_transcript

_ALREADY = "Already stored as"
_NAMED = 20


@click.command("compact")
@options.transcript_option
@options.session_option
@click.option("--description", default="", help="The title in lists, instead of the objective.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags, separated by commas; may be repeated.")
@click.option("--force", is_flag=True, help="Store the text without asking.")
@options.engine_option
@click.option("--print", "only_print", is_flag=True, help="Print the text and store nothing.")
@click.option("--check", "checked", metavar="FILE|-", help="Check a recovery text, and store nothing.")
@click.option("--cited", is_flag=True, help="With --check: check the lines of the transcript it cites, too.")
@options.common_options
def compact(
    transcript: Path | None,
    session: str,
    description: str,
    tags: tuple[str, ...],
    force: bool,
    engine: str,
    only_print: bool,
    checked: str | None,
    cited: bool,
    as_json: bool,
    places: Places,
) -> None:
    """Turn a session into a recovery text, and store it under a Recovery ID.

    The session is the project's newest one unless --session or --transcript names another. The text is
    drafted from its transcript: plan, files, decisions, open work. It is shown first, with the verdicts of
    the checklist; you accept it, edit it in $EDITOR, or leave it. Without a terminal, nothing is stored
    unless --force is given, and the exit code is 1.

    With --engine claude, `claude -p` improves that text under the same rules. If it fails, the text drafted
    from the facts is kept, and a line says why.

    --check prints the thirteen points of the checklist for the text of a file or of standard input (-), each
    pass, warn or fail. With --cited a fourteenth names the decisions, constraints and issues that cite no
    line of the session which holds their words, as in (L476: "the words"). The exit code is 1 when a point
    fails.
    """
    options.one_session(session, transcript)
    if checked is not None:
        name = "standard input" if checked == "-" else checked
        session = session or str(transcript or "")
        text = options.given_bytes(checked, 16 << 20).decode("utf-8", "replace")
        check_text(name, text, places, session if cited else None, as_json=as_json)
        return
    compacted = draft(places, transcript=transcript, session=session)
    if engine == "claude":
        with options.asking_claude() as called_off:
            compacted, problem = compact_by_claude(compacted, cancelled=called_off)
        compacted = replace(compacted, note=options.draft_note(problem, compacted.note))
    compacted = replace(compacted, description=description.strip() or compacted.description)
    labels = tags_of(*tags)
    if only_print:
        _print(compacted, labels, as_json)
        return
    accepted = compacted if force else _ask(compacted, labels, as_json)
    if accepted is None:
        output.say("Nothing was stored.")
        return
    known = stored_already(places, accepted, description=description.strip(), tags=labels)
    memory_id = known or keep(places, system_clock, accepted, tags=labels).id
    if as_json:
        message = f"{_ALREADY} {known}" if known else f"Created memory: {memory_id}"
        output.print_json(_outcome(accepted, labels, memory_id, message))
    else:
        _tell(check_recovery(accepted.text), accepted.note)
        output.print_recovery_box(memory_id)
        if known:
            output.say(f"{_ALREADY} {memory_id}: the session has not changed since. Nothing was added.")
        if accepted.root != places.project.root:
            kept = "and the memory is kept as one of that project."
            output.say(f"The session worked in {accepted.root}, {kept}")
        if output.is_terminal():
            output.say(output.copied(memory_id).message)


def _print(compacted: Compacted, tags: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        output.print_json(_outcome(compacted, tags))
    elif output.is_terminal():
        output.print_document(compacted.text)
    else:
        output.print_bytes(compacted.text.encode())


def _ask(compacted: Compacted, tags: tuple[str, ...], as_json: bool) -> Compacted | None:
    if as_json or not output.can_answer():
        _print(compacted, tags, as_json)
        if not as_json:
            sys.stdout.flush()
            click.echo()
        raise click.ClickException("nothing was stored; store the text with --force.")
    return options.accepted_draft(compacted, "Store (y), edit (e) or leave it (n)?", _show, _edit)


def _show(compacted: Compacted) -> None:
    output.print_document(compacted.text)
    output.say()
    _tell(check_recovery(compacted.text), compacted.note)


def _edit(compacted: Compacted) -> Compacted:
    def read(text: str) -> Compacted:
        parse_recovery(text)
        return replace(compacted, text=text)

    return options.edited(compacted.text, read, "recovery text") or compacted


def _tell(points: Sequence[Point], note: str) -> None:
    if note:
        output.say(f"Drafted {note}.")
    for point in points:
        if point.verdict is not Verdict.PASS:
            where = f" (line {point.line})" if point.line else ""
            output.say(f"{point.verdict}  {point.name}{where}: {clean_line(point.message)}")
    output.say(_summary(points))


def _outcome(
    compacted: Compacted, tags: tuple[str, ...], memory_id: str = "", message: str = "Nothing was stored"
) -> dict[str, Any]:
    """The result with the keys of ``--json``; ``engine`` and ``note`` say where the wording is from."""
    return {
        "operation": "compact",
        "id": memory_id,
        "message": message,
        "text": compacted.text,
        "project": str(compacted.root),
        "session_id": compacted.session_id,
        "transcript": os.fspath(compacted.transcript or ""),
        "description": compacted.description,
        "tags": tags,
        "engine": compacted.engine,
        "note": compacted.note,
        "checklist": points_json(check_recovery(compacted.text)),
    }


def check_text(name: str, text: str, places: Places, session: str | None, *, as_json: bool) -> None:
    """Print the points of the checklist, and the secrets in a text; leave with 1 if a point fails.

    The lines that it cites are those of `session`, "" for the current one; None: they are not looked up.
    """
    try:
        points = check_recovery(text)
        points += (_sources(text, session, places),) if session is not None else ()
    except FormatError as error:
        raise click.ClickException(f"{name} is not a recovery text: {error}.") from error
    secrets = find(text)
    worst = max((point.verdict for point in points), key=list(Verdict).index)
    if as_json:
        answer = {"source": name, "verdict": worst, "points": points_json(points)}
        output.print_json({**answer, "secrets": [hit._asdict() for hit in secrets]})
    else:
        rows = [(point.verdict, point.name, str(point.line or ""), point.message) for point in points]
        output.print_table(("Verdict", "Point", "Line", "What is found"), rows, flexible=3)
        output.say(_summary(points), err=True)
        if secrets:
            output.say(f"{holds_secrets(secrets)}.", err=True)
    if worst is Verdict.FAIL:
        raise click.exceptions.Exit(1)


def _sources(text: str, session: str, places: Places) -> Point:
    transcript = find_transcript(places, session)
    with reading(transcript):
        lines = unsourced_lines(text, transcript, places.project.root)
    if not lines:
        return Point("Sources", Verdict.PASS, "every statement cites a line that holds its words", None)
    named = ", ".join(map(str, lines[:_NAMED])) + (", ..." if len(lines) > _NAMED else "")
    message = f"cite no line that holds their words, end them with (no source): line {named}"
    return Point("Sources", Verdict.WARN, message, lines[0])


def points_json(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Points with the keys of ``--json``; ``line`` counts from 1 in the text."""
    return [{"number": number, **point._asdict()} for number, point in enumerate(points, 1)]


def _summary(points: Sequence[Point]) -> str:
    number = Counter(point.verdict for point in points)
    parts = [f"{number[Verdict.PASS]} of {len(points)} points pass"]
    parts += [f"{number[Verdict.WARN]} warn"] if number[Verdict.WARN] else []
    parts += [f"{number[Verdict.FAIL]} fail"] if number[Verdict.FAIL] else []
    return f"Checklist: {', '.join(parts)}."
