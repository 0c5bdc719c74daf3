"""Losses of compactions: the screen of one, and the counts of visible captures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from memtui.app.actions.place import Place, Windows
from memtui.app.model.project_model import Browser
from memtui.app.model.views import CaptureRow
from memtui.app.panes.pending import PendingPane


class AftermathActions:
    """Opens the aftermath of a capture's compaction, and counts losses for the list."""

    def __init__(self, place: Place, browser: Browser, pane: PendingPane, windows: Windows) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self._pane = pane
        self._windows = windows

    def show(self) -> None:
        """Show what the compaction of the selected capture lost and kept."""
        row = self._pane.capture_row(self._pane.selected)
        subject = self._pane.subject(self._pane.selected)
        if row is None or row.capture is None:
            why = "No capture is selected." if row is None else "This capture cannot be read."
            self._host.say(why, warn=True)
        elif subject.transcript is None:
            self._host.say(subject.no_transcript, warn=True)
        else:
            self._windows.aftermath(subject.transcript, row.capture.timestamp, self._place.show_detail)

    def open(self, transcript: Path, since: datetime | None) -> None:
        """Show the aftermath of a session's first compaction at or after a time."""
        sessions = {entry.session_id for entry in self._browser.transcripts.entries()}
        if transcript.stem in sessions:
            self._windows.aftermath(transcript, since, self._place.show_detail)
        else:
            self._host.say("Only a session of this project can be given back what it lost.", warn=True)

    def count(self, keys: Sequence[str]) -> None:
        """Count the losses of visible captures in the background, the first ones first."""
        rows = [self._pane.capture_row(key) for key in keys if key not in self._pane.losses]
        wanted = [row for row in rows if row is not None and row.capture is not None]
        if wanted:
            self._host.start(partial(self._count, wanted), group="losses", exclusive=True)

    async def _count(self, rows: Sequence[CaptureRow]) -> None:
        await self._place.painted.wait()
        for row in rows:
            await asyncio.to_thread(self._pane.read_losses, row, lambda: self._browser.stopped)
