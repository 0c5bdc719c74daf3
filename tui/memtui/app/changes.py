"""Undo and redo of what was changed in this run of the app; changes of stored memories."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.ground import files
from memtui.ground.files import FileChanged, FileProblem
from memtui.ground.text import counted

if TYPE_CHECKING:
    from memtui.store.memories import MemoryStore

_Act = Callable[[], object]


class Change(NamedTuple):
    """A change that can be undone and redone; both functions raise `FileProblem` if that is impossible."""

    what: str
    """In plain words, clean: “archived 2 memories”."""
    undo: _Act
    redo: _Act
    names: tuple[str, ...] = ()
    """Names of the files whose rows an undo brings back."""
    stored: tuple[str, ...] = ()
    """The Recovery IDs of memories that an undo deletes."""
    deleted: tuple[str, ...] = ()
    """Those of memories that a redo deletes."""
    at: float = 0.0
    """When it was made, on the clock of `time.monotonic`."""
    undone: str = ""
    """What is so once it is undone, as the end of a sentence: “they are back”."""


class Making:
    """Collects what a change has done besides writing the files it named: new files, and its own undo."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.undo: list[_Act] = []
        self.redo: list[_Act] = []
        self.stored: tuple[str, ...] = ()


class Changes:
    """The changes of this run. Thread-safe; one that cannot be undone is dropped, unless it may be later."""

    def __init__(self, root: Path) -> None:
        self._root = root  # below it no link is followed
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._guard = threading.Lock()

    def add(self, change: Change) -> None:
        """Add a change that was made; nothing can be redone from then on."""
        with self._guard:
            self._done.append(change._replace(at=time.monotonic()))
            self._undone.clear()

    def add_stored(self, what: str, backend: MemoryStore, memory_id: str) -> None:
        """Add that a memory was stored, or came back: undone, it goes to the trash."""
        undo, redo = partial(backend.delete, memory_id), partial(backend.restore, memory_id)
        back = "it is in the trash"
        self.add(Change(what, undo, redo, (f"{memory_id}.md",), (memory_id,), undone=back))

    def last(self, *, undone: bool = False) -> Change | None:
        """The change that `revert` would undo, or redo."""
        with self._guard:
            return next(reversed(self._undone if undone else self._done), None)

    def revert(self, *, undone: bool = False) -> Change | None:
        """Undo the last change, or redo the last one that was `undone`; None if there is none."""
        source, target = (self._undone, self._done) if undone else (self._done, self._undone)
        with self._guard:
            if not source:
                return None
            change = source.pop()
            try:
                (change.redo if undone else change.undo)()
            except FileProblem as problem:
                if isinstance(problem.__cause__ or problem, (files.FileLocked, files.FileUnwritable)):
                    source.append(change)  # it may be tried again
                raise
            target.append(change)
            return change

    @contextmanager
    def of_files(self, what: str, paths: Iterable[Path] = (), undone: str = "") -> Iterator[Making]:
        """Add the block's changes of these files as one change; it notes what else it makes."""
        before = {path: self._content(path) for path in paths}
        making = Making()
        yield making
        before |= dict.fromkeys(making.files)
        after = {path: self._content(path) for path in before}
        if before != after:
            undo = each_of([lambda: self._put(after, before), *making.undo])
            redo = each_of([lambda: self._put(before, after), *making.redo])
            names = tuple(path.name for path in before)
            self.add(Change(what, undo, redo, names, making.stored, undone=undone))

    def _put(self, expected: Mapping[Path, bytes | None], wanted: Mapping[Path, bytes | None]) -> None:
        """Give files other contents; if one has not the expected one, FileChanged is raised before."""
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
            if data is None:
                files.remove(path, within=within)
            else:
                files.write_atomic(path, data, mode=None, within=within)

    def _content(self, path: Path) -> bytes | None:
        with suppress(files.FileMissing):
            return files.read_within(path, self._within(path), limit=16 << 20, follow=False)
        return None

    def _within(self, path: Path) -> Path:
        return self._root if path.is_relative_to(self._root) else path.parent


