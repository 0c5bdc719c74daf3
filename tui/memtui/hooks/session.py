"""SessionStart, SessionEnd and UserPromptSubmit.

A new session clears active commands and gets the notes of the one that ended; a prompt activates the command
that it types (seed 002), and takes along the messages that wait.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from memtui.ground import files
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project, claude_config, keyed, object_in, session_key
from memtui.hooks import CLEARING
from memtui.hooks.in_force import FOR_SESSION, pins_text
from memtui.hooks.records import Payload, Report
from memtui.hooks.settings import not_writable, switched
from memtui.store.commands_file import HOOK_PATIENCE, CommandsFile, normalised


def session_start(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Start a fresh session without active commands, or a continued one with them. Returns the output.

    ``startup`` and ``clear`` are fresh sessions (seed 002). ``compact`` continues with the notes returned
    here, ``resume`` and ``fork`` with the whole conversation.
    """
    if payload.agent_id:
        report.add_work("nothing: a subagent's")
        return ""
    if problem := not_writable(project, home):
        report.problem(problem)
        until = "Until it can, what compactions leave out is lost (`memtui doctor`)."
        report.messages.append(f"memtui: {problem}. {until}")
    if payload.source == "startup":
        # Folders shared with other programs: memtui seldom writes there, and nothing else sweeps them.
        for folder in (project.root, claude_config()):
            files.sweep_temps(folder)
    if payload.source in ("startup", "clear") and CLEARING not in report.left:
        _clear_commands(project, report)
    if payload.source == "compact":
        return _after_compaction(payload, project, home, now, report)
    text = _of_ended(project, home, now, report) if payload.source == "clear" else ""
    if not text and not os.path.lexists(home.handover):
        return ""
    from memtui.hooks.deliver import as_context, hand_over

    if text:
        return as_context("SessionStart", text, report)
    return hand_over("SessionStart", payload, home, report)


def session_end(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Note the session as cleared if it was; the next one updates its state. No output: it is ignored."""
    if not payload.session_id or payload.agent_id:
        return ""
    if payload.reason in ("clear", ""):  # after any other end, no session replaces it
        try:
            note_end(payload.session_id, payload.transcript_path, project, home, now)
            report.add_work(f"noted the end ({payload.reason or 'no reason given'})")
        except FileProblem as problem:
            report.problem(problem)
    return ""


def _after_compaction(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    from memtui.hooks.deliver import as_context, leave_pins
    from memtui.hooks.notes import after_compaction
    from memtui.lost.handover_marks import mark_of

    notes = after_compaction(payload.session_id, project, home, now, report)
    output = as_context("SessionStart", notes, report)
    if text := pins_text(project, home, FOR_SESSION, report):
        # With the next prompt, the transcript shows whether these notes have arrived.
        leave_pins(payload.session_id, home, text, now, report, mark_of(output))
    return output


def _clear_commands(project: Project, report: Report) -> None:
    commands = CommandsFile(project, HOOK_PATIENCE)
    try:
        if entries := commands.read().commands:
            commands.remove({entry.name for entry in entries})
            report.add_work(f"cleared {', '.join(entry.name for entry in entries)}")
    except FileProblem as problem:
        with suppress(FileProblem):
            if not commands.read().commands:  # another hook has cleared them
                return
        report.problem(problem)


def _of_ended(project: Project, home: Home, now: datetime, report: Report) -> str:
    ended = take_ended(project, home, now)
    whole = True
    if ended is not None:
        from memtui.hooks.compaction import catch_up

        session_id, _, transcript = ended
        whole = catch_up(session_id, transcript, project, home, report)
    from memtui.hooks.notes import after_clear

    return after_clear(ended and ended[:2], project, home, report, whole=whole)


_FRESH = timedelta(minutes=2)
"""Lifetime of a note: the new session begins after all hooks of the end, within a minute."""


def note_end(session_id: str, transcript: str, project: Project, home: Home, now: datetime) -> None:
    path = _notes(project, home) / f"{session_key(session_id)}.json"
    files.private_folder(path.parent, within=files.existing_above(home.state))
    fields = {"session_id": session_id, "at": now.isoformat(), "transcript": transcript}
    files.write_atomic(path, json.dumps(fields).encode(), durable=False)


def take_ended(project: Project, home: Home, now: datetime) -> tuple[str, datetime, str] | None:
    """The session that was cleared, when, and its transcript; the new one replaces it. Each is taken once.

    Nothing says which session a new one replaces. So of several that were cleared within two minutes, none is
    taken, and their notes stay until they are old: else one could be handed to the wrong session.
    """
    found: list[tuple[Path, tuple[str, datetime, str]]] = []
    for path in _notes(project, home).glob("*.json"):
        fields = object_in(path)
        at = parse_iso(str(fields.get("at")))
        if at is not None and abs(now - at) < _FRESH:
            ended = str(fields.get("session_id")), at, str(fields.get("transcript"))
            found.append((path, ended))
        else:
            path.unlink(missing_ok=True)
    if len(found) == 1:
        ((path, ended),) = found
        with suppress(OSError):  # a concurrent hook was faster
            path.unlink()
            return ended
    return None


def _notes(project: Project, home: Home) -> Path:
    return home.state / "ended" / keyed(str(project.root))


def user_prompt_submit(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Deliver messages as part of the prompt (Claude Code fact), and register a typed ``/babysit fix it``."""
    if payload.agent_id:
        return ""
    _register(payload, project, home, now, report)
    if not os.path.lexists(home.handover):
        return ""
    from memtui.hooks.deliver import hand_over

    return hand_over("UserPromptSubmit", payload, home, report)


def _register(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> None:
    """Register the command if its file has a compact summary."""
    word = payload.prompt.split(maxsplit=1)[0] if payload.prompt.startswith("/") else ""
    if not 1 < len(word) < 200:
        return
    if not switched("typed_commands", home, report, default=True):
        return
    commands = CommandsFile(project, HOOK_PATIENCE)
    try:
        commands.summary(word)
    except FileProblem:
        return  # not a command with a compact summary
    try:
        added = commands.activate(word, now)
        report.add_work(f"{normalised(word)} is active" + ("" if added else " already"))
    except FileProblem as problem:
        report.problem(problem)
