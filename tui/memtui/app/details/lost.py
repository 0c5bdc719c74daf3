"""An aftermath as rows and documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.app.details.memory import fold
from memtui.app.widgets.document import Document, Line, concat, line, styled
from memtui.app.widgets.document_view import LOOKS
from memtui.app.widgets.row_list import row as row_of
from memtui.app.widgets.wrap import cut, cut_left
from memtui.documents.events import EvidenceGroup, EvidenceItem
from memtui.documents.quotes import citation, with_source
from memtui.ground.clean import clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.lost.outbox import Message
from memtui.lost.receipts import Receipt
from memtui.lost.records import LESSER, OPEN, TOGETHER, UNFOUNDED, Aftermath, Row, Unfounded
from memtui.secrets.secrets import masked
from memtui.transcript.text import Span

_ROLES = {"✓": "good", "↺": "good", "✗": "bad", LESSER: "dim", "?": "warn"}
PASSAGE = "▶"
"""The sign before the line of the summary with the passage of a row."""
_SHOWN = 10
_BULLET = re.compile(r" *(?:[-*]|\d+[.)]) ")
_WIDTH = 160


class Fold(NamedTuple):
    """A row that shows the rows under it, or hides them."""

    name: str
    title: str
    unfolded: bool
    keys: frozenset[str]


Item = Row | Unfounded | Fold | str
"""A row of the screen; a string is a title."""


def items_of(aftermath: Aftermath, unfolded: Collection[str], words: str = "") -> Mapping[str, Item]:
    """The rows of the screen by unique keys, most of them folded; with `words` those that have them all."""
    wanted = words.casefold().split()
    items: dict[str, Item] = {}
    for title, every in aftermath.groups.items():
        rows = [row for row in every if all(word in row.quote.casefold() for word in wanted)]
        if not rows:
            continue
        shown, counted = bool(wanted) or title in OPEN, f"{title}  {len(rows)}"
        own = {row.key if isinstance(row, Row) else row.text: row for row in rows}
        items[title] = counted if shown else Fold(title, counted, title in unfolded, frozenset(own))
        if shown or title in unfolded:
            items |= own
    return items


def verdict(item: Row | Unfounded, waits: bool) -> tuple[Content, Content]:
    """What became of a row and where it stands; and more about it."""
    if isinstance(item, Unfounded):
        return Content.styled(f"{UNFOUNDED}: {item.reason}", "$error"), Content()
    state = "still in the conversation" if item.preserved else item.state
    source = citation(item.source, clock=True)
    mark = (f"{item.mark} {state}{', of less weight' * (item.mark == LESSER)}", LOOKS[_ROLES[item.mark]])
    head = Content.assemble(mark, source and f" · {source}")
    notes = (
        "waits: w takes back what waits" if waits else "",
        f"compaction {item.earlier} had kept it" if item.earlier else "",
        "memtui had asked to keep it" if item.asked else "",
        item.need.label if item.need else "",
    )
    return head, Content(" · ".join(note for note in notes if note))


def quotes_of(row: Row | Unfounded) -> list[str]:
    """The quotes of a row, those that are read together one by one."""
    text = clean_line(masked(row.quote))
    return text.split(TOGETHER) if isinstance(row, Row) and row.parts else [text]


def summary_document(summary: str, passage: Span | None = None) -> tuple[Document, int]:
    """A summary, with a passage of it marked, and the number of the line where that begins; 0 without one."""
    lines: list[Line] = []
    found, at = 0, 0
    for text in summary.split("\n"):
        start, end = (min(max(0, each - at), len(text)) for each in passage or (0, 0))
        pieces = (text[:start], text[start:end], text[end:])
        before, marked, after = (piece.replace("**", "") for piece in pieces)
        sign = (f"{PASSAGE} ", "warn") if marked and not found else ""
        found = found or (len(lines) if marked else 0)
        bullet = _BULLET.match(text)
        hang = (bullet.end() if bullet else 0) + 2 * bool(sign)  # so that a bullet does not stand alone
        lines.append(styled(sign, before, (marked, "hit"), after, hang=hang))
        at += len(text) + 1
    return Document(lines), found


def lost_evidence(aftermath: Aftermath) -> tuple[EvidenceGroup, ...]:
    said = ((clean_line(masked(row.quote)), row.source) for row in aftermath.counted_losses)
    items = tuple(EvidenceItem(with_source(text, at, clock=True), "lost", line=at.line) for text, at in said)
    return (EvidenceGroup("Lost by the compaction", items),) if items else ()


def lost_document(
    aftermath: Aftermath, receipts: Iterable[Receipt], unfolded: Collection[str], waiting: list[Message]
) -> Document:
    """The beginning of a capture's detail: sizes, receipt, what waits, losses, and the kept facts, folded."""
    lines: list[Line] = []
    compaction = aftermath.compaction
    sizes = [f"{round(size / 1000)}k" for size in (compaction.pre_tokens, compaction.post_tokens) if size]
    if sizes:
        lines.append(styled((" -> ".join(sizes), "strong"), (" tokens" if len(sizes) == 1 else "", "dim")))
    lines += _receipt_lines(aftermath, receipts)
    keys = {key for each in waiting for key in each.keys}
    heavy = aftermath.counted_losses
    lines += [Line(""), styled(("LOST", "heading"), (f"  {len(heavy) or 'nothing that counts'}", "dim"))]
    lines += [line for row in heavy[:_SHOWN] for line in _lines(row, waits=row.key in keys)]
    for each in aftermath.unfounded:
        said = f"only the summary says {masked(each.text)}: {each.reason}"
        lines.append(styled(("  ⚠ ", "bad"), said, hang=4))
    counted, lesser, maybe, _ = aftermath.numbers
    rest = ((counted - _SHOWN, "more"), (lesser, "of less weight"), (maybe, "maybe kept"))
    if others := ", ".join(f"{number} {name}" for number, name in rest if number > 0):
        lines.append(line(f"  and {others} (l shows them)", "dim"))
    if kept := aftermath.kept:
        asked = sum(row.asked for row in kept)
        because = f"{len(kept)}{f', {asked} because asked' if asked else ''}"
        inner = [line for row in kept for line in _lines(row)]
        lines += [Line(""), *fold("kept", "KEPT", because, inner, unfolded)]
    return concat(*lines)


