"""Following a project's running sessions: deciding when new versions of state documents are due.

It polls file sizes, which is cheap and works on every file system. Several followers may run at once (the
app, ``memtui compactor``, the hooks' server); the first one writes a version, the others skip it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.state_updates import update_state
from memtui.store.states import StoredState
from memtui.store.transcripts import Transcript, TranscriptStore

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


class Followed(NamedTuple):
    """The result for a session that was due."""

    session_id: str
    stored: StoredState | None = None
    """The written version; None if there was nothing new."""
    problem: str = ""
    """Why it could not be brought up to date: one sentence without its full stop."""


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

    def step(self, now: float, cancelled: Callable[[], bool] | None = None) -> Iterator[Followed]:
        """Poll once, and update the sessions that are due; `now` is of a monotonic clock."""
        transcripts = {each.session_id: each for each in self._transcripts.entries()}
        for session in self.due({name: _size(each) for name, each in transcripts.items()}, now):
            transcript = transcripts[session]
            try:
                stored = self._update(self._places, transcript=transcript.path, cancelled=cancelled)
                followed = Followed(session, stored)
            except FileProblem as problem:
                followed = Followed(session, problem=str(problem))
            self.note(session, _size(transcript))
            yield followed

    def due(self, sizes: Mapping[str, int], now: float) -> list[str]:
        """The sessions that are due, of these with their transcripts' bytes, the newest first.

        At the first call only the first session is due, as the coverage of its document is unknown; the
        others become due when they grow.
        """
        before, self._seen = self._seen, {}
        for session, size in sizes.items():
            unknown = _Seen(size, now, 0 if before is not None or not self._seen else size)
            seen = (before or {}).get(session, unknown)
            if seen.size != size:  # a transcript never shrinks: a smaller one is a new one
                seen = _Seen(size, now, seen.covered if size > seen.covered else 0)
            self._seen[session] = seen
        if before is None:
            return list(self._seen)[:1]
        return [
            session
            for session, (size, since, covered) in self._seen.items()
            if size - covered >= self._growth or (size > covered and now - since >= self._pause)
        ]

    def note(self, session: str, size: int) -> None:
        """Note that a session is up to date as of this size, or failed: only later growth counts."""
        if self._seen is not None and session in self._seen:
            self._seen[session] = self._seen[session]._replace(covered=size)


def _size(transcript: Transcript) -> int:
    return transcript.signature[1]
