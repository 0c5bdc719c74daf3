"""The archive: compressed copies of transcripts, kept after Claude Code deletes the originals.

``archive/<project's folder>/<session>.<n>.index`` and ``.frames`` beside it; subagents' transcripts below
``<session>/subagents/``. A source that was truncated or rewritten gets the next `n`: copies are never
overwritten.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import FileProblem, existing_above, lock, private_folder, write_parts
from memtui.ground.files.problems import reading, writing
from memtui.ground.project import Home, transcript_slug
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.compressed_frames import (
    BrokenArchiveError,
    FramedFile,
    bytes_of,
    copies_of,
    framed_files,
    remove_framed,
)
from memtui.store.transcripts import HEAD, cwd_in, first_cwd
from memtui.transcript.subagents import agent_transcripts

UNPACKED = 1 << 30
"""Maximum size of unpacked sessions in the cache, in bytes."""

_STEM = re.compile(r"(?P<name>.+)\.(?P<number>\d{1,6})")
_FOLDER = re.compile(r"[^./\\][^/\\]{0,254}")


@dataclass(frozen=True)
class Kept:
    """One file of the archive, the newest copy of its transcript."""

    session_id: str
    folder: str
    """The name of the project's folder among Claude Code's."""
    source: Path
    stem: Path
    size: int
    packed: int
    at: datetime | None
    """Time of the last update."""
    problem: str = ""
    """Why it cannot be read; "" when it can."""

    @property
    def is_live(self) -> bool:
        """Whether Claude Code still has the transcript."""
        return os.path.isfile(self.source)  # noqa: PTH113 - Path.is_file raises where a folder is closed


class Archive:
    """Archives transcripts, and restores them byte for byte."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self.root = home.archive
        self._home = home
        self._clock = clock

    def keep(self, transcript: Path, settings: ArchiveSettings) -> int:
        """Add the new parts of a session's transcript, and of its subagents' transcripts.

        Returns:
            The number of added source bytes; -1 for a session that must not be kept.

        Raises:
            FileProblem: something cannot be read or written.
        """
        if not settings.keep or is_private(transcript, settings):
            return -1
        added = self._keep(transcript, self._place(transcript))
        for agent, path in agent_transcripts(transcript, ()):
            if _FOLDER.fullmatch(agent):
                added += self._keep(path, self._place(transcript) / "subagents" / path.stem)
        return added

    def _place(self, transcript: Path) -> Path:
        folder = transcript.parent.name
        return self.root / (folder if _FOLDER.fullmatch(folder) else "other") / transcript.stem

    def _keep(self, source: Path, place: Path) -> int:
        private_folder(place.parent, within=existing_above(self.root))
        with lock(place, timeout=30.0), reading(source), source.open("rb") as file:
            number, framed = self._newest(place)
            with writing(place):
                if not (framed.can_grow() and framed.is_start_of(file)):
                    framed = FramedFile(place.with_name(f"{place.name}.{number + 1}"))
                if os.fstat(file.fileno()).st_size == framed.size and framed.head:
                    return 0
                head = {"memtui": 1, "source": str(source), "at": self._clock().isoformat(timespec="seconds")}
                return framed.append(file, head)

    def _newest(self, place: Path) -> tuple[int, FramedFile]:
        """The newest readable copy, and its number; broken ones are left as they are."""
        names = [each.name for each in framed_files(place.parent) if each.parent == place.parent]
        found = [_STEM.fullmatch(name) for name in names]
        numbers = [int(each["number"]) for each in found if each and each["name"] == place.name]
        number = max(numbers, default=1)
        try:
            return number, FramedFile(place.with_name(f"{place.name}.{number}"))
        except BrokenArchiveError:
            return number + 1, FramedFile(place.with_name(f"{place.name}.{number + 1}"))

    def entries(self) -> list[Kept]:
        """The newest copy of each session, last updated first."""
        newest: dict[Path, tuple[int, Path]] = {}
        for stem in framed_files(self.root):
            found = _STEM.fullmatch(stem.name)
            if found is None or stem.parent.parent != self.root:
                continue
            place, number = stem.with_name(found["name"]), int(found["number"])
            newest[place] = max(newest.get(place, (0, stem)), (number, stem))
        listed = [_kept(place, stem) for place, (_, stem) in newest.items()]
        return sorted(listed, key=lambda each: each.at.timestamp() if each.at else 0.0, reverse=True)

    def find(self, session: str) -> Kept:
        """A kept session by its id, or the beginning of one.

        Raises:
            FileProblem: no session matches, or several do.
        """
        entries = self.entries()
        found = [each for each in entries if each.session_id == session]
        found = found or [each for each in entries if session and each.session_id.startswith(session)]
        if len(found) != 1:
            how_many = "several sessions that begin" if found else "no session whose id is or begins"
            raise FileProblem(self.root, f"has {how_many} like this: {session}")
        return found[0]

    def kept_at(self, source: Path) -> Kept | None:
        """The newest copy of a session's transcript, by its original path."""
        place = self._place(source)
        stems = [each for each in copies_of(place) if _name(each) == place.name]
        kept = _kept(place, max(stems, key=_number)) if stems else None
        same = kept is not None and os.path.realpath(kept.source) == os.path.realpath(source)
        return kept if same else None

    def folder_of(self, kept: Kept) -> Path | None:
        """The folder a session was started in; None if its copy does not contain it, or is broken."""
        try:
            return cwd_in(next(FramedFile(kept.stem).parts(), b"")[:HEAD])
        except (BrokenArchiveError, OSError):
            return None

    def holds(self, kept: Kept, mark: bytes) -> bool:
        """Whether a transcript contains some bytes; False for a broken copy.

        Raises:
            OSError: it cannot be read.
        """
        end = b""
        try:
            for part in FramedFile(kept.stem).parts():
                if mark in end + part:
                    return True
                end = part[-len(mark) :]
        except BrokenArchiveError:
            pass
        return False

    def files_of(self, kept: Kept) -> list[tuple[Path, Path]]:
        """Every copy of a session and of its subagents: stem and original path."""
        place = kept.stem.with_name(kept.session_id)
        stems = [each for each in framed_files(place.parent) if each.parent == place.parent]
        own = [
            each for each in stems if (found := _STEM.fullmatch(each.name)) and found["name"] == place.name
        ]
        agents = list(framed_files(place)) if place.is_dir() else []
        return [(stem, _source(stem)) for stem in (*own, *agents)]

    def verify(self, kept: Kept) -> str:
        """Unpack every copy of a session, and compare each part with its hash; returns "" or the problem."""
        for stem, _ in self.files_of(kept):
            try:
                for _part in FramedFile(stem).parts():
                    pass
            except (BrokenArchiveError, OSError) as problem:
                return f"{stem.name}: {problem}"
        return ""

    def restore(self, kept: Kept) -> list[Path]:
        """Restore a session's transcripts to their original paths; existing files are kept.

        Args:
            kept: the session.

        Raises:
            FileProblem: a copy is broken, or cannot be written.
        """
        written = []
        for source, stem in self._current(kept).items():
            if not os.path.lexists(source):
                with writing(source):
                    source.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.unpack(stem, source)
                written.append(source)
        return written

    def _current(self, kept: Kept) -> dict[Path, Path]:
        """The newest copy of each transcript."""
        copies = sorted(self.files_of(kept), key=lambda each: _number(each[0]))
        return {source: stem for stem, source in copies}

    def agents_of(self, kept: Kept) -> dict[Path, Path]:
        """The newest copy of each subagent's transcript, by its original path."""
        copies = self._current(kept).items()
        return {source: stem for source, stem in copies if stem.parent != kept.stem.parent}

    def unpack(self, stem: Path, target: Path) -> None:
        """Write an unpacked copy, whole or not at all; existing files are not replaced.

        Raises:
            FileProblem: it is broken, or cannot be written.
        """
        try:
            taken = write_parts(target, FramedFile(stem).parts()) is None
        except BrokenArchiveError as problem:
            raise FileProblem(stem, f"cannot be unpacked: {problem}") from problem
        if taken:
            raise FileProblem(target, "already exists; memtui does not overwrite it")

    def readable(self, kept: Kept) -> Path:
        """A readable transcript: Claude Code's own if it still exists, else a copy unpacked into the cache.

        Its subagents' transcripts are next to it, as in Claude Code's folder.

        Raises:
            FileProblem: the copy is broken, or cannot be written.
        """
        if kept.is_live:
            return kept.source
        target = self._unpacked(kept)
        if target.is_file() and target.stat().st_size == kept.size:
            with suppress(OSError):
                os.utime(target)  # the least recently read go first
            return target
        for source, stem in self.agents_of(kept).items():  # before its session, which marks a complete set
            self._unpack_anew(stem, self._unpacked_agent(kept, source))
        self._unpack_anew(kept.stem, target)
        self._bound_unpacked(target)
        return target

    def readable_at(self, source: Path) -> Path:
        """A readable transcript, a session's or a subagent's, by its original path.

        Raises:
            FileProblem: it is deleted and not archived, or the copy is broken or cannot be written.
        """
        if os.path.isfile(source):  # noqa: PTH113 - Path.is_file raises where a folder is closed
            return source
        if (kept := self.kept_at(source)) is not None:
            return self.readable(kept)
        for kept in self._sessions_of(source):
            if (stem := self.agents_of(kept).get(source)) is not None:
                target = self._unpacked_agent(kept, source)
                if not _is_copy(target, stem):
                    self._unpack_anew(stem, target)
                return target
        raise FileProblem(source, "is gone, and the archive has no copy of it")

    def _sessions_of(self, agent: Path) -> Iterator[Kept]:
        """The sessions whose subagent may have had its transcript at this path."""
        for folder in agent.parents:
            if folder.name and (kept := self.kept_at(folder.with_name(f"{folder.name}.jsonl"))) is not None:
                yield kept
        if agent.name.startswith("agent-"):  # next to its session's, as in older versions
            yield from (each for each in self.entries() if each.source.parent == agent.parent)

    def _bound_unpacked(self, latest: Path) -> None:
        """Remove unpacked sessions beyond the limit, except the latest. Never raises."""
        with suppress(OSError):
            sessions = list((self._home.cache / "unpacked").glob("*/*.jsonl"))
            found = sorted((each.stat().st_mtime_ns, each) for each in sessions if each != latest)
            left = UNPACKED - _tree_bytes(latest)
            for _, each in reversed(found):
                left -= _tree_bytes(each)
                if left < 0:
                    each.unlink()
                    shutil.rmtree(each.with_suffix(""), ignore_errors=True)

    def _unpacked(self, kept: Kept) -> Path:
        return self._home.cache / "unpacked" / kept.folder / f"{kept.session_id}.jsonl"

    def _unpacked_agent(self, kept: Kept, source: Path) -> Path:
        agents = kept.source.with_suffix("")
        inside = source.is_relative_to(agents)
        below = source.relative_to(agents) if inside else Path("subagents", source.name)
        return self._unpacked(kept).with_suffix("") / below

    def _unpack_anew(self, stem: Path, target: Path) -> None:
        private_folder(target.parent, within=existing_above(self._home.cache))
        with writing(target):
            target.unlink(missing_ok=True)
        self.unpack(stem, target)

    def remove(self, kept: Kept) -> None:
        """Delete every copy of a session from the archive, and its unpacked files.

        Raises:
            FileProblem: a file cannot be deleted.
        """
        with writing(kept.stem):
            for stem, _ in self.files_of(kept):
                remove_framed(stem)
            self._unpacked(kept).unlink(missing_ok=True)
            shutil.rmtree(self._unpacked(kept).with_suffix(""), ignore_errors=True)
            place = kept.stem.with_name(kept.session_id)
            for empty in (place / "subagents", place, place.parent):
                with suppress(OSError):
                    empty.rmdir()

    def total(self, entries: Iterable[Kept]) -> int:
        """Size of sessions in the archive in bytes, with all their copies."""
        return sum(bytes_of(stem) for kept in entries for stem, _ in self.files_of(kept))


