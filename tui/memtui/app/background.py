"""Threads for background work that do not keep the program from ending."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_GRACE = 0.4
"""Seconds for running work when the app ends: most writes are done by then."""

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
        """Start the work at once, in a thread of its own."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                if future.set_running_or_notify_cancel():
                    _settle(future, lambda: fn(*args, **kwargs))
            finally:
                self._running.discard(threading.current_thread())

        thread = threading.Thread(target=run, name="memtui-work", daemon=True)
        self._running.add(thread)
        thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give running work a moment, then abandon it."""
        deadline = time.monotonic() + _GRACE
        for thread in tuple(self._running) if wait else ():
            thread.join(max(0.0, deadline - time.monotonic()))


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    try:
        result = work()
    except BaseException as error:  # raised again by the waiting coroutine
        future.set_exception(error)
    else:
        future.set_result(result)
