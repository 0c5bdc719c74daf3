"""Time from a capture written by another process to its row on the screen.

The capture comes as the hook writes it: whole, by a rename. The clock starts right before that rename, and
stops when the bytes of its row have come out of the terminal that memtui runs in.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from data import NEWEST, Data, Place, capture_file, capture_title, data
from report import Figure, bounded, show
from terminal import Terminal

WRITES = 24
CAPTURES, MEMORIES = 1_000, 10_000
BUDGET = 0.100
QUICK = {"WRITES": 5, "CAPTURES": 100, "MEMORIES": 500}
_WRITER = """
import os, sys, time
for line in sys.stdin:
    source, target = line.split()
    started = time.perf_counter()
    os.replace(source, target)
    print(started, flush=True)
"""


@contextmanager
def _writer() -> Iterator[subprocess.Popen[str]]:
    """Another process that renames files on request, and reports when it did."""
    arguments = [sys.executable, "-S", "-c", _WRITER]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.terminate()


def _write(process: subprocess.Popen[str], source: Path, target: Path) -> float:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{source} {target}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def latencies(place: Place, number: int) -> list[float]:
    """Seconds from each of so many writes to its row."""
    taken = []
    with Terminal(place.command, cwd=place.project, env=place.environment) as terminal, _writer() as writer:
        terminal.wait_for(capture_title(0))
        terminal.rest(quiet=2.5)  # the list is complete, and what is watched has been set up
        for index in range(number):
            title = f"written-{index:03d}"
            name, text = capture_file(place, title, NEWEST + timedelta(minutes=1 + index))
            source = place.root / name
            source.write_text(text)
            terminal.forget()
            started = _write(writer, source, place.compacts / name)
            taken.append(terminal.wait_for(title) - started)
            (place.compacts / name).unlink()
            # Uneven, so that nothing that happens at a fixed rhythm is always hit or always missed.
            time.sleep(0.2 + 0.37 * (index % 5) / 5)
    return taken


def measure(made: Data) -> list[Figure]:
    """Writes into a project with 1,000 captures and 10,000 memories."""
    place = made.place(captures=CAPTURES, memories=MEMORIES)
    return [bounded("a capture is written -> its row is on the screen", latencies(place, WRITES), BUDGET)]


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
