"""The file next to a session's state documents with the reading progress of its transcript."""

from __future__ import annotations

from contextlib import suppress

from memtui.documents.session_state import Progress, parse_progress, render_progress
from memtui.ground.files import FileProblem, existing_above, read_within, write_atomic
from memtui.ground.project import Home
from memtui.ground.text import FormatError
from memtui.store.state_files import SESSION

NAME = "progress.json"
_LIMIT = 1 << 20


def read_progress(home: Home, session_id: str) -> Progress | None:
    """A session's progress; None if it is missing or unusable."""
    if not SESSION.fullmatch(session_id):
        return None
    path = home.states / session_id / NAME
    try:
        return parse_progress(read_within(path, home.states, limit=_LIMIT, follow=False).decode("utf-8"))
    except (FileProblem, FormatError, UnicodeDecodeError):
        return None


def keep_progress(home: Home, session_id: str, progress: Progress) -> None:
    """Write a session's progress. Errors are ignored: they only cost time later."""
    path = home.states / session_id / NAME
    with suppress(FileProblem):
        write_atomic(
            path, render_progress(progress).encode(), within=existing_above(home.states), durable=False
        )
