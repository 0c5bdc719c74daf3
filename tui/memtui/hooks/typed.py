"""UserPromptSubmit: a typed slash command that has a compact summary becomes active by itself (seed 002)."""

from __future__ import annotations

from datetime import datetime

from memtui.hooks.payload import Payload
from memtui.hooks.report import Report
from memtui.hooks.settings import switched
from memtui.project import Home, Project
from memtui.store.commands_file import CommandProblem, CommandsFile, normalised
from memtui.store.shared_text import HOOK_PATIENCE

_LONGEST = 200


def user_prompt_submit(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Register the command of a prompt such as ``/babysit fix it`` if its file has a compact summary.

    Returns:
        "": whatever was printed would become part of the prompt (Claude Code fact).
    """
    word = payload.prompt.split(maxsplit=1)[0] if payload.prompt.startswith("/") else ""
    if payload.agent_id or not 1 < len(word) < _LONGEST:
        return ""
    if not switched("typed_commands", home.config, report, default=True):
        return ""
    commands = CommandsFile(project, HOOK_PATIENCE)
    try:
        commands.summary(word)
    except CommandProblem:
        return ""  # another kind of command, or none at all
    try:
        added = commands.activate(word, now)
        report.did(f"{normalised(word)} is active" + ("" if added else " already"))
    except CommandProblem as problem:
        report.problem(problem)
    return ""
