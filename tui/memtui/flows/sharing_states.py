"""Session states on all of a user's machines: each sends its own versions, and keeps the others' apart."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.flows.shared_names import Names, digest, neutral
from memtui.formats.errors import FormatError
from memtui.formats.session_state import parse_session_state
from memtui.formats.shared_record import LIMIT, STATE, SharedRecord, record_name
from memtui.ground.files import FileProblem
from memtui.ground.project import Home
from memtui.secrets.secrets import find, holds_secrets
from memtui.share.applied_records import Applied
from memtui.share.merging import Marks
from memtui.share.remotes import this_author
from memtui.share.replica import Replica
from memtui.store.archive_settings import archive_settings
from memtui.store.listing import Entry, scan
from memtui.store.state_files import SESSION, newest_version, read_state, version_of, written_at
from memtui.store.states import keep_elsewhere
from memtui.store.stored_files import folder_state, has_settled

_ROOT = re.compile(r"\((/.+)\)$")
_LONGEST_NAME = 120


class SharedStates:
    """The session states of this machine, and those received from others."""

    def __init__(self, home: Home, names: Names) -> None:
        self._home = home
        self._names = names

    def collect(self, replica: Replica) -> list[str]:
        """Make a record of each session's newest version; returns a sentence for each one held back."""
        notes: list[str] = []
        known = replica.sessions()
        for session in scan(self._home.states, SESSION):
            name = f"states/{session.name}"
            state = folder_state(str(session.path))
            shown = f"{state[0]}-{state[1]}"
            if known.get(name) == shown:
                continue
            entry = newest_version(self._home, session.name)
            try:
                done = entry is None or self._send(replica, session.name, entry)
            except FileProblem as problem:
                notes.append(str(problem))
                continue
            if done and has_settled(state):
                replica.store_folder_state(name, shown)
        return notes

    def _send(self, replica: Replica, session: str, entry: Entry) -> bool:
        """Make a record of a version; returns False if it stays here because its project is private now."""
        key = f"ST-{session}-v{version_of(entry):04d}@{self._names.machine}"
        sendable = STATE.fullmatch(key) and len(record_name(key, b"")) <= _LONGEST_NAME
        if not sendable or replica.applied(key) is not None:
            return True
        text = read_state(entry, self._home)
        root = _root(text)
        if root is None:
            return True
        if archive_settings(self._home).is_private(Path(root)):
            return False
        body = neutral(text.encode(), root, str(Path.home()))
        if hits := find(body.decode("utf-8", "replace")):
            raise FileProblem(entry.path, f"is not sent. {holds_secrets(tuple(hits))}")
        if len(body) > LIMIT >> 1:
            raise FileProblem(entry.path, f"is too large to be sent: {len(body):,} bytes")
        record = SharedRecord(
            kind="text",
            memory=key,
            machine=self._names.machine,
            author=this_author(),
            at=written_at(entry),
            project=Path(root).name,
            created=written_at(entry),
            source="state",
            body=body,
        )
        replica.add(record, Applied(digest(body), Marks()))
        return True

    def apply(self, record: SharedRecord) -> None:
        """Store another machine's version.

        Raises:
            FileProblem: it cannot be written.
        """
        found = STATE.fullmatch(record.memory)
        if found is not None and found[3] != self._names.machine:
            keep_elsewhere(self._home, found[3], found[1], int(found[2]), record.body)


def _root(text: str) -> str | None:
    """The project's root in a document; None if it has none."""
    try:
        found = _ROOT.search(parse_session_state(text).identity.project)
    except FormatError:
        return None
    return found[1] if found else None
