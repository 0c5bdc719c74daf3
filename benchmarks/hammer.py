"""Many processes that store memories in the same second: no id twice, nothing lost, no long waits.

    python benchmarks/hammer.py [processes] [memories of each]

The clock stands still for all of them, so that every memory but one has to move on to another second. Writing
is flushed to the disk as always.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from memtui.ground.clock import system_clock
from memtui.ground.project import Home
from memtui.store.memories import MemoryStore
from report import Figure, milliseconds, percentile, show

PROCESSES = 64
EACH = 200
BUDGET = 2.0
"""Seconds that 99 of 100 imports may take."""

_IMPORTS = """
import sys, time
from datetime import datetime
from pathlib import Path
from memtui.ground.project import Home
from memtui.store.memories import MemoryStore
base, mark, number, noon = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
now = datetime.fromtimestamp(noon).astimezone()
store = MemoryStore(Home(base / "data", base / "cache", base / "state", base / "config"), lambda: now)
print("ready", flush=True)
sys.stdin.readline()
for index in range(number):
    body = f"{mark} {index}\\r\\n".encode() * 50
    started = time.perf_counter()
    meta = store.create(body, description=f"{mark} {index}")
    print(meta.id, time.perf_counter() - started)
"""


def hammer(base: Path, processes: int, each: int) -> tuple[list[str], list[float], float]:
    """Let processes import side by side; returns the ids, the seconds of each import, and of all."""
    noon = datetime(2026, 1, 2, 12).timestamp()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _IMPORTS, str(base), f"p{number}", str(each), str(noon)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    started = time.perf_counter()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    lines = [line.split() for process in running for line in process.communicate()[0].splitlines()]
    whole = time.perf_counter() - started
    return [line[0] for line in lines], [float(line[1]) for line in lines], whole


def lost(base: Path, processes: int, each: int) -> int:
    """Number of memories that are missing or altered."""
    home = Home(base / "data", base / "cache", base / "state", base / "config")
    store = MemoryStore(home, system_clock)
    found = {listed.title: store.get(listed.meta.id).body for listed in store.list().items}
    wanted = {f"p{number} {index}" for number in range(processes) for index in range(each)}
    return sum(found.get(title) != f"{title}\r\n".encode() * 50 for title in wanted)


def measure(processes: int = PROCESSES, each: int = EACH) -> list[Figure]:
    """The figures of one run."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        ids, seconds, whole = hammer(base, processes, each)
        missing = lost(base, processes, each)
    number = processes * each
    slow = percentile(seconds, 99)
    shown = (
        f"{milliseconds(slow)} (median {milliseconds(percentile(seconds, 50))}, longest {max(seconds):.2f} s)"
    )
    return [
        Figure(
            f"{processes} processes x {each} imports in one second",
            f"{len(set(ids)):,} distinct ids, {missing} lost",
            budget=f"{number:,} ids",
            ok=len(set(ids)) == number and not missing,
        ),
        Figure("one of these imports, p99", shown, budget=f"<= {BUDGET:g} s", ok=slow <= BUDGET),
        Figure("all of these imports", f"{whole:.1f} s, {number / whole:,.0f} a second"),
    ]


if __name__ == "__main__":
    sys.exit(show(measure(*map(int, sys.argv[1:3]))))
