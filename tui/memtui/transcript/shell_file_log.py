"""Files that commands wrote, deleted or moved, with their fate after the last command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memtui.transcript.file_changes import FileLog
from memtui.transcript.paths import path_identity
from memtui.transcript.records import FileFact, Source
from memtui.transcript.removals import DELETED, PUT_BACK, THERE, Removal, path_now, removals
from memtui.transcript.shell_files import IN_PROGRAM, programmed_files, written_files

_LIMIT = 500
_STANDS = ("", IN_PROGRAM)
"""Fates of a file that exists."""


class ShellFileLog:
    """Follows files through the commands that ended well.

    Args:
        files: the files that tools read or changed; it records their removal itself.
    """

    def __init__(self, files: FileLog) -> None:
        self._files = files
        self._found: dict[str, FileFact] = {}
        """By `path_identity` of the path."""
        self._removed: dict[str, None] = {}
        """Identities of paths that were removed: a second removal is not recorded."""

    def resume(self, found: Iterable[FileFact], removed: Iterable[str]) -> None:
        """Restore the files, and the paths of `removed`."""
        self._found.update((path_identity(file.path), file) for file in found)
        self._removed.update(dict.fromkeys(removed))

    @property
    def removed(self) -> tuple[str, ...]:
        """The last paths from which files were removed."""
        return tuple(self._removed)

    def ran(self, command: str, folder: str, agent: bool, source: Source, at: Source) -> None:
        """Record a command that ran in `folder` and ended at a place; `source` is that of its call."""
        for removal in removals(command, folder):
            file = FileFact(removal.path, 1, agent, source=source, fate=removal.fate)
            self._follow(removal, file, at)
            self._files.removed(removal, at)
        for path in written_files(command, folder):
            self._files.written(path, at)
            before = self._found.get(path_identity(path))
            if before is None or before.fate:
                self._put(FileFact(path, 1, agent, source=source))
            else:
                self._put(replace(before, last=at))
        for path in programmed_files(command, folder):
            if self._files.knows(path):
                named = FileFact(path, 1, agent, source=source, fate=IN_PROGRAM)
                before = self._found.get(path_identity(path))
                self._put(replace(before, last=at) if before else named)

    def finish(self, modified: Iterable[FileFact], read: Iterable[FileFact]) -> tuple[FileFact, ...]:
        """The files that no tool changed, except those that a tool found missing."""
        changed = {path_identity(file.path) for file in modified}
        known = changed | {path_identity(file.path) for file in read}
        return tuple(
            file
            for key, file in self._found.items()
            if key not in (changed if file.fate in _STANDS else known)
        )

    def _follow(self, removal: Removal, unseen: FileFact, at: Source) -> None:
        """Take a removal; `unseen` is its record if nothing is known of the file."""
        key, back = path_identity(removal.path), path_identity(removal.target or removal.path)
        if removal.fate in (THERE, PUT_BACK):
            self._comes_back(back, even_if_there=removal.fate == PUT_BACK)
            return
        here = [name for name, file in self._found.items() if file.fate != DELETED and _now(file) == key]
        moved = {name: self._found.pop(name) for name in here}
        if removal.target:
            self._comes_back(back)
        for name, file in moved.items():
            if file.fate not in _STANDS and name != back:
                self._put(replace(file, fate=removal.fate, last=at))
            elif file.fate in _STANDS and removal.target:
                self._put(replace(file, path=removal.target, last=at))
        known = moved or key in self._removed or self._files.knows(removal.path)
        if removal.is_lasting and not known:
            self._put(unseen)
        self._removed[key] = None
        if len(self._removed) > _LIMIT:
            del self._removed[next(iter(self._removed))]

    def _comes_back(self, key: str, *, even_if_there: bool = False) -> None:
        before = self._found.get(key)
        if before is not None and (even_if_there or before.fate not in _STANDS):
            del self._found[key]
            self._removed.pop(key, None)

    def _put(self, file: FileFact) -> None:
        key = path_identity(file.path)
        if key in self._found or len(self._found) < _LIMIT:
            self._found[key] = file


def _now(file: FileFact) -> str:
    return path_identity(path_now(file))
