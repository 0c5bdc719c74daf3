"""Time to the first paint with content, compared with a hello-world app of Textual.

Both are whole processes in a terminal, started in turn: from right before the program is started until the
bytes that show its content have come out. For memtui that is the title of the newest of 1,000 captures and
the id of the newest of 10,000 memories.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from data import Data, Place, capture_title, data, memory_id
from report import Figure, compared, show
from terminal import Terminal

RUNS = 15
CAPTURES, MEMORIES = 1_000, 10_000
BUDGET = 1.3
QUICK = {"RUNS": 4, "CAPTURES": 100, "MEMORIES": 500}
HELLO = Path(__file__).with_name("hello.py")


def first_paint(arguments: Sequence[str], place: Place, *texts: str) -> float:
    """Seconds until all texts have been painted."""
    with Terminal(arguments, cwd=place.project, env=place.environment) as terminal:
        return terminal.wait_for(*texts) - terminal.started


def measure(made: Data) -> list[Figure]:
    """The first paint of memtui against that of the hello-world app."""
    place = made.place(captures=CAPTURES, memories=MEMORIES)
    content = (capture_title(0), memory_id(0).removeprefix("CMEM-"))
    mine, hello = [], []
    for run in range(RUNS + 1):
        hello.append(first_paint([sys.executable, str(HELLO)], place, "hello-world-painted"))
        mine.append(first_paint(place.command, place, *content))
        if not run:  # files are read from the disk, and byte code is written
            mine.clear()
            hello.clear()
    what = f"first paint with content: {CAPTURES:,} captures, {MEMORIES:,} memories"
    return [compared(what, mine, "hello-world Textual app", hello, BUDGET)]


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