def each_of(actions: Iterable[_Act]) -> Callable[[], None]:
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


def delete_memories(changes: Changes, backend: MemoryStore, ids: Sequence[str]) -> str:
    """Move memories to the trash, as many as can be."""
    gone: list[str] = []
    problems: list[FileProblem] = []
    for each in ids:
        try:
            backend.delete(each)
            gone.append(each)
        except FileProblem as problem:
            problems.append(problem)
    if not gone:
        raise problems[0]
    number = counted(len(gone), "memory", "memories")
    undo = each_of(partial(backend.restore, each) for each in gone)
    redo = each_of(partial(backend.delete, each) for each in gone)
    names, back = tuple(f"{each}.md" for each in gone), f"{'they are' if gone[1:] else 'it is'} back"
    what = f"deleted {number if ids[1:] else gone[0]}"
    changes.add(Change(what, undo, redo, names, deleted=tuple(gone), undone=back))
    failed = f" Not {len(problems)} more: {problems[0]}." if problems else ""
    done = f"Moved to the trash: {number}. u takes it back."
    return f"{done if ids[1:] else f'{gone[0]} is in the trash. u brings it back.'}{failed}"


def stays_shared(ids: Sequence[str], name: str) -> Change:
    def undo() -> None:
        """Always fails, with the command that stops the sharing."""
        does = f"in a shell `memtui remote forget {ids[0]}` removes it there, and here to the trash"
        raise FileProblem(ids[0], f"{'and the others stay' if ids[1:] else 'stays'} shared: {does}")

    return Change(f"shared {counted(len(ids), 'memory', 'memories')} with {name}", undo, undo)


def undelete_memory(changes: Changes, backend: MemoryStore, memory_id: str) -> str:
    backend.restore(memory_id)
    changes.add_stored(f"took {memory_id} out of the trash", backend, memory_id)
    return f"{memory_id} is back."


def common_tags(backend: MemoryStore, ids: Iterable[str]) -> tuple[str, ...]:
    first, *others = (backend.get(each).meta.tags for each in ids)
    return tuple(tag for tag in first if all(tag in tags for tags in others))


def retag_memories(
    changes: Changes, backend: MemoryStore, ids: Sequence[str], before: Iterable[str], after: Sequence[str]
) -> str:
    """Change the common tags of memories; their other tags stay."""
    gone, ways = {*before} - {*after}, dict[str, tuple[_Act, _Act]]()
    problems: list[FileProblem] = []
    for each in ids:
        try:
            old = backend.get(each).meta.tags
            kept = [tag for tag in old if tag not in gone and tag not in after]
            new = tuple(after) if len(ids) == 1 else (*kept, *after)
            if new != old:
                backend.update(each, tags=new)
                ways[each] = partial(_swap, backend, each, new, old), partial(_swap, backend, each, old, new)
        except FileProblem as problem:
            problems.append(problem)
    if problems and not ways:
        raise problems[0]
    if not ways:
        return "The tags are unchanged."
    number = ids[0] if len(ids) == 1 else counted(len(ways), "memory", "memories")
    undo, redo = (each_of(acts) for acts in zip(*ways.values(), strict=True))
    changes.add(Change(f"tagged {number}", undo, redo, tuple(f"{each}.md" for each in ways)))
    failed = f" Not {len(problems)} more: {problems[0]}." if problems else ""
    if len(ids) > 1:
        return f"Changed the tags of {number}. u takes it back.{failed}"
    return f"Tags of {number}: {' '.join(f'#{tag}' for tag in after) or 'none'}. u brings the old ones back."


def _swap(backend: MemoryStore, memory_id: str, expected: tuple[str, ...], tags: tuple[str, ...]) -> None:
    if backend.get(memory_id).meta.tags != expected:
        raise FileChanged(Path(memory_id), "has changed since; it is kept as it is")
    backend.update(memory_id, tags=tags)