def _lines(row: Row, *, waits: bool = False) -> Iterator[Line]:
    quotes = [text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…" for text in quotes_of(row)]
    notes = ", ".join(note for note in (citation(row.source), row.need.label if row.need else "") if note)
    sign = (" ⏳ ", "warn") if waits else (f"  {row.mark} ", _ROLES[row.mark])
    for number, quote in enumerate(quotes, 1):
        mark = "    " if number > 1 else sign
        # In brackets, as everywhere, so that the source can be followed.
        source = (f" ({notes})" if notes and number == len(quotes) else "", "dim")
        yield styled(mark, quote, source, hang=4)


def _receipt_lines(aftermath: Aftermath, receipts: Iterable[Receipt]) -> list[Line]:
    """The hand-over soon after the compaction, and whether it arrived."""
    moment = parse_iso(aftermath.compaction.source.timestamp)
    if moment is None:
        return []
    near = [each for each in receipts if abs(each.at - moment) <= timedelta(minutes=10)]
    return [
        styled(
            ({"session-start": "notes ", "mod": "note "}.get(each.event, "handed over "), "label"),
            ("" if each.arrival == "whole" else f"{to_local(each.at):%H:%M} ", "dim"),
            (each.label, {"whole": "good", "unknown": "dim"}.get(each.arrival, "bad")),
        )
        for each in reversed(near)
    ]


def draw_item(item: Item, ticked: int, width: int, *, waits: bool = False, pinned: bool = False) -> Content:
    """A row, `ticked` or not, or a title with the number of ticks below it."""
    if isinstance(item, str):
        return Content(item)
    if isinstance(item, Fold):
        ticks = (f" · {ticked} ticked", "$accent") if ticked else ""
        return Content.assemble(f"{'▾' if item.unfolded else '▸'} {item.title}", ticks)
    if isinstance(item, Unfounded):
        return row_of([("  ⚠ ", "$error"), clean_line(masked(item.text))], "", width)
    right = f"{'pinned ' if pinned else ''}{'↻ ' if item.need else ''}{citation(item.source)}"
    text = clean_line(masked(item.text))
    room = width - len(right) - 7
    if item.kind == "file":
        text = cut_left(text, max(1, room))
    about = clean_line(masked(item.about))
    about = f"“{cut(about, max(room // 3, room - cell_len(text) - 5))}” → " if about else ""
    tick = ("▣ " if ticked else "▢ ", "$accent" if ticked else "$quiet") if item.missing else "  "
    mark = (item.mark, LOOKS[_ROLES[item.mark]])
    marks = [" ", ("⏳", "$warning")] if waits else [tick, mark]  # it takes two cells, and no tick
    return row_of([*marks, " ", (about, "$quiet"), text], right, width)
