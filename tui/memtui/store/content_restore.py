"""Restoring a file's content, under its writers' lock, if it still has the content after the change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileChanged,
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    lock_file,
    private_folder,
    read_within,
    replace_expected,
    shared_folder,
)
from memtui.ground.files.folder import Folder
from memtui.ground.files.problems import writing
from memtui.ground.project import Home, Project
from memtui.store.active_commands import ActiveCommandStore
from memtui.store.captures import captures_lock
from memtui.store.memory_files import FilesBackend
from memtui.store.shared_text import Edit

_LIMIT = 64 << 20


class UndoProblem(FileProblem):
    """The change cannot be undone: its file has changed again, or its old text is no longer kept."""


class ContentRestorer:
    """Reads and writes files of one project and of memtui's own folders, each as its usual writer does."""

    def __init__(self, home: Home, clock: Clock, project: Project | None) -> None:
        self._home = home
        self._project = project
        self._memories = FilesBackend(home, clock)

    def content(self, path: Path) -> bytes | None:
        """A file's content; None when there is no file.

        Raises:
            FileProblem: it cannot be read, or is not a regular file.
        """
        try:
            return read_within(path, self._root(path), limit=_LIMIT)
        except FileMissing:
            return None

    def is_shared(self, path: Path) -> bool:
        """Whether other programs write this file, so that a change is undone within its current content."""
        return self._project is not None and path == self._project.session_state_json

    def take_back(self, old: bytes, new: bytes) -> Edit:
        """Undo a change of the shared file; see `ActiveCommandStore.take_back`."""
        assert self._project is not None
        return ActiveCommandStore(self._project).take_back(old.decode(), new.decode())

    def put(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Set a file's content; None removes it.

        Raises:
            FileChanged: its content is not `before`; nothing was changed.
            FileProblem: it cannot be written; nothing was changed.
        """
        if path.is_relative_to(self._home.memories):
            self._memories.put(path, before, after)
            return
        root = self._root(path)
        with self._locked(path):
            if self.content(path) != before:
                raise FileChanged(path, "has changed meanwhile")
            if after is None:
                self._remove(path, root)
            elif before is not None:
                replace_expected(path, after, expected=before, within=root).close()
            else:
                self._make(path, root, after)

    def _make(self, path: Path, root: Path, data: bytes) -> None:
        private = self._is_private(path)
        (private_folder if private else shared_folder)(path.parent, within=root)
        if not create_exclusive(path, data, mode=0o600 if private else 0o644, within=root):
            raise FileChanged(path, "is in the way")

    def _remove(self, path: Path, root: Path) -> None:
        with writing(path), Folder(path.parent, within=root) as folder:
            folder.unlink(path.name)
        if not self._is_private(path):
            _remove_empty(path.parent, root)

    @contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        held: AbstractContextManager[None] = nullcontext()
        if self.is_shared(path) and path.parent.is_dir():
            held = lock_file(path, within=self._root(path))
        elif self._project is not None and path.parent == self._project.compacts and path.parent.is_dir():
            held = captures_lock(self._project)
        with held:
            yield

    def _is_private(self, path: Path) -> bool:
        own = (self._home.data, self._home.state, self._home.config)
        return path.parent.name == "compacts" or any(path.is_relative_to(each) for each in own)

    def _root(self, path: Path) -> Path:
        """The folder below which no link is followed."""
        roots = [self._home.data, self._home.state, self._home.config]
        roots += [self._project.root] if self._project is not None else []
        root = next((each for each in roots if path.is_relative_to(each)), path.parent)
        return existing_above(root)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove folders that have become empty, as they were made for the file."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
