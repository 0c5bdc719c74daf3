"""The log of changes: one JSON line for each change made by memtui, and the texts needed to undo it.

The lines have paths and hashes, but no contents of files. The texts are kept next to the log, named by their
hash. Both are limited in size; the oldest are deleted first. An undo is a change, too: its line names the
change that it reverts. Standard library only: hooks append to this log.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from memtui.ground.files import (
    FileProblem,
    existing_above,
    private_folder,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.ground.files.appending import append_line, read_lines
from memtui.ground.named import TYPE_CHECKING, NamedTuple
from memtui.ground.project import Home

if TYPE_CHECKING:
    from typing import Any

LIMIT = 256 * 1024
"""Size in bytes at which a new log is begun; the previous one is kept. An entry has about 400."""

TEXTS_LIMIT = 64 << 20
"""Maximum size of all kept texts, in bytes."""

_TEXT_LIMIT = 64 << 20
_STRAY_SECONDS = 3600
"""Age from which an unreferenced text counts as left behind."""


class FileChange(NamedTuple):
    """One file's part in a change."""

    path: str
    before: str = ""
    """SHA-256 of its content before, hexadecimal; "" for no file."""
    after: str = ""


class Change(NamedTuple):
    """One change that memtui made."""

    id: str
    at: str
    """ISO 8601 with offset."""
    what: str
    """In plain words: ``archived CMEM-20260102-101500``."""
    by: str
    """``app``, ``cli``, ``hook``, ``mcp`` or ``sync``."""
    project: str
    """The root of the project it was made in; "" without one."""
    files: tuple[FileChange, ...]
    """In the order in which they were written."""
    reverts: str = ""
    """The id of the change that this one undoes; "" if it is not an undo."""
    final: str = ""
    """Why it cannot be undone, as a phrase; "" if it can."""


def digest(data: bytes | None) -> str:
    """The name of a content in the log; "" for no file."""
    return "" if data is None else str(_sha256(data).hexdigest())


def _sha256(data: bytes) -> Any:
    # Python's own, called _sha2 from 3.12 on: `hashlib` loads OpenSSL, which is too slow for a hook.
    for module in ("_sha256", "_sha2", "hashlib"):
        with suppress(ImportError):
            return import_module(module).sha256(data)
    raise AssertionError("hashlib is part of every Python")


class ChangeLog:
    """The log of one user."""

    def __init__(self, home: Home) -> None:
        self._state = home.state
        self.path = home.changes_log
        self._texts = home.state / "changes"

    def append(self, change: Change, texts: Iterable[bytes]) -> None:
        """Add a change and its texts.

        Raises:
            OSError, ValueError, FileProblem: it cannot be written.
        """
        kept = [self._keep(text) for text in texts]
        fields = change._asdict()
        fields["files"] = [list(file) for file in change.files]
        for name in ("reverts", "final"):
            if not fields[name]:
                del fields[name]
        begun = append_line(self.path, json.dumps(fields, ensure_ascii=False), limit=LIMIT)
        if begun or any(kept):
            self._sweep(strays=begun)

    def changes(self) -> list[Change]:
        """The recorded changes, oldest first; invalid lines are left out.

        Raises:
            OSError: the log exists and cannot be read.
        """
        lines = read_lines(self.path, limit=4 * LIMIT)
        found = {change.id: change for line in lines if (change := _change(line)) is not None}
        return list(found.values())

    def text(self, name: str) -> bytes | None:
        """A text by its digest; None if it is no longer kept."""
        try:
            data = read_within(self._texts / name, self._texts, limit=_TEXT_LIMIT, follow=False)
        except FileProblem:
            return None
        return data if digest(data) == name else None

    def keep(self, text: bytes) -> None:
        """Keep a text for a later change.

        Raises:
            FileProblem: it cannot be written.
        """
        self._keep(text)

    def _keep(self, text: bytes) -> bool:
        """Keep a text; False if it was already kept."""
        path = self._texts / digest(text)
        with suppress(OSError):
            os.utime(path, follow_symlinks=False)  # the oldest are deleted first
            return False
        private_folder(self._texts, within=existing_above(self._state))
        write_atomic(path, text, durable=False)
        return True

    def _named(self) -> Iterator[str]:
        return (name for change in self.changes() for file in change.files for name in file[1:])

    def _sweep(self, *, strays: bool) -> None:
        """Remove the oldest texts beyond the limit, and unreferenced ones. Never raises."""
        sweep_temps(self._texts, within=existing_above(self._state))
        with suppress(OSError):
            with os.scandir(self._texts) as entries:
                found = [(entry, entry.stat(follow_symlinks=False)) for entry in entries if _is_text(entry)]
            named = set(self._named()) if strays else set()
            found.sort(key=lambda each: each[1].st_mtime, reverse=True)
            left, now = TEXTS_LIMIT, time.time()
            for entry, status in found:
                left -= status.st_size
                stray = strays and entry.name not in named and now - status.st_mtime > _STRAY_SECONDS
                if left < 0 or stray:
                    with suppress(OSError):
                        Path(entry.path).unlink()


def _is_text(entry: os.DirEntry[str]) -> bool:
    return len(entry.name) == 64


def _change(line: str) -> Change | None:
    try:
        fields = json.loads(line)
        return Change(
            id=str(fields["id"]),
            at=str(fields["at"]),
            what=str(fields["what"]),
            by=str(fields["by"]),
            project=str(fields["project"]),
            files=tuple(FileChange(*map(str, file)) for file in fields["files"]),
            reverts=str(fields.get("reverts", "")),
            final=str(fields.get("final", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
