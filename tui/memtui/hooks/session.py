"""SessionStart and SessionEnd: what belongs to a session alone, and what is handed on."""

from __future__ import annotations

import json
from datetime import datetime

from memtui.files import FileProblem
from memtui.hooks.active import PATIENCE
from memtui.hooks.ended import note_end, take_ended
from memtui.hooks.payload import Payload
from memtui.hooks.report import Report
from memtui.project import Home, Project
from memtui.store.commands_file import CommandsFile


def session_start(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """A fresh session begins with no active command; one that goes on keeps them. Returns what to print.

    ``startup`` and ``clear`` begin afresh (seed 002), ``compact`` goes on with what it is reminded of;
    ``resume`` and ``fork`` go on with everything still there.
    """
    if payload.agent_id:
        report.did("nothing: a subagent's")
        return ""
    if payload.source in ("startup", "clear"):
        _clear_commands(project, report)
    text = ""
    if payload.source == "clear":
        text = _of_ended(project, home, now, report)
    elif payload.source == "compact":
        from memtui.hooks.notes import after_compaction

        text = after_compaction(payload.session_id, project, home, now, report)
    if not text:
        return ""
    report.did(f"{len(text)} characters of context")
    output = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(output) + "\n"


def session_end(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Note which session has ended. Claude Code shows nobody what this prints, so it is nothing."""
    if payload.session_id and not payload.agent_id:
        try:
            note_end(payload.session_id, project, home, now)
            report.did(f"noted the end ({payload.reason or 'no reason given'})")
        except FileProblem as problem:
            report.problem(problem)
    return ""


def _clear_commands(project: Project, report: Report) -> None:
    commands = CommandsFile(project, PATIENCE)
    try:
        if entries := commands.entries():
            commands.remove({entry.name for entry in entries})
            report.did(f"cleared {', '.join(entry.name for entry in entries)}")
    except FileProblem as problem:
        if not _none_left(commands):  # another hook may have been faster
            report.problem(problem)


def _none_left(commands: CommandsFile) -> bool:
    try:
        return not commands.entries()
    except FileProblem:
        return False


def _of_ended(project: Project, home: Home, now: datetime, report: Report) -> str:
    ended = take_ended(project, home, now)
    if ended is None:
        return ""
    from memtui.hooks.notes import after_clear

    return after_clear(ended, project, home, report)
