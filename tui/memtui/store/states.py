"""Stored session states: ``states/<session id>/v0001.md`` and on, the highest being the current one."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.files import FileProblem, is_within, read_within
from memtui.formats.model import FormatError
from memtui.formats.session_state import SessionState, parse_session_state
from memtui.project import Home, Project
from memtui.store.listing import Entry, scan

LIMIT = 4 << 20
"""Bytes of the largest document that is read; they should have some 20 KB."""

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION = re.compile(r"v(\d{1,9})\.md", re.ASCII)


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

    def newest(self, session_ids: Collection[str] = ()) -> StoredState | None:
        """The newest document of the session that wrote last.

        A session is the project's when it is one of `session_ids` (those of its transcripts), or when the
        document's IDENTITY names the project's folder or one below it.

        Raises:
            FileProblem: the folder of states cannot be listed.
        """
        newest = (self._newest_version(each.path) for each in scan(self.folder, _SESSION))
        for entry in sorted(filter(None, newest), key=lambda entry: entry.mtime_ns, reverse=True):
            stored = self.load(entry)
            if stored.session_id in session_ids or self._names_project(stored.state):
                return stored
        return None

    def versions(self, session_id: str) -> list[Entry]:
        """All versions of a session's document, newest first.

        Raises:
            FileProblem: the session's folder cannot be listed.
        """
        if not _SESSION.fullmatch(session_id):
            return []
        return sorted(scan(self.folder / session_id, _VERSION), key=_version, reverse=True)

    def load(self, entry: Entry) -> StoredState:
        """Read one version. A broken one has its text, as far as it can be read, and the reason."""
        path = entry.path
        written = datetime.fromtimestamp(entry.mtime_ns / 1e9).astimezone()
        text = ""
        try:
            text = read_within(path, self.folder, limit=LIMIT, follow=False).decode("utf-8", "replace")
            return StoredState(
                path.parent.name, _version(entry), path, written, text, parse_session_state(text)
            )
        except FormatError as error:
            problem = f"is broken: {error}"
        except FileProblem as error:
            problem = error.reason
        return StoredState(path.parent.name, _version(entry), path, written, text, problem=problem)

    def _newest_version(self, folder: Path) -> Entry | None:
        try:
            return max(scan(folder, _VERSION), key=_version, default=None)
        except FileProblem:
            return None

    def _names_project(self, state: SessionState | None) -> bool:
        text = state.identity.project if state is not None else ""
        # "name (path)", where both may have brackets; or the path alone.
        named = [text, *(text[match.end() :].removesuffix(")") for match in re.finditer(r"\(", text))]
        return any(Path(path).is_absolute() and is_within(Path(path), self.project.root) for path in named)


def _version(entry: Entry) -> int:
    match = _VERSION.fullmatch(entry.name)
    return int(match[1]) if match else 0
