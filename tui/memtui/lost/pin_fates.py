"""A project's pins with their sources, and their fates at a session's last compaction."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from memtui.documents.pins import Pin
from memtui.ground.clock import parse_iso
from memtui.ground.project import Places
from memtui.lost.handover_marks import MARK
from memtui.lost.pins import Pins
from memtui.lost.traces import handed_since
from memtui.lost.verdicts import Text
from memtui.store.confirmed_pins import Confirmed
from memtui.transcript.records import CompactionFact

PinFate = Literal["not delivered", "handed over", "kept", "new"]
"""`kept` by the summary, `handed over` by memtui, `not delivered` by either; `new`: pinned later."""


class PinRow(NamedTuple):
    """A pin in a list; see `memtui.lost.pins.Pinned`."""

    pin: Pin
    everywhere: bool
    file: Path
    transcript: Path | None = None
    """The source's transcript; None if it is unknown or missing."""
    confirmed: bool = True


def pin_rows(places: Places, transcripts: Mapping[str, Path]) -> list[PinRow]:
    """The pins of a project, and the user's own, in order; `transcripts` are the project's, by session."""
    pins = Pins(places.project, places.home)
    return [
        PinRow(
            each.pin,
            each.everywhere,
            pins.path(everywhere=each.everywhere),
            next((transcripts[name] for name in transcripts if name.startswith(each.pin.session)), None)
            if each.pin.session
            else None,
            each.confirmed,
        )
        for each in pins.all()
    ]


def fates_at_last_compaction(
    places: Places, transcript: Path, compaction: CompactionFact
) -> dict[str, PinFate]:
    """The fate of each pin at a session's last compaction."""
    pins = [each.pin.text for each in Pins(places.project, places.home).active()]
    if not pins:
        return {}
    ours = [text for text in handed_since(transcript, compaction.source.offset) if MARK.search(text)]
    said, given = Text(compaction.summary, ()), Text("\n".join(ours), ())
    moment = parse_iso(compaction.source.timestamp)
    later = pinned_later(places, moment) if moment is not None else frozenset()

    def fate(pin: str) -> PinFate:
        if said.has(pin):
            return "kept"
        if given.has(pin):
            return "handed over"
        return "new" if pin in later else "not delivered"

    return {pin: fate(pin) for pin in pins}


def pinned_later(places: Places, moment: datetime) -> frozenset[str]:
    """The current pins that may not have existed, or were not confirmed, at a given time.

    New pins are added at the end of a file: the last one of a file that was written since counts as new.
    """
    pins = Pins(places.project, places.home)
    found: set[str] = set()
    for everywhere in (False, True):
        path = pins.path(everywhere=everywhere)
        with suppress(OSError):  # without such a file
            if path.stat().st_mtime > moment.timestamp():
                own = [each.pin.text for each in pins.all() if each.everywhere is everywhere]
                found |= set(own[-1:])
    confirmed = Confirmed(places.home)
    found |= {
        each.pin.text
        for each in pins.active()
        if not each.everywhere and (since := confirmed.since(each.pin.text)) is not None and since > moment
    }
    return frozenset(found)
