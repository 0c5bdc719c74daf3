"""Going on with a session in Claude Code, from any screen."""

from __future__ import annotations

from pathlib import Path

from memtui.app.editor import run_aside
from memtui.app.host import HostApp
from memtui.flows.resuming import resume_command, session_folder, typed_command


def resume_session(app: HostApp, session_id: str, folder: str, root: Path, *, fork: bool = False) -> None:
    """Suspend the app for Claude Code; where it cannot be started, copy the command.

    Args:
        app: the app.
        session_id: the session.
        folder: where it was started, as its transcript says.
        root: the project's root, for a folder that is gone.
        fork: go on with a copy.
    """
    where = session_folder(folder, root)
    problem = run_aside(app, list(resume_command(session_id, fork=fork)), where)
    if problem is None:
        typed = typed_command(session_id, str(where), fork=fork)
        app.copy_text(typed, name=f"“{typed}”")
    elif problem:
        app.say(problem, severity="warning")
