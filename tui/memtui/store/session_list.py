"""The sessions of a project, or of all: what is in them, and how long they will be there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from memtui.clock import Clock
from memtui.files import FileProblem, read_within, write_atomic
from memtui.project import Home, Project
from memtui.reading.line_index import never
from memtui.reading.session_summary import SessionSummary, summarize
from memtui.reading.subagents import agent_transcripts
from memtui.store.retention import cleanup_days, days_left
from memtui.store.transcripts import TranscriptStore, all_transcripts

_CACHE_LIMIT = 64 << 20
_VERSION = 1


@dataclass(frozen=True)
class Session:
    """One session in the list."""

    session_id: str
    path: Path
    size: int
    """Bytes of its transcript."""
    written: datetime
    """When its last line was written."""
    days_left: int
    """Until Claude Code deletes it."""
    summary: SessionSummary
    agents: int = 0
    """Transcripts of subagents beside it."""

    @property
    def name(self) -> str:
        """Its title, else what was asked first."""
        return self.summary.title or self.summary.first_ask


class SessionList:
    """Lists sessions; what a transcript says is remembered, and only what was added to it is read again."""

    def __init__(self, project: Project, home: Home, config: Path, clock: Clock) -> None:
        self._store = TranscriptStore(project, config)
        self._home = home
        self._config = config
        self._clock = clock
        self._known: dict[str, tuple[int, SessionSummary]] | None = None

    def entries(self, *, everywhere: bool = False) -> list[Session]:
        """The sessions, last written first, with what is known of each so far.

        Args:
            everywhere: those of all projects.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        known = self._remembered()
        days = cleanup_days(self._config, None if everywhere else self._store.project.root)
        now = self._clock()
        found = all_transcripts(self._config) if everywhere else self._store.entries()
        listed = []
        for each in found:
            written = datetime.fromtimestamp(each.mtime_ns / 1e9, now.tzinfo)
            inode, summary = known.get(str(each.path), (each.signature[2], SessionSummary()))
            if inode != each.signature[2]:
                summary = SessionSummary()
            size = each.signature[1]
            listed.append(
                Session(each.session_id, each.path, size, written, days_left(written, now, days), summary)
            )
        return listed

    def completed(self, session: Session, cancelled: Callable[[], bool] = never) -> Session:
        """A session with all that its transcript says; reads only what is not known yet.

        Raises:
            OSError: the transcript cannot be read.
        """
        known = self._remembered()
        status = session.path.stat()
        inode, summary = known.get(str(session.path), (status.st_ino, SessionSummary()))
        if inode != status.st_ino or summary.end != status.st_size:
            summary = summarize(
                session.path, summary if inode == status.st_ino else SessionSummary(), cancelled
            )
            known[str(session.path)] = (status.st_ino, summary)
        agents = sum(1 for _ in agent_transcripts(session.path, ()))
        return Session(
            session.session_id,
            session.path,
            status.st_size,
            session.written,
            session.days_left,
            summary,
            agents,
        )

    def remember(self) -> None:
        """Keep what was read for the next time; nothing is lost when that fails."""
        here = {path: each for path, each in self._remembered().items() if Path(path).exists()}
        rows = {path: [inode, asdict(summary)] for path, (inode, summary) in here.items()}
        data = json.dumps({"version": _VERSION, "sessions": rows}, ensure_ascii=True).encode()
        with suppress(FileProblem, OSError):
            self._home.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(self._home.session_cache, data, within=self._home.cache)

    def _remembered(self) -> dict[str, tuple[int, SessionSummary]]:
        if self._known is None:
            self._known = {}
            with suppress(
                FileProblem, OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError
            ):
                data = read_within(self._home.session_cache, self._home.cache, limit=_CACHE_LIMIT)
                self._known = dict(_rows(json.loads(data)))
        return self._known


_FIELDS = frozenset(each.name for each in fields(SessionSummary))


def _rows(kept: dict[str, object]) -> Iterable[tuple[str, tuple[int, SessionSummary]]]:
    sessions = kept["sessions"] if kept.get("version") == _VERSION else {}
    assert isinstance(sessions, dict)
    for path, (inode, given) in sessions.items():
        if set(given) == _FIELDS:
            yield path, (inode, SessionSummary(**{**given, "files": tuple(given["files"])}))
