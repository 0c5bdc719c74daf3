"""The facts of a session in groups, with the full text of the selected one below."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from memtui.app.base import BaseApp
from memtui.app.details.capture import todo_line
from memtui.app.widgets.document import Document, line
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.row_list import RowList, row
from memtui.app.widgets.wrap import cut_left
from memtui.documents.evidence import EvidenceGroup, EvidenceItem
from memtui.documents.quotes import without_source
from memtui.ground.clean import clean, clean_line

_BOX = re.compile(r"\[[ x>]\] ")
_USED = "used"


def written(item: EvidenceItem) -> str:
    """The text of a fact for a field; of a todo without its box."""
    text = clean_line(item.text)
    return _BOX.sub("", text, count=1) if item.kind == "todo" else text


def _full_text(item: EvidenceItem) -> str:
    """Text and detail; only one of them if it contains the other."""
    if not item.detail or item.detail == item.text:
        return item.text
    shortened = item.detail.startswith(item.text.rstrip("…"))
    return item.detail if shortened else f"{item.text}\n{item.detail}"


class EvidencePane(Vertical):
    """The list of facts, and the selected one in full."""

    app = getters.app(BaseApp)
    listing = getters.query_one("#evidence", RowList)

    def __init__(self, is_used: Callable[[str], bool]) -> None:
        """Make the pane; `is_used` tells whether a text is already in the form."""
        super().__init__(id="facts")
        self._is_used = is_used
        self._items: dict[str, EvidenceItem | str] = {}

    def compose(self) -> ComposeResult:
        """The list, and below it the text."""
        listing = RowList(
            self._draw,
            is_header=lambda key: isinstance(self._items.get(key), str),
            empty="Reading the transcript …",
            id="evidence",
        )
        listing.border_title = Content("Evidence")
        yield listing
        whole = DocumentView(id="fact")
        whole.can_focus = False
        yield whole

    @property
    def selected(self) -> EvidenceItem | None:
        """The selected fact."""
        item = self._items.get(self.listing.selected or "")
        return item if isinstance(item, EvidenceItem) else None

    def pin(self, transcript: str) -> None:
        """Request a pin for the selected fact of a transcript."""
        item = self.selected
        text, line = (without_source(written(item)), item.line) if item else ("", 0)
        self.app.pin(text, Path(transcript) if line else None, line)

    def fill(self, groups: tuple[EvidenceGroup, ...], nothing: str) -> None:
        """Show facts, or `nothing` if there are none."""
        self._items = _rows(groups)
        self.listing.empty = clean(nothing)
        self.listing.set_rows(tuple(self._items))

    def go(self, step: int) -> None:
        """Select the first fact of the next group, or of a previous one."""
        keys = list(self._items)
        heads = [index for index, key in enumerate(keys) if isinstance(self._items[key], str)]
        selected = self.listing.selected
        if not heads or selected is None:
            return
        here = sum(1 for head in heads if head < keys.index(selected)) - 1
        self.listing.select(keys[heads[max(0, min(len(heads) - 1, here + step))] + 1])

    @on(RowList.Highlighted)
    def _show(self) -> None:
        self.query_one("#fact", DocumentView).show(self.whole)

    @property
    def whole(self) -> Document:
        """The selected fact in full."""
        item = self.selected
        lines = (line(each) for each in clean(todo_line(_full_text(item))).split("\n")) if item else ()
        return Document(lines)

    def _draw(self, key: str, width: int) -> Content:
        item = self._items.get(key)
        if not isinstance(item, EvidenceItem):
            return Content(clean_line(item or ""))
        text = todo_line(clean_line(item.text))
        used = _USED if self._is_used(written(item)) else ""
        if item.kind in ("file", "reference"):
            text = cut_left(text, max(1, width - len(used) - 1) if used else width)
        return row([text], used, width) if used else Content(text)


def _rows(groups: tuple[EvidenceGroup, ...]) -> dict[str, EvidenceItem | str]:
    """Rows by unique keys: a title, then its items."""
    rows: dict[str, EvidenceItem | str] = {}
    for number, group in enumerate(groups):
        rows[f"{number}"] = f"{group.title}  {len(group.items)}"
        rows |= {f"{number}.{index}": item for index, item in enumerate(group.items)}
    return rows
