"""Versions of a session's state document: the next one is made from the transcript and the version before.

When one is due while sessions run, `Following` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import merge, next_state
from memtui.documents.session_state import SessionState, render_session_state
from memtui.ground.files import FileMissing, FileProblem, os_error_reason
from memtui.ground.project import Places, Project
from memtui.store import sessions
from memtui.store.listing import Entry
from memtui.store.states import StateStore, StoredState, keep_progress, read_progress, version_of
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts


class _Before(NamedTuple):
    """The starting point of the next version."""

    number: int
    """Number of the newest version; 0 without any."""
    state: SessionState | None
    """The newest readable version."""
    unchanged: bool = False
    """The transcript has not grown since."""


def update_state(
    places: Places,
    transcript: Path,
    *,
    cancelled: Callable[[], bool] | None = None,
    improve: Callable[[SessionState, SessionState | None, Facts], SessionState] | None = None,
) -> StoredState | None:
    """Write the next version of the state document of a transcript's session; None if there is nothing new.

    For `cancelled` see `read_facts`; `improve` is called even if the transcript has not grown, with the next
    version made from facts, the previous one, and the facts; it returns an improved version, or the first.
    """
    session_id, store = transcript.stem, StateStore(places.project, places.home)
    while True:
        before = _before(store, places, session_id, transcript)
        if before.unchanged and improve is None:
            return None
        size, facts = _read(transcript, cancelled=cancelled)
        if is_empty(facts):  # not begun, or emptied by accident: the document is kept
            return None
        sessions.refuse_strange(transcript, facts)
        project = Project(sessions.session_root(facts, places.project))
        # An unchanged one keeps the wording of the last version.
        state = None if before.unchanged else next_state(before.state, facts, project)
        if improve is not None and (draft := state or before.state):  # a first version is never empty
            better = improve(draft, before.state, facts)
            state = state if better is draft else merge(draft, better) or state
        written = None
        if state is not None:
            state = state.replace(version=before.number + 1)
            entry = store.write(session_id, render_session_state(state), state.version)
            if entry is None:  # go on from the version that another program has just written
                continue
            written = store.load(entry)
        keep_progress(places.home, session_id, state.version if state else before.number, size)
        if current := state or before.state:
            store.keep_notes(session_id, compaction_notes(facts, current, project.root))
        return written


class SessionDocuments(NamedTuple):
    """The stored versions of one session."""

    session_id: str
    entries: list[Entry]
    """Newest first."""
    store: StateStore
    transcript: Path | None = None

    def version(self, number: int | None = None) -> StoredState:
        """Read a version, the newest one without a number."""
        found = (entry for entry in self.entries if number is None or version_of(entry) == number)
        entry = next(found, None)
        if entry is None:
            others = number is not None and self.entries
            reason = f"has no version {number}" if others else "has no version yet"
            raise FileMissing(self.store.folder / self.session_id, reason)
        return self.store.load(entry)

    def before(self, number: int) -> StoredState | None:
        entry = next((entry for entry in self.entries if version_of(entry) < number), None)
        return self.store.load(entry) if entry is not None else None


def documents_of(places: Places, *, session: str = "", transcript: Path | None = None) -> SessionDocuments:
    """The versions of a session: the named one, that of a transcript, or the project's newest."""
    store = StateStore(places.project, places.home)
    if transcript is not None:
        return SessionDocuments(transcript.stem, store.versions(transcript.stem), store, transcript)
    stored = list(store.sessions())
    try:
        transcripts = sessions.transcripts_of(places)
    except FileProblem:
        if not stored:
            raise
        transcripts = {}
    named, archived = sessions.named_session(places, (*transcripts, *stored), session)
    return SessionDocuments(named, store.versions(named), store, archived or transcripts.get(named))


class CurrentState(NamedTuple):
    """The current state of a session."""

    session_id: str
    text: str
    """The document: the stored version with the words said since, or a draft."""
    state: SessionState | None
    """The same as a record; None if only an unreadable version is left of it."""
    facts: Facts | None
    """None if the transcript is gone."""


def is_empty(facts: Facts) -> bool:
    """Whether a transcript has nothing but a line that cannot be read."""
    return facts.lines == facts.skipped_lines <= 1


