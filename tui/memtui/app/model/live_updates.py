"""Keeping the screen in step with the disk.

One thread waits for a hint or for two seconds, whichever comes first, and then has the caller compare its
listings. A lost event, a folder that is deleted and created again, or a file system without events costs at
most those two seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial

from memtui.app.model.watched_folders import Target
from memtui.ground.files import FileProblem
from memtui.ground.named import NamedTuple

INTERVAL = 2.0
"""Seconds between two comparisons without events."""
_SETTLE = 0.02
"""Seconds that a hint waits for further ones; short, as a person waits for the row."""
_MIN_GAP = 0.1
"""Minimum seconds between two comparisons because of events: at most ten a second."""
_REST_FACTOR = 8
"""A full comparison is followed by a pause of this many times its duration."""


class Mark(StrEnum):
    """Whether the screen is up to date."""

    LIVE = "live"
    POLLING = "polling"
    LOST = "lost"


class Liveness(NamedTuple):
    """The live mark, with the reason why it is not live."""

    mark: Mark
    reason: str = ""


class Live:
    """Calls `compare(names)` in its own thread whenever targets may have changed.

    Args: targets: called before every full comparison, as they may change. compare: receives the names of the
    targets to compare: the hinted ones, and every two seconds all of them. A FileProblem or OSError it raises
    is shown as the reason why the mark is lost. marked: receives the liveness whenever it changes. explain:
    returns the reason for any other exception; the thread goes on. unfinished: whether `compare` has more to
    do, even without names: then it is called again at once, so that long work in short pieces delays nothing.
    """

    def __init__(
        self,
        targets: Callable[[], Iterable[Target]],
        compare: Callable[[frozenset[str]], None],
        marked: Callable[[Liveness], None],
        explain: Callable[[Exception], str] = repr,
        unfinished: Callable[[], bool] = lambda: False,
    ) -> None:
        self._targets = targets
        self._compare = compare
        self._marked = marked
        self._explain = explain
        self._unfinished = unfinished
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._hints: set[str] = set()
        self._lock = threading.Lock()
        self._liveness: Liveness | None = None
        self._thread = threading.Thread(target=self._run, name="memtui-live", daemon=True)

    def start(self) -> None:
        """Start; the first comparison comes at once."""
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """Stop, and wait a limited time for the thread."""
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def hint(self, name: str) -> None:
        """Request a comparison of this target. Thread-safe."""
        with self._lock:
            self._hints.add(name)
        self._wake.set()

    def _run(self) -> None:
        self._guarded(self._compare_targets)
        # 50 ms of imports, which the first listing and the first paint do not wait for.
        from memtui.app.model.folder_watcher import Watcher

        watcher = Watcher(self.hint)
        try:
            self._loop(watcher.look_at)
        finally:
            watcher.close()

    def _loop(self, look_at: Callable[[Iterable[Target]], str]) -> None:
        due = ready = 0.0  # when to compare all targets again, and the hinted ones
        while not self._stopped.is_set():
            started = time.monotonic()
            if started >= due:
                self._take_hints()
                self._compare_all(look_at)
                cost = time.monotonic() - started
                due = time.monotonic() + max(INTERVAL, _REST_FACTOR * cost)
            elif started >= ready and (hinted := self._take_hints()):
                self._guarded(partial(self._compare, hinted))
            elif self._unfinished():
                self._guarded(partial(self._compare, frozenset()))
                continue
            ended = time.monotonic()
            ready = ended + max(_MIN_GAP, 2 * (ended - started))
            if not self._unfinished():
                self._rest(due, ready)

    def _rest(self, due: float, ready: float) -> None:
        """Sleep until a hint, the next full comparison or the stop, but at least until `ready`."""
        self._stopped.wait(max(0.0, ready - time.monotonic()))
        if self._wake.wait(max(0.0, due - time.monotonic())):
            self._stopped.wait(_SETTLE)

    def _take_hints(self) -> frozenset[str]:
        with self._lock:
            names = frozenset(self._hints)
            self._hints.clear()
            self._wake.clear()
        return names

    def _compare_all(self, look_at: Callable[[Iterable[Target]], str]) -> None:
        """Point the watcher and compare; unwatchable targets are still compared."""
        doubts: list[str] = []
        unwatched = self._guarded(lambda: doubts.append(look_at(self._targets())))
        failure = self._guarded(self._compare_targets)
        self._mark("".join(doubts) or unwatched, failure)

    def _compare_targets(self) -> None:
        self._compare(frozenset(target.name for target in self._targets()))

    def _guarded(self, compare: Callable[[], None]) -> str:
        """Compare; returns "" or the reason why it failed."""
        try:
            compare()
        except FileProblem as problem:
            return f"{problem.path.name} {problem.reason}"
        except OSError as error:
            return error.strerror or str(error)
        except Exception as error:  # a thread's boundary: if it ended, the mark would stay “live”
            return self._explain(error)
        return ""

    def _mark(self, doubt: str, failure: str) -> None:
        if failure:
            liveness = Liveness(Mark.LOST, failure)
        elif doubt:
            liveness = Liveness(Mark.POLLING, doubt)
        else:
            liveness = Liveness(Mark.LIVE)
        if liveness != self._liveness:
            self._liveness = liveness
            self._marked(liveness)
