"""Importing a session state document of another program (seed 003: AIDAM's compactor)."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.compactor import merge
from memtui.flows.states import documents_of
from memtui.formats.model import FormatError
from memtui.formats.session_state import SessionState, parse_session_state, render_session_state
from memtui.ground.files import FileProblem, FileUnreadable
from memtui.ground.project import Places
from memtui.store.states import StateStore, StoredState

_LIMIT = 4 << 20


def import_state(places: Places, path: Path, *, session: str = "") -> StoredState:
    """Write a document as the next version of a session's state, merged by the compactor's rules.

    The project keeps its name in the document, also in later versions.

    Args:
        places: the project and the folders.
        path: the document.
        session: the session's id, or the beginning of one; see `flows.sessions.named_session`.

    Raises:
        FileProblem: there is no such session, the file is not a state document, or nothing can be written.
    """
    imported = _read(path)
    documents = documents_of(places, session=session)
    previous = documents.version() if documents.entries else None
    before = previous.state if previous else None
    merged = merge(before, imported)
    number = previous.version if previous else 0
    if merged is None:
        assert previous is not None  # a first version is never empty
        return previous
    identity = merged.identity.replace(project=imported.identity.project or merged.identity.project)
    text = render_session_state(merged.replace(version=number + 1, identity=identity))
    store = StateStore(places.project, places.home)
    return store.load(store.write(documents.session_id, text, number + 1))


def _read(path: Path) -> SessionState:
    try:
        with path.open("rb") as file:
            data = file.read(_LIMIT + 1)
    except OSError as error:
        raise FileUnreadable(path, f"cannot be read: {error.strerror}") from error
    if len(data) > _LIMIT:
        raise FileProblem(path, "is too large for a session state document (4 MB at most)")
    try:
        return parse_session_state(data.decode("utf-8", "replace"))
    except FormatError as error:
        raise FileProblem(path, f"is not a session state document: {error}") from error
