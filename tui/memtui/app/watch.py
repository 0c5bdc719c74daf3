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
from datetime import datetime, timedelta
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
    from watchdog.observers.api import BaseObserver, ObservedWatch

    from memtui.ground.clock import Clock
    from memtui.ground.project import Places
    from memtui.store.follow import Followed, Following
    from memtui.store.states import StoredState


class _Place(NamedTuple):
    """A folder's identity: if it is created again under the same name, it is another one."""

    folder: str
    device: int
    inode: int
    recursive: bool


class _Watch(NamedTuple):
    """A scheduled watch, and why its events cannot be relied upon ("" if they can)."""

    place: _Place
    handle: ObservedWatch
    doubt: str


class Watcher:
    """A watchdog observer that follows its targets as their folders are deleted and created."""

    def __init__(self, hint: Callable[[str], None]) -> None:
        """Report every change below a target as `hint(name)`, from another thread."""
        self._hint = hint
        self._observer: BaseObserver | None = None
        self._watches: dict[str, _Watch] = {}

    def look_at(self, targets: Iterable[Target]) -> str:
        """Watch these targets and no others; return "" or why events cannot be relied upon."""
        places = {target.name: place for target in targets if (place := _place(target))}
        dead = self._dead()
        # Stale watches are removed first: targets with the same folder share a watch until the last one goes.
        for name, known in tuple(self._watches.items()):
            if known.place != places.get(name) or known.handle in dead:
                self._forget(name)
        doubts = [self._watch(name, place) for name, place in places.items()]
        return next((doubt for doubt in doubts if doubt), "")

    def close(self) -> None:
        """Stop the observer, without waiting: its threads are daemons."""
        if self._observer is not None:
            self._observer.stop()

    def _watch(self, name: str, place: _Place) -> str:
        known = self._watches.get(name)
        if known is not None:
            return known.doubt
        try:
            handler = _Handler(name, self._hint)
            handle = self._running().schedule(
                cast("FileSystemEventHandler", handler), place.folder, recursive=place.recursive
            )
        except OSError as error:  # limits of inotify: instances (EMFILE), watches (ENOSPC)
            return f"no file events: {error.strerror or error}"
        silent = silent_file_system(place.folder)
        self._watches[name] = _Watch(place, handle, f"{silent} reports no changes" if silent else "")
        self._hint(name)  # for changes between the last listing and this moment
        return self._watches[name].doubt

    def _forget(self, name: str) -> None:
        handle = self._watches.pop(name).handle
        shared = any(handle == other.handle for other in self._watches.values())
        if self._observer is None or shared:
            return
        try:
            self._observer.unschedule(handle)
        except (KeyError, OSError):
            return  # its folder is deleted, and the watch with it

    def _dead(self) -> set[ObservedWatch]:
        """Watches that ended with their folder, which may have been created again with the same inode."""
        emitters = self._observer.emitters if self._observer is not None else ()
        return {emitter.watch for emitter in tuple(emitters) if not emitter.is_alive()}

    def _running(self) -> BaseObserver:
        if self._observer is None:
            # Otherwise Python prints that an emitter was stopped before its first event.
            logging.getLogger("watchdog").addHandler(logging.NullHandler())
            from watchdog.observers import Observer  # 50 ms, which the first paint does not wait for

            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer


def _place(target: Target) -> _Place | None:
    """The folder to watch for a target: its own, or its nearest existing ancestor."""
    nearest = existing_above(target.folder)
    real = os.path.realpath(nearest)  # an observer of a symlink sees no events
    try:
        status = Path(real).stat()
    except OSError:
        return None  # deleted again: the next check finds its parent
    return _Place(real, status.st_dev, status.st_ino, target.recursive and nearest == target.folder)


class _Handler:
    """Turns events into hints; opening, and closing without a write, are no changes."""

    def __init__(self, name: str, hint: Callable[[str], None]) -> None:
        self._name = name
        self._hint = hint

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.event_type not in ("opened", "closed_no_write"):
            self._hint(self._name)


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
    returns the reason for any other exception; the thread goes on.
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
            ended = time.monotonic()
            ready = ended + max(_MIN_GAP, 2 * (ended - started))
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


WRITE_INTERVAL = 2.0
"""Seconds between two checks of the transcripts' sizes."""
BEGIN = 1.0
"""Seconds before the first check: the screen comes first."""
FRESH = timedelta(hours=1)
"""Seconds of silence after which a session is not updated any more: only running sessions get versions."""

_LIVELY = 0.5
_LIVELY_GROWTH, _LIVELY_PAUSE = 16 << 10, 0.4


class StateWriter:
    """Keeps the state documents of the project up to date, in a separate thread.

    Separate from the listing thread, as reading a long transcript would delay the screen.
    """

    def __init__(
        self, model: ProjectModel, tell: Callable[[Followed], None], fail: Callable[[Exception], None]
    ) -> None:
        """Make the keeper.

        Args:
            model: the project.
            tell: called in the thread with each session that was due.
            fail: called in the thread with other errors; the thread goes on.
        """
        self._model = model
        self._tell = tell
        self._fail = fail
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memtui-following", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Stop, and wait a limited time; a running write is atomic."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        lively = self._model.lively
        if self._stopped.wait(_LIVELY if lively else BEGIN):
            return
        following = following_of(self._model)
        while not self._stopped.is_set():
            try:
                for followed in following.step(time.monotonic(), self._stopped.is_set):
                    self._tell(followed)
            except Exception as error:  # a thread's boundary: the next check may succeed
                if not self._stopped.is_set():
                    self._fail(error)
            self._stopped.wait(_LIVELY if lively else WRITE_INTERVAL)


def following_of(model: ProjectModel) -> Following:
    """The project to follow, at the right pace."""
    from memtui.store.follow import Follower, Following

    pace: Follower | None = None
    if model.lively:
        pace = Follower(growth=_LIVELY_GROWTH, pause=_LIVELY_PAUSE)
    return Following(model.places, follower=pace, update=partial(update_fresh, model.clock))


def update_fresh(
    clock: Clock, places: Places, *, transcript: Path, cancelled: Callable[[], bool] | None
) -> StoredState | None:
    """Write the next version of a running session; nothing for one that ended long ago.

    Raises:
        FileProblem: see `memtui.flows.states.update_state`.
    """
    from memtui.ground.files import FileUnreadable
    from memtui.store.state_updates import update_state

    try:
        written = datetime.fromtimestamp(transcript.stat().st_mtime).astimezone()
    except OSError as error:
        raise FileUnreadable(transcript, f"cannot be read: {error.strerror}") from error
    if clock() - written > FRESH:
        return None
    return update_state(places, transcript=transcript, cancelled=cancelled)
