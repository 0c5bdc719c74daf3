"""An aftermath as rows and documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from textual.content import Content

from memtui.app.details.memory import fold
from memtui.app.widgets.document import Document, Line, Span, concat, line, styled
from memtui.app.widgets.row_list import row as row_of
from memtui.app.widgets.wrap import cut_left
from memtui.documents.quotes import citation
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.lost.outbox import lines_wait
from memtui.lost.receipts import Receipt
from memtui.lost.records import TITLES, Aftermath, Row, Unfounded
from memtui.secrets.secrets import masked

MARKS = {"kept": "✓", "handed over": "↺", "lost": "✗", "maybe": "?"}
_ROLES = {"kept": "good", "handed over": "good", "lost": "bad", "maybe": "warn"}
_ARRIVED = {"whole": "good", "unknown": "dim"}
SHOWN = 10
"""Number of losses that are not folded."""
_WIDTH = 160
PATHS = ("file",)
"""Kinds whose text is cut at the left."""
_SOON = timedelta(minutes=10)


class Fold(NamedTuple):
    """A row that shows the rows under it, or hides them."""

    name: str
    title: str
    unfolded: bool


Item = Row | Unfounded | Fold | str
"""A row of the screen; a string is a title."""


def items_of(aftermath: Aftermath, unfolded: Collection[str]) -> Mapping[str, Item]:
    """The rows of the screen by unique keys: the first losses, then folded the others and what is kept."""
    lost = aftermath.counted_losses
    others = [row for row in aftermath.missing if row.state == "lost" and not row.counts]
    maybe = [row for row in aftermath.missing if row.state == "maybe"]
    handed = [row for row in aftermath.kept if row.state == "handed over"]
    kept = [row for row in aftermath.kept if row.state == "kept"]
    items: dict[str, Item] = {}

    def add(name: str, title: str, group: Sequence[Row | Unfounded], folded: bool = True) -> None:
        if group:
            shown = not folded or name in unfolded
            items[name] = Fold(name, f"{title}  {len(group)}", shown) if folded else title
            rows = group if shown else ()
            items.update(
                (row.key if isinstance(row, Row) else f"{name}.{at}", row) for at, row in enumerate(rows)
            )

    add("lost", f"Lost  {len(lost)}", lost[:SHOWN], folded=False)
    add("more", "More that is lost", (*lost[SHOWN:], *others))
    add("maybe", "Maybe: the summary has some of it", maybe)
    add(
        "unfounded",
        f"Said by the summary alone  {len(aftermath.unfounded)}",
        aftermath.unfounded,
        folded=False,
    )
    add("handed", f"Handed over by memtui  {len(handed)}", handed, folded=False)
    for kind, title in TITLES.items():
        add(f"kept {kind}", f"Kept: {title}", [row for row in kept if row.kind == kind])
    return items


def full_text(item: Row | Unfounded) -> str:
    """The text above the summary: the state of a row and its full text."""
    if isinstance(item, Unfounded):
        return f"{item.text}: {item.reason}"
    words = {"maybe": "some of it is in the summary: the nearest passage is marked"}
    state = words.get(item.state, item.state)
    if item.earlier:
        state = f"{state}; compaction {item.earlier} had kept it"
    if item.asked:
        state = "kept because asked: memtui had given it to the summariser"
    if item.preserved:
        state = "still part of the conversation"
    notes = (state, citation(item.source, clock=True), item.need.label if item.need else "")
    return f"{' · '.join(note for note in notes if note)}\n{item.text}"


def summary_document(aftermath: Aftermath, item: Item | None) -> tuple[Document, int]:
    """The selected row and the summary with its evidence marked, and that line's number; 0 without any."""
    lines: list[Line] = []
    evidence = None
    if isinstance(item, Row | Unfounded):
        head, *rest = clean(masked(full_text(item))).split("\n")
        role = _ROLES[item.state] if isinstance(item, Row) else "bad"
        lines += [line(head, role), *(line(each) for each in rest), Line("", "rule")]
        evidence = item.evidence
    found, at = 0, 0
    for text in aftermath.compaction.summary.split("\n"):
        end = at + len(text)
        spans: tuple[Span, ...] = ()
        if evidence is not None and evidence.start < end and at < evidence.end:
            # Cleaning rarely changes the length of a text; if it does, the whole line is marked.
            same = len(clean(text)) == len(text)
            start, stop = max(0, evidence.start - at), min(len(text), evidence.end - at)
            spans = (Span(start, stop, "added") if same else Span(0, len(clean(text)), "added"),)
            found = found or len(lines)
        lines.append(line(text, spans=spans))
        at = end + 1
    return Document(lines), found


