"""Archiving, exporting and forgetting several sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from memtui.app.base import BaseApp
from memtui.app.screens.dialogs import ConfirmScreen
from memtui.app.screens.exporting import export_sessions
from memtui.app.widgets.document import Document, Line, line
from memtui.flows.forgetting import Traces, forget, traces_of
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.archive import Archive
from memtui.store.archive_settings import archive_settings
from memtui.store.session_list import Session, size_text


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
        """Copy sessions into the archive."""
        with self._app.reporting("keeping sessions"):
            settings = archive_settings(self._places.home)
            if not settings.keep:
                self._app.say("config.toml says that no session is kept: [archive] keep.", severity="warning")
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
        """Export sessions to files, after asking for a path."""
        await export_sessions(self._app, [each.path for each in sessions], self._archive.readable_at)

    async def forget(self, sessions: Sequence[Session]) -> None:
        """Delete memtui's data of sessions, after confirmation."""
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
