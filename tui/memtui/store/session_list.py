"""The sessions of one project or of all, with summaries and the days until deletion."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from pathlib import Path

from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home, Places, Project
from memtui.store.archive import Archive, Kept
from memtui.store.archive_settings import archive_settings
from memtui.store.transcripts import Transcript, TranscriptStore, all_transcripts
from memtui.transcript.line_index import never
from memtui.transcript.session import SessionSummary, agent_transcripts, first_words, summarize

DEFAULT_DAYS = 30
"""Days for which Claude Code keeps a transcript (Claude Code fact)."""

_CACHE_LIMIT = 64 << 20
_SETTINGS_LIMIT = 1 << 20
_MOST_DAYS = 99_999
_VERSION = 2
"""The first version did not mask secrets."""


@dataclass(frozen=True)
class Session:
    """One session in the list."""

    session_id: str
    path: Path
    size: int
    """Bytes of its transcript."""
    written: datetime
    """Time of its last line; for a deleted one not read yet, of the archive's last update."""
    days_left: int | None
    """Until Claude Code deletes it; None if it is deleted."""
    summary: SessionSummary
    agents: int = 0
    """Number of its subagents' transcripts."""
    archived: bool = False
    """Whether the archive has a whole copy."""
    incomplete: bool = False
    """Whether the archive's copy is not whole."""
    kept: Kept | None = None
    """The archived copy, if Claude Code has deleted the session."""

    @property
    def name(self) -> str:
        """Its title, else the first prompt."""
        return self.summary.title or self.summary.first_ask

    def ran_in(self, root: Path) -> str:
        """Where it was started: "" in the project's root, else below it, or the end of another path."""
        folder = Path(self.summary.folder or root)
        for each in (root, Path(os.path.realpath(root))):
            if folder.is_relative_to(each):
                return folder.relative_to(each).as_posix().removeprefix(".")
        return "/".join(folder.parts[-2:])


@dataclass(frozen=True)
class Agent:
    """The transcript of a subagent."""

    name: str
    path: Path
    size: int
    """Bytes."""
    written: datetime
    task: str
    """The first words of its task."""


def agents_of(transcript: Path) -> list[Agent]:
    """The subagents of a session with transcripts of their own, oldest first."""
    found = []
    for name, path in agent_transcripts(transcript, ()):
        with suppress(OSError):  # deleted meanwhile
            status = path.stat()
            written = datetime.fromtimestamp(status.st_mtime).astimezone()
            found.append(Agent(name, path, status.st_size, written, first_words(path)))
    return sorted(found, key=lambda each: each.written)


