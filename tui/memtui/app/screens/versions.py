"""The versions of a session state or a memory, each with a word diff to the one before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content

from memtui.app.base import hidden, reported
from memtui.app.details.signs import TASK_SIGNS
from memtui.app.details.versions import Version, changes_document, title_of, version_before
from memtui.app.screens.list_screen import ListScreen
from memtui.app.widgets.document import EMPTY
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.row_list import RowList, row, when_of
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock

_PAUSE = 0.05  # seconds without a change of selection


class VersionsScreen(ListScreen[str | None]):
    """The list of versions, newest first, and the changes made by the selected one.

    Where one may be brought back, enter on it leaves with its name.
    """

    AUTO_FOCUS = "#versions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "everything", "whole", id="all", tooltip="show everything, or the usual part"),
        hidden("tab,shift+tab", "switch", "changes", tooltip="go to the changes, or back"),
        Binding("escape", "back", "back", id="back", tooltip="leave; from the text, go to the list"),
        hidden("q,v", "dismiss", "leave", tooltip="leave the versions"),
    ]
    signs: ClassVar = {"+": "added", "-": "removed", "~": "changed: [-gone-] {+new+}", **TASK_SIGNS}
    about = "The versions, newest first, and what each has changed."

    def __init__(
        self, name: str, read: Callable[[], Mapping[str, Version]], clock: Clock, *, brings_back: bool = False
    ) -> None:
        """Make the screen; `read` gives the versions by name, the newest first; enter may bring one back."""
        super().__init__()
        self._brings_back = brings_back
        self._name_shown, self._read, self._clock = name, read, clock
        self._rows: Mapping[str, Version] = {}
        self._whole = False

    def compose(self) -> ComposeResult:
        with Horizontal(id="versions-body"):
            yield RowList(self._draw, empty="…", id="versions")
            yield DocumentView(id="changes")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#versions").border_title = Content(f"Versions of {clean_line(self._name_shown)}")
        self._look()

    @reported("reading the versions", group="looking")
    async def _look(self) -> None:
        self._rows = await asyncio.to_thread(self._read)
        self.listing.empty = "There are no versions any more."
        self.listing.set_rows(tuple(self._rows))
        self._show_changes()

    def _draw(self, key: str, width: int) -> Content:
        version = self._rows[key]
        now, broken = self._clock(), version.broken
        news = f"+{version.new_decisions}" if version.new_decisions and not broken else ""
        left = [
            (f"  {version.name:<4} ", "bold"),
            (when_of(version.written, now, width), "$quiet"),
            ("" if version.writer else f"{news:>3} ", "$accent"),
            (clean_line(version.gist), "$error" if broken else ""),
        ]
        return row(left, "", width)

    @property
    def compared(self) -> tuple[Version | None, Version] | None:
        """The version before the selected one, and itself."""
        selected = self.listing.selected or ""
        if selected not in self._rows:
            return None
        return version_before(self._rows, selected), self._rows[selected]

    @on(RowList.Highlighted)
    @reported("comparing the versions", group="changes", exclusive=True)
    async def _show_changes(self) -> None:
        """Show the differences once the selection rests: comparing long documents takes a moment."""
        compared = self.compared
        if compared is None:
            self.beside.show(EMPTY)
            self.beside.border_title = ""
            return
        await asyncio.sleep(_PAUSE)
        older, newer = (None, compared[1]) if self._whole else compared
        document = await asyncio.to_thread(changes_document, older, newer)
        self.beside.show(document)
        self.beside.border_title = Content(newer.name if self._whole else title_of(older, newer))

    def action_everything(self) -> None:
        if self.compared and self.compared[0] is None:
            self.app.say("This is the first version: all of it is shown.")
            return
        self._whole = not self._whole
        self._show_changes()

    @on(RowList.Opened)
    def _opened(self, event: RowList.Opened) -> None:
        if self._brings_back:
            self.dismiss(event.key)
        else:
            self.set_focus(self.beside)
