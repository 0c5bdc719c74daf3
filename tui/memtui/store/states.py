"""Stored session states as records; see `state_files` for their paths."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.documents.session_state import SessionState, parse_session_state
from memtui.ground import files
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.ground.text import FormatError
from memtui.store.listing import Entry, scan
from memtui.store.state_files import (
    NOTES,
    SESSION,
    VERSION,
    newest_version,
    project_path,
    read_state,
    version_name,
    version_of,
)

PROGRESS = "progress.json"


@dataclass(frozen=True, slots=True)
class StoredState:
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
