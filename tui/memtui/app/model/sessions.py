"""The sessions of a project: their list, the current one, and its view."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from memtui.app.model.views import DraftWanted, StateView
from memtui.ground.clock import Clock
from memtui.ground.project import Home
from memtui.store.listing import Entry
from memtui.store.state_files import version_of, written_at
from memtui.store.state_progress import NAME as PROGRESS
from memtui.store.state_progress import read_progress
from memtui.store.states import StateStore, StoredState
from memtui.store.transcripts import Transcript, TranscriptStore

_STAYS = timedelta(seconds=20)
"""Seconds of silence after which the pane may leave a session for a newer one: two sessions that work at the
same time must not alternate."""
_TOKEN = 13
"""Bytes of transcript per token of context, as in `memtui.store.follow`."""


class Session(NamedTuple):
    """A session with its transcript, its stored document, or both."""

    session_id: str
    active: datetime
    """Time of the last write to its transcript; without one, to its document."""
    newest: Entry | None = None
    """Its current version."""
    transcript: Transcript | None = None


class Sessions:
    """Lists the sessions, and makes the view of the current one.

    That is the newest one, unless the user has chosen another. `current_view` is called by one thread,
    `choose` is thread-safe.
    """

    def __init__(self, states: StateStore, transcripts: TranscriptStore, home: Home, clock: Clock) -> None:
        self._states = states
        self._transcripts = transcripts
        self._home = home
        self._clock = clock
        self._chosen = ""
        self._shown = ""
        self._loaded: tuple[Entry, StoredState] | None = None
        self._covered: tuple[tuple[Entry, int], int | None] | None = None
        """Bytes of the transcript covered by the document, with the key of this cached value."""

    def choose(self, session_id: str) -> None:
        """Show this session from now on; "" follows the newest one."""
        self._chosen = session_id
        self._shown = ""

    def sessions(self) -> list[Session]:
        """All sessions, most recently active first.

        Raises:
            FileProblem: the transcripts or the states cannot be listed.
        """
        transcripts = {each.session_id: each for each in reversed(self._transcripts.entries())}
        stored = {each.session_id: each.newest for each in self._states.sessions(transcripts.keys())}
        found = [
            Session(
                name,
                _active(stored.get(name), transcripts.get(name)),
                stored.get(name),
                transcripts.get(name),
            )
            for name in transcripts.keys() | stored.keys()
        ]
        return sorted(found, key=lambda each: (each.active, each.session_id), reverse=True)

    def current_view(self) -> StateView | DraftWanted:
        """The view of the current session; a draft is needed if it has no stored version.

        Raises:
            FileProblem: see `sessions`.
        """
        chosen = self._chosen
        sessions = self.sessions()
        if not sessions:
            return StateView(chosen=chosen)
        shown = self._current(sessions, chosen)
        transcript = shown.transcript
        view = StateView(
            session_id=shown.session_id,
            transcript=transcript.path if transcript else None,
            sessions=tuple(each.session_id for each in sessions),
            active=shown.active.replace(second=0, microsecond=0),
            chosen=chosen,
        )
        if shown.newest is not None:
            stored = self._load(shown.newest)
            return view._replace(
                state=stored.state,
                text=stored.text,
                written=stored.written,
                path=stored.path,
                problem=stored.problem and f"{stored.path.name} {stored.problem}",
                since=self._since(shown.newest, transcript),
            )
        assert transcript is not None
        return DraftWanted(transcript.path, transcript.signature, view._replace(reading=True))

    def _current(self, sessions: list[Session], chosen: str) -> Session:
        known = {each.session_id: each for each in sessions}
        if chosen in known:
            return known[chosen]
        newest, before = sessions[0], known.get(self._shown)
        stays = before is not None and self._clock() - before.active < _STAYS
        shown = before if before is not None and stays else newest
        self._shown = shown.session_id
        return shown

    def _load(self, entry: Entry) -> StoredState:
        if self._loaded is None or self._loaded[0] != entry:
            self._loaded = (entry, self._states.load(entry))
        return self._loaded[1]

    def _since(self, entry: Entry, transcript: Transcript | None) -> int:
        """Thousands of tokens added to the transcript since the document; 0 if unknown."""
        if transcript is None:
            return 0
        folder = entry.path.parent
        try:
            written = (folder / PROGRESS).stat().st_mtime_ns
        except OSError:
            return 0
        if self._covered is None or self._covered[0] != (entry, written):
            progress = read_progress(self._home, folder.name)
            known = progress is not None and progress.version == version_of(entry)
            self._covered = ((entry, written), progress.offset if progress and known else None)
        offset = self._covered[1]
        return 0 if offset is None else int(max(0, transcript.signature[1] - offset) / _TOKEN / 1000)


def _active(newest: Entry | None, transcript: Transcript | None) -> datetime:
    if transcript is not None:
        return datetime.fromtimestamp(transcript.mtime_ns / 1e9).astimezone()
    assert newest is not None
    return written_at(newest)
