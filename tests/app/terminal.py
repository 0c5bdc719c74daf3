"""memtui as a process in a pseudo-terminal, and that terminal's screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len

from tests.warm import Forked

PATIENCE = 30.0
"""Seconds that something is waited for: a process may start slowly on a busy machine."""

SEQUENCE = re.compile(
    r"\x1b\[([0-?]*)[ -/]*([@-~])"  # CSI
    r"|\x1b[\]P_^X].*?(?:\x07|\x1b\\)"  # strings: OSC, DCS, APC, PM, SOS
    r"|\x1b(?![\[\]P_^X])[ -/]*[0-~]",
    re.DOTALL,
)
"""The escape sequences that programs write."""


class Screen:
    """As much of a terminal as Textual writes to: cursor addressing, text, and nothing else that shows."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.cells = [[" "] * width for _ in range(height)]
        self.row = self.column = 0

    def feed(self, text: str) -> str:
        """Take in what a program wrote; returns the unfinished sequence at its end, to be fed again."""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
                continue
            match = SEQUENCE.match(text, at)
            if match is None:
                return text[at:]
            if match[2] == "H":
                row, _, column = match[1].partition(";")
                self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
            elif match[2] == "J":
                self.cells = [[" "] * self.width for _ in range(self.height)]
            at = match.end()
        return ""

    def _put(self, character: str) -> None:
        if character == "\n":
            self.row += 1
        elif character == "\r":
            self.column = 0
        elif self.row < self.height and self.column < self.width:
            wide = cell_len(character)
            self.cells[self.row][self.column] = character
            if wide == 2 and self.column + 1 < self.width:
                self.cells[self.row][self.column + 1] = ""
            self.column += wide

    @property
    def text(self) -> str:
        """The visible text."""
        return "\n".join("".join(row).rstrip() for row in self.cells)

    @property
    def words(self) -> str:
        """The visible text, without frames and the line breaks of a narrow window."""
        return " ".join(re.sub("[│▌▐]", " ", self.text).split())


class Process(NamedTuple):
    """A program in a terminal."""

    pid: int
    master: int
    """The descriptor of our end."""
    exit_code: Callable[[], int]
    """Waits for its end; returns its exit code, or minus the signal that ended it."""


def executed(arguments: Sequence[str], env: Mapping[str, str]) -> Process:
    """A program in a terminal."""
    pid, master = pty.fork()
    if not pid:
        os.execve(arguments[0], list(arguments), dict(env))
    return Process(pid, master, lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


MEMTUI = "from memtui.__main__ import main; main()"
# Textual looks at the variable when it is imported.
_IMPORTS = (
    "import os; os.environ['TEXTUAL_ANIMATIONS'] = 'none'\n"
    "from importlib import import_module; from pkgutil import walk_packages; import memtui.app\n"
    "for module in walk_packages(memtui.app.__path__, 'memtui.app.'): import_module(module.name)"
)


def forked(program: str, *words: str, env: Mapping[str, str], cwd: Path | None = None) -> Process:
    """A Python program in a terminal, forked from an interpreter that has imported the app."""
    master, theirs = pty.openpty()
    process = Forked(
        program, *words, cwd=cwd or Path.cwd(), env=env, imports=[_IMPORTS], streams=[theirs] * 3
    )  # fmt: skip
    return Process(process.pid, master, lambda: process.wait(PATIENCE))


class Terminal:
    """A process in a pseudo-terminal of a given size."""

    def __init__(self, process: Process, size: tuple[int, int]) -> None:
        self.output = b""
        self.screen = Screen(*size)
        self._rest = ""
        self._undecoded = b""
        self.status: int | None = None
        self.pid, self.master, self._exit_code = process
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def press(self, keys: str) -> None:
        """Send keys as the terminal sends them."""
        os.write(self.master, keys.encode())

    def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Read until `condition` holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            left = deadline - time.monotonic()
            if left < 0 or not self._read(left):
                raise AssertionError(f"{what or 'it'} did not happen; shown:\n{self.screen.text}")

    def until_shown(self, text: str) -> None:
        """Read until the screen shows `text`."""
        self.until(lambda: text in self.screen.words, repr(text))

    def until_gone(self, text: str) -> None:
        """Read until the screen shows `text` no more."""
        self.until(lambda: text not in self.screen.words, f"the end of {text!r}")

    def until_quiet(self, seconds: float = 0.08) -> None:
        """Read until nothing has been written for a moment."""
        while self._read(seconds):
            pass

    def until_left(self) -> int:
        """Read to the end of the process; returns its status."""
        deadline = time.monotonic() + PATIENCE
        while self._read(max(0.0, deadline - time.monotonic())):
            pass
        if self.status is None:
            self.status = self._exit_code()
        return self.status

    def hang_up(self) -> None:
        """Close the terminal while the process runs."""
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        """End the process if it still runs."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = self._exit_code()
        if self.master >= 0:
            os.close(self.master)

    def _read(self, seconds: float) -> bool:
        """Take in what the process wrote; False when it has ended, or the time is over."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:  # Linux: the other end is closed
            data = b""
        self.output += data
        self._undecoded += data
        try:
            text = self._undecoded.decode()
        except UnicodeDecodeError as error:
            text = self._undecoded[: error.start].decode()
            self._undecoded = self._undecoded[error.start :]
        else:
            self._undecoded = b""
        self._rest = self.screen.feed(self._rest + text)
        return bool(data)


@contextmanager
def running(
    project: Path,
    size: tuple[int, int],
    env: Mapping[str, str],
    *,
    path: str = "/usr/bin:/bin",
    program: str = MEMTUI,
    start: Sequence[str] = (),
) -> Iterator[Terminal]:
    """memtui with a project, or another program of Python, in a terminal of this size.

    It is forked unless there is `start`, a command whose last argument is the project.
    """
    whole = {
        "PATH": path,
        "HOME": str(project.parent),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TEXTUAL_ANIMATIONS": "none",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        **env,
    }
    process = executed([*start, str(project)], whole) if start else forked(program, str(project), env=whole)
    terminal = Terminal(process, size)
    try:
        yield terminal
    finally:
        terminal.close()
