"""A session's state document from version to version: what was said since the last one makes the next one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memtui.clock import Clock
from memtui.extract.carry import Carry
from memtui.extract.carry_json import carry_from_json, carry_to_json
from memtui.extract.compactor import next_state
from memtui.extract.facts import read_on
from memtui.files import FileUnreadable
from memtui.flows.compact import find_transcript, session_root
from memtui.formats.model import FormatError
from memtui.formats.progress import HEAD, TAIL, Progress, fingerprint
from memtui.formats.session_state import SessionState, render_session_state
from memtui.project import Places, Project
from memtui.store.state_progress import keep_progress, read_progress
from memtui.store.states import StateStore, StoredState, VersionTaken

_ATTEMPTS = 5
"""How often a version may be taken by another program before we give up."""


class _Before(NamedTuple):
    """What the next version goes on from."""

    number: int
    """The newest version's; 0 without any."""
    state: SessionState | None
    """The newest version that can be read."""
    carry: Carry | None = None
    """None reads the transcript from its beginning."""
    known: bool = False
    """The transcript has not grown since."""


def update_state(
    places: Places,
    clock: Clock,
    *,
    session: str = "",
    transcript: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> StoredState | None:
    """Write the next version of a session's state document, if there is anything new to say.

    Args:
        places: where things are.
        clock: tells the time of reading.
        session: the session's id, or its beginning; the project's newest session without it.
        transcript: its transcript, when that is known; the session is named after it.
        progress: see `memtui.extract.facts.read_facts`.
        cancelled: see there.

    Returns:
        The version that was written; None when the document would be the same.

    Raises:
        FileProblem: there is no such session, or something of it cannot be read or written.
        ReadingCancelledError: `cancelled` answered True.
    """
    path = transcript or find_transcript(places, session)
    session_id = path.stem
    store = StateStore(places.project, places.home)
    for attempt in range(_ATTEMPTS):
        before = _before(store, places, session_id, path)
        if before.known:
            return None
        try:
            facts, carry = read_on(path, before.carry, progress=progress, cancelled=cancelled)
        except OSError as error:
            raise FileUnreadable(path, f"cannot be read: {error.strerror}") from error
        project = Project(session_root(facts, places.project))
        state = next_state(before.state, facts, project, before=before.carry.facts if before.carry else None)
        written = None
        if state is not None:
            state = state.replace(version=before.number + 1)
            try:
                written = store.load(store.write(session_id, render_session_state(state), state.version))
            except VersionTaken:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
        _keep(places, session_id, path, carry, state.version if state else before.number, clock)
        return written
    raise AssertionError("the last attempt returns or raises")


def _before(store: StateStore, places: Places, session_id: str, path: Path) -> _Before:
    loaded = [store.load(entry) for entry in store.versions(session_id)]
    newest = loaded[0].version if loaded else 0
    readable = next((each for each in loaded if each.state is not None), None)
    if readable is None:
        return _Before(newest, None)
    kept = read_progress(places.home, session_id)
    # A version that reading did not end with may tell of more, or of less, than was carried.
    if kept is None or not kept.version == newest == readable.version or not _is_same(path, kept):
        return _Before(newest, readable.state)
    try:
        carry = carry_from_json(kept.carried)
    except FormatError:
        return _Before(newest, readable.state)
    return _Before(newest, readable.state, carry, path.stat().st_size == kept.offset)


def _is_same(path: Path, kept: Progress) -> bool:
    """Whether a transcript still begins with what was read of it."""
    try:
        return _fingerprints(path, kept.offset) == (kept.head, kept.tail)
    except OSError:
        return False


def _fingerprints(path: Path, offset: int) -> tuple[str, str]:
    """Those of the first bytes, and of the last ones before `offset`; of none when there are fewer."""
    with path.open("rb") as file:
        head = file.read(min(HEAD, offset))
        file.seek(max(0, offset - TAIL))
        tail = file.read(min(TAIL, offset))
    return fingerprint(head), fingerprint(tail)


def _keep(places: Places, session_id: str, path: Path, carry: Carry, version: int, clock: Clock) -> None:
    try:
        head, tail = _fingerprints(path, carry.offset)
    except OSError:
        return
    kept = Progress(
        version=version,
        transcript=str(path),
        offset=carry.offset,
        head=head,
        tail=tail,
        read=clock().isoformat(timespec="seconds"),
        carried=carry_to_json(carry),
    )
    keep_progress(places.home, session_id, kept)
