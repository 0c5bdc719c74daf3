"""``memtui state`` and ``compactor``: versions of session states, by hand and while Claude Code works."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import click

from memtui.cli import options, output
from memtui.cli.options import C
from memtui.documents.compactor import members
from memtui.documents.session_state import SessionState, TaskKind, render_session_state
from memtui.documents.state_diff import LineDiff, SectionDiff, state_diff
from memtui.documents.work import goal_words
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store import state_updates
from memtui.store.sessions import find_transcript
from memtui.store.state_updates import Following
from memtui.store.states import StoredState
from memtui.transcript.short_text import tokens


def _of_session(command: C) -> C:
    """Options of all commands of `state`: the session, and JSON."""
    return options.session_option(options.transcript_option(options.common_options(command)))


def _documents(places: Places, session: str, transcript: Path | None) -> state_updates.SessionDocuments:
    options.one_session(session, transcript)
    return state_updates.documents_of(places, session=session, transcript=transcript)


@click.group("state")
def state() -> None:
    """Keep a session's state document, and show its versions.

    The document says where a session stands: goal, tasks, decisions, files, errors. Its versions are kept,
    and none is ever changed. Without --session and --transcript it is the project's newest session.
    """


@state.command("update")
@options.engine_option
@_of_session
def update(session: str, transcript: Path | None, engine: str, as_json: bool, places: Places) -> None:
    """Write the next version from what was said since the last one.

    Nothing is written when the document would be the same. If claude fails, the version drafted from the
    facts is written, and standard error says why.
    """
    options.one_session(session, transcript)
    note, path = "", transcript or find_transcript(places, session)
    if engine == "claude":
        from memtui.engines.drafts import update_by_claude

        with options.asking_claude() as called_off:
            written, problem = update_by_claude(places, transcript=path, cancelled=called_off)
        if problem:
            output.say(f"memtui: {clean_line(problem)}: kept the facts-only version.", err=True)
        note = options.draft_note(problem)
    else:
        written = state_updates.update_state(places, path)
    by = {"engine": "facts" if note else engine, "note": note}
    done = {"changed": written is not None, **by, **(_as_json(written) if written else {})}
    said = "Nothing has changed since the last version."
    if written:
        said = f"Version {written.version} of {written.session_id}: {written.path}"
    if not written and not _documents(places, session, transcript).entries:
        said = "Nothing was said in this session yet: there is no version to write."
    output.print_result(done, said, as_json)


@state.command("show")
@click.argument("version", type=click.IntRange(min=1), required=False)
@_of_session
def show(version: int | None, session: str, transcript: Path | None, as_json: bool, places: Places) -> None:
    """Print the document: its newest version, or VERSION.

    A session without stored versions is drafted from its transcript; nothing is written then.
    """
    documents = _documents(places, session, transcript)
    if version is not None or documents.entries:
        found = documents.version(version)
        note = f"{found.path} {found.problem}" if found.problem else ""
        text, known, shown = found.text, found.state, {**_as_json(found), "stored": True}
    else:
        draft = state_updates.current_state(places, documents)
        note = "No version is stored yet: this is a draft. `memtui state update` writes the first one."
        about = {"session_id": documents.session_id, "version": None, "path": None, "written": None}
        text, known, shown = draft.text, draft.state, {**about, "stored": False}
    if as_json:
        output.print_json({**shown, "text": text, "state": known and known.model_dump(mode="json")})
        return
    if note:
        output.say(note, err=True)
    output.print_document(text)


@state.command("history", short_help="List the versions, newest first.")
@_of_session
def history(session: str, transcript: Path | None, as_json: bool, places: Places) -> None:
    """List the versions, newest first: time, size, decisions, and what was in progress."""
    documents = _documents(places, session, transcript)
    versions = [documents.store.load(entry) for entry in documents.entries]
    values = [{**_as_json(each), **_counted(each.state)} for each in versions]
    columns = ("Version", "Time", "Tokens", "Done", "Decisions", "In progress")
    nothing = f"No version of {documents.session_id} is stored yet; `memtui state update` writes one."
    output.print_list(values, columns, [_row(each) for each in versions], nothing, as_json, flexible=5)


@state.command("diff", short_help="Show what changed between two versions.")
@click.argument("before", metavar="[FROM]", type=click.IntRange(min=1), required=False)
@click.argument("after", metavar="[TO]", type=click.IntRange(min=1), required=False)
@_of_session
def diff(
    before: int | None,
    after: int | None,
    session: str,
    transcript: Path | None,
    as_json: bool,
    places: Places,
) -> None:
    """Show what has changed between two versions, word by word; the last two unless given.

    Lines begin with + (new), - (gone) or ~ (changed: [-old words-] {+new words+}); a new decision is marked
    with NEW.
    """
    documents = _documents(places, session, transcript)
    newest = documents.version(after)
    earlier = documents.version(before) if before is not None else documents.before(newest.version)
    sections = state_diff(_readable(earlier) if earlier else None, _readable(newest))
    numbers = {"from": earlier.version if earlier else None, "to": newest.version}
    if as_json:
        changed = [_section(section) for section in sections if section.has_changed]
        output.print_json({"session_id": documents.session_id, **numbers, "sections": changed})
        return
    printed: list[list[tuple[str, str]]] = []
    for section in sections:
        if lines := [line for line in section.lines if line.change != "same"]:
            printed += [[("", "")]] if printed else []
            printed += [[(f"## {section.title}", "")], *map(_pieces, lines)]
    output.print_changes(printed or [[("The two versions say the same.", "")]])


def _readable(stored: StoredState) -> SessionState:
    if stored.state is None:
        raise click.ClickException(f"{stored.path} {stored.problem}.")
    return stored.state


def _as_json(stored: StoredState) -> dict[str, Any]:
    return {
        "session_id": stored.session_id,
        "version": stored.version,
        "path": str(stored.path),
        "written": stored.written.isoformat(timespec="seconds"),
        "problem": stored.problem,
    }


def _counted(state: SessionState | None) -> dict[str, Any]:
    if state is None:
        return {}
    return {
        "tokens": tokens(render_session_state(state)),
        "done": sum(task.kind is TaskKind.DONE for task in state.tasks),
        "decisions": sum(len(members(decision)) for decision in state.decisions),
        "in_progress": _in_progress(state),
    }


def _row(stored: StoredState) -> tuple[str, ...]:
    counted = _counted(stored.state)
    numbers = [str(counted.get(name, "-")) for name in ("tokens", "done", "decisions")]
    doing = counted.get("in_progress", "") or stored.problem or "-"
    return (f"v{stored.version}", local_minute(stored.written), *numbers, doing)


def _section(section: SectionDiff) -> dict[str, Any]:
    lines = [
        {
            "change": line.change,
            "new_decision": line.is_new_decision,
            "pieces": [{"change": piece.change, "text": piece.text} for piece in line.pieces],
        }
        for line in section.lines
        if line.change != "same"
    ]
    return {"title": section.title, "lines": lines}


def _pieces(line: LineDiff) -> list[tuple[str, str]]:
    signs = {"added": "+ ", "removed": "- ", "changed": "~ "}
    sign = signs[line.change] + ("NEW " if line.is_new_decision else "")
    if line.change != "changed":
        return [(sign + line.text, line.change)]
    marks = {"same": "{}", "added": "{{+{}+}}", "removed": "[-{}-]"}
    pieces = [(marks[piece.change].format(piece.text), piece.change) for piece in line.pieces]
    return [(sign, ""), *[(text, "" if change == "same" else change) for text, change in pieces]]


@click.command("compactor")
@click.option(
    "--interval",
    type=click.IntRange(min=1, max=3600),
    default=2,
    show_default=True,
    help="Seconds between two checks of the transcripts.",
)
@options.common_options
def compactor(interval: int, as_json: bool, places: Places) -> None:
    """Keep the session states of this project up to date while Claude Code works.

    A new version is written when a session has grown by some 20,000 tokens, and when it pauses. Each version
    prints one line: local time, session, version, what is in progress; with --json an object. It runs until
    ctrl+c. The app does the same while it is open.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    following = Following(places)
    if output.is_terminal():
        output.say(f"Following the sessions of {places.project.name}. ctrl+c ends it.", err=True)
    last = ""
    while True:
        try:
            for made in following.step(time.monotonic()):
                if isinstance(made, FileProblem):
                    output.say(f"memtui: {clean_line(str(made))}.", err=True)
                else:
                    _tell(made, as_json)
            last = ""
        except FileProblem as problem:
            if str(problem) != last:  # it may last: report it only once
                last = str(problem)
                output.say(f"memtui: {clean_line(last)}.", err=True)
        time.sleep(interval)


def _tell(stored: StoredState, as_json: bool) -> None:
    known = stored.state
    doing = (_in_progress(known) or goal_words(known.identity.goal)) if known else ""
    shape = {"session_id": stored.session_id, "version": stored.version}
    shape |= {"written": stored.written.isoformat(), "doing": doing}
    words = (local_minute(stored.written), stored.session_id[:8], f"v{stored.version}", doing)
    output.print_result(shape, "  ".join(map(clean_line, words)).rstrip(), as_json, indent=None)
    sys.stdout.flush()


def _in_progress(state: SessionState) -> str:
    return next((task.text for task in state.tasks if task.kind is TaskKind.IN_PROGRESS), "")