def sessions_text(number: int) -> str:
    """A number of sessions: ``1 session``, ``2 sessions``."""
    return f"{number} {'session' if number == 1 else 'sessions'}"


def _tree_bytes(transcript: Path) -> int:
    """Size in bytes of an unpacked session with its subagents' transcripts."""
    agents = [path for _, path in agent_transcripts(transcript, ())]
    return sum(each.stat().st_size for each in (transcript, *agents))


def is_private(transcript: Path, settings: ArchiveSettings) -> bool:
    """Whether a session was started in a private folder."""
    folder = first_cwd(transcript)
    if folder is not None:
        return settings.is_private(folder)
    # Its first lines do not name the folder, but Claude Code's folder name is derived from it.
    slugs = [transcript_slug(each) for each in settings.private]
    name = transcript.parent.name
    return any(name == slug or name.startswith(f"{slug}-") for slug in slugs)


def _name(stem: Path) -> str:
    found = _STEM.fullmatch(stem.name)
    return found["name"] if found else ""


def _number(stem: Path) -> int:
    found = _STEM.fullmatch(stem.name)
    return int(found["number"]) if found else 0


def _source(stem: Path) -> Path:
    with suppress(BrokenArchiveError, OSError):
        return Path(str(FramedFile(stem).head.get("source", "")))
    return Path()


def _is_copy(unpacked: Path, stem: Path) -> bool:
    """Whether an unpacked file is a complete copy of the archived data."""
    with suppress(BrokenArchiveError, OSError):
        return unpacked.stat().st_size == FramedFile(stem).size
    return False


def _kept(place: Path, stem: Path) -> Kept:
    try:
        framed = FramedFile(stem)
        changed = datetime.fromtimestamp(framed.index.stat().st_mtime).astimezone()
    except (BrokenArchiveError, OSError) as problem:
        return Kept(place.name, place.parent.name, Path(), stem, 0, 0, None, str(problem))
    source = Path(str(framed.head.get("source", "")))
    at = changed if framed.head else parse_iso("")
    return Kept(place.name, place.parent.name, source, stem, framed.size, framed.packed_size, at)
