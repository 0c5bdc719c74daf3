"""Resuming and exporting a session, from several screens."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui.app.base import OwnScreen, reported
from memtui.app.screens.dialogs import AskScreen
from memtui.app.terminal import run_aside
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem
from memtui.ground.machine import find_program
from memtui.store import session_list
from memtui.store.archive import Archive
from memtui.store.session_list import Resumable, resume_command

_ALIVE = 60.0


@reported("resuming the session", group="resume")
async def resume(
    screen: OwnScreen[Any], transcript: Path, session: Resumable | None = None, *, fork: bool = False
) -> None:
    """Resume the session of a transcript, or a copy of it, in Claude Code; ask first while it seems alive.

    The app is suspended meanwhile. Without a `claude` the command is copied.
    """
    app, quiet = screen.app, _ALIVE
    model, session = app.model, session or session_list.resumable(app.model.places.home, transcript)
    command = resume_command(session.session_id, fork=fork)
    if not command:
        name = clean_line(session.session_id)
        app.warn(f"{session_list.NOT_RESUMED}, and this one's file is called {name}.")
        return
    if session.kept is None and not fork:
        with suppress(OSError):
            quiet = model.clock().timestamp() - transcript.stat().st_mtime
    if quiet < _ALIVE:
        fork, command = True, resume_command(session.session_id, fork=True)
        written = f"This session was written {max(0, round(quiet))} s ago."
        question = f"{written} Resume a copy of it? It runs {' '.join(command)}"
        if not await app.confirmed(question, yes="Fork", no="Leave it", safe=True):
            return
    if session.kept is not None:
        Archive(model.places.home).restore(session.kept)
    folder = session_list.session_folder(session.folder, model.project.root)
    if find_program(command[0], os.environ.get("PATH")):
        run_aside(app, list(command), folder)
    else:
        typed = session_list.typed_command(session.session_id, str(folder), fork=fork)
        app.copy_text(typed, name=f"“{typed}”", note="claude is not on the PATH, so type it yourself")


async def export_sessions(
    screen: OwnScreen[Any], transcripts: Sequence[Path], readable: Callable[[Path], Path] = lambda path: path
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
    answer = await screen.app.push_screen_wait(asked)
    if answer is None or not answer.strip():
        return
    target = here / expanded(answer.strip())

    def write(transcript: Path, file: Path) -> str:
        return export_parts(file, session_parts(readable(transcript), form_of(file.name), system_clock()))

    with screen.app.reporting("exporting"):
        if several and not target.is_dir():
            raise FileProblem(target, "is no folder")
        for each in transcripts:
            file = target / session_file(each) if target.is_dir() else target
            said = await asyncio.to_thread(write, each, file)
        screen.app.say(f"Wrote {len(transcripts)} pages into {target}, secrets masked." if several else said)