def current_state(places: Places, documents: SessionDocuments) -> CurrentState:
    """The current state of a session, in which something was said; nothing is written."""
    path = documents.transcript
    facts = _read(path)[1] if path else None
    if path is None or facts is None or (documents.entries and is_empty(facts)):
        stored = documents.version()
        if stored.problem and not stored.text:
            raise FileProblem(stored.path, stored.problem)
        return CurrentState(documents.session_id, stored.text, stored.state, facts)
    before = _before(documents.store, places, documents.session_id, path)
    sessions.refuse_strange(path, facts)
    project = Project(sessions.session_root(facts, places.project))
    state = None if before.unchanged else next_state(before.state, facts, project)
    state = state.replace(version=before.number + 1) if state else before.state
    if state is None:
        raise FileProblem(path, "has no state: nothing was said in this session yet")
    return CurrentState(documents.session_id, render_session_state(state), state, facts)


def _read(path: Path, **listening: Any) -> tuple[int, Facts]:
    """The size of a transcript in bytes, and its facts."""
    try:
        return path.stat().st_size, read_facts(path, **listening)
    except OSError as error:
        raise FileProblem(path, f"cannot be read: {os_error_reason(error)}") from error


def _before(store: StateStore, places: Places, session_id: str, path: Path) -> _Before:
    entries = store.versions(session_id)
    newest = version_of(entries[0]) if entries else 0
    stored = next((each for each in map(store.load, entries) if each.state is not None), None)
    if stored is None:
        return _Before(newest, None)
    kept = read_progress(places.home, session_id)
    size = path.stat().st_size if path.is_file() else 0
    # The progress only fits the version it was written with.
    unchanged = kept == (newest, size) and newest == stored.version
    return _Before(newest, stored.state, unchanged)


# Following running sessions, by polling file sizes, which is cheap and works on every file system. Several
# followers may run at once (the app, ``memtui compactor``): the first writes a version, the others skip it.

GROWTH = 256 << 10
"""Bytes after which a version is due while a session goes on: some 20,000 tokens. In 36 real transcripts a
token of context came with 13 bytes of transcript (6 to 18)."""

PAUSE = 30.0  # seconds without a new line after which a session counts as paused


class _Seen(NamedTuple):
    """A transcript at the last poll."""

    size: int
    since: float
    """Time of its last growth, on the clock of `due`."""
    covered: int
    """The size covered by its state document."""


class Following:
    """Keeps the state documents of a project's sessions up to date, one `step` at a time.

    A version is due at once after `growth` bytes, and after `pause` seconds without growth for any addition.
    """

    def __init__(
        self,
        places: Places,
        *,
        growth: int = GROWTH,
        pause: float = PAUSE,
        update: Callable[..., StoredState | None] = update_state,
    ) -> None:
        self._places = places
        self._growth = growth
        self._pause = pause
        self._update = update
        self._transcripts = TranscriptStore(places.project, places.claude)
        self._seen: dict[str, _Seen] | None = None

    def step(
        self, now: float, cancelled: Callable[[], bool] | None = None
    ) -> Iterator[StoredState | FileProblem]:
        """Poll once, and update the sessions that are due; `now` is of a monotonic clock.

        Yields the versions that were written, and why others could not be.
        """
        transcripts = {each.session_id: each for each in self._transcripts.entries()}
        left = self.due({name: each.size for name, each in transcripts.items()}, now)
        try:
            while left:
                try:
                    path = transcripts[left.pop(0)].path
                    if stored := self._update(self._places, transcript=path, cancelled=cancelled):
                        yield stored
                except FileProblem as problem:
                    yield problem
        finally:  # after an unexpected error the others are due at the next step
            seen = self._seen or {}
            self._seen = seen | {each: seen[each]._replace(covered=0) for each in left}

    def due(self, sizes: Mapping[str, int], now: float) -> list[str]:
        """The sessions that are due, of these with their transcripts' bytes, the newest first.

        At the first call only the first session is due, as the coverage of its document is unknown; the
        others become due when they grow, as does one that was due, even if it could not be updated.
        """
        before, self._seen = self._seen, {}
        for session, size in sizes.items():
            unknown = _Seen(size, now, 0 if before is not None or not self._seen else size)
            seen = (before or {}).get(session, unknown)
            if seen.size != size:  # a transcript never shrinks: a smaller one is a new one
                seen = _Seen(size, now, seen.covered if size > seen.covered else 0)
            self._seen[session] = seen
        found = [
            session
            for session, (size, since, covered) in self._seen.items()
            if size - covered >= self._growth or (size > covered and now - since >= self._pause)
        ]
        found = found if before is not None else list(self._seen)[:1]
        self._seen |= {each: self._seen[each]._replace(covered=sizes[each]) for each in found}
        return found
