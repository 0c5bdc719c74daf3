"""Sessions of one project or of all: listed with summaries, what has come out of each, and resumed."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel

from memtui.documents.capture import Capture
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home, Places, Project, object_in, settings_paths
from memtui.store.archive import Archive, Kept
from memtui.store.archive_settings import archive_settings
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry, heads_of, stored_as
from memtui.store.memories import Listed, MemoryFiles, stored_entries
from memtui.store.transcripts import TranscriptStore, all_transcripts, first_cwd
from memtui.transcript.records import CompactionFact
from memtui.transcript.session import SessionSummary, agent_transcripts, first_words, summarize


@dataclass(frozen=True)
class Session:
    """One session in the list."""

    session_id: str
    path: Path
    size: int
    written: datetime
    """Time of its last line; for a deleted one not read yet, of the archive's last update."""
    days_left: int | None
    """Until Claude Code deletes it; None if it is deleted."""
    summary: SessionSummary
    agents: int = 0
    archived: bool = False
    """Whether the archive has a whole copy."""
    incomplete: bool = False
    """Whether the archive's copy is not whole."""
    kept: Kept | None = None
    """The archived copy, if Claude Code has deleted the session."""

    @property
    def name(self) -> str:
        return self.summary.name

    def ran_in(self, root: Path) -> str:
        """Where it was started: "" in the project's root, else below it, or the end of another path."""
        folder = Path(self.summary.folder or root)
        for each in (root, Path(os.path.realpath(root))):
            if folder.is_relative_to(each):
                return folder.relative_to(each).as_posix().removeprefix(".")
        return "/".join(folder.parts[-2:])


def unnamed(session: Session) -> str:
    """What stands for a name: until the session is read its id, then where nothing was asked."""
    if not session.summary.end:
        return session.session_id[:8]
    return f"nothing asked on {clean_line(session.summary.branch)}".removesuffix(" on ")


class Agent(NamedTuple):
    """The transcript of a subagent."""

    name: str
    path: Path
    size: int
    written: datetime
    task: str


def agents_of(transcript: Path) -> list[Agent]:
    """The subagents of a session with transcripts of their own, oldest first."""
    found = []
    for name, path in agent_transcripts(transcript, ()):
        with suppress(OSError):  # deleted meanwhile
            status = path.stat()
            written = datetime.fromtimestamp(status.st_mtime).astimezone()
            found.append(Agent(name, path, status.st_size, written, first_words(path)))
    return sorted(found, key=lambda each: each.written)


class _Cache(BaseModel):
    """The summaries by the paths of their transcripts, each with the transcript's inode."""

    version: Literal[4]
    sessions: dict[str, tuple[int, SessionSummary]]


