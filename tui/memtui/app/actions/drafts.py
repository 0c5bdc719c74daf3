"""Drafting the state of the current session while none is stored."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from memtui.app.actions.place import Place
from memtui.app.model.project_model import Browser
from memtui.app.model.state_draft import draft_state
from memtui.app.model.views import DraftWanted
from memtui.app.panes.state import StatePane
from memtui.transcript.cancelled import ReadingCancelledError


class Drafts:
    """Keeps the draft of a session state up to date while its transcript grows."""

    def __init__(self, place: Place, browser: Browser, pane: StatePane) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self._pane = pane
        self._wanted: DraftWanted | None = None
        self._drafting = False
        self._another_wanted = asyncio.Event()
        """Set when a draft of a different session is requested."""

    def drop(self) -> None:
        """Drop the draft: a stored state or another session has taken its place."""
        self._wanted = None

    def want(self, wanted: DraftWanted) -> None:
        """Draft this state and show it."""
        if wanted.meanwhile.session_id != self._pane.view.session_id:
            self._place.apply(wanted.meanwhile)
        if not self._wants(wanted.transcript):
            self._another_wanted.set()
        self._wanted = wanted
        if not self._drafting:
            self._drafting = True
            self._host.start(self._draft_all, group="draft")

    def _wants(self, transcript: Path) -> bool:
        return self._wanted is not None and self._wanted.transcript == transcript

    async def _draft_all(self) -> None:
        with self._host.reporting("drafting the session state", wanted=lambda: not self._browser.stopped):
            while self._wanted is not None:
                draft = self._wanted
                self._another_wanted.clear()
                started = time.monotonic()
                await self._draft(draft)
                # A long transcript that keeps growing must not be read all the time.
                rest = max(0.5, 6 * (time.monotonic() - started))
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._another_wanted.wait(), rest)
                if self._wanted is draft:
                    self._wanted = None
        self._wanted = None
        self._drafting = False

    async def _draft(self, draft: DraftWanted) -> None:
        """Draft one state and show it, unless another one is requested meanwhile."""

        def unwanted() -> bool:
            return not self._wants(draft.transcript)

        try:
            view = await asyncio.to_thread(draft_state, self._browser, draft, unwanted)
        except ReadingCancelledError:
            return
        if not unwanted():
            self._place.apply(view)
