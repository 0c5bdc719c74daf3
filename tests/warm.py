"""Python programs that start at once, forked from an interpreter with their modules imported.

Everything else is as in a process of its own: its descriptors, arguments, folder and environment, the signals
that it gets, and how it ends. What a program imports, and how its interpreter starts, is for real processes.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import IO, Any

_SECONDS = 60
_LONGEST = 1 << 20


class Forked:
    """A program that was forked."""

    def __init__(
        self,
        program: str,
        *words: str,
        cwd: Path,
        env: Mapping[str, str],
        imports: Sequence[str],
        streams: Sequence[int],
    ) -> None:
        """Run a program as `python -c` does.

        Args:
            program: its text.
            words: its arguments.
            cwd: where it begins.
            env: all of its environment.
            imports: lines that import what it needs; done once for all programs.
            streams: descriptors of its standard streams, which are closed here. A terminal becomes its own.
        """
        self._state, state = os.pipe()
        request = {
            "program": program, "words": words, "cwd": str(cwd), "env": dict(env), "imports": imports,
        }  # fmt: skip
        _interpreter().ask(request, [*streams, state])
        for fd in {*streams, state}:
            os.close(fd)
        self.returncode: int | None = None
        self.pid = self._number(_SECONDS)

    def _number(self, seconds: float) -> int:
        with selectors.DefaultSelector() as selector:
            selector.register(self._state, selectors.EVENT_READ)
            if not selector.select(seconds):
                raise subprocess.TimeoutExpired("a warm interpreter", seconds)
        return int(os.read(self._state, 16))

    def wait(self, timeout: float) -> int:
        """Wait until it has ended; returns its exit code, or minus the signal that ended it."""
        if self.returncode is None:
            self.returncode = self._number(timeout)
            os.close(self._state)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def end(self) -> None:
        """Kill it if it still runs."""
        with suppress(ProcessLookupError):
            self.send_signal(signal.SIGKILL)
        self.wait(_SECONDS)


class Warm(Forked):
    """One with three pipes, used as a `subprocess.Popen`."""

    def __init__(
        self, program: str, *words: str, cwd: Path, env: Mapping[str, str], imports: Sequence[str]
    ) -> None:
        """See `Forked`."""
        ours, theirs = zip(*(_pipe(number) for number in range(3)), strict=True)
        super().__init__(program, *words, cwd=cwd, env=env, imports=imports, streams=theirs)
        self.stdin: IO[bytes] = os.fdopen(ours[0], "wb")
        self.stdout: IO[bytes] = os.fdopen(ours[1], "rb")
        self.stderr: IO[bytes] = os.fdopen(ours[2], "rb")

    def communicate(self, data: bytes = b"", *, timeout: float) -> tuple[bytes, bytes]:
        """Send it something and close its standard input; returns what it printed when it has ended."""
        until = time.monotonic() + timeout
        printed: dict[IO[bytes], bytes] = {}
        calls: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (self._send, (data,)),
            (_read, (self.stdout, printed)),
            (_read, (self.stderr, printed)),
        ]
        threads = [threading.Thread(target=call, args=words, daemon=True) for call, words in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(until - time.monotonic())
        self.wait(max(until - time.monotonic(), 0))
        return printed[self.stdout], printed[self.stderr]

    def _send(self, data: bytes) -> None:
        with suppress(BrokenPipeError), self.stdin:
            self.stdin.write(data)

    def end(self) -> None:
        """Kill it if it still runs, and close the pipes."""
        super().end()
        for stream in (self.stdin, self.stdout, self.stderr):
            with suppress(BrokenPipeError):
                stream.close()


def _read(stream: IO[bytes], printed: dict[IO[bytes], bytes]) -> None:
    with stream:
        printed[stream] = stream.read()


def _pipe(number: int) -> tuple[int, int]:
    """A pipe for a standard stream of another process: our end and its end."""
    read, write = os.pipe()
    return (write, read) if number == 0 else (read, write)


class _Interpreter:
    """A process that forks when asked to; it ends with this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        fd = theirs.fileno()
        command = [sys.executable, "-m", "tests.warm", str(fd)]
        self._process = subprocess.Popen(command, cwd=Path(__file__).parents[1], pass_fds=[fd])
        theirs.close()
        atexit.register(self._end)

    def ask(self, request: Mapping[str, Any], fds: Sequence[int]) -> None:
        line = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(self._socket, [line], fds)
        self._socket.sendall(line[sent:])

    def _end(self) -> None:
        self._socket.close()
        self._process.wait(timeout=_SECONDS)


@cache
def _interpreter() -> _Interpreter:
    return _Interpreter()


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork for every request, and say how each program ended; returns the request in the forked process."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    states: dict[int, int] = {}
    imported: set[str] = set()
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj == woken:
                    os.read(woken, 1 << 10)
                    _report(states)
                    continue
                line, fds, _, _ = socket.recv_fds(requests, _LONGEST, 4)
                if not line:
                    os._exit(0)
                while not line.endswith(b"\n"):
                    line += requests.recv(_LONGEST)
                request: dict[str, Any] = json.loads(line)
                _import(set(request["imports"]) - imported)
                imported.update(request["imports"])
                if pid := os.fork():
                    states[pid] = fds.pop()
                    os.write(states[pid], b"%-16d" % pid)
                    for fd in fds:
                        os.close(fd)
                    continue
                for number, fd in enumerate(fds[:3]):
                    os.dup2(fd, number)
                for fd in (*fds, *states.values(), woken, wake, requests.detach()):
                    os.close(fd)
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return request


def _import(lines: Iterable[str]) -> None:
    for line in lines:
        exec(line, {})
        gc.freeze()


def _report(states: dict[int, int]) -> None:
    while states:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        state = states.pop(pid)
        with suppress(BrokenPipeError):
            os.write(state, b"%-16d" % os.waitstatus_to_exitcode(status))
        os.close(state)


def _become(request: Mapping[str, Any]) -> CodeType:
    """Make this process look as if it had been started with a program, which it returns."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if os.isatty(0):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if "random" in sys.modules:
        sys.modules["random"].seed()
    sys.argv = ["-c", *request["words"]]
    for name, fd, way in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        errors = "backslashreplace" if fd == 2 else "surrogateescape"
        stream = open(fd, way, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.modules["__main__"] = ModuleType("__main__")
    return compile(request["program"], "<string>", "exec")


def _main(fd: int) -> None:
    code = _become(_serve(socket.socket(fileno=fd)))
    exec(
        code, sys.modules["__main__"].__dict__
    )  # what it raises, and how it ends, is left to the interpreter


if __name__ == "__main__":
    _main(int(sys.argv[1]))
