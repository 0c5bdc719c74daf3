"""Time from a key press in the list of memories to the changed rows, with 10,000 memories and with 10.

Both run at the same time, each in its own terminal, and get `j` and `k` in turn. The clock starts when the
key is written to the terminal and stops when the row that it selects has come out. Once they are left alone;
then another process rewrites a memory over and over, so that lists are compared with the disk while keys are
pressed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data import Data, Place, data, memory_file, memory_id
from report import Figure, compared, milliseconds, percentile, show
from terminal import Terminal

PRESSES = 80
BUDGET = 1.5
MANY, FEW = 10_000, 10
QUICK = {"PRESSES": 15, "MANY": 2_000}
_REWRITER = """
import os, sys, time
while True:
    for path in sys.argv[1:]:
        text = open(path, "rb").read()
        with open(path + ".new", "wb") as file:
            file.write(text)
        os.replace(path + ".new", path)
    time.sleep(0.25)
"""


@contextmanager
def rewriting(*paths: Path) -> Iterator[None]:
    """Another process that replaces these files four times a second."""
    arguments = [sys.executable, "-S", "-c", _REWRITER, *map(str, paths)]
    with subprocess.Popen(arguments) as process:
        try:
            yield
        finally:
            process.kill()


class Session:
    """memtui in the list of memories of a place."""

    def __init__(self, place: Place, terminal: Terminal) -> None:
        self.place, self.terminal = place, terminal
        self._at, self._step = 0, 1
        terminal.wait_for(memory_id(0), timeout=60)
        terminal.rest(quiet=3.0, timeout=60)  # all are listed
        terminal.press("2")
        terminal.rest(quiet=1.0)

    def press(self) -> float:
        """Move the selection by one row, down and up again in turn; seconds until that row is painted."""
        if not 0 <= self._at + self._step < FEW - 1:
            self._step = -self._step
        self._at += self._step
        started = self.terminal.press("j" if self._step > 0 else "k")
        return self.terminal.wait_for(_selected(self._at)) - started


def _selected(number: int) -> re.Pattern[bytes]:
    """The row of a memory, behind the bar that marks the selected one: others are painted, too."""
    between = "(?:\x1b\\[[0-9;]*m|[ -~])*?"
    return re.compile(f"▌{between}number {number:06}:".encode())


def presses(sessions: list[Session], number: int) -> list[list[float]]:
    """Seconds for so many presses in each session, in turn."""
    taken: list[list[float]] = [[] for _ in sessions]
    for index in range(number):
        for session, times in zip(sessions, taken, strict=True):
            times.append(session.press())
            # Uneven, so that no rhythm of the background is always hit or always missed.
            time.sleep(0.05 + 0.09 * (index % 7) / 7)
    return taken


def measure(made: Data) -> list[Figure]:
    """Presses in both, at rest and while memories change."""
    places = [made.place(captures=10, memories=number) for number in (MANY, FEW)]
    terminals = [Terminal(place.command, cwd=place.project, env=place.environment) for place in places]
    with terminals[0], terminals[1]:
        sessions = [Session(place, terminal) for place, terminal in zip(places, terminals, strict=True)]
        rest = presses(sessions, PRESSES)
        with rewriting(*(memory_file(place, FEW - 1) for place in places)):
            busy = presses(sessions, PRESSES)
    return [
        _figure(f"a key pressed among {MANY:,} memories", *rest),
        _figure("... while memories are written", *busy),
    ]


def _figure(what: str, many: list[float], few: list[float]) -> Figure:
    worst = f" (p95 {milliseconds(percentile(many, 95))} and {milliseconds(percentile(few, 95))})"
    return compared(what + worst, many, "among 10", few, BUDGET)


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