class SessionList:
    """Lists sessions; summaries are cached until their transcript changes."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self._store = TranscriptStore(places.project, places.claude)
        self._archive = Archive(places.home)
        self._home = places.home
        self._config = places.claude
        self._clock = clock

    def entries(self, *, everywhere: bool = False) -> list[Session]:
        """The sessions of the project, or of all, last written first, with their cached summaries."""
        now, root = self._clock(), None if everywhere else self._store.project.root
        days = cleanup_days(self._config, root)
        kept = {(each.folder, each.session_id): each for each in self._archive.entries()}
        listed = []
        for found in all_transcripts(self._config) if everywhere else self._store.entries():
            copy = kept.pop((found.path.parent.name, found.session_id), None)
            path, written = found.path, found.written
            summary, left = self._summary(path, found.inode), days_left(written, now, days)
            if not everywhere:
                written = self._store.written(found)
            elif summary.end == found.size:
                written = _last(summary, written)
            session = Session(found.session_id, path, found.size, written, left, summary)
            if copy is not None:
                session = replace(session, archived=not copy.problem, incomplete=bool(copy.problem))
            listed.append(session)
        listed += self._deleted(kept.values(), everywhere=everywhere)
        return sorted(listed, key=lambda each: each.written, reverse=True)

    def _deleted(self, copies: Iterable[Kept], *, everywhere: bool) -> Iterator[Session]:
        """The sessions that only the archive has."""
        ours = {each.name for each in (self._store.folder(), *self._store.folders())}
        for each in copies:
            if each.at is None or each.is_live or not (everywhere or each.folder in ours):
                continue
            summary = self._summary(each.stem, 0)
            written, whole = parse_iso(summary.ended) or each.at, not each.problem
            yield Session(
                each.session_id, each.source, each.size, written, None, summary, 0, whole, not whole, each
            )

    def _summary(self, path: Path, inode: int) -> SessionSummary:
        """The cached summary of a transcript, empty without one."""
        known_inode, summary = self._known.get(str(path), (inode, SessionSummary()))
        return summary if known_inode == inode else SessionSummary()

    def completed(self, session: Session, cancelled: Callable[[], bool] = lambda: False) -> Session:
        """A session with its full summary; raises `OSError` if the transcript cannot be read."""
        kept = session.kept
        if kept is None:
            status = session.path.stat()
            path, inode, size = session.path, status.st_ino, status.st_size
            agents = sum(1 for _ in agent_transcripts(path, ()))
        elif session.incomplete:
            return session
        else:
            path, inode, size, agents = kept.stem, 0, session.size, len(kept.copies) - 1
        summary = self._summary(path, inode)
        if summary.end != size:
            readable = self._archive.readable(kept) if kept else path
            summary = replace(summarize(readable, cancelled), end=0 if cancelled() else size)
            self._known[str(path)] = (inode, summary)
        written = _last(summary, session.written)
        return replace(session, size=size, written=written, summary=summary, agents=agents)

    def remember(self) -> None:
        """Save the summaries; nothing is lost when that fails."""
        known = self._known
        here = {path: known[path] for path in known if Path(path).exists() or Path(f"{path}.index").exists()}
        with suppress(FileProblem, OSError, ValueError):  # half a character in a path
            data = _Cache(version=4, sessions=here).model_dump_json().encode()
            private_parents(self._home.cache)
            write_atomic(self._home.session_cache, data, within=self._home.cache)

    @cached_property
    def _known(self) -> dict[str, tuple[int, SessionSummary]]:
        with suppress(FileProblem, OSError, ValueError):
            data = read_within(self._home.session_cache, self._home.cache, limit=64 << 20)
            return _Cache.model_validate_json(data).sessions
        return {}


def _last(summary: SessionSummary, written: datetime) -> datetime:
    """The time of the last record: a file that was copied is newer."""
    return min(parse_iso(summary.ended) or written, written)


def size_text(size: int) -> str:
    """A size for people: ``1.2 MB``."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


SOON = 10  # days before the deletion of a session at which the app archives it


def archive_ending_sessions(places: Places, clock: Clock) -> list[FileProblem]:
    """If that is wanted, archive the project's sessions that will be deleted soon; returns the failures."""
    settings = archive_settings(places.home)
    if not settings.keep:
        return []
    archive, failed = Archive(places.home), list[FileProblem]()
    for session in SessionList(places, clock).entries():
        if session.days_left is not None and session.days_left <= SOON:
            try:
                archive.keep(session.path, settings)
            except FileProblem as problem:
                failed.append(problem)
    return failed


def cleanup_days(config: Path, project: Path | None = None) -> int:
    """The days that Claude Code keeps a transcript, by its settings; those of a project take precedence."""
    days = 30  # its default (Claude Code fact)
    for path in settings_paths(config, project) if project else (config / "settings.json",):
        stated = object_in(path).get("cleanupPeriodDays")
        days = stated if type(stated) is int and 0 < stated <= 99_999 else days
    return days


def days_left(written: datetime, now: datetime, days: int) -> int:
    """Whole days until a transcript last written at `written` is deleted; 0 if it is due."""
    return max(0, math.ceil((written + timedelta(days=days) - now) / timedelta(days=1)))


class Captured(NamedTuple):
    """A capture, and the memory stored by its review."""

    entry: Entry
    capture: Capture
    memories: tuple[Listed, ...] = ()


class Branch(NamedTuple):
    """A compaction with its captures."""

    compaction: CompactionFact
    captures: tuple[Captured, ...] = ()


