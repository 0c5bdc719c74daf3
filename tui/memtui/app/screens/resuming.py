"""Resuming and forking a session, from any screen that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.app.base import BaseApp
from memtui.app.terminal import run_aside, run_in_window
from memtui.ground.clean import clean_line
from memtui.store.archive import Archive
from memtui.store.resuming import NOT_RESUMED, Resumable, resume_command, session_folder, typed_command

if TYPE_CHECKING:
    from memtui.app.project import ProjectModel


def resume(app: BaseApp, model: ProjectModel, session: Resumable, *, fork: bool = False) -> None:
    """Resume a session, or a copy of it, in Claude Code.

    The app is suspended meanwhile, or config.toml requests a new tmux window. Without a `claude` the command
    is copied.
    """
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
