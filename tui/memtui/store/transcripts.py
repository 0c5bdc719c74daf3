"""Finding Claude Code's transcripts, of a project or of all, and checking the paths that a file names.

Claude Code keeps them in ``<config>/projects/<slug>/<session id>.jsonl``, the slug being made from the
folder in which a session was started. Different folders can have the same slug, long ones are cut, and the
folder can be renamed by ``CLAUDE_CODE_PROJECT_DIR_NAME``; the lines of a transcript name the real folder.
Standard library only, as hooks check paths.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem, head_within
from memtui.ground.project import SLUG_LENGTH, Home, Project, claude_config, find_root, transcript_slug
from memtui.store.listing import ANY_NAME, Entry, scan

_SESSION = re.compile(r"(?!agent-)[^.].*\.jsonl")
"""A session's own transcript; ``agent-*.jsonl`` are those of its subagents."""

_TRANSCRIPT = re.compile(r"[^.].*\.jsonl")
_AGENT = re.compile(r"agent-.*\.jsonl")
_KEPT = re.compile(r"[^.].*\.\d{1,6}\.index")
_SUBAGENTS = "subagents"
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([\w-]{1,100})"')
_HEAD = 8 << 10  # bytes that hold the first line of an archive's index, or name a transcript's session
_START = 64 << 10  # number of bytes that are searched for the first working folder of a transcript
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')


class TranscriptStore:
    """The transcripts of one project, also of sub-folders and from before a move."""

    def __init__(self, project: Project, config: Path) -> None:
        self.project = project
        self.config = config
        self._roots = (Path(os.path.realpath(project.root)), project.root.absolute())
        self._cwds: dict[tuple[Path, int], Path | None] = {}
        self._written: dict[Path, tuple[Entry, datetime]] = {}

    def folder(self) -> Path:
        """The folder in which Claude Code keeps this project's transcripts; it may not exist yet."""
        # Of a long name only the beginning is known; folder names have at most 255 characters.
        return self.config / "projects" / transcript_slug(self._roots[0])[:SLUG_LENGTH]

    def entries(self) -> list[Entry]:
        """The project's transcripts, last written first; none if Claude Code was never used here."""
        found = (each for folder in self.folders() for each in _sessions(folder) if self._is_ours(each))
        return sorted(found, key=lambda each: (self.written(each), each.session_id), reverse=True)

    def projects_below(self) -> list[Path]:
        """The projects in a folder that holds several and is none itself, last used first; else none."""
        if find_root(self._roots[0] / ".claude") == self._roots[0]:
            return []  # it is one itself, and no transcript has to be read
        folders = [self._cwd(each) for each in self.entries()]
        if not all(folder and any(map(folder.is_relative_to, self._roots)) for folder in folders):
            return []  # a session of its own that is just starting, or from before a move
        found = list(dict.fromkeys(find_root(folder) for folder in folders if folder))
        return found if len(found) > 1 and self._roots[0] not in found else []

    def written(self, transcript: Entry) -> datetime:
        """When its last record was written: a file that was copied is newer."""
        from memtui.transcript.session import last_time

        known, at = self._written.get(transcript.path, (None, transcript.written))
        if known != transcript:
            at = transcript.written
            with suppress(OSError):
                at = min(parse_iso(last_time(transcript.path)) or at, at)
            self._written[transcript.path] = transcript, at
        return at

    def folders(self) -> list[Path]:
        """The folders that may hold transcripts of this project and of its sub-folders."""
        slugs = {transcript_slug(root) for root in self._roots}
        folders = scan(self.config / "projects", ANY_NAME)
        starts = tuple(slug[:SLUG_LENGTH] if len(slug) > SLUG_LENGTH else f"{slug}-" for slug in slugs)
        likely = [each.path for each in folders if each.name in slugs or each.name.startswith(starts)]
        if likely:
            return likely
        # Renamed by CLAUDE_CODE_PROJECT_DIR_NAME: a transcript in the folder shows it.
        newest = [each for folder in folders for each in _newest_first(_sessions(folder.path))[:1]]
        return [each.path.parent for each in newest if self._cwd(each) is not None and self._is_ours(each)]

    def _is_ours(self, transcript: Entry) -> bool:
        cwd = self._cwd(transcript)
        if cwd is not None and any(cwd.is_relative_to(root) for root in self._roots):
            return True
        # Another folder is named in the project's own one after a move, or by another project of that slug;
        # none by a session that is just starting.
        name = transcript.path.parent.name
        own = name in {transcript_slug(root) for root in self._roots}
        return own and (cwd is None or transcript_slug(cwd) != name)

    def _cwd(self, transcript: Entry) -> Path | None:
        """The folder the session was started in, from the head of its transcript; it never changes."""
        key = (transcript.path, transcript.inode)
        if self._cwds.get(key) is None:
            self._cwds[key] = first_cwd(transcript.path)
        return self._cwds[key]


def all_transcripts(config: Path) -> list[Entry]:
    """The transcripts of every project, last written first; none if Claude Code was never used."""
    folders = scan(config / "projects", ANY_NAME)
    return _newest_first(each for folder in folders for each in _sessions(folder.path))


