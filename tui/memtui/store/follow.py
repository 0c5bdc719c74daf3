"""Following a project's running sessions: deciding when new versions of state documents are due.

It polls file sizes, which is cheap and works on every file system. Several followers may run at once (the
app, ``memtui compactor``, the hooks' server); the first one writes a version, the others skip it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.state_updates import update_state
from memtui.store.states import StoredState
from memtui.store.transcripts import Transcript, TranscriptStore

GROWTH = 256 << 10
"""Bytes after which a version is due while a session goes on: some 20,000 tokens. In 36 real transcripts a
token of context came with 13 bytes of transcript (6 to 18)."""

PAUSE = 30.0
"""Seconds without a new line after which a session counts as paused."""


@dataclass(slots=True)
class _Seen:
    """A transcript at the last poll."""

    size: int
    since: float
    """Time of its last growth, on the clock of `due`."""
    covered: int
    """The size covered by its state document."""


class Follower:
    """Decides which sessions are due, from the sizes and times passed to `due`."""

    def __init__(self, *, growth: int = GROWTH, pause: float = PAUSE) -> None:
        """Make a follower.

        Args:
            growth: bytes after which a version is due at once.
            pause: seconds without growth after which one is due for any addition.
        """
        self._growth = growth
        self._pause = pause
        self._seen: dict[str, _Seen] | None = None

    def due(self, sizes: Mapping[str, int], now: float) -> list[str]:
        """The sessions that are due, in the order given.

        At the first call only the first session is due, as the coverage of its document is unknown; the
        others become due when they grow.

        Args:
            sizes: bytes of each session's transcript, the newest session first.
            now: seconds of a monotonic clock.
        """
        before = self._seen
        self._seen = {session: self._at(session, size, now) for session, size in sizes.items()}
        if before is None:
            for seen in list(self._seen.values())[1:]:
                seen.covered = seen.size
            return list(self._seen)[:1]
        return [session for session, seen in self._seen.items() if self._is_due(seen, now)]

    def note(self, session: str, size: int) -> None:
        """Note that a session is up to date as of this size, or failed: only later growth counts."""
        if self._seen is not None and session in self._seen:
            self._seen[session].covered = size

    def _at(self, session: str, size: int, now: float) -> _Seen:
        seen = (self._seen or {}).get(session)
        if seen is None:
            return _Seen(size, now, covered=0)
        if seen.size == size:
            return seen
        # A transcript never shrinks: a smaller one is a new one.
        return _Seen(size, now, covered=seen.covered if size > seen.covered else 0)

    def _is_due(self, seen: _Seen, now: float) -> bool:
        new = seen.size - seen.covered
        return new >= self._growth or (new > 0 and now - seen.since >= self._pause)


@dataclass(frozen=True, slots=True)
class Followed:
    """The result for a session that was due."""

    session_id: str
    stored: StoredState | None = None
    """The written version; None if there was nothing new."""
    problem: str = ""
    """Why it could not be brought up to date: one sentence without its full stop."""


class Following:
    """Keeps the state documents of a project's sessions up to date, one `step` at a time."""

    def __init__(
        self,
        places: Places,
        *,
        follower: Follower | None = None,
        update: Callable[..., StoredState | None] = update_state,
    ) -> None:
        self._places = places
        self._follower = follower or Follower()
        self._update = update
        self._transcripts = TranscriptStore(places.project, places.claude)

    def step(self, now: float, cancelled: Callable[[], bool] | None = None) -> Iterator[Followed]:
        """Poll once, and update the sessions that are due.

        Args:
            now: seconds of a monotonic clock.
            cancelled: see `update_state`.

        Raises:
            FileProblem: the transcripts cannot be listed.
            ReadingCancelledError: `cancelled` returned True.
        """
        transcripts = {each.session_id: each for each in self._transcripts.entries()}
        for session in self._follower.due({name: _size(each) for name, each in transcripts.items()}, now):
            transcript = transcripts[session]
            try:
                stored = self._update(self._places, transcript=transcript.path, cancelled=cancelled)
                followed = Followed(session, stored)
            except FileProblem as problem:
                followed = Followed(session, problem=str(problem))
            self._follower.note(session, _size(transcript))
            yield followed


def _size(transcript: Transcript) -> int:
    return transcript.signature[1]
