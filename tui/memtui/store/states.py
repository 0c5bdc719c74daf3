"""Stored session states: ``states/<session id>/v0001.md`` and so on; the highest is current.

Standard library only, but for documents as records: a hook reads their texts alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.ground import files
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.ground.text import FormatError
from memtui.store.listing import Entry, scan

if TYPE_CHECKING:
    from memtui.documents.session_state import SessionState

_LIMIT = 4 << 20  # maximum size of documents that are read, in bytes; usual ones have 20 KB

SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PROGRESS = "progress.json"
NOTES = "notes.md"  # the notes for the session after its next compaction, written after each version

VERSION = re.compile(r"v(\d{1,8})\.md", re.ASCII)
"""Highest version: one digit less than a document may have, so that there always is a next one."""


def version_of(entry: Entry) -> int:
    match = VERSION.fullmatch(entry.name)
    return int(match[1]) if match else 0


def version_name(version: int) -> str:
    return f"v{version:04d}.md"


def newest_version(home: Home, session_id: str) -> Entry | None:
    """The current document of a session; None without one, or if its folder cannot be listed."""
    if not SESSION.fullmatch(session_id):
        return None
    with suppress(FileProblem):
        return max(scan(home.states / session_id, VERSION), key=version_of, default=None)
    return None


def read_state(entry: Entry, home: Home) -> str:
    return files.read_within(entry.path, home.states, limit=_LIMIT, follow=False).decode("utf-8", "replace")


def read_notes(home: Home, newest: Entry) -> str:
    """The notes on a session's newest document; "" if they are missing or older."""
    with suppress(FileProblem, OSError):
        notes = Entry.of(newest.path.parent / NOTES)
        if notes.mtime_ns >= newest.mtime_ns:
            return read_state(notes, home)
    return ""


def project_path(identity: str) -> str:
    """The path in a document's IDENTITY, ``name (path)`` or a path alone; without one what is there."""
    # Name and path may both have brackets.
    start = 0 if identity.startswith(os.sep) else identity.find(f"({os.sep}") + 1
    return identity[start:].removesuffix(")") if start else identity


class StoredState(NamedTuple):
    """One version of a session's state document."""

    session_id: str
    version: int
    path: Path
    written: datetime
    text: str = ""
    state: SessionState | None = None
    """None when the document is broken."""
    problem: str = ""


class StateStore:
    """The stored session states that belong to one project."""

    def __init__(self, project: Project, home: Home) -> None:
        self.project = project
        self.folder = home.states
        self._home = home
        self._known: dict[Entry, bool] = {}
        """Cache: whether a document belongs to the project."""

    def sessions(self, session_ids: Collection[str] = ()) -> dict[str, Entry]:
        """The newest document of each of the project's sessions, last written first.

        A session belongs to the project if it is one of `session_ids` (those of its transcripts), or if the
        document's IDENTITY names the project's folder or one below it.
        """
        newest = (newest_version(self._home, each.name) for each in scan(self.folder, SESSION))
        entries = sorted(filter(None, newest), key=lambda entry: entry.mtime_ns, reverse=True)
        others = [entry for entry in entries if entry.path.parent.name not in session_ids]
        known, self._known = self._known, {}
        for each in others:
            state = self.load(each).state if each not in known else None
            path = Path(project_path(state.identity.project) if state else "")
            ours = path.is_absolute() and files.is_within(path, self.project.root)
            self._known[each] = known.get(each, ours)
        return {entry.path.parent.name: entry for entry in entries if self._known.get(entry, True)}

    def versions(self, session_id: str) -> list[Entry]:
        if not SESSION.fullmatch(session_id):
            return []
        return sorted(scan(self.folder / session_id, VERSION), key=version_of, reverse=True)

    def write(self, session_id: str, text: str, version: int) -> Entry | None:
        """Write a new version, whole or not at all; None if another process has just written it."""
        folder, base = self._made(session_id)
        path = folder / version_name(version)
        return Entry.of(path) if files.create_exclusive(path, text.encode(), within=base) else None

    def keep_notes(self, session_id: str, text: str) -> None:
        folder, base = self._made(session_id)
        files.write_atomic(folder / NOTES, text.encode("utf-8", "replace"), within=base, durable=False)

    def _made(self, session_id: str) -> tuple[Path, Path]:
        """A session's folder, made and cleaned of left-over files, and the folder above it."""
        folder = self.folder / session_id
        if not SESSION.fullmatch(session_id):
            raise FileProblem(self.folder, f"has no place for a session called {session_id!r}")
        base = files.existing_above(self.folder)
        files.private_folder(folder, within=base)
        files.sweep_temps(folder, within=base)
        return folder, base

    def load(self, entry: Entry) -> StoredState:
        """Read one version. A broken one has its readable text and the reason."""
        from memtui.documents.session_state import parse_session_state  # hooks only read texts

        path, text, state, problem = entry.path, "", None, ""
        try:
            text = read_state(entry, self._home)
            state = parse_session_state(text)
        except FormatError as error:
            problem = f"is broken: {error}"
        except FileProblem as error:
            problem = error.reason
        session, version = path.parent.name, version_of(entry)
        return StoredState(session, version, path, entry.written, text, state, problem)


def read_progress(home: Home, session_id: str) -> tuple[int, int] | None:
    """The version that was current when a transcript was last read, and the bytes read; None if unknown."""
    path = home.states / session_id / PROGRESS
    with suppress(FileProblem, ValueError, TypeError, KeyError, RecursionError):
        found = json.loads(files.read_within(path, home.states, limit=1 << 20, follow=False))
        return int(found["version"]), int(found["offset"])
    return None


def keep_progress(home: Home, session_id: str, version: int, offset: int) -> None:
    """Write a session's progress. Errors are ignored: they only cost time later."""
    path = home.states / session_id / PROGRESS
    with suppress(FileProblem):
        data = f"{json.dumps({'version': version, 'offset': offset})}\n".encode()
        files.write_atomic(path, data, within=files.existing_above(home.states), durable=False)
