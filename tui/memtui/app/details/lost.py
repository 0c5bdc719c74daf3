"""An aftermath as rows and documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

from textual.content import Content

from memtui.app.details.memory import fold
from memtui.app.widgets.document import Document, Line, Span, concat, line, styled
from memtui.app.widgets.row_list import row as row_of
from memtui.app.widgets.wrap import cut_left
from memtui.documents.quotes import citation
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.lost.receipts import Receipt
from memtui.lost.records import TITLES, Aftermath, Row, Unfounded
from memtui.secrets.secrets import masked

MARKS = {"kept": "✓", "handed over": "↺", "lost": "✗", "maybe": "?"}
_ROLES = {"kept": "good", "handed over": "good", "lost": "bad", "maybe": "warn"}
_ARRIVED = {"whole": "good", "unknown": "dim"}
_SHOWN = 12
"""Number of losses in a capture's detail."""
_WIDTH = 160
PATHS = ("file",)
"""Kinds whose text is cut at the left."""
_SOON = timedelta(minutes=10)

Item = Row | Unfounded | str
"""A row of the screen; a string is a title."""


def items_of(aftermath: Aftermath) -> Mapping[str, Item]:
    """The rows of the screen by unique keys: losses that count, the others, the unfounded, what is kept."""
    others = tuple(row for row in aftermath.missing if not row.counts and row.state == "lost")
    maybe = tuple(row for row in aftermath.missing if row.state == "maybe")
    handed = tuple(row for row in aftermath.kept if row.state == "handed over")
    groups: list[tuple[str, Iterable[Item]]] = [
        ("Lost", aftermath.counted_losses),
        ("Lost, too: findings, reports, files", others),
        ("Maybe: the summary has some of it", maybe),
        ("Said by the summary alone", aftermath.unfounded),
        ("Handed over by memtui", handed),
    ]
    for kind, title in TITLES.items():
        kept = [row for row in aftermath.kept if row.kind == kind and row.state == "kept"]
        groups.append((f"Kept: {title}", kept))
    items: dict[str, Item] = {}
    for number, (title, group) in enumerate(groups):
        members = {row.key if isinstance(row, Row) else f"{number}.{at}": row for at, row in enumerate(group)}
        if members:
            items[f"{number}"] = f"{title}  {len(members)}"
            items |= members
    return items


def full_text(item: Item) -> str:
    """The text above the summary: the state of a row and its full text."""
    if isinstance(item, Unfounded):
        return f"{item.text}: {item.reason}"
    if isinstance(item, str):
        return item
    words = {"maybe": "some of it is in the summary: the nearest passage is marked"}
    state = words.get(item.state, item.state)
    if item.earlier:
        state = f"{state}; compaction {item.earlier} had kept it"
    if item.preserved:
        state = "still part of the conversation"
    elif item.by_hand:
        state = "kept in other words, as you marked it"
    notes = (state, citation(item.source, clock=True), item.need.label if item.need else "")
    return f"{' · '.join(note for note in notes if note)}\n{item.text}"


def summary_document(aftermath: Aftermath, item: Item | None) -> tuple[Document, int]:
    """The selected row and the summary with its evidence marked, and that line's number; 0 without any."""
    lines: list[Line] = []
    evidence = None
    if item is not None and not isinstance(item, str):
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


def lost_document(aftermath: Aftermath, receipts: Iterable[Receipt], unfolded: Collection[str]) -> Document:
    """The beginning of a capture's detail: sizes, receipt, losses, and the kept facts, folded."""
    lines: list[Line] = []
    compaction = aftermath.compaction
    sizes = [f"{round(size / 1000)}k" for size in (compaction.pre_tokens, compaction.post_tokens) if size]
    if sizes:
        lines.append(styled((" -> ".join(sizes), "strong"), (" tokens" if len(sizes) == 1 else "", "dim")))
    lines += _receipt_lines(aftermath, receipts)
    heavy = aftermath.counted_losses
    maybe = sum(row.state == "maybe" for row in aftermath.rows)
    others = len(aftermath.missing) - len(heavy) - maybe
    lines += [Line(""), styled(("LOST", "heading"), (f"  {len(heavy) or 'nothing that counts'}", "dim"))]
    lines += [_line(row) for row in heavy[:_SHOWN]]
    if len(heavy) > _SHOWN or others or maybe:
        rest = max(0, len(heavy) - _SHOWN)
        remarks = [f"{rest} more" if rest else "", f"{others} of less weight" if others else ""]
        remarks.append(f"{maybe} maybe" if maybe else "")
        lines.append(line(f"  … {', '.join(each for each in remarks if each)} (l shows all)", "dim"))
    lines += [styled(("  ! ", "bad"), f"{masked(u.text)}: {u.reason}", hang=4) for u in aftermath.unfounded]
    files = [row for row in aftermath.rows if row.kind in PATHS]
    kept = [row for row in aftermath.kept if row.kind not in PATHS]
    for name, title, rows in (("kept", "KEPT", kept), ("files", "FILES", files)):
        if rows:
            lines += [Line(""), *fold(name, title, f"{len(rows)}", [_line(row) for row in rows], unfolded)]
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
            ("notes " if each.event == "session-start" else "rescue ", "label"),
            ("" if each.arrival == "whole" else f"{to_local(each.at):%H:%M} ", "dim"),
            (each.label, _ARRIVED.get(each.arrival, "bad")),
        )
        for each in reversed(near)
    ]


_COLOURS = {"kept": "$success", "handed over": "$success", "lost": "$error", "maybe": "$warning"}
_ROOMY = 60
"""Width in columns from which a row says when its fact was needed again."""


def draw_item(item: Item, ticked: bool, width: int) -> Content:
    """One row of the screen."""
    if isinstance(item, str):
        return Content(clean_line(item))
    if isinstance(item, Unfounded):
        return row_of([("  ! ", "$error"), clean_line(masked(item.text))], "", width)
    notes = (item.need.label if item.need else "", "by hand" if item.by_hand else "", citation(item.source))
    right = " ".join(note for note in notes if note) if width >= _ROOMY else citation(item.source)
    text = clean_line(masked(item.text))
    if item.kind in PATHS:
        text = cut_left(text, max(1, width - len(right) - 6))
    tick = ("▣ " if ticked else "▢ ", "$accent" if ticked else "$quiet") if item.missing else "  "
    return row_of([tick, (f"{MARKS[item.state]} ", _COLOURS[item.state]), text], right, width)