class SessionList:
    """Lists sessions; summaries are cached, so that only additions to a transcript are read."""

    def __init__(self, project: Project, home: Home, config: Path, clock: Clock) -> None:
        self._store = TranscriptStore(project, config)
        self._archive = Archive(home, clock)
        self._home = home
        self._config = config
        self._clock = clock
        self._known: dict[str, tuple[int, SessionSummary]] | None = None

    def entries(self, *, everywhere: bool = False) -> list[Session]:
        """The sessions, last written first, with their cached summaries.

        Args:
            everywhere: include all projects.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        copies = self._archive.entries()
        found = all_transcripts(self._config) if everywhere else self._store.entries()
        kept = {(each.folder, each.session_id): each for each in copies}
        live = [
            self._live(each, kept.pop((each.path.parent.name, each.session_id), None), everywhere=everywhere)
            for each in found
        ]
        listed = [*live, *self._deleted(kept.values(), everywhere=everywhere)]
        return sorted(listed, key=lambda each: each.written, reverse=True)

    def _live(self, found: Transcript, kept: Kept | None, *, everywhere: bool) -> Session:
        now = self._clock()
        days = cleanup_days(self._config, None if everywhere else self._store.project.root)
        written = datetime.fromtimestamp(found.mtime_ns / 1e9, now.tzinfo)
        _, size, inode = found.signature
        known_inode, summary = self._remembered().get(str(found.path), (inode, SessionSummary()))
        return Session(
            found.session_id,
            found.path,
            size,
            written,
            days_left(written, now, days),
            summary if known_inode == inode else SessionSummary(),
            archived=kept is not None and not kept.problem,
            incomplete=kept is not None and bool(kept.problem),
        )

    def _deleted(self, copies: Iterable[Kept], *, everywhere: bool) -> Iterator[Session]:
        """The sessions that only the archive has."""
        known = self._remembered()
        ours = {each.name for each in (self._store.folder(), *self._store.folders())}
        for each in copies:
            if each.at is None or each.is_live or not (everywhere or each.folder in ours):
                continue
            _, summary = known.get(str(each.stem), (0, SessionSummary()))
            written, whole = parse_iso(summary.ended) or each.at, not each.problem
            yield Session(
                each.session_id, each.source, each.size, written, None, summary, 0, whole, not whole, each
            )

    def completed(self, session: Session, cancelled: Callable[[], bool] = never) -> Session:
        """A session with its full summary; only the new part of the transcript is read.

        Raises:
            FileProblem: the copy of a deleted session cannot be unpacked.
            OSError: the transcript cannot be read.
        """
        if session.incomplete and session.kept is not None:
            return session
        if session.kept is not None:
            return self._unpacked(session, session.kept, cancelled)
        known = self._remembered()
        status = session.path.stat()
        inode, summary = known.get(str(session.path), (status.st_ino, SessionSummary()))
        if inode != status.st_ino or summary.end != status.st_size:
            summary = summarize(
                session.path, summary if inode == status.st_ino else SessionSummary(), cancelled
            )
            known[str(session.path)] = (status.st_ino, summary)
        agents = sum(1 for _ in agent_transcripts(session.path, ()))
        return replace(session, size=status.st_size, summary=summary, agents=agents)

    def _unpacked(self, session: Session, kept: Kept, cancelled: Callable[[], bool]) -> Session:
        known, name = self._remembered(), str(kept.stem)
        _, summary = known.get(name, (0, SessionSummary()))
        if summary.end != session.size:
            summary = replace(
                summarize(self._archive.readable(kept), SessionSummary(), cancelled), end=session.size
            )
            known[name] = (0, summary)
        written = parse_iso(summary.ended) or session.written
        return replace(session, written=written, summary=summary, agents=len(self._archive.agents_of(kept)))

    def remember(self) -> None:
        """Save the summaries; nothing is lost when that fails."""
        known = self._remembered()
        here = {path: known[path] for path in known if Path(path).exists() or Path(f"{path}.index").exists()}
        rows = {path: [inode, asdict(summary)] for path, (inode, summary) in here.items()}
        data = json.dumps({"version": _VERSION, "sessions": rows}, ensure_ascii=True).encode()
        with suppress(FileProblem, OSError):
            private_parents(self._home.cache)
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


def size_text(size: int) -> str:
    """A size for people: ``1.2 MB``."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


SOON = 10
"""Days before the deletion of a session at which the app archives it."""


def archive_ending_sessions(places: Places, clock: Clock) -> list[FileProblem]:
    """Archive the project's sessions that will be deleted soon, if that is wanted, and say why some were not.

    Raises:
        FileProblem: the settings cannot be read, or Claude Code's folder cannot be listed.
    """
    settings = archive_settings(places.home)
    if not settings.keep:
        return []
    archive, failed = Archive(places.home, clock), list[FileProblem]()
    for session in SessionList(places.project, places.home, places.claude, clock).entries():
        if session.days_left is not None and session.days_left <= SOON:
            try:
                archive.keep(session.path, settings)
            except FileProblem as problem:
                failed.append(problem)
    return failed


def cleanup_days(config: Path, project: Path | None = None) -> int:
    """The days that Claude Code keeps a transcript: read from its settings, never changed.

    Args:
        config: Claude Code's configuration folder.
        project: the project's folder, whose settings take precedence.
    """
    places = [config / "settings.json"]
    if project is not None:
        places += [project / ".claude" / "settings.json", project / ".claude" / "settings.local.json"]
    days = DEFAULT_DAYS
    for place in places:
        days = _stated(place) or days
    return days


def _stated(path: Path) -> int:
    try:
        if not path.is_file() or path.stat().st_size > _SETTINGS_LIMIT:
            return 0
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return 0
    days = value.get("cleanupPeriodDays") if isinstance(value, dict) else None
    return days if type(days) is int and 0 < days <= _MOST_DAYS else 0


def days_left(written: datetime, now: datetime, days: int) -> int:
    """Whole days until a transcript last written at `written` is deleted; 0 if it is due."""
    try:
        return max(0, math.ceil((written + timedelta(days=days) - now) / timedelta(days=1)))
    except OverflowError:
        return days
