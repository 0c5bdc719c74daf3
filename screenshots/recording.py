"""Records commands in a terminal as one picture: the typed lines, and memtui's answers."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

_NOT_COLOURS = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-ln-~]|\r")
"""Escape sequences other than those for colours."""
_MEMTUI = """\
import sys, datetime, memtui.ground.clock
now = datetime.datetime.fromisoformat(sys.argv.pop(1))
memtui.ground.clock.system_clock = lambda: now
from memtui.__main__ import main
sys.exit(main())
"""
"""memtui at a fixed time."""


def answer(words: Sequence[str], *, folder: Path, env: Mapping[str, str], now: datetime, width: int) -> str:
    """The coloured output of a memtui command on a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    command = [sys.executable, "-c", _MEMTUI, now.isoformat(), *words]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=dict(env))
    os.close(slave)
    printed = b""
    while block := _read(master):
        printed += block
    os.close(master)
    if process.wait():
        raise SystemExit(f"memtui {' '.join(words)} ended with {process.returncode}:\n{printed.decode()}")
    return _NOT_COLOURS.sub("", printed.decode())


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except OSError:  # how Linux reports that all writers have closed
        return b""


def picture(turns: Sequence[tuple[str, str]], *, width: int, most: int, title: str) -> str:
    """Commands and their answers as one SVG.

    Args:
        turns: each command as typed, with what it printed.
        width: columns of the terminal.
        most: lines of an answer that are shown.
        title: of the window.
    """
    console = Console(record=True, width=width, force_terminal=True, file=io.StringIO())
    for command, printed in turns:
        console.print(Text.assemble(("$ ", "green"), (command, "bold")))
        lines = printed.rstrip("\n").split("\n")
        for line in lines[:most]:
            console.print(Text.from_ansi(line), no_wrap=True, crop=True, overflow="ellipsis")
        if len(lines) > most:
            console.print(Text(f"… {len(lines) - most} more lines", "dim"))
        console.print()
    return console.export_svg(title=title)
