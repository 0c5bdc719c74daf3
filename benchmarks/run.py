"""Measure everything against its budget and print one table; exit 1 when a budget is exceeded.

    python benchmarks/run.py            # all
    python benchmarks/run.py key_press  # some

Each module beside this one can be run by itself, too. What is compared is measured in turn within the same
run, so that whatever else the machine does falls on both sides. With MEMTUI_SHARED (or ../shared) real
transcripts are measured as well; nothing is needed from there.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module

from data import Data, data
from report import Figure, show

MODULES = ("first_paint", "write_to_row", "key_press", "opening", "facts", "hook", "memory_list", "search")
"""Quick ones first; each has `measure(data) -> figures`."""


def measured(name: str, made: Data) -> list[Figure]:
    """The figures of one module; one that says why when they cannot be had."""
    started = time.perf_counter()
    print(f"{name} ...", end="", file=sys.stderr, flush=True)
    try:
        figures: list[Figure] = import_module(name).measure(made)
    except Exception as error:  # one that fails must not hide the others
        figures = [Figure(name, f"failed: {type(error).__name__}: {error}"[:120], ok=False)]
    print(f" {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return figures


def main() -> int:
    """Measure what is named on the command line, or everything."""
    unknown = set(sys.argv[1:]) - set(MODULES)
    if unknown:
        print(
            f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(MODULES)}.",
            file=sys.stderr,
        )
        return 2
    with data() as made:
        figures = [figure for name in sys.argv[1:] or MODULES for figure in measured(name, made)]
    return show(figures)


if __name__ == "__main__":
    sys.exit(main())
