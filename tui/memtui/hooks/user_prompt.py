"""UserPromptSubmit: delivers waiting messages; activates a typed command (seed 002)."""

from __future__ import annotations

import os
from datetime import datetime

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks.records import Payload, Report
from memtui.hooks.settings import switched
from memtui.store.commands_file import HOOK_PATIENCE, CommandsFile, normalised


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
