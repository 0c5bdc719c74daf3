"""Large things: opening a project with 10,000 captures, a storm of 60,000 files, a transcript of 100 MB."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from data import LAST_WORDS, Data, Place, capture_title, data, make_transcript
from report import Figure, bounded, show
from terminal import Terminal

RUNS = 3
CAPTURES = 10_000
MEGABYTES = 100
STORM = 60_000
STORM_BUDGET = 3.0
QUICK = {"RUNS": 1, "CAPTURES": 500, "STORM": 2_000, "MEGABYTES": 10}
_COUNT_END = "\x1b"
"""The text after the number of captures in the pane's title, once all are read."""
_STORM = """
import sys, time
folder, number, text = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
for index in range(number):
    hour, second = divmod(index, 3600)
    name = f"20240101_{hour:02d}{second // 60:02d}{second % 60:02d}-autocompact.md"
    with open(f"{folder}/{name}", "wb") as file:
        file.write(text)
print(time.perf_counter(), flush=True)
"""


def listed(place: Place, number: int) -> float:
    """Seconds from the start until the list of captures is complete and all of them are read."""
    with Terminal(place.command, cwd=place.project, env=place.environment) as terminal:
        return terminal.wait_for(f" {number}{_COUNT_END}", timeout=120) - terminal.started


def storm(place: Place) -> float:
    """Seconds from the last of many captures written at once until all of them are listed."""
    arguments = [sys.executable, "-S", "-c", _STORM, str(place.compacts), str(STORM), capture_text(place)]
    with Terminal(place.command, cwd=place.project, env=place.environment) as terminal:
        terminal.wait_for("live")
        terminal.forget()
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            seen = terminal.wait_for(f" {STORM + 1}", timeout=180)
            return max(0.0, seen - float(process.stdout.readline()))


def capture_text(place: Place) -> str:
    """The text of some capture of a place."""
    return next(place.compacts.glob("*-autocompact.md")).read_text()


def transcript(place: Place) -> list[float]:
    """Seconds from `o` to the last words of a transcript of 100 MB."""
    taken = []
    with Terminal(place.command, cwd=place.project, env=place.environment) as terminal:
        terminal.wait_for(capture_title(0))
        terminal.rest(quiet=2.0)
        for _ in range(RUNS):
            started = terminal.press("o")
            taken.append(terminal.wait_for(LAST_WORDS) - started)
            terminal.press("\x1b")
            terminal.rest(quiet=0.5)
    return taken


def measure(made: Data) -> Iterator[Figure]:
    """All three."""
    many = made.place(captures=CAPTURES, memories=10)
    opened = [listed(many, CAPTURES) for _ in range(RUNS)]
    yield bounded(f"{CAPTURES:,} captures: all listed and read", opened)
    place = made.place(captures=1, memories=1)
    make_transcript(place, megabytes=MEGABYTES)
    yield bounded(f"a transcript of {MEGABYTES} MB: o -> its last words", transcript(place))
    what = f"{STORM:,} captures in a storm: the last is written -> all listed"
    yield bounded(what, [storm(place)], STORM_BUDGET)


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
