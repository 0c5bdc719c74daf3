"""The line of the browser that a key acts on: in the detail if it has the focus, else in the pane."""

from __future__ import annotations

import re
from typing import NamedTuple

from memtui.app.panes.pane import Pane
from memtui.app.widgets.document_view import DocumentView
from memtui.documents.sources import without_source

_SOURCE = re.compile(r"\bL([1-9]\d{0,7})\b", re.ASCII)
_AGENT = re.compile(r"\bagent-[\w-]+ L\d", re.ASCII)
_MARK = re.compile(r"[\s•·○▸✓✗↺?!-]*\s(?=\S)")
_QUOTE = re.compile(r"[^\"“]{0,60}\(L\d[^()]*\): [\"“]?(.*?)[\"”]?|L\d+ [^:]{1,30}: (.*)")
"""``last asked (L12): "Go on"`` and ``L12 User: Go on``."""

_NO_SOURCE = "No line in sight names its source: select words with the mouse, then ! pins them."


class SelectedLine(NamedTuple):
    """A line with its source."""

    text: str
    line: int = 0
    """The transcript's line; 0 if unknown."""


def selected_line(pane: Pane, detail: DocumentView, selection: str) -> SelectedLine | str:
    """The selected line, or why there is none.

    Args:
        pane: the current pane.
        detail: the document of its selected row.
        selection: text selected with the mouse.
    """
    if selection:
        return SelectedLine(" ".join(selection.split()))
    if detail.has_focus:
        ahead = (line.text for line in detail.lines_ahead if _SOURCE.search(line.text))
        first = next(ahead, "")
        return parsed(first) if first else _NO_SOURCE
    text = pane.line_of(pane.selected)
    return parsed(text) if text else pane.no_line


def parsed(text: str) -> SelectedLine:
    """A line without its leading mark and its source, which is returned separately."""
    mark = _MARK.match(text)
    text = text[mark.end() :] if mark else text
    source = None if _AGENT.search(text) else _SOURCE.search(text)
    bare = without_source(text)
    if bare == text and (quote := _QUOTE.fullmatch(text)):
        bare = quote[1] or quote[2] or text
    return SelectedLine(bare, int(source[1]) if source else 0)