def _newest_first(found: Iterable[Entry]) -> list[Entry]:
    return sorted(found, key=lambda each: (each.mtime_ns, each.session_id), reverse=True)


def _sessions(folder: Path) -> list[Entry]:
    with suppress(FileProblem):  # not a folder, or unreadable
        return scan(folder, _SESSION)
    return []


def first_cwd(path: Path) -> Path | None:
    """The folder a session was started in, from the head of its transcript."""
    with suppress(FileProblem):
        return cwd_in(head_within(path, path.parent, size=_START))
    return None


def cwd_in(head: bytes) -> Path | None:
    match = _CWD.search(head, 0, _START)
    with suppress(ValueError):  # an escape that JSON does not know
        if match and (folder := json.loads(match[1])):
            return Path(folder)
    return None


class TranscriptProblem(FileProblem):
    """A transcript is missing, or not opened for safety."""


class TranscriptGone(TranscriptProblem):
    """Claude Code has deleted it; the archive may have a copy."""


def check_transcript(path: str | Path, config: Path | None = None) -> Path:
    """Check a transcript's path that was read from a file; `TranscriptGone` if there is none.

    Only Claude Code's own files are opened: regular ``.jsonl`` files of this user under its folder. A capture
    may come with a cloned repository and name any file of this machine.
    """
    text = os.fspath(path).strip()
    config = config if config is not None else claude_config()
    if not text or "\0" in text:
        raise TranscriptProblem("the transcript", "is not named in the capture")
    where = Path(text).expanduser() if text.startswith("~/") else Path(text)
    if where.suffix != ".jsonl" or not where.is_absolute():
        raise TranscriptProblem(where, "is not the path of a transcript (absolute, ending in .jsonl)")
    real = Path(os.path.realpath(where))
    if not real.is_relative_to(os.path.realpath(config)) or real.suffix != ".jsonl":
        raise TranscriptProblem(where, f"is not opened, because it lies outside {config}")
    try:
        status = os.lstat(real)
    except OSError as error:
        reason = "is gone; Claude Code deletes transcripts after 30 days (setting cleanupPeriodDays)"
        raise TranscriptGone(where, reason) from error
    if not stat.S_ISREG(status.st_mode):
        raise TranscriptProblem(where, "is not a regular file")
    if os.geteuid() not in (0, status.st_uid):
        raise TranscriptProblem(where, "belongs to another user")
    return real


class Sources:
    """Lists all transcripts by their paths, also subagents'; archived ones have the entry of their index."""

    def __init__(self, home: Home, config: Path) -> None:
        self._archive = home.archive
        self._config = config
        self._kept: dict[Entry, str] = {}
        """Archived copies already examined, with their original paths."""

    def entries(self) -> dict[str, Entry]:
        """All live transcripts, and the newest copies of deleted ones."""
        found: dict[str, Entry] = {}
        for folder in scan(self._config / "projects", ANY_NAME):
            top = os.fspath(folder.path)
            for each in _below(top, _TRANSCRIPT):
                path = f"{each.folder}{os.sep}{each.name}"
                of_agent = f"{os.sep}{_SUBAGENTS}" in each.folder and _AGENT.fullmatch(each.name)
                # SQLite cannot hold other names than UTF-8, and Claude Code gives none.
                if (each.folder == top or of_agent) and is_text(path):
                    found[path] = each
        newest: dict[str, tuple[int, Entry]] = {}
        for entry in _below(self._archive, _KEPT):
            name, number, _ = entry.name.rsplit(".", 2)
            place = f"{entry.folder}{os.sep}{name}"
            newest[place] = max(newest.get(place, (0, entry)), (int(number), entry))
        known, self._kept = self._kept, {}
        for _, entry in reversed(newest.values()):
            source = self._kept[entry] = known[entry] if entry in known else _copied(entry.path)
            if source:
                found.setdefault(source, entry)
        return found


def is_archived(entry: Entry) -> bool:
    return _KEPT.fullmatch(entry.name) is not None


def is_agent(path: Path) -> bool:
    return _AGENT.fullmatch(path.name) is not None


def session_of(path: Path, entry: Entry) -> str:
    """The session that a transcript belongs to; `entry` is its file, or the archive's index file."""
    if not is_agent(path):
        return path.stem
    above = Path(entry.folder).parts[::-1]
    if _SUBAGENTS in above[:-1]:
        return above[above.index(_SUBAGENTS) + 1]
    with suppress(FileProblem):
        if named := _SESSION_ID.search(head_within(path, path.parent, size=_HEAD)):
            return named[1].decode()
    return path.stem


def _copied(index: Path) -> str:
    """The original path of an archived copy; "" if its index does not contain it."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        with index.open("rb") as file:
            head: Any = json.loads(file.readline(_HEAD))
        return str(head["source"])
    return ""


def is_text(path: str) -> bool:
    """Whether a path is UTF-8 throughout; other bytes of a name are lone surrogates in Python."""
    return path.isascii() or without_surrogates(path) == path


def _below(folder: Path | str, pattern: re.Pattern[str]) -> Iterator[Entry]:
    """The files in a folder and the folders in it that match, without following links."""
    for where, _, names in os.walk(folder):
        if any(map(pattern.fullmatch, names)):
            with suppress(FileProblem):  # unreadable
                yield from scan(where, pattern)
