"""Search in 100,000 memories of mixed languages, and making its index for 10,000.

Queries are taken from the texts themselves, of the kinds that people type. Each is timed as a whole, in one
process: from the text of the query to twenty hits with their snippets, read from the memories' files. Whether
the budget is kept is decided by processor time; the ratio says how much longer it took by the clock. Where
that is far from 1, something else was at work on the machine, or the disk was waited for.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from data import Data, Place, data
from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.store.base import Filter
from memtui.store.index import SearchIndex
from report import Figure, bounded, milliseconds, percentile, show
from texts import Texts, is_wide, write_texts

MEMORIES = 100_000
REBUILT = 10_000
REBUILD_BUDGET = 30.0
BUDGET = 0.020
QUERIES = 60
"""Of each kind."""
QUICK = {"MEMORIES": 1_000, "REBUILT": 300, "QUERIES": 4}


def _inner(text: str, choice: random.Random) -> str:
    word = choice.choice([word for word in text.split() if len(word) > 4 and word.isascii()])
    return word[1 : choice.randint(4, len(word))]


def _words(text: str, choice: random.Random, number: int) -> str:
    words = text.split()
    start = choice.randrange(len(words) - number)
    return " ".join(words[start : start + number]).replace('"', "")


def _name(text: str, choice: random.Random) -> str:
    lines = [line for line in text.splitlines() if line.startswith("- ") and ":" in line]
    return choice.choice(lines)[2:].partition(":")[0]


def _wide(text: str, choice: random.Random, number: int) -> str:
    run = "".join(char for char in text if is_wide(char)) or "认证更新确认"
    start = choice.randrange(max(1, len(run) - number))
    return run[start : start + number]


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "a word": lambda text, choice: choice.choice([word for word in text.split() if word.isalpha()]),
    "the beginning of a word": lambda text, choice: choice.choice(text.split())[: choice.randint(2, 5)],
    "a part of a word": _inner,
    "two words": lambda text, choice: f"{_words(text, choice, 1)} {_words(text, choice, 1)}",
    "a phrase": lambda text, choice: f'"{_words(text, choice, choice.randint(2, 4))}"',
    "an identifier or path": _name,
    "the beginning of an id": lambda text, choice: f"CMEM-202{choice.randint(1, 6)}"[: choice.randint(4, 9)],
    "one character, Chinese, Japanese or Korean": lambda text, choice: _wide(text, choice, 1),
    "two characters of these": lambda text, choice: _wide(text, choice, 2),
    "three to five characters of these": lambda text, choice: _wide(text, choice, choice.randint(3, 5)),
    "one letter": lambda text, choice: choice.choice("etaoinshrdlu"),
}


def rebuilt(place: Place) -> list[float]:
    """Seconds to make the index of `REBUILT` memories."""
    write_texts(place, REBUILT)
    started = time.perf_counter()
    assert SearchIndex(memtui_home(place.environment)).refresh()
    return [time.perf_counter() - started]


class Taken(NamedTuple):
    """Seconds of one search."""

    clock: float
    processor: float


def searches(place: Place) -> dict[str, list[Taken]]:
    """Durations of searches, by kind of query."""
    write_texts(place, MEMORIES)
    index = SearchIndex(memtui_home(place.environment))
    assert index.refresh()
    for path in memtui_home(place.environment).cache.iterdir():
        path.read_bytes()  # as after a recent search: the system has it in memory
    now = system_clock()
    texts, choice = Texts(), random.Random(3)
    taken: dict[str, list[Taken]] = {kind: [] for kind in KINDS}
    for turn in range(QUERIES + 1):
        for kind, make in KINDS.items():
            query = make(texts.text(), choice)
            started = Taken(time.perf_counter(), time.process_time())
            index.search(query, Filter(), limit=20, offset=0, now=now)
            if turn:  # the first ones read the list of files
                taken[kind].append(
                    Taken(time.perf_counter() - started.clock, time.process_time() - started.processor)
                )
    return taken


def _figure(what: str, taken: Sequence[Taken]) -> Figure:
    clock = [percentile([each.clock for each in taken], percent) for percent in (50, 95)]
    processor = [percentile([each.processor for each in taken], percent) for percent in (50, 95)]
    return Figure(
        what,
        "p50 {}, p95 {}".format(*map(milliseconds, clock)),
        "processor: p50 {}, p95 {}".format(*map(milliseconds, processor)),
        clock[1] / processor[1],
        f"processor: p95 <= {milliseconds(BUDGET)}",
        processor[1] <= BUDGET,
    )


def measure(made: Data) -> Iterator[Figure]:
    """Time to build the index, and times of every kind of query."""
    made_in = rebuilt(made.place(captures=2, memories=0))
    yield bounded(f"search index of {REBUILT:,} memories made", made_in, REBUILD_BUDGET)
    taken = searches(made.place(captures=3, memories=0))
    together = [one for each in taken.values() for one in each]
    yield _figure(f"search in {MEMORIES:,} memories", together)
    for kind, each in taken.items():
        yield _figure(f"  {kind}", each)


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
