"""A program in a pseudo-terminal, with its output and its times."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

_BLOCK = 1 << 16
_KEPT = 1 << 20
"""Bytes of output that are searched at most: a screen is some 20 KB."""


class MissingError(Exception):
    """An expected text did not appear; the message has the end of the output."""


class Terminal:
    """A child process with a terminal of its own, whose output is read as fast as it comes.

    Times are seconds of `time.perf_counter`; those of output are when it was read here, so they include the
    way through the kernel. Use it as a context manager: at its end the child is killed.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        columns: int = 140,
        rows: int = 45,
    ) -> None:
        """Start `arguments`; `started` is the moment right before."""
        self._seen = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = time.perf_counter()
        self._pid = os.fork()
        if not self._pid:
            _become(slave, arguments, cwd, env)
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._master)

    @property
    def processor(self) -> float:
        """Seconds of the processor that the child has used."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> int:
        """The most bytes of memory that the child has held."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) << 10  # type: ignore[index]

    def press(self, keys: str) -> float:
        """Forget the output so far, type `keys`, and return when that was."""
        self.forget()
        moment = time.perf_counter()
        os.write(self._master, keys.encode())
        return moment

    def forget(self) -> None:
        """Take in what has been written already, so that only what follows is searched."""
        while self._read(0.0):
            pass
        self._seen = b""

    def wait_for(self, *texts: str | re.Pattern[bytes], timeout: float = 30.0) -> float:
        """Read on until all `texts` have been written since `press` or `forget`; return when that was.

        Raises:
            MissingError: they were not within `timeout` seconds.
        """
        wanted = [re.compile(re.escape(text.encode())) if isinstance(text, str) else text for text in texts]
        end = time.perf_counter() + timeout
        while missing := [text.pattern for text in wanted if not text.search(self._seen)]:
            left = end - time.perf_counter()
            if left <= 0 or self._read(left) is None:
                raise MissingError(f"no {missing} in: ...{self._seen[-2000:]!r}")
        return time.perf_counter()

    def rest(self, quiet: float, timeout: float = 30.0) -> None:
        """Read on until nothing has come for `quiet` seconds."""
        end = time.perf_counter() + timeout
        while time.perf_counter() < end and self._read(quiet):
            pass

    def _read(self, timeout: float) -> bytes | None:
        """The next output: b"" if there is none in time, None when the child has ended."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        if not ready:
            return b""
        try:
            block = os.read(self._master, _BLOCK)
        except OSError:  # Linux says EIO when the other side is closed
            return None
        self._seen = (self._seen + block)[-_KEPT:]
        return block or None


def _become(slave: int, arguments: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
    """In the child: take the terminal and turn into the program; never returns."""
    try:
        os.login_tty(slave)
        os.chdir(cwd)
        os.execvpe(arguments[0], list(arguments), dict(env))
    except BaseException as error:
        sys.stderr.write(f"{error}\n")
    finally:
        os._exit(127)
