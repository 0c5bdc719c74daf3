"""Keeping the screen in step with the disk: the watched folders, the thread that compares, session states.

One thread waits for a hint or for two seconds, whichever comes first, and then has the caller compare its
listings. A lost event, a folder that is deleted and created again, or a file system without events costs at
most those two seconds.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from memtui.app.listings import Target
from memtui.app.project import ProjectModel
from memtui.ground.files import FileProblem, existing_above
from memtui.ground.machine import silent_file_system

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

    from memtui.ground.clock import Clock
    from memtui.ground.project import Places
    from memtui.store.states import StoredState


class _Place(NamedTuple):
    """A folder's identity: if it is created again under the same name, it is another one."""

    folder: str
    device: int
    inode: int
    recursive: bool


class Watcher:
    """A watchdog observer that follows its targets as their folders are deleted and created."""

    def __init__(self, hint: Callable[[str], None]) -> None:
        self._hint = hint
        self._observer: BaseObserver | None = None
        self._places: dict[str, _Place] = {}
        self._doubt = ""

    def look_at(self, targets: Iterable[Target]) -> str:
        """Watch these targets and no others; return "" or why events cannot be relied upon."""
        places = {target.name: place for target in targets if (place := _place(target))}
        emitters = self._observer.emitters if self._observer is not None else ()
        # A watch ends with its folder, which may have been created again with the same inode.
        ended = not all(emitter.is_alive() for emitter in tuple(emitters))
        if ended or places != self._places:
            try:
                self._doubt = self._watch(places)
            except OSError as error:  # limits of inotify: instances (EMFILE), watches (ENOSPC)
                self._places = {}  # to be tried again
                self._doubt = f"no file events: {error.strerror or error}"
        return self._doubt

    def close(self) -> None:
        """Stop the observer, without waiting: its threads are daemons."""
        if self._observer is not None:
            with suppress(KeyError, OSError):  # a folder is deleted, and the watch with it
                self._observer.stop()

    def _watch(self, places: dict[str, _Place]) -> str:
        # Otherwise Python prints that an emitter was stopped before its first event.
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        from watchdog.observers import Observer  # 50 ms, which the first paint does not wait for

        self.close()
        self._observer = Observer()
        self._observer.daemon = True
        self._observer.start()
        doubts = []
        for name, place in places.items():
            handler = cast("FileSystemEventHandler", _Handler(name, self._hint))
            self._observer.schedule(handler, place.folder, recursive=place.recursive)
            if silent := silent_file_system(place.folder):
                doubts.append(f"{silent} reports no changes")
            self._hint(name)  # for changes between the last listing and this moment
        self._places = places
        return doubts[0] if doubts else ""


def _place(target: Target) -> _Place | None:
    """The folder to watch for a target: its own, or its nearest existing ancestor."""
    nearest = existing_above(target.folder)
    real = os.path.realpath(nearest)  # an observer of a symlink sees no events
    with suppress(OSError):  # deleted again: the next check finds its parent
        status = Path(real).stat()
        return _Place(real, status.st_dev, status.st_ino, target.recursive and nearest == target.folder)
    return None


class _Handler(NamedTuple):
    """Turns events into hints; opening, and closing without a write, are no changes."""

    name: str
    hint: Callable[[str], None]

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.event_type not in ("opened", "closed_no_write"):
            self.hint(self.name)


INTERVAL = 2.0


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

    `targets` may change, and are asked for before every full comparison; `compare` gets the names of the
    hinted ones, and every two seconds all of them. A FileProblem or OSError that it raises is shown as the
    reason why the mark is lost; of any other exception `explain` returns the reason. The thread goes on.
    `marked` gets the liveness whenever it changes.
    """

    def __init__(
        self,
        targets: Callable[[], Iterable[Target]],
        compare: Callable[[frozenset[str]], None],
        marked: Callable[[Liveness], None],
        explain: Callable[[Exception], str] = repr,
    ) -> None:
        self._targets = targets
        self._compare = compare
        self._marked = marked
        self._explain = explain
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._hints: set[str] = set()
        self._lock = threading.Lock()
        self._liveness: Liveness | None = None
        self._thread = threading.Thread(target=self._run, name="memtui-live", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def hint(self, name: str) -> None:
        with self._lock:
            self._hints.add(name)
        self._wake.set()

    def _run(self) -> None:
        self._guarded(self._compare_targets)
        watcher, due = Watcher(self.hint), 0.0
        while not self._stopped.is_set():
            started = time.monotonic()
            with self._lock:
                hinted = frozenset(self._hints)
                self._hints.clear()
                self._wake.clear()
            if started >= due:
                self._compare_all(watcher)
                cost = time.monotonic() - started
                due = time.monotonic() + max(INTERVAL, 8 * cost)  # a pause of eight times its duration
            elif hinted:
                self._guarded(partial(self._compare, hinted))
            self._stopped.wait(max(0.1, 2 * (time.monotonic() - started)))  # at most ten a second
            if self._wake.wait(max(0.0, due - time.monotonic())):
                self._stopped.wait(0.02)  # for further hints; short, as a person waits for the row
        watcher.close()

    def _compare_all(self, watcher: Watcher) -> None:
        """Point the watcher and compare; unwatchable targets are still compared."""
        doubts: list[str] = []
        unwatched = self._guarded(lambda: doubts.append(watcher.look_at(self._targets())))
        failure = self._guarded(self._compare_targets)
        doubt = "".join(doubts) or unwatched
        mark = Mark.LOST if failure else Mark.POLLING if doubt else Mark.LIVE
        liveness = Liveness(mark, failure or doubt)
        if liveness != self._liveness:
            self._liveness = liveness
            self._marked(liveness)

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


WRITE_INTERVAL = 2.0
BEGIN = 1.0
"""Seconds before the first check: the screen comes first."""
FRESH = 3600.0
"""Seconds of silence after which a session is not updated any more: only running sessions get versions."""

_LIVELY = 0.5
_LIVELY_GROWTH, _LIVELY_PAUSE = 16 << 10, 0.4


def follow_sessions(
    model: ProjectModel, tell: Callable[[str], None], explain: Callable[[str, Exception], str]
) -> None:
    """Keep the state documents of running sessions up to date, until the model is stopped.

    In a thread of its own, as reading a long transcript would delay the listings. `tell` is called with ""
    when a version is written, and with the reason when one cannot be; the next check may succeed.
    """
    from memtui.store.state_updates import GROWTH, PAUSE, Following

    lively = model.lively
    if model.stops_within(_LIVELY if lively else BEGIN):
        return
    growth, pause = (_LIVELY_GROWTH, _LIVELY_PAUSE) if lively else (GROWTH, PAUSE)
    update = partial(update_fresh, model.clock)
    following = Following(model.places, growth=growth, pause=pause, update=update)
    while True:
        try:
            for made in following.step(time.monotonic(), lambda: model.stopped):
                tell(f"{made}." if isinstance(made, FileProblem) else "")
        except Exception as error:  # a thread's boundary
            if not model.stopped:
                tell(explain("following the sessions", error))
        if model.stops_within(_LIVELY if lively else WRITE_INTERVAL):
            return


def update_fresh(
    clock: Clock, places: Places, *, transcript: Path, cancelled: Callable[[], bool] | None
) -> StoredState | None:
    """Write the next version of a running session; nothing for one that ended long ago, or is gone."""
    from memtui.store.state_updates import update_state

    with suppress(FileNotFoundError):
        if clock().timestamp() - transcript.stat().st_mtime <= FRESH:
            return update_state(places, transcript=transcript, cancelled=cancelled)
    return None
