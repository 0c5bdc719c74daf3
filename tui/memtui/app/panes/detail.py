"""The detail of the selected row: known values at once, slow ones later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from textual.content import Content

from memtui.app.details.source_lines import linked
from memtui.app.host import Host
from memtui.app.panes.pane import Detail, Progress
from memtui.app.widgets.document import Document
from memtui.app.widgets.document_view import DocumentView

_PAUSE = 0.06
"""Seconds without a change of selection before slow data is read."""


class DetailReader:
    """Fills the detail's view; only the last request is shown."""

    def __init__(self, host: Host, view: DocumentView, painted: asyncio.Event) -> None:
        """Make the reader.

        Args:
            host: runs slow work.
            view: shows the detail.
            painted: set after the first paint, before which no slow work begins.
        """
        self.view = view
        self._host = host
        self._painted = painted
        self._wanted: Detail | None = None
        self._shown: str | None = None

    def stop(self) -> None:
        """Drop the current request."""
        self._wanted = None

    def show(self, detail: Detail) -> None:
        """Show an item."""
        same = self._wanted is not None and self._wanted.key == detail.key
        self._wanted = detail
        self.view.border_title = Content(detail.title)
        if detail.document is not None and not (same and detail.work is not None):
            self._show(detail, detail.document)
        if detail.work is not None:
            self._host.start(partial(self._read, detail, detail.work), group="detail", exclusive=True)
        else:
            self.view.border_subtitle = ""

    async def _read(self, detail: Detail, make: Callable[[Progress], Document]) -> None:
        await asyncio.sleep(_PAUSE)
        await self._painted.wait()
        shown = 0

        def tell(share: float) -> None:
            nonlocal shown
            if (percent := round(share * 100)) != shown:  # thousands of reports for a long transcript
                shown = percent
                self._host.soon(self._show_share, detail, percent)

        progress = Progress(
            tell,
            lambda: self._wanted is not detail,
            lambda document: self._host.soon(self._show, detail, document),
        )
        with self._host.reporting("reading what is selected", wanted=lambda: self._wanted is detail):
            document = await asyncio.to_thread(make, progress)
            if self._wanted is detail:
                self.view.border_subtitle = ""
                self._show(detail, document)

    def _show(self, detail: Detail, document: Document) -> None:
        """Show a document: from its top, unless it is a newer version of the current one."""
        if self._wanted is detail:
            self.view.show(linked(document), keep_scroll=self._shown == detail.key)
            self._shown = detail.key

    def _show_share(self, detail: Detail, percent: int) -> None:
        if self._wanted is detail and percent < 100:
            self.view.border_subtitle = Content(f"reading the transcript {percent}%")