def lost_document(
    aftermath: Aftermath, receipts: Iterable[Receipt], unfolded: Collection[str], waits: int = 0
) -> Document:
    """The beginning of a capture's detail: sizes, receipt, what waits, losses, and the kept facts, folded."""
    lines: list[Line] = []
    compaction = aftermath.compaction
    sizes = [f"{round(size / 1000)}k" for size in (compaction.pre_tokens, compaction.post_tokens) if size]
    if sizes:
        lines.append(styled((" -> ".join(sizes), "strong"), (" tokens" if len(sizes) == 1 else "", "dim")))
    lines += _receipt_lines(aftermath, receipts)
    if waits:
        lines.append(styled((f"⏳ {lines_wait(waits)}", "warn"), (" (l, then w takes them back)", "dim")))
    heavy = aftermath.counted_losses
    maybe = sum(row.state == "maybe" for row in aftermath.rows)
    others = len(aftermath.missing) - len(heavy) - maybe
    lines += [Line(""), styled(("LOST", "heading"), (f"  {len(heavy) or 'nothing that counts'}", "dim"))]
    lines += [_line(row) for row in heavy[:SHOWN]]
    if len(heavy) > SHOWN or others or maybe:
        rest = max(0, len(heavy) - SHOWN)
        remarks = [f"{rest} more" if rest else "", f"{others} of less weight" if others else ""]
        remarks.append(f"{maybe} maybe" if maybe else "")
        lines.append(line(f"  … {', '.join(each for each in remarks if each)} (l shows all)", "dim"))
    lines += [styled(("  ! ", "bad"), f"{masked(u.text)}: {u.reason}", hang=4) for u in aftermath.unfounded]
    files = [row for row in aftermath.rows if row.kind in PATHS]
    kept = [row for row in aftermath.kept if row.kind not in PATHS]
    asked = sum(row.asked for row in kept)
    because = f"{len(kept)}{f', {asked} because asked' if asked else ''}"
    for name, title, remark, rows in (
        ("kept", "KEPT", because, kept),
        ("files", "FILES", f"{len(files)}", files),
    ):
        if rows:
            lines += [Line(""), *fold(name, title, remark, [_line(row) for row in rows], unfolded)]
    return concat(*lines)


def _line(row: Row) -> Line:
    text = clean_line(masked(row.text))
    text = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
    notes = ", ".join(note for note in (citation(row.source), row.need.label if row.need else "") if note)
    # In brackets, as everywhere, so that the source can be followed.
    return styled(
        (f"  {MARKS[row.state]} ", _ROLES[row.state]), text, (f" ({notes})" if notes else "", "dim"), hang=4
    )


def _receipt_lines(aftermath: Aftermath, receipts: Iterable[Receipt]) -> list[Line]:
    """The hand-over soon after the compaction, and whether it arrived."""
    moment = parse_iso(aftermath.compaction.source.timestamp)
    if moment is None:
        return []
    near = [each for each in receipts if abs(each.at - moment) <= _SOON]
    return [
        styled(
            ({"session-start": "notes ", "mod": "note "}.get(each.event, "handed over "), "label"),
            ("" if each.arrival == "whole" else f"{to_local(each.at):%H:%M} ", "dim"),
            (each.label, _ARRIVED.get(each.arrival, "bad")),
        )
        for each in reversed(near)
    ]


_COLOURS = {"kept": "$success", "handed over": "$success", "lost": "$error", "maybe": "$warning"}
_ROOMY = 60
"""Width in columns from which a row says when its fact was needed again."""


def draw_item(item: Item, ticked: bool, width: int, *, waits: bool = False) -> Content:
    if isinstance(item, str):
        return Content(clean_line(item))
    if isinstance(item, Fold):
        return Content(f"{'▾' if item.unfolded else '▸'} {item.title}")
    if isinstance(item, Unfounded):
        return row_of([("  ! ", "$error"), clean_line(masked(item.text))], "", width)
    notes = (item.need.label if item.need else "", citation(item.source))
    right = " ".join(note for note in notes if note) if width >= _ROOMY else citation(item.source)
    text = clean_line(masked(item.text))
    if item.kind in PATHS:
        text = cut_left(text, max(1, width - len(right) - 6))
    tick = ("▣ " if ticked else "▢ ", "$accent" if ticked else "$quiet") if item.missing else "  "
    mark = ("⏳", "$warning") if waits else (f"{MARKS[item.state]} ", _COLOURS[item.state])
    return row_of([tick, mark, text], right, width)
