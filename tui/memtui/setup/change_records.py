"""Records of `init`'s changes, with which `uninstall` restores every byte, and backups of changed files."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    private_folder,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.ground.files.folder import Folder
from memtui.ground.files.problems import writing
from memtui.ground.project import Home
from memtui.store.changes import unrecorded

if TYPE_CHECKING:
    from memtui.store.changes import Wrote

_LIMIT = 8 << 20
_NAMES = 100
_NOTED = "noted what init has changed"


@dataclass(frozen=True, slots=True)
class Record:
    """One file that memtui made or changed."""

    before: bytes | None
    """Its content without memtui; None for no file."""
    after: bytes
    """Its content with memtui."""
    created: tuple[str, ...] = ()
    """See `settings.Installed.created`."""
    folders: tuple[str, ...] = ()
    """The folders made for it, the outermost first."""


class Records:
    """The records of one user, in memtui's own folder, so that no settings get into a repository."""

    def __init__(self, home: Home, wrote: Wrote = unrecorded) -> None:
        self._wrote = wrote
        self._state = home.state
        self._folder = home.state / "installed"
        self._backups = home.state / "backups"

    def load(self, file: Path) -> Record | None:
        """The record of a file; None if it is missing or unusable."""
        try:
            fields = json.loads(read_within(self._path(file), self._folder, limit=_LIMIT))
            before = fields["before"]
            return Record(
                before=None if before is None else base64.b64decode(before),
                after=base64.b64decode(fields["after"]),
                created=tuple(map(str, fields["created"])),
                folders=tuple(map(str, fields["folders"])),
            )
        except (FileProblem, ValueError, TypeError, KeyError):
            return None

    def store(self, file: Path, record: Record) -> None:
        """Keep a record.

        Raises:
            FileProblem: it cannot be written.
        """
        fields = {
            "file": os.fsencode(file).decode("utf-8", "replace"),
            "before": None if record.before is None else base64.b64encode(record.before).decode(),
            "after": base64.b64encode(record.after).decode(),
            "created": record.created,
            "folders": record.folders,
        }
        self._make(self._folder)
        path, data = self._path(file), json.dumps(fields, indent=1).encode() + b"\n"
        before = self._content(path)
        write_atomic(path, data)
        self._wrote(_NOTED, path, before, data)

    def forget(self, file: Path) -> None:
        """Remove a record, if there is one.

        Raises:
            FileProblem: it cannot be removed.
        """
        path = self._path(file)
        before = self._content(path)
        if before is not None:
            with writing(path), Folder(path.parent) as folder:
                folder.unlink(path.name)
            self._wrote(_NOTED, path, before, None)

    def sweep(self) -> None:
        """Remove temporary files of processes that were killed. Never raises."""
        for folder in (self._folder, self._backups):
            sweep_temps(folder)

    def back_up(self, file: Path, data: bytes, clock: Clock) -> Path:
        """Keep a copy of a file's content; returns its path.

        Raises:
            FileProblem: it cannot be written.
        """
        self._make(self._backups)
        stamp = clock().strftime("%Y%m%d_%H%M%S")
        for number in range(_NAMES):
            more = f"-{number}" if number else ""
            path = self._backups / f"{stamp}-{_key(file)[:8]}{more}-{file.name}"
            if create_exclusive(path, data):
                return path
        raise FileProblem(self._backups, "has too many backups of this second; try again")

    def _path(self, file: Path) -> Path:
        return self._folder / f"{_key(file)}.json"

    def _content(self, path: Path) -> bytes | None:
        try:
            return read_within(path, self._folder, limit=_LIMIT)
        except FileMissing:
            return None

    def _make(self, folder: Path) -> None:
        private_folder(folder, within=existing_above(self._state))


def _key(file: Path) -> str:
    return hashlib.sha256(os.fsencode(file)).hexdigest()[:32]
