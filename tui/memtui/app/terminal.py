"""The terminal and the process: threads that end with it, signals, ctrl+z, editor."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from textual.app import App, SuspendNotSupported

from memtui.ground.machine import find_program

if TYPE_CHECKING:
    from memtui.app.base import BaseApp


P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(ThreadPoolExecutor):
    """An executor with a daemon thread for each piece of work.

    asyncio waits for its executor at the end, and the interpreter for every thread of a pool; so a filter
    that reads 100,000 files, or a lock held by another program, would delay the end. All work here is either
    reading, or writing that survives being killed at any moment.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=1)  # its own pool stays empty
        self._running: set[threading.Thread] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def run() -> None:
            try:
                if future.set_running_or_notify_cancel():
                    future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # raised again by the waiting coroutine
                future.set_exception(error)
            finally:
                self._running.discard(threading.current_thread())

        thread = threading.Thread(target=run, name="memtui-work", daemon=True)
        self._running.add(thread)
        thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give running work a moment, then abandon it: most writes are done by then."""
        deadline = time.monotonic() + 0.4
        for thread in tuple(self._running) if wait else ():
            thread.join(max(0.0, deadline - time.monotonic()))


SIGNALS: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def end_with_terminal(app: App[Any]) -> None:
    """End `app` on SIGTERM and SIGHUP, and when its terminal is gone; call this in its event loop."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, end, app)

    def look() -> None:
        if terminal_gone():
            end(app)

    if not terminal_gone():
        app.set_interval(2.0, look)


def end(app: App[Any]) -> None:
    """End the app in order, or the process after a grace period.

    Without a terminal, Textual's output thread dies at its first write. Its queue holds 30 writes; the next
    one waits forever, in the middle of the shutdown.
    """
    timer = threading.Timer(5.0, os._exit, (1,))
    timer.daemon = True
    timer.start()
    app.exit()


def terminal_gone() -> bool:
    return sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())


def step_down(app: BaseApp) -> None:
    """Stop the app until the shell goes on with it, or say why that cannot be."""
    stopped = False
    with suppress(SuspendNotSupported), app.suspend():
        stopped = _stop_group()
    if not stopped:
        app.warn("No shell waits below memtui: ctrl+z has nothing to go back to.")


def _stop_group() -> bool:
    """Stop every process of the group, as a terminal does on ctrl+z; False if that had no effect.

    `make run` has to stop as well, or it would keep the terminal. The kernel drops the signal where no shell
    could ever go on with the group.
    """
    went_on = []
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    going_on = signal.signal(signal.SIGCONT, lambda *_: went_on.append(True))
    try:
        os.kill(0, signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)
        signal.signal(signal.SIGCONT, going_on)
    return bool(went_on)


def editor_command(env: Mapping[str, str] = os.environ) -> list[str]:
    """The editor's command line from VISUAL or EDITOR, else an installed one; empty without any."""
    import shlex  # not needed for the first paint

    for value in (env.get("VISUAL", ""), env.get("EDITOR", "")):
        words = value.split()
        with suppress(ValueError):  # an unbalanced quote
            words = shlex.split(value)
        if words:
            return words
    known = ("nano", "vim", "vi", "notepad")
    return [name for name in known if find_program(name, env.get("PATH"))][:1]


def edit_file(app: BaseApp, path: Path) -> None:
    """Suspend the app and edit `path`, or say why not.

    The app ends if the terminal is closed meanwhile.
    """
    if command := editor_command():
        run_aside(app, command, path)
    else:
        app.warn(f"No editor found: set EDITOR. The file is {path}.")


class _TerminalGoneError(Exception):
    """Leaves `App.suspend` at once: Textual does not take the terminal back, as it is closed."""


def run_aside(app: BaseApp, command: list[str], path: Path) -> None:
    """Suspend the app for a command on a file, or in a folder, and say what fails."""
    is_folder = path.is_dir()
    where = "" if is_folder else f" The file is {path}."
    failure, status = "", 0
    try:
        with app.suspend():
            try:
                status = _run(command, path) if is_folder else _run([*command, str(path)])
            except OSError as error:  # raised further, it would keep Textual from taking the terminal back
                hint = "" if is_folder else ": set EDITOR"
                failure = f"{command[0]} does not start ({error.strerror}){hint}.{where}"
            if terminal_gone():
                raise _TerminalGoneError
    except SuspendNotSupported:
        failure = f"This terminal cannot step aside for {command[0] if is_folder else 'an editor'}.{where}"
    except _TerminalGoneError:
        end(app)
        return
    if failure or status:
        app.warn(failure or f"{command[0]} ended with status {status}.")


def _run(command: list[str], folder: Path | None = None) -> int:
    program = find_program(command[0], os.environ.get("PATH")) or command[0]
    # ctrl+c reaches both programs but is meant for this one; SIG_IGN would be handed down to it.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call([program, *command[1:]], cwd=folder)
    finally:
        signal.signal(signal.SIGINT, before)
