"""Watching folders with watchdog. Events are hints; `live_updates` compares the listings."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from memtui.app.model.watched_folders import Target
from memtui.ground.files import existing_above
from memtui.ground.machine import silent_file_system


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
        """Report every change below a target as `hint(name)`, or `hint("name part")`, from another thread."""
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
            handler = _Handler(name, place.folder if place.recursive else "", self._hint)
            handle = self._running().schedule(handler, place.folder, recursive=place.recursive)
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


class _Handler(FileSystemEventHandler):
    """Turns events into hints; opening, and closing without a write, are no changes.

    A hint about a folder that is watched recursively names the subfolder: `memories 2026-01`.
    """

    def __init__(self, name: str, folder: str, hint: Callable[[str], None]) -> None:
        self._name = name
        self._below = f"{folder}/" if folder else ""
        self._report = hint

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        for path in {event.src_path, event.dest_path} - {""}:
            self._report(f"{self._name} {self._part(os.fsdecode(path))}".rstrip())

    def _part(self, path: str) -> str:
        if not self._below or not path.startswith(self._below):
            return ""
        return path.removeprefix(self._below).partition("/")[0]
