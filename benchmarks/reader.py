"""The reader in a transcript of 200 MB: its end, jumps, the next hit, and memory, by keys in a terminal.

The transcript is made of those in ``$MEMTUI_SHARED/transcripts`` (default: ``../shared``), one behind the
other as often as it takes, else it is a generated one. Each jump is measured twice: right after the end is
shown, while lines and turns are still being counted, and once they are.

Seconds are those of the clock; in brackets stands the processor time that the program used meanwhile, which
tells where something else is at work on the machine.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from data import LAST_WORDS, NEWEST, Data, Place, capture_title, data, make_transcript
from report import Figure, milliseconds, percentile, show
from terminal import Terminal

MEGABYTES = 200
RUNS = 3
QUICK = {"MEGABYTES": 20, "RUNS": 1}

_END, _JUMP, _FIND = 0.500, 0.200, 1.0
_MEMORY = 80 << 20
_IDLE = 0.05
"""Seconds of the processor that a program uses in a second or two when it does nothing."""
_NEEDLE = "otters in the fjord"
_SHARED = Path(os.environ.get("MEMTUI_SHARED") or Path(__file__).resolve().parents[1] / ".." / "shared")

Sample = tuple[float, float]
"""Seconds of the clock and of the processor."""


def fill(place: Place) -> list[int]:
    """Write the transcript: a needle in the middle and near the end, known last words.

    Returns:
        For each line, the hundredths of the file that lie before it.
    """
    sources = sorted((_SHARED / "transcripts").glob("*.jsonl"))
    if not sources:
        make_transcript(place, megabytes=5)
        sources = [place.transcript]
    parts = [text if text.endswith(b"\n") else text + b"\n" for text in map(Path.read_bytes, sources)]
    from tests.transcript_writer import TranscriptWriter

    writer = TranscriptWriter("s", cwd=str(place.project), branch="main", started=NEWEST)
    writer.say(f"Here are {_NEEDLE}.")
    needle = writer.take().encode()
    writer.say(LAST_WORDS)
    last = writer.take().encode()
    size = 0
    middle = False
    with place.transcript.open("wb") as file:
        while size < MEGABYTES * 1_000_000:
            for part in parts:
                if not middle and size > MEGABYTES * 500_000:
                    middle, part = True, part + needle
                size += file.write(part)
        file.write(last)
    with place.transcript.open("rb") as file:
        ends = list(accumulate(map(len, file)))
    return [100 * offset // ends[-1] for offset in (0, *ends[:-1])]


class Reading:
    """The reader in a terminal, and what its keys take."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def takes(self, keys: str, *texts: str | re.Pattern[bytes]) -> Sample:
        """Press keys, and wait for what they show."""
        used = self._terminal.processor
        pressed = self._terminal.press(keys)
        shown = self._terminal.wait_for(*texts)
        return shown - pressed, self._terminal.processor - used

    def rest(self) -> None:
        """Wait until the program does nothing any more."""
        used = -1.0
        while self._terminal.processor - used > _IDLE:
            used = self._terminal.processor
            self._terminal.rest(quiet=1.0, timeout=1.5)


def measure(made: Data) -> Iterator[Figure]:
    """All of it."""
    place = made.place(captures=1, memories=1)
    parts = fill(place)
    taken: dict[str, list[Sample]] = {}
    most = 0
    for _ in range(RUNS):
        with Terminal(place.command, cwd=place.project, env=place.environment) as terminal:
            terminal.wait_for(capture_title(0))
            reading = Reading(terminal)
            reading.rest()

            def note(what: str, sample: Sample) -> None:
                taken.setdefault(what, []).append(sample)

            note("o -> its last words", reading.takes("o", LAST_WORDS))
            _jumps(reading, "jump while counting", parts, note)
            reading.rest()
            _jumps(reading, "jump", parts, note)
            reading.takes("g", _percent(0))
            reading.takes(f"/{_NEEDLE[:-1]}", _NEEDLE[:-1])
            reading.rest()
            note("find as typed, 100 MB away", reading.takes(_NEEDLE[-1], _FOUND))
            reading.takes("\r", _FOUND)
            reading.takes("G", LAST_WORDS)
            note("find-next: round by the beginning", reading.takes("n", _FOUND))
            most = max(most, terminal.memory)
    budgets = {"o": _END, "j": _JUMP, "f": _FIND}
    for what, samples in taken.items():
        yield _figure(what, samples, budgets[what[0]])
    yield Figure("most memory", f"{most >> 20} MB", budget=f"<= {_MEMORY >> 20} MB", ok=most <= _MEMORY)


_FOUND = re.compile(rb"fjord  1 of 1")


def _jumps(reading: Reading, what: str, parts: list[int], note: Callable[[str, Sample], None]) -> None:
    """Lines, parts, the start and the end, all over the file."""
    lines = len(parts)
    for number in (lines // 2, lines // 10, lines * 9 // 10, lines // 3, lines * 2 // 3):
        part = parts[number - 1]
        reading.takes(str(number), str(number))
        note(what, reading.takes("G", _percent(part, part + 1)))
    reading.takes("47", "47")
    note(what, reading.takes("%", _percent(47, 48)))
    note(what, reading.takes("g", _percent(0)))
    note(what, reading.takes("G", LAST_WORDS))


def _percent(*numbers: int) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\d)(?:%s) %%" % b"|".join(b"%d" % each for each in numbers))


def _figure(what: str, samples: Sequence[Sample], limit: float) -> Figure:
    clock, processor = ([each[side] for each in samples] for side in (0, 1))
    shown = [milliseconds(percentile(each, percent)) for each in (clock, processor) for percent in (50, 95)]
    return Figure(
        what,
        "p50 {}, p95 {} (processor: {}, {})".format(*shown),
        budget=f"<= {milliseconds(limit)}",
        ok=percentile(clock, 95) <= limit,
    )


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
