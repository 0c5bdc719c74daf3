"""The context of the session shown, and alarms around its compactions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from memtui.aftermath.gauge import Gauge, finished, limit_of, loops, may_loop, measure, returned
from memtui.aftermath.traces import traces
from memtui.app.model.courses import Course, Courses
from memtui.clean import clean_line
from memtui.clock import parse_iso
from memtui.reading.facts import read_facts

_LOOPS = "compaction loop: 3 within 10 minutes, no file changed"


class Watched(NamedTuple):
    """The current values of a session."""

    gauge: Gauge
    alarm: str = ""
    """One line on what goes wrong; "" for nothing."""


class Watch:
    """Reads sessions; what was done before a compaction is read once."""

    def __init__(self, courses: Courses) -> None:
        self._courses = courses
        self._done: dict[tuple[Path, int], frozenset[str]] = {}

    def look(self, transcript: Path, limits: Collection[int], cancelled: Callable[[], bool]) -> Watched:
        """Look at a session.

        Args:
            transcript: the session's.
            limits: tokens before automatic compactions of the project's sessions.
            cancelled: polled; True stops the reading.

        Raises:
            OSError: the transcript cannot be read.
            ReadingCancelledError: `cancelled` answered True.
        """
        course = self._courses.read(transcript, cancelled)
        limit = limit_of(course.compactions, limits, course.models)
        return Watched(measure(course.sizes, course.turns, limit), self._alarm(transcript, course, cancelled))

    def _alarm(self, transcript: Path, course: Course, cancelled: Callable[[], bool]) -> str:
        if not course.compactions:
            return ""
        if may_loop(course.compactions) and loops(traces(transcript, cancelled)):
            return _LOOPS
        last = course.compactions[-1].source
        key = (transcript, last.line)
        if key not in self._done:
            self._done[key] = finished(
                read_facts(transcript, until=parse_iso(last.timestamp), cancelled=cancelled)
            )
        again = returned(self._done[key], course.todos, last.line)
        return f"done before, open again: {clean_line(again[0])}" if again else ""
