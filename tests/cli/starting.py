"""memtui in a process of its own that begins at once."""

from __future__ import annotations

import os
from pathlib import Path

from tests.warm import Warm

_COMMANDS = ("main", "state", "memory")
_IMPORTS = (*(f"import memtui.cli.{name}" for name in _COMMANDS), "import memtui.store.memories")


def start_memtui(*words: str, before: str = "", **variables: str) -> Warm:
    """Start memtui in the current folder, without a shell; the process begins with the lines of `before`."""
    program = f"{before}\nfrom memtui.__main__ import main\nmain()"
    return Warm(program, *words, cwd=Path.cwd(), env={**os.environ, **variables}, imports=_IMPORTS)
