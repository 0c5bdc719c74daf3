"""A pin in full: its text, its source, and its fate at the last compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.app.listings import LightsView
from memtui.app.widgets.document import Document, Line, line, styled
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute

if TYPE_CHECKING:
    from memtui.lost.pin_fates import PinFate, PinRow

MARKS: dict[PinFate | None, tuple[str, str]] = {
    "kept": ("✓", "good"),
    "handed over": ("↺", "good"),
    "not delivered": ("✗", "bad"),
    "new": ("○", "dim"),
    None: ("○", "dim"),
}
"""The mark and role of a light; None: nothing was compacted yet."""

UNCONFIRMED = ("?", "warn")
FROM_REPOSITORY = "from the repository"
_OFF = f"{FROM_REPOSITORY}, and off: you have neither pinned it with memtui nor confirmed it; ! confirms it"


def pin_document(row: PinRow, view: LightsView) -> Document:
    light = view.lights.get(row.pin.text) if row.confirmed else None
    mark, role = MARKS[light] if row.confirmed else UNCONFIRMED
    says = in_words(light, view) if row.confirmed else _OFF
    where = "for all projects" if row.everywhere else "for this project"
    source = f"{row.pin.session} L{row.pin.line}".strip() if row.pin.line else ""
    lines = [
        styled((f"{mark} ", role), (says, role), hang=2),
        Line(""),
        line(clean_line(row.pin.text), "strong"),
        Line(""),
    ]
    if source:
        lines.append(styled(("from ", "label"), clean_line(source)))
    lines += [
        styled(("kept in ", "label"), clean_line(str(row.file)), (f" · {where}", "dim")),
        Line(""),
        line("x removes it, J and K move it down and up, e edits the file.", "dim"),
    ]
    return Document(lines)


def in_words(light: PinFate | None, view: LightsView) -> str:
    of = f" of {local_minute(view.at)}" if view.at else ""
    if light == "kept":
        return f"kept by the summary{of}"
    if light == "handed over":
        return f"handed over by memtui after the compaction{of}"
    if light == "not delivered":
        way = (
            "it comes with the next prompt by itself"
            if view.waiting
            else "nothing waits for the next prompt: `memtui doctor` says whether the hooks run"
        )
        return f"not delivered: neither the summary{of} nor the notes after it have it; {way}"
    return "goes into the next summary" + ("" if light is None else f"; it was pinned after the one{of}")
