"""The user's own pins on all their machines: a set, in which the last change of each pin wins."""

from __future__ import annotations

from memtui.flows.shared_names import Names, digest
from memtui.formats.pins import Pin
from memtui.formats.shared_record import PINS, SharedRecord
from memtui.formats.text import one_line
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.lost.pins import Pins
from memtui.secrets.secrets import masked
from memtui.share.applied_records import Applied
from memtui.share.merging import Marks
from memtui.share.remotes import this_author
from memtui.share.replica import Replica


class SharedPins:
    """The pins for all projects. Those of a project are in its folder, and are shared with it."""

    def __init__(self, home: Home, clock: Clock, names: Names) -> None:
        self._clock = clock
        self._names = names
        # A folder without a project's pins, so that only the user's own count.
        self._pins = Pins(Project(home.states), home)

    def collect(self, replica: Replica) -> list[str]:
        """Make a record of pins added and removed since the last time; returns a sentence per failure."""
        try:
            now = set(self._here())
        except FileProblem as problem:
            return [str(problem)]
        base = replica.applied(PINS)
        was = set(base.marks.tags) if base is not None else set()
        if now != was:
            at = replica.next_timestamp(PINS, self._clock())
            record = SharedRecord(
                kind="text",
                memory=PINS,
                machine=self._names.machine,
                author=this_author(),
                at=at,
                created=at,
                source="pins",
                tags=tuple(sorted(now - was)),
                untagged=tuple(sorted(was - now)),
            )
            try:
                replica.add(record, Applied(digest(b""), Marks(tags=tuple(sorted(now)))))
            except FileProblem as problem:
                return [str(problem)]
        return []

    def apply(self, base: Applied | None, wanted: Marks) -> Applied:
        """Add and remove pins according to the records; pins added here meanwhile stay.

        Raises:
            FileProblem: there is no room for a pin, or the file cannot be written.
        """
        was = set(base.marks.tags) if base is not None else set()
        here = self._here()
        for text in sorted((was - set(wanted.tags)) & here.keys()):
            self._pins.remove(here[text], everywhere=True)
        for text in sorted(set(wanted.tags) - was - here.keys()):
            self._pins.add(Pin(text), everywhere=True)
        return Applied(digest(b""), Marks(tags=wanted.tags))

    def _here(self) -> dict[str, str]:
        """This machine's pins: shared form -> local text."""
        pins = [each.pin.text for each in self._pins.all() if each.everywhere]
        return {one_line(clean_line(masked(text))): text for text in pins}