class SessionTree(NamedTuple):
    """All results of one session, oldest first."""

    branches: tuple[Branch, ...] = ()
    captures: tuple[Captured, ...] = ()
    """Captures without a compaction in the transcript."""
    memories: tuple[Listed, ...] = ()
    """Memories that no review of a capture stored."""


def session_tree(
    project: Project,
    home: Home,
    session_id: str,
    compactions: Sequence[CompactionFact],
    cancelled: Callable[[], bool] = lambda: False,
) -> SessionTree:
    """The results of a session of a project, with its compactions, oldest first; fewer once `cancelled`."""
    store, memories = CaptureStore(project), MemoryFiles(project, home)
    stored = _naming(session_id, stored_entries(memories.folder), memories.folder, cancelled)
    made = {entry.name: memories.head(entry.path) for entry in reversed(list(stored))}
    reviews = {each.name: each for each in memories.file_entries()}
    captures = []
    for entry in reversed(list(_naming(session_id, store.entries(), project.root, cancelled))):
        with suppress(FileProblem):
            capture = store.load(entry)
            if capture.session_id == session_id:
                # The memory stored by its review, else its memory file.
                file = [reviews[capture.memory]] if capture.memory in reviews else []
                names = stored_as(file, project.root)
                found = tuple(made.get(name) or memories.head(each.path) for each, name in names)
                captures.append(Captured(entry, capture, found))
    captured = {each.path.name for capture in captures for each in capture.memories}
    rest = list(captures)
    branches = []
    for compaction in compactions:
        # Its boundary is only written at its end.
        done = parse_iso(compaction.source.timestamp)
        own = [each for each in rest if done is not None and each.capture.timestamp <= done]
        rest = [each for each in rest if each not in own]
        branches.append(Branch(compaction, tuple(own)))
    others = tuple(each for name, each in made.items() if name not in captured)
    return SessionTree(tuple(branches), tuple(rest), others)


def _naming(
    session_id: str, entries: Iterable[Entry], within: Path, cancelled: Callable[[], bool]
) -> Iterator[Entry]:
    """The files whose beginning names the session."""
    name = os.fsencode(session_id)
    for entry, head in heads_of(entries, within, 1024):
        if cancelled():
            return
        if head and name in head:
            yield entry


class Resumable(NamedTuple):
    """A session that Claude Code can resume."""

    session_id: str
    folder: str = ""
    """The folder it was started in, the only one where Claude Code finds it; "" if unknown."""
    kept: Kept | None = None
    """The archived copy that has to be restored first, if Claude Code has deleted the session."""


def resumable(home: Home, transcript: Path) -> Resumable:
    """The session of a transcript: a session's own, a subagent's, or one unpacked from the archive."""
    subagent = transcript.parent.name == "subagents"
    session_id = transcript.parent.parent.name if subagent else transcript.stem
    kept = None
    if transcript.is_relative_to(home.cache) or not transcript.is_file():
        with suppress(FileProblem):
            archive = Archive(home)
            kept = archive.find(session_id)
            transcript = archive.readable(kept)
    return Resumable(session_id, str(first_cwd(transcript) or ""), kept)


NOT_RESUMED = "Claude Code resumes only sessions named by a UUID"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def resume_command(session_id: str, *, fork: bool = False) -> tuple[str, ...]:
    """The command line that resumes a session, or a copy of it (`fork`); () if its name is no UUID.

    The name is that of a file, which anyone may have written: it might be an option of `claude`.
    """
    if not _UUID.fullmatch(session_id):
        return ()
    words = ("claude", "--resume", session_id)
    return (*words, "--fork-session") if fork else words


def typed_command(session_id: str, folder: str, *, fork: bool = False) -> str:
    """The same for typing in a shell: in the session's folder, where Claude Code finds it; "" likewise."""
    command = shlex.join(resume_command(session_id, fork=fork))
    return f"cd {shlex.quote(folder)} && {command}" if folder and command else command


def session_folder(folder: str, root: Path) -> Path:
    """The folder to resume a session in: its own if it still exists, else the project's."""
    where = Path(folder) if folder else root
    return where if where.is_dir() else root
