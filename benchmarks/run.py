"""Measure everything against its budget, one line per figure; exit 1 when a budget is exceeded.

    python benchmarks/run.py            # all
    python benchmarks/run.py key_press  # some
    python benchmarks/run.py --quick    # all with less data and fewer rounds, in under two minutes

Each module beside this one can be run by itself, too. What is compared is measured in turn within the same
run, so that whatever else the machine does falls on both sides. With MEMTUI_SHARED (or ../shared) real
transcripts are measured as well; nothing is needed from there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from importlib import import_module

from data import Data, data
from report import Figure, show

MODULES = (
    "first_paint",
    "write_to_row",
    "key_press",
    "claude_memories",
    "opening",
    "reader",
    "facts",
    "hook",
    "memory_list",
    "sessions",
    "sync",
)
"""Quick ones first; each has `measure(data) -> figures`, and in `QUICK` its constants of a quick run."""


def measured(name: str, made: Data, *, quick: bool) -> Iterator[Figure]:
    """The figures of one module, each when it is there; one that says why when they cannot be had."""
    started = time.perf_counter()
    try:
        module = import_module(name)
        if quick:
            vars(module).update(module.QUICK)
        yield from module.measure(made)
    except Exception as error:  # one that fails must not hide the others
        yield Figure(name, f"failed: {type(error).__name__}: {error}"[:120], ok=False)
    print(f"      {name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


def main() -> int:
    """Measure what is named on the command line, or everything."""
    words = sys.argv[1:]
    quick = "--quick" in words
    names = [word for word in words if word != "--quick"] or list(MODULES)
    if unknown := set(names) - set(MODULES):
        print(
            f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(MODULES)}.",
            file=sys.stderr,
        )
        return 2
    with data() as made:
        return show(figure for name in names for figure in measured(name, made, quick=quick))


if __name__ == "__main__":
    sys.exit(main())
