"""Stored session states as records; see `state_files` for where they lie."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.files import FileProblem, read_within
from memtui.formats.model import FormatError
from memtui.formats.session_state import SessionState, parse_session_state
from memtui.project import Home, Project
from memtui.store.listing import Entry, scan
from memtui.store.state_files import LIMIT, SESSION, VERSION, names_project, newest_version, version_of


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
    """Why it cannot be used."""


class StateStore:
    """The stored session states that belong to one project."""

    def __init__(self, project: Project, home: Home) -> None:
        self.project = project
        self.folder = home.states
        self._home = home
        self._foreign: set[Entry] = set()
        """Documents of other projects: they are not read again at every look."""

    def newest(self, session_ids: Collection[str] = ()) -> StoredState | None:
        """The newest document of the session that wrote last.

        A session is the project's when it is one of `session_ids` (those of its transcripts), or when the
        document's IDENTITY names the project's folder or one below it.

        Raises:
            FileProblem: the folder of states cannot be listed.
        """
        newest = (newest_version(self._home, each.name) for each in scan(self.folder, SESSION))
        entries = sorted(filter(None, newest), key=lambda entry: entry.mtime_ns, reverse=True)
        self._foreign &= set(entries)
        for entry in entries:
            named = entry.path.parent.name in session_ids
            if entry in self._foreign and not named:
                continue
            stored = self.load(entry)
            if named or self._names_project(stored.state):
                return stored
            self._foreign.add(entry)
        return None

    def versions(self, session_id: str) -> list[Entry]:
        """All versions of a session's document, newest first.

        Raises:
            FileProblem: the session's folder cannot be listed.
        """
        if not SESSION.fullmatch(session_id):
            return []
        return sorted(scan(self.folder / session_id, VERSION), key=version_of, reverse=True)

    def load(self, entry: Entry) -> StoredState:
        """Read one version. A broken one has its text, as far as it can be read, and the reason."""
        path = entry.path
        written = datetime.fromtimestamp(entry.mtime_ns / 1e9).astimezone()
        text = ""
        try:
            text = read_within(path, self.folder, limit=LIMIT, follow=False).decode("utf-8", "replace")
            return StoredState(
                path.parent.name, version_of(entry), path, written, text, parse_session_state(text)
            )
        except FormatError as error:
            problem = f"is broken: {error}"
        except FileProblem as error:
            problem = error.reason
        return StoredState(path.parent.name, version_of(entry), path, written, text, problem=problem)

    def _names_project(self, state: SessionState | None) -> bool:
        return state is not None and names_project(state.identity.project, self.project.root)
