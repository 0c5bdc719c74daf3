"""Processes that begin at the same moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.warm import Warm

ROOT = Path(__file__).parents[1]


def start_together(scripts: Iterable[Sequence[str]], before: Callable[[], object] = lambda: None) -> None:
    """Run Python programs side by side to their end, and expect them to end well.

    Args:
        scripts: each a program and its arguments; it says a line when it is ready and waits for one. What the
            lines at its left margin import is imported once for all.
        before: called when all are ready, before they begin.
    """
    processes = []
    for program, *words in scripts:
        imports = [line for line in program.splitlines() if line.startswith(("import ", "from "))]
        processes.append(Warm(program, *words, cwd=ROOT, env=os.environ, imports=imports))
    try:
        for process in processes:
            assert process.stdout.readline(), process.stderr.read()
        before()
        for process in processes:
            process.stdin.write(b"go\n")
            process.stdin.flush()
        for process in processes:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
    finally:
        for process in processes:
            process.end()
