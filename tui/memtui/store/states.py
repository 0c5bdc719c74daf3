"""Stored session state documents: ``states/<session id>/v0001.md`` and on, the highest being the current one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.files import FileProblem, load_within
from memtui.formats.model import FormatError
from memtui.formats.session_state import SessionState, parse_session_state
from memtui.project import Home, Project
from memtui.store.listing import Entry, scan

LIMIT = 4 << 20
"""Bytes of the largest document that is read; they should have some 20 KB."""

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION = re.compile(r"v(\d{1,9})\.md")
_PATH = re.compile(r"\((.*)\)")


class StateProblem(FileProblem):
    """A session state document that cannot be read, with the reason."""


@dataclass(frozen=True, slots=True)
class StoredState:
    """One version of a session's state document."""

    session_id: str
    version: int
    path: Path
    text: str
    state: SessionState
    written_at: datetime


class StateStore:
    """The stored session states that belong to one project."""

    def __init__(self, project: Project, home: Home) -> None:
        self.project = project
        self.folder = home.states

    def newest(self, session_ids: Collection[str] = ()) -> StoredState | None:
        """The newest document of the session that wrote last.

        A session is the project's when it is one of `session_ids` (those of its transcripts), or when the
        document's IDENTITY names the project's folder or one below it. Broken documents are passed over.

        Raises:
            FileProblem: the folder of states cannot be listed.
        """
        newest = (self._newest_version(each.path) for each in scan(self.folder, _SESSION))
        for entry in sorted(filter(None, newest), key=lambda entry: entry.mtime_ns, reverse=True):
            try:
                state = self.load(entry)
            except StateProblem:
                continue
            if state.session_id in session_ids or self._names_project(state.state):
                return state
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
        """Read one version.

        Raises:
            StateProblem: it is broken, too large, no regular file, or gone.
        """
        path = entry.path
        try:
            content = load_within(path, self.folder, limit=LIMIT, follow=False)
            text = content.data.decode("utf-8", "replace")
            state = parse_session_state(text)
        except FormatError as error:
            raise StateProblem(path, f"is broken: {error}") from error
        except FileProblem as problem:
            raise StateProblem(path, problem.reason) from problem
        written = datetime.fromtimestamp(content.signature[0] / 1e9).astimezone()
        return StoredState(path.parent.name, _version(entry), path, text, state, written)

    def _newest_version(self, folder: Path) -> Entry | None:
        try:
            return max(scan(folder, _VERSION), key=_version, default=None)
        except FileProblem:
            return None

    def _names_project(self, state: SessionState) -> bool:
        match = _PATH.search(state.identity.project)
        named = match[1].strip() if match else ""
        if not Path(named).is_absolute():
            return False
        return Path(os.path.realpath(named)).is_relative_to(os.path.realpath(self.project.root))


def _version(entry: Entry) -> int:
    match = _VERSION.fullmatch(entry.name)
    return int(match[1]) if match else 0
