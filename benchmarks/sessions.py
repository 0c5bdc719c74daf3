"""Searching transcripts: making their index, its size and memory, what a session adds, and queries.

The transcripts are copies of those in ``$MEMTUI_SHARED/transcripts`` (default: ``../shared``), else of a
generated one. In each copy a third of the longer words are others and the time is another, so that no two are
alike. `MEGABYTES` of them; to measure the budgets with two gigabytes:

    MEMTUI_MEGABYTES=2000 python benchmarks/sessions.py

The index is timed by the clock, with the seconds of the processor in brackets, as something else may be at
work on the machine; queries by the processor.
"""

from __future__ import annotations

import os
import random
import re
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from data import Data, data, make_transcript
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.search import Scope, Searcher
from memtui.store.search_query import parse_search
from report import Figure, milliseconds, percentile, show

MEGABYTES = int(os.environ.get("MEMTUI_MEGABYTES", "100"))
QUERIES = 40
"""Of each kind."""
QUICK = {"MEGABYTES": 10, "QUERIES": 5}

_SHARED = Path(os.environ.get("MEMTUI_SHARED") or Path(__file__).resolve().parents[1] / ".." / "shared")
_RATE = 60.0
_SHARE = 0.25
_MEMORY = 250 << 20
_FOUND = 1.0
_TYPED = 0.100

_WORD = re.compile(rb"(?<![\\\w])[a-z]{5,12}(?!\w)")
_NAMES = re.compile(rb'"([\w-]+)"\s*:|"(?:type|role|operation|subtype|name|model)"\s*:\s*"([\w-]+)"')
_MONTH = re.compile(rb'"timestamp":"20\d\d-\d\d')
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"


def copies(folder: Path, sources: list[Path]) -> tuple[int, list[str]]:
    """Write transcripts; returns their bytes, and some words that occur in them."""
    choice = random.Random(5)
    size = number = 0
    words: list[str] = []
    while size < MEGABYTES << 20:
        text = sources[number % len(sources)].read_bytes()
        text = _changed(text, choice, number // len(sources))
        found = _WORD.findall(text[: 200 << 10])
        words += [choice.choice(found).decode()] if found else []
        path = folder / f"-project-{number % 40}" / f"{number:08d}-0000-4000-8000-000000000000.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        size += len(text)
        number += 1
    return size, words


def _changed(text: bytes, choice: random.Random, turn: int) -> bytes:
    found = (name for pair in _NAMES.findall(text) for name in pair)
    names = {b"false"}.union(*(re.split(rb"[_-]", name) for name in found))
    known: dict[bytes, bytes] = {}

    def other(match: re.Match[bytes]) -> bytes:
        word = match[0]
        if word not in known:
            changes = word not in names and choice.random() < 0.33
            known[word] = bytes(choice.choices(_LETTERS, k=len(word))) if changes else word
        return known[word]

    moved = _MONTH.sub(b'"timestamp":"20%02d-%02d' % (14 + turn % 12, 1 + turn % 12), text)
    lines = moved.split(b"\n")
    return b"\n".join(line if b'"tool_result"' in line else _WORD.sub(other, line) for line in lines)


def measure(made: Data) -> Iterator[Figure]:
    """The index and the queries."""
    place = made.place(captures=2, memories=0)
    sources = sorted((_SHARED / "transcripts").glob("*.jsonl"))
    if not sources:
        make_transcript(place, megabytes=5)
        sources = [place.transcript]
    claude = place.root / "sessions"
    size, words = copies(claude / "projects", sources)
    home = memtui_home(place.environment)
    searcher = Searcher(Places(Project(place.project), home, claude))
    started, used = time.perf_counter(), time.process_time()
    searcher.update()
    took, used = time.perf_counter() - started, time.process_time() - used
    rate = size / took / 1e6
    yield Figure(
        f"index of {size / 1e6:,.0f} MB of transcripts made",
        f"{rate:.0f} MB/s ({took:.0f} s, {used:.0f} s of the processor)",
        budget=f">= {_RATE:.0f} MB/s",
        ok=rate >= _RATE,
    )
    share = searcher.path.stat().st_size / size
    yield Figure("  its size", f"{share:.1%} of them", budget=f"<= {_SHARE:.0%}", ok=share <= _SHARE)
    for table, part in _tables(searcher.path).items():
        yield Figure(f"    {table}", f"{part / size:.1%}")
    yield from _queries(searcher, words)
    yield _growth(searcher, claude)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield Figure(
        "  most memory",
        f"{peak >> 20} MB",
        budget=f"<= {_MEMORY >> 20} MB",
        ok=peak <= _MEMORY,
    )


def _tables(path: Path) -> dict[str, int]:
    """Bytes of each table, with its indexes."""
    query = (
        "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_schema m ON m.name = s.name"
        " GROUP BY 1 ORDER BY 2 DESC"
    )
    found: dict[str, int] = {}
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error):  # not every SQLite has dbstat
        for name, size in connection.execute(query):
            table = name.partition("_")[0]
            found[table] = found.get(table, 0) + size
    return found


def _queries(searcher: Searcher, words: list[str]) -> Iterator[Figure]:
    choice = random.Random(3)
    kinds: dict[str, Callable[[], str]] = {
        "a word": lambda: choice.choice(words),
        "a question": lambda: f"how did we {' '.join(choice.choices(words, k=5))} in the end?",
        "a common word": lambda: choice.choice(("test", "file", "error", "git", "run")),
        "a file": lambda: f"file:{choice.choice(('app.py', 'test', 'README', 'src', 'index'))}",
        "a command": lambda: f'cmd:"{choice.choice(("git commit", "pytest", "go test", "ls", "npm run"))}"',
    }
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for turn in range(QUERIES + 1):
        for kind, make in kinds.items():
            wanted = parse_search(make())
            started = time.process_time()
            searcher.search(wanted, Scope.EVERYWHERE, limit=20)
            if turn:
                taken[kind].append(time.process_time() - started)
    for kind, each in taken.items():
        shown = [milliseconds(percentile(each, percent)) for percent in (50, 95)]
        yield Figure(
            f"  query, {kind}",
            "processor: p50 {}, p95 {}".format(*shown),
            budget=f"p95 <= {milliseconds(_TYPED)}",
            ok=percentile(each, 95) <= _TYPED,
        )


def _growth(searcher: Searcher, claude: Path) -> Figure:
    path = max((claude / "projects").glob("*/*.jsonl"), key=lambda each: each.stat().st_size)
    with path.open("ab") as file:
        file.write(b'{"type":"user","timestamp":"2026-01-01T00:00:00Z","message":{"content":"xyzzyadded"}}\n')
    started = time.perf_counter()
    searcher.update()
    assert searcher.search(parse_search("xyzzyadded"), Scope.EVERYWHERE)[0].total
    took = time.perf_counter() - started
    return Figure(
        "  what a session adds, found",
        f"after {milliseconds(took)}",
        budget=f"<= {_FOUND:.0f} s",
        ok=took <= _FOUND,
    )


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
