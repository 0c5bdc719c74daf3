"""A search result beside the list: the match with its surroundings."""

from __future__ import annotations

from datetime import datetime

from memtui.app.widgets.document import EMPTY, Document, Line, line, rule, styled
from memtui.ground.clean import clean
from memtui.ground.clock import age, local_minute, parse_iso
from memtui.store.search import Kind, Query, Result, parse_search
from memtui.transcript.short_text import shortened

_ASIDE = 400
"""Maximum characters of the messages that follow."""
_BEFORE = 3
"""Rows shown before the match,"""
_FAR = 6
"""and the last row of a passage at which a match still shows all rows before it."""
_NEAR = 2_000
"""Characters shown before the match in a long text; a quarter of those after it."""
HINT = (
    "Ask as you would ask a person. “Words in quotes”, edited: read: cmd: in: before: after: narrow it down."
)
"""Search syntax, shown while there are no results."""


def result_document(found: Result | None, text: str, now: datetime) -> Document:
    """A result with its match; empty without a selection."""
    if found is None:
        return EMPTY
    query = parse_search(text).query
    if found.kind is Kind.SESSION:
        return _turn(found, query)
    when = f" · {local_minute(found.when)} · {age(found.when, now)}" if found.when else ""
    head = styled(
        (f"{found.kind.value} ", "label"),
        (found.name, "accent"),
        (when, "dim"),
        (f" · {found.said}" if found.said else "", "dim"),
    )
    parts = [(piece, "warn" if hit else "") for piece, hit in found.pieces()]
    place = styled(*parts) if text.strip() else line(HINT, "dim")
    rows = _from_match(clean(_near(found.text, query)).split("\n"), query)
    text_rows = [_marked(row, query) for row in rows]
    return Document([line(found.title, "strong"), place, head, rule(), *text_rows])


def text_document(found: Result, query: Query) -> tuple[Document, int]:
    """The full text of a result with matches marked, and the number of the first matching line."""
    rows = [_marked(row, query, "hit") for row in clean(found.text).split("\n")]
    return Document(rows), next((number for number, row in enumerate(rows) if row.spans), 0)


def _near(text: str, query: Query) -> str:
    """The lines of a long text around its first match."""
    place = query.first(text)
    start = text.rfind("\n", 0, max(0, place - _NEAR)) + 1
    return text[start : place + 4 * _NEAR]


def _turn(found: Result, query: Query) -> Document:
    """The message found, and the next ones, as in the transcript."""
    lines: list[Line] = []
    for message in found.messages():
        here = not lines
        what = message.role.name.lower()
        when = parse_iso(message.timestamp)
        moment = f" {local_minute(when)}" if when else ""
        lines.append(line(f"L{message.line}{moment}  {what}", "label" if here else "dim"))
        rows = clean(message.text if here else shortened(message.text, _ASIDE)).split("\n")
        lines += [_marked(row, query) for row in (_from_match(rows, query) if here else rows)]
    return Document(lines)


def _from_match(rows: list[str], query: Query) -> list[str]:
    """The rows of a long text from shortly before its first match."""
    first = next((number for number, row in enumerate(rows) if query.marks(row)), 0)
    return ["…", *rows[first - _BEFORE :]] if first > _FAR else rows


def _marked(text: str, query: Query, role: str = "warn") -> Line:
    parts: list[str | tuple[str, str]] = []
    at = 0
    for start, end in query.marks(text):
        parts += [text[at:start], (text[start:end], role)]
        at = end
    return styled(*parts, text[at:])
