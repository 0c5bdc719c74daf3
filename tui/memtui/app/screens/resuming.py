"""Resuming and forking a session, from any screen that shows it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.base import BaseApp
from memtui.app.screens.dialogs import ConfirmScreen
from memtui.app.terminal import run_aside, run_in_window
from memtui.ground.clean import clean_line
from memtui.store.archive import Archive
from memtui.store.resuming import NOT_RESUMED, Resumable, resume_command, session_folder, typed_command

if TYPE_CHECKING:
    from memtui.app.project import ProjectModel


_ALIVE = 60.0
"""Seconds since its last line for which a session counts as alive."""


def resume(
    app: BaseApp, model: ProjectModel, session: Resumable, transcript: Path, *, fork: bool = False
) -> None:
    """Resume a session, or a copy of it, in Claude Code; ask first while it seems to be alive.

    The app is suspended meanwhile, or config.toml requests a new tmux window. Without a `claude` the command
    is copied.
    """
    quiet = _ALIVE
    with suppress(OSError):
        quiet = model.clock().timestamp() - transcript.stat().st_mtime
    if fork or quiet >= _ALIVE:
        _resume(app, model, session, fork=fork)
        return

    def answered(sure: bool | None) -> None:
        if sure:
            _resume(app, model, session, fork=True)

    question = f"This session was written {max(0, round(quiet))} s ago. Resume a copy of it?"
    app.push_screen(ConfirmScreen(question, yes="Fork", no="Leave it", safe=True), answered)


def _resume(app: BaseApp, model: ProjectModel, session: Resumable, *, fork: bool) -> None:
    with app.reporting("resuming the session"):
        command = list(resume_command(session.session_id, fork=fork))
        if not command:
            app.warn(f"{NOT_RESUMED}, and this one's file is called {clean_line(session.session_id)}.")
            return
        if session.kept is not None:
            Archive(model.places.home, model.clock).restore(session.kept)
        folder = session_folder(session.folder, model.project.root)
        in_window = app.new_windows
        problem = run_in_window(command, folder) if in_window else run_aside(app, command, folder)
        if problem is None:
            typed = typed_command(session.session_id, str(folder), fork=fork)
            app.copy_text(typed, name=f"“{typed}”")
        elif problem:
            app.say(problem, severity="warning")
        elif in_window:
            app.say(f"{'Forked' if fork else 'Resumed'} in a new window of tmux.")
