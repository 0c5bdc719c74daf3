"""Following a process and all that it starts, from one system call to the next, with ptrace. Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

_TRACE_ME, _CONTINUE, _SYSTEM_CALL, _SET_OPTIONS = 0, 7, 24, 0x4200
_OPTIONS = 1 | 2 | 4 | 8 | 16 | 0x100000
"""Mark stops at system calls; trace fork, vfork, clone and exec; kill the tracees with the tracer."""
_MARKED = signal.SIGTRAP | 0x80
_ALL_CHILDREN = 0x40000000
_REFUSED = 99
LIBC = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """Tracing a process is not permitted, as in many containers."""

    def __init__(self) -> None:
        super().__init__("ptrace is refused here: the sweep needs a system that allows it")


@dataclass
class Tree:
    """A process and those that it has started, directly or through others."""

    first: int
    """The process id of the one that runs the function."""
    alive: set[int] = field(default_factory=set)
    stops: int = 0
    """Entries and returns of system calls so far."""
    code: int | None = None
    """The first process's exit status, or the negative number of a signal."""

    def kill(self, *pids: int) -> None:
        """Kill these, all of them at once."""
        for pid in pids:
            if pid in self.alive:
                os.kill(pid, signal.SIGKILL)


def follow(function: Callable[[], None], at: int, then: Callable[[Tree, int], None]) -> Tree:
    """Run a function in a process of its own to its end, and interfere once.

    Args:
        function: what is run; an error ends the process with 1.
        at: number of the entry or return of a system call, from 1 on, at which to interfere; 0 never.
        then: what to do at that moment, with all processes and the one that makes the call.

    Raises:
        RefusedError: the system does not allow it.
    """
    pid = os.fork()
    if pid == 0:
        _run(function)
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise RefusedError
    LIBC.ptrace(_SET_OPTIONS, pid, 0, _OPTIONS)
    tree = Tree(pid, {pid})
    _resume(_SYSTEM_CALL, pid)
    while tree.alive:
        _next(tree, at, then)
    return tree


def _run(function: Callable[[], None]) -> None:
    try:
        if LIBC.ptrace(_TRACE_ME, 0, 0, 0):
            os._exit(_REFUSED)
        os.kill(os.getpid(), signal.SIGSTOP)
        function()
        os._exit(0)
    finally:
        os._exit(1)


def _next(tree: Tree, at: int, then: Callable[[Tree, int], None]) -> None:
    """Let the processes go on until one of them stops or ends."""
    pid, status = os.waitpid(-1, _ALL_CHILDREN)
    if not os.WIFSTOPPED(status):
        tree.alive.discard(pid)
        if pid == tree.first:
            tree.code = os.waitstatus_to_exitcode(status)
        return
    sent = os.WSTOPSIG(status)
    if sent == _MARKED:
        tree.stops += 1
        if tree.stops == at:
            then(tree, pid)
    is_new = pid not in tree.alive and sent == signal.SIGSTOP
    tree.alive.add(pid)
    for_it = 0 if sent in (_MARKED, signal.SIGTRAP) or is_new else sent
    _resume(_SYSTEM_CALL if not at or tree.stops < at else _CONTINUE, pid, for_it)


def _resume(how: int, pid: int, sent: int = 0) -> None:
    LIBC.ptrace(how, pid, 0, sent)  # one that was killed meanwhile refuses it, and is waited for
