"""The detail of each kind of row, as documents."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.app.listings import CaptureRow
from memtui.app.widgets.document import BLANK, Document, Line, concat, line, styled
from memtui.app.widgets.wrap import cut_path
from memtui.ground.clock import age, local_minute
from memtui.ground.text import counted

if TYPE_CHECKING:
    from memtui.documents.events import EvidenceGroup
    from memtui.transcript.records import Facts

_ROLES = {"error": "bad", "decision": "accent", "open": "accent"}
_MARKS = {"[x]": "✓", "[>]": "▸", "[ ]": "○", "[-]": "⊘"}
_ITEMS = 12
BY_COMPACT = "made this compaction, so it has no capture: l shows what it lost"


def capture_document(
    row: CaptureRow, now: datetime, facts: Document | None, lost: Document | None = None
) -> Document:
    capture = row.capture
    if capture is None:
        why = styled(("This capture ", "bad"), row.problem or "is not read yet")
        way = line("The file is left as it is. e opens it in your editor; then it joins the rest.")
        return Document([styled((row.entry.name, "title")), BLANK, why, BLANK, way])
    missing = f"/compact {BY_COMPACT}" if row.manual else "no capture yet: b captures all such"
    lines: list[Document | Line] = [
        styled(
            (missing if row.missing else capture.status, "warn" if capture.status == "pending" else "good"),
            "" if row.manual else " · auto",
            (f" · session {capture.session_id[:8] or 'unknown'}", "dim"),
        ),
        styled((f"{local_minute(capture.timestamp)} · {age(capture.timestamp, now)}", "dim")),
    ]
    if capture.status != "pending":
        memory = styled(("Memory ", "label"), capture.memory)
        lines += [*_section("Summary"), line(capture.summary or "(none)"), BLANK, memory]
    lines += [lost] if lost is not None else []
    if not row.missing:
        message = (capture.first_message or "(none)").split("\n")
        lines += [*_section("First message"), *(line(text, "quote") for text in message)]
    if facts is not None:
        lines += [facts]
    return concat(*lines)


def _section(title: str) -> tuple[Line, Line]:
    return BLANK, line(title, "heading")


def facts_document(facts: Facts, groups: Iterable[EvidenceGroup], keys: str) -> Document:
    """The facts of a transcript: counts on one line, then each kind with its newest items.

    `keys` names the keys that lead to all of them, where paths are whole.
    """
    from memtui.documents.work import recorded_decisions  # the first paint needs no facts
    from memtui.transcript.plans import OPEN

    open_todos = sum(1 for todo in facts.todos if todo.status in OPEN)
    counts = (
        (len(facts.modified_files), "file modified", "files modified"),
        (open_todos, "todo open", "todos open"),
        (len(facts.errors), "failure"),
        (len(recorded_decisions(facts)), "decision"),
        (len(facts.commands), "command"),
    )
    said = " · ".join(counted(*each) for each in counts if each[0])
    said = said or "no change, task, failure or command on record"
    lines: list[Line] = [*_section("What it covers"), line(said, "strong")]
    for group in groups:
        lines += [BLANK, styled((group.title, "strong"), (f"  {len(group.items)}", "dim"))]
        shown = cut_path if group.items[0].kind in ("file", "reference") else todo_line
        for item in group.items[:_ITEMS]:
            lines.append(line(f"  {shown(item.text)}", _ROLES.get(item.kind, ""), hang=4))
        if len(group.items) > _ITEMS:
            lines.append(line(f"  … and {len(group.items) - _ITEMS} more ({keys} shows all)", "dim"))
    return Document(lines)


def todo_line(text: str) -> str:
    """A todo with the mark for its state, as in the panes."""
    return next((mark + text[3:] for box, mark in _MARKS.items() if text.startswith(box)), text)
