"""Resuming and exporting a session, from several screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from memtui.app.base import BaseApp
from memtui.app.screens.dialogs import AskScreen, ConfirmScreen
from memtui.app.terminal import run_aside
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem
from memtui.store.archive import Archive
from memtui.store.session_list import (
    NOT_RESUMED,
    Resumable,
    resumable,
    resume_command,
    session_folder,
    typed_command,
)

_ALIVE = 60.0


def resume(app: BaseApp, transcript: Path, session: Resumable | None = None, *, fork: bool = False) -> None:
    """Resume the session of a transcript, or a copy of it, in Claude Code; ask first while it seems alive.

    The app is suspended meanwhile. Without a `claude` the command is copied.
    """
    quiet, session = _ALIVE, session or resumable(app.model.places.home, transcript)
    if session.kept is None and resume_command(session.session_id, fork=fork):
        with suppress(OSError):
            quiet = app.model.clock().timestamp() - transcript.stat().st_mtime
    if fork or quiet >= _ALIVE:
        _resume(app, session, fork=fork)
        return

    def answered(sure: bool | None) -> None:
        if sure:
            _resume(app, session, fork=True)

    command = " ".join(resume_command(session.session_id, fork=True))
    written = f"This session was written {max(0, round(quiet))} s ago."
    question = f"{written} Resume a copy of it? It runs {command}"
    app.push_screen(ConfirmScreen(question, yes="Fork", no="Leave it", safe=True), answered)


def _resume(app: BaseApp, session: Resumable, *, fork: bool) -> None:
    with app.reporting("resuming the session"):
        command = list(resume_command(session.session_id, fork=fork))
        if not command:
            app.warn(f"{NOT_RESUMED}, and this one's file is called {clean_line(session.session_id)}.")
            return
        if session.kept is not None:
            Archive(app.model.places.home).restore(session.kept)
        folder = session_folder(session.folder, app.model.project.root)
        problem = run_aside(app, command, folder)
        if problem is None:
            typed = typed_command(session.session_id, str(folder), fork=fork)
            app.copy_text(typed, name=f"“{typed}”")
        elif problem:
            app.say(problem, severity="warning")


async def export_sessions(
    app: BaseApp, transcripts: Sequence[Path], readable: Callable[[Path], Path] = lambda path: path
) -> None:
    """Ask for a path, write the sessions there, several into a folder, and report it; for workers."""
    from memtui.ground.clock import system_clock
    from memtui.ground.project import downloads, expanded
    from memtui.store.export import export_parts, form_of, session_file, session_parts

    several, here = len(transcripts) > 1, downloads()
    if several:
        question, proposed = f"Export {len(transcripts)} sessions into a folder", here
        form = "A page of HTML for each."
    else:
        question, proposed = "Export this session to a file", here / session_file(transcripts[0])
        form = "A page of HTML; Markdown if the name ends in .md."
    hint = f"{form} Secrets are masked. Existing files are kept."
    asked = AskScreen(question, yes="Export", value=clean_line(str(proposed)), hint=hint)
    answer = await app.push_screen_wait(asked)
    if answer is None or not answer.strip():
        return
    target = here / expanded(answer.strip())

    def write(transcript: Path, file: Path) -> str:
        return export_parts(file, session_parts(readable(transcript), form_of(file.name), system_clock()))

    with app.reporting("exporting"):
        if several and not target.is_dir():
            raise FileProblem(target, "is no folder")
        for each in transcripts:
            file = target / session_file(each) if target.is_dir() else target
            said = await asyncio.to_thread(write, each, file)
        app.say(f"Wrote {len(transcripts)} pages into {target}, secrets masked." if several else said)
