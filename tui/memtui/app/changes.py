"""Undo and redo of what was changed in this run of the app."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.ground.files import (
    FileChanged,
    FileLocked,
    FileMissing,
    FileProblem,
    FileUnwritable,
    read_within,
    remove,
    write_atomic,
)
from memtui.ground.named import NamedTuple

_LIMIT = 16 << 20


class Change(NamedTuple):
    """A change that can be undone and redone; both functions raise `FileProblem` if that is impossible."""

    what: str
    """In plain words, clean: “archived 2 memories”."""
    undo: Callable[[], object]
    redo: Callable[[], object]
    names: tuple[str, ...] = ()
    """Names of the files whose rows an undo brings back."""


class Making:
    """What a change makes besides the files that it was announced for."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        """Files that it has created."""
        self.undo: list[Callable[[], object]] = []
        self.redo: list[Callable[[], object]] = []


class Changes:
    """The changes of this run. Thread-safe; one that cannot be undone is dropped, unless it may be later."""

    def __init__(self, root: Path) -> None:
        """Make the object; `root` is the project's, below which no link is followed."""
        self._root = root
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._guard = threading.Lock()

    def add(self, change: Change) -> None:
        """Add a change that was made; nothing can be redone from then on."""
        with self._guard:
            self._done.append(change)
            self._undone.clear()

    def undo(self) -> Change | None:
        return self._revert(self._done, self._undone, lambda change: change.undo)

    def redo(self) -> Change | None:
        return self._revert(self._undone, self._done, lambda change: change.redo)

    def _revert(
        self,
        source: list[Change],
        target: list[Change],
        way: Callable[[Change], Callable[[], object]],
    ) -> Change | None:
        with self._guard:
            if not source:
                return None
            change = source.pop()
            try:
                way(change)()
            except FileProblem as problem:
                if isinstance(problem.__cause__ or problem, (FileLocked, FileUnwritable)):
                    source.append(change)  # it may be tried again
                raise
            target.append(change)
            return change

    @contextmanager
    def of_files(self, what: str, paths: Iterable[Path] = ()) -> Iterator[Making]:
        """Add the block's changes of these files as one change; it notes what else it makes."""
        before = {path: self._content(path) for path in paths}
        making = Making()
        yield making
        before |= dict.fromkeys(making.files)
        after = {path: self._content(path) for path in before}
        if before != after:
            undo = each_of([lambda: self._put(after, before), *making.undo])
            redo = each_of([lambda: self._put(before, after), *making.redo])
            self.add(Change(what, undo, redo, tuple(path.name for path in before)))

    def _put(self, expected: Mapping[Path, bytes | None], wanted: Mapping[Path, bytes | None]) -> None:
        """Give files other contents, if they have the expected ones.

        Raises:
            FileChanged: one of them has not; nothing was changed.
            FileProblem: one cannot be written.
        """
        for path, content in expected.items():
            now = self._content(path)
            if now != content:
                gone = "no longer exists" if now is None else "has changed since; it is kept as it is"
                raise FileChanged(path, gone)
        for path, data in wanted.items():
            if data == expected[path]:
                continue
            within = self._within(path)
            if within == path.parent:  # a folder of memtui's own, which may be gone when it is empty
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if data is not None:
                write_atomic(path, data, mode=None, within=within)
                continue
            remove(path, within=within)

    def _content(self, path: Path) -> bytes | None:
        with suppress(FileMissing):
            return read_within(path, self._within(path), limit=_LIMIT, follow=False)
        return None

    def _within(self, path: Path) -> Path:
        return self._root if path.is_relative_to(self._root) else path.parent


def each_of(actions: Iterable[Callable[[], object]]) -> Callable[[], None]:
    """A function that calls all of these; the first problem is raised after the others were tried."""
    todo = tuple(actions)

    def run() -> None:
        problems = []
        for action in todo:
            try:
                action()
            except FileProblem as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    return run
