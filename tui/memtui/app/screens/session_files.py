"""What is done with sessions as files: resumed, exported, archived, forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.base import BaseApp
from memtui.app.screens.dialogs import AskScreen, ConfirmScreen
from memtui.app.terminal import run_aside, run_in_window
from memtui.app.widgets.document import Document, Line, line
from memtui.flows.forgetting import Traces, forget, traces_of
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.archive import Archive
from memtui.store.archive_settings import archive_settings
from memtui.store.session_list import (
    NOT_RESUMED,
    Resumable,
    Session,
    resume_command,
    session_folder,
    size_text,
    typed_command,
)

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
    if session.kept is None and resume_command(session.session_id, fork=fork):
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


_ENDS = "Secrets are masked. Existing files are kept.\nenter writes · esc leaves"
_HINT = f"A page of HTML; Markdown if the name ends in .md. {_ENDS}"
_FOLDER = f"A page of HTML for each. {_ENDS}"


async def export_sessions(
    app: BaseApp, transcripts: Sequence[Path], readable: Callable[[Path], Path] = lambda path: path
) -> None:
    """Ask for a path, write the sessions there, and report it; to be called by a worker.

    Args:
        app: shows the question and the message.
        transcripts: the sessions'; several are written into a folder.
        readable: returns a readable transcript, unpacked from the archive if necessary.
    """
    from memtui.ground.clock import system_clock
    from memtui.ground.project import expanded
    from memtui.store.export import export_session, session_file

    several, here = len(transcripts) > 1, Path.cwd()
    question = (
        f"Write {len(transcripts)} sessions into a folder" if several else "Write this session to a file"
    )
    proposed = here if several else here / session_file(transcripts[0])
    hint = _FOLDER if several else _HINT
    answer = await app.push_screen_wait(AskScreen(question, value=clean_line(str(proposed)), hint=hint))
    if answer is None or not answer.strip():
        return
    target = here / expanded(answer.strip())

    def write(transcript: Path, file: Path) -> str:
        return export_session(readable(transcript), file, system_clock())

    written: list[str] = []
    failed: list[FileProblem] = []
    with app.reporting("exporting"):
        if several and not target.is_dir():
            raise FileProblem(target, "is no folder")
        for each in transcripts:
            file = target / session_file(each) if target.is_dir() else target
            try:
                said = await asyncio.to_thread(write, each, file)
                written.append(said)
            except FileProblem as problem:
                failed.append(problem)
        if several and written:
            app.say(f"Wrote {len(written)} pages into {target}, secrets masked.")
        elif written:
            app.say(written[0])
        if failed:
            raise failed[0]


class SessionFiles:
    """Acts on sessions in workers, and reports the result."""

    def __init__(self, app: BaseApp, places: Places, clock: Clock, changed: Callable[[], object]) -> None:
        """Make the actions.

        Args:
            app: shows messages and questions.
            places: the project and the folders.
            clock: gives the current time.
            changed: called when the list is outdated.
        """
        self._app = app
        self._places = places
        self._clock = clock
        self._changed = changed
        self._archive = Archive(places.home, clock)

    async def keep(self, sessions: Sequence[Session]) -> None:
        with self._app.reporting("keeping sessions"):
            settings = archive_settings(self._places.home)
            if settings.keep is False:
                self._app.say(
                    "No session is kept: you said no; the palette asks again (Keep transcripts).",
                    severity="warning",
                )
                return
            live = [each for each in sessions if each.kept is None]
            added = [await asyncio.to_thread(self._archive.keep, each.path, settings) for each in live]
            private = sum(each < 0 for each in added)
            kept = len(sessions) - private
            size = sum(each for each in added if each > 0)
            more = f", {size_text(size)} more than before" if size else "; nothing had been added"
            apart = f" {_number(private)} of a private folder left out." if private else ""
            self._app.say(f"{_number(kept)} kept{more}.{apart}")
            self._changed()

    async def export(self, sessions: Sequence[Session]) -> None:
        await export_sessions(self._app, [each.path for each in sessions], self._archive.readable_at)

    async def forget(self, sessions: Sequence[Session]) -> None:
        with self._app.reporting("forgetting sessions"):
            found = [
                await asyncio.to_thread(traces_of, self._places, self._clock, each.session_id)
                for each in sessions
            ]
            traces = [each for each in found if not each.is_empty]
            if not traces:
                self._app.say(f"memtui has no data of {_this(len(sessions))}.")
                return
            question = f"Forget memtui's data of {_this(len(traces))}? It cannot be undone."
            asked = ConfirmScreen(question, yes="Forget", no="Keep", document=_question(traces))
            if not await self._app.push_screen_wait(asked):
                return
            failed = [
                problem
                for each in traces
                for problem in await asyncio.to_thread(forget, self._places, self._clock, each)
            ]
            self._changed()
            if failed:
                raise FileProblem(self._places.home.data, f"still holds parts: {failed[0]}")
            self._app.say(f"{_number(len(traces))} forgotten.")


def _question(traces: Sequence[Traces]) -> Document:
    """The question: the files to be deleted, and those that stay."""
    lines: list[Line] = []
    for each in traces:
        lines.append(line(f"Of session {each.session_id} memtui deletes:", "strong"))
        for kept in each.copies:
            only = "" if kept.is_live else ", the only copy"
            lines.append(
                line(f"  the archived transcript, {size_text(kept.size)}{only}", "bad" if only else "")
            )
        lines += [line(f"  {path}") for path in each.paths]
        lines += [line("  the search index of all sessions, made anew by a search")] if each.indexed else []
    lines += [Line(""), line("What stays:", "strong")]
    stays = dict.fromkeys(phrase for each in traces for phrase in each.stays)
    return Document([*lines, *(line(f"  {phrase}", hang=2) for phrase in stays)])


def _number(sessions: int) -> str:
    return "1 session" if sessions == 1 else f"{sessions} sessions"


def _this(sessions: int) -> str:
    return "this session" if sessions == 1 else f"these {sessions} sessions"
