"""`memtui memory list`, `search` and `import` on 10,000 memories: whole processes, by the clock."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from data import Data, Place, data, memory_file
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.search_index import SearchIndex
from report import Figure, bounded, show

RUNS = 11
CAPTURES, MEMORIES = 1_000, 10_000
LIST_BUDGET = 0.300
IMPORT_BUDGET = 2.0
QUICK = {"RUNS": 3, "CAPTURES": 10, "MEMORIES": 300}


def run(place: Place, arguments: Sequence[str], text: bytes = b"") -> float:
    """Seconds of one command in the project."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "memtui", *arguments],
        input=text,
        cwd=place.project,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def measure(made: Data) -> list[Figure]:
    """List, search, then import."""
    place = made.place(captures=CAPTURES, memories=MEMORIES)
    text = memory_file(place, 0).read_bytes().partition(b"\n---\n")[2]
    SearchIndex(Places(Project(place.project), memtui_home(place.environment), place.root / "none")).update()
    listed, searched, imported = [], [], []
    for turn in range(RUNS + 1):
        seconds = (
            run(place, ["memory", "list", "--all"]),
            run(place, ["search", "--all", "--in", "memories", "refresh", "race"]),
            run(place, ["memory", "import", "-"], text),
        )
        if turn:  # files are read from the disk, and byte code is written
            listed.append(seconds[0])
            searched.append(seconds[1])
            imported.append(seconds[2])
    return [
        bounded(f"memtui memory list: {MEMORIES:,} memories", listed, LIST_BUDGET),
        bounded(f"memtui search in {MEMORIES:,} memories", searched),
        bounded(f"memtui memory import into {MEMORIES:,} memories", imported, IMPORT_BUDGET),
    ]


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
