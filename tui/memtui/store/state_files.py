"""The files of session states: ``states/<session id>/v0001.md`` and so on; the highest is current.

Standard library only, for the hook; `states.py` has them as records.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from memtui.ground.files import FileProblem, read_within
from memtui.ground.project import Home
from memtui.store.listing import Entry, scan

LIMIT = 4 << 20  # maximum size of documents that are read, in bytes; usual ones have 20 KB

SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
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
    return read_within(entry.path, home.states, limit=LIMIT, follow=False).decode("utf-8", "replace")


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
