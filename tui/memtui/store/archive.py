"""The archive: compressed copies of transcripts, kept after Claude Code deletes the originals.

A copy is two files in ``archive/<project's folder>/``: ``<session>.<n>.frames``, compressed parts of the
source one after the other, which only grows, and ``<session>.<n>.index``, which is written last and names
length and digest of the source and of each part. Subagents' transcripts are below ``<session>/subagents/``. A
source that got shorter or different gets the next `n`, as does one whose copy is damaged; the newest counts.

Lists compare the frames' length alone; reading, restoring and verifying compare every byte.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import (
    FileMissing,
    FileOutside,
    FileProblem,
    create_exclusive,
    existing_above,
    lock,
    private_folder,
    sweep_temps,
    write_atomic,
)  # fmt: skip
from memtui.ground.files.problems import os_error_reason, reading, writing
from memtui.ground.project import Home, transcript_slug
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.transcripts import HEAD, cwd_in, first_cwd
from memtui.transcript.session import agent_transcripts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME = 1 << 20
"""Source bytes per frame."""

UNPACKED = 1 << 30
"""Maximum size of unpacked sessions in the cache, in bytes."""

_LEVEL = 9

_FILE = re.compile(r"(?P<name>.+)\.(?P<number>\d{1,6})\.(?:index|frames)", re.DOTALL)
_FOLDER = re.compile(r"[^./\\][^/\\]{0,254}")


class Incomplete(FileProblem):
    """A copy that is not whole."""

    def __init__(self, stem: Path, why: str) -> None:
        super().__init__(stem, f"is ✗ incomplete: {why}")
        self.why = why


@dataclass(frozen=True)
class Frame:
    """One part of the source, and its place in the frames' file, in bytes."""

    at: int
    size: int
    start: int
    length: int
    sha256: str


class Copy:
    """One copy of a transcript, named by its path without ``.index`` and ``.frames``."""

    def __init__(self, stem: Path) -> None:
        self.stem = stem
        self.index = stem.with_name(f"{stem.name}.index")
        self.data = stem.with_name(f"{stem.name}.frames")
        self.head: dict[str, Any] = {}
        self.frames: list[Frame] = []
        self.is_finished = True
        """Whether it has an index."""
        self.unusable = ""
        """Why its index cannot be used."""
        try:
            self.head, self.frames = _parsed(self.index.read_bytes())
        except FileNotFoundError:
            self.is_finished, self.unusable = False, "it was not written to its end"
        except OSError as error:
            self.unusable = f"its index cannot be read: {os_error_reason(error)}"
        except (ValueError, TypeError, KeyError, RecursionError):
            self.unusable = "its index is damaged"

    @property
    def size(self) -> int:
        return self.frames[-1].at + self.frames[-1].size if self.frames else 0

    @property
    def packed(self) -> int:
        return sum(status.st_size for each in (self.index, self.data) if (status := _status(each)))

    @property
    def at(self) -> datetime | None:
        """Time of the last update."""
        status = _status(self.index) or _status(self.data)
        changed = datetime.fromtimestamp(status.st_mtime).astimezone() if status else None
        return parse_iso(str(self.head.get("at"))) or changed

    @property
    def source(self) -> Path:
        """The original path; empty if unknown."""
        return Path(str(self.head.get("source", "")))

    @property
    def _end(self) -> int:
        """Bytes of the frames; any beyond are of a process that was stopped before it wrote the index."""
        return self.frames[-1].start + self.frames[-1].length if self.frames else 0

    def parts(self) -> Iterator[bytes]:
        """The source, part by part; raises `Incomplete` at the first that is not what was kept."""
        if self.unusable:
            raise Incomplete(self.stem, self.unusable)
        whole = hashlib.sha256()
        try:
            with self.data.open("rb") as file:
                for frame in self.frames:
                    file.seek(frame.start)
                    part = _unpacked(file.read(frame.length))
                    if hashlib.sha256(part).hexdigest() != frame.sha256:
                        raise Incomplete(self.stem, f"the part at byte {frame.at:,} is not what was kept")
                    whole.update(part)
                    yield part
        except OSError as error:
            raise Incomplete(self.stem, f"its frames cannot be read: {os_error_reason(error)}") from error
        if self.head["sha256"] != whole.hexdigest():
            raise Incomplete(self.stem, "its parts are not the whole that was kept")

    def problem(self, *, unpack: bool = False) -> str:
        """Why it is not whole, "" if it is.

        Args:
            unpack: compare every byte, too.
        """
        if self.unusable:
            return self.unusable
        status = _status(self.data)
        if status is None or status.st_size < self._end:
            return "its frames are missing" if status is None else "its frames are cut off"
        try:
            for _ in self.parts() if unpack else ():
                pass
        except Incomplete as problem:
            return problem.why
        return ""

    def take(self, source: BinaryIO, head: dict[str, Any]) -> int | None:
        """Become a whole copy of a source, by adding what the frames do not have of it.

        Returns: the number of added source bytes; None if they have something that the source has not, or
            are damaged.

        Raises:
            OSError, FileProblem: something cannot be read or written; a copy of less stays as it was.
        """
        whole, frames, size, end = hashlib.sha256(), list(self.frames), self.size, self._end
        source.seek(0)
        for frame in frames:
            part = source.read(frame.size)
            if hashlib.sha256(part).hexdigest() != frame.sha256:
                return None
            whole.update(part)
        if self.is_finished and self.problem(unpack=True):
            return None
        with os.fdopen(os.open(self.data, _WRITE, 0o600), "r+b", buffering=0) as data:
            data.truncate(end)
            data.seek(end)
            try:
                while part := source.read(FRAME):
                    whole.update(part)
                    packed = bytes(zstd.compress(part, _LEVEL))
                    frames.append(Frame(size, len(part), end, len(packed), hashlib.sha256(part).hexdigest()))
                    size, end = size + len(part), end + len(packed)
                    rest = memoryview(packed)
                    while rest:
                        rest = rest[os.write(data.fileno(), rest) :]
            except BaseException:
                data.truncate(self._end)
                raise
            os.fsync(data.fileno())
        added = size - self.size
        if added or not self.is_finished or self.source != Path(head["source"]):
            if self.is_finished and not added:
                head = {**head, "at": self.head["at"]}
            head = {**head, "size": size, "sha256": whole.hexdigest(), "memtui": 2}
            write_atomic(
                self.index, "".join(json.dumps(each) + "\n" for each in (head, *map(asdict, frames))).encode()
            )
        return added


_WRITE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def _parsed(raw: bytes) -> tuple[dict[str, Any], list[Frame]]:
    """Head and frames of an index; raises ValueError or the like."""
    head, *rest = map(json.loads, raw.splitlines() or [b""])
    frames = [Frame(**each) for each in rest]
    if sum(each.size for each in frames) != head["size"] or "at" not in head or "sha256" not in head:
        raise ValueError("not what was written")
    return head, frames


def _status(path: Path) -> os.stat_result | None:
    with suppress(OSError):
        return path.stat()
    return None


def _unpacked(data: bytes) -> bytes:
    """The content of a frame; nothing if it is damaged."""
    try:
        return bytes(zstd.decompress(data))
    except zstd.ZstdError:
        return b""


class UnpackedStream(io.RawIOBase):
    """The source of an archived file, read once from its beginning; damage raises `Incomplete`."""

    def __init__(self, stem: Path) -> None:
        self._parts = Copy(stem).parts()
        self._part = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` from the current part, perhaps not completely."""
        if not self._part:
            self._part = memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._part))
        buffer[:size] = self._part[:size]
        self._part = self._part[size:]
        return size


@dataclass(frozen=True)
class Kept:
    """One session of the archive, with the newest copy of its transcript."""

    session_id: str
    folder: str
    """The name of the project's folder among Claude Code's."""
    source: Path
    stem: Path
    size: int
    packed: int
    """Bytes of all its copies, with those of its subagents' transcripts."""
    at: datetime | None
    """Time of the last update."""
    problem: str = ""
    """Why it is not whole; "" when it is."""

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
        if settings.keep is False or is_private(transcript, settings):
            return -1
        place = self._place(transcript)
        agents = [path for agent, path in agent_transcripts(transcript, ()) if _FOLDER.fullmatch(agent)]
        added = sum(self._keep(path, place / "subagents" / path.stem) for path in agents)
        return added + self._keep(transcript, place)  # last: without it the session is not whole

    def _place(self, transcript: Path) -> Path:
        """Where copies go. It has no part of Claude Code's own folder: below two of them a session is one."""
        folder = transcript.parent.name
        return self.root / (folder if _FOLDER.fullmatch(folder) else "other") / transcript.stem

    def _keep(self, source: Path, place: Path) -> int:
        private_folder(place.parent, within=existing_above(self.root))
        sweep_temps(place.parent)
        with lock(place, timeout=30.0), reading(source), source.open("rb") as file, writing(place):
            head = {"source": str(source), "at": self._clock().isoformat(timespec="seconds")}
            stems = _stems(place.parent).get(place.name, [])
            size = os.fstat(file.fileno()).st_size
            # The longest that the source continues; below two configuration folders it may be an older one.
            for copy in sorted(map(Copy, reversed(stems)), key=lambda each: each.size, reverse=True):
                if copy.size <= size and (added := copy.take(file, head)) is not None:
                    return added
            number = max(map(_number, stems), default=0) + 1
            return Copy(place.with_name(f"{place.name}.{number}")).take(file, head) or 0

    def entries(self) -> list[Kept]:
        """The sessions, last updated first."""
        listed = [
            self._kept(folder / name, stems)
            for folder in (self.root.iterdir() if self.root.is_dir() else ())
            for name, stems in _sessions(folder).items()
        ]
        return sorted(listed, key=lambda each: each.at.timestamp() if each.at else 0.0, reverse=True)

    def _kept(self, place: Path, stems: Iterable[Path]) -> Kept:
        own = [Copy(each) for each in stems]
        newest, all_ = max(own, key=_age), [*own, *self._agents(place)]
        problem = next((why for each in _counted(all_) if (why := each.problem())), "")
        packed = sum(each.packed for each in all_)
        folder = place.parent.name
        return Kept(place.name, folder, newest.source, newest.stem, newest.size, packed, newest.at, problem)

    def _agents(self, place: Path) -> list[Copy]:
        stems = _stems(place / "subagents").values()
        return [Copy(stem) for copies in stems for stem in copies]

    def _copies(self, kept: Kept) -> list[Copy]:
        """Every copy of a session, and then of its subagents."""
        place = kept.stem.with_name(kept.session_id)
        own = _stems(place.parent).get(place.name, [kept.stem])
        return [*map(Copy, own), *self._agents(place)]

    def find(self, session: str) -> Kept:
        """A kept session by its id, or the beginning of one.

        Raises:
            FileProblem: no session matches, or several do.
        """
        entries = {each.session_id: each for each in reversed(self.entries())}
        return entries[only_one(entries, session, self.root)]

    def kept_at(self, source: Path) -> Kept | None:
        """A session by the path of its transcript, below whichever of Claude Code's folders."""
        place = self._place(source)
        stems = _stems(place.parent).get(place.name)
        return self._kept(place, stems) if stems else None

    def folder_of(self, kept: Kept) -> Path | None:
        """The folder a session was started in; None if its copy does not contain it, or is broken."""
        with suppress(Incomplete):
            return cwd_in(next(Copy(kept.stem).parts(), b"")[:HEAD])
        return None

    def holds(self, kept: Kept, mark: bytes) -> bool:
        """Whether a transcript contains some bytes; False for a broken copy."""
        end = b""
        with suppress(Incomplete):
            for part in Copy(kept.stem).parts():
                if mark in end + part:
                    return True
                end = part[-len(mark) :]
        return False

    def verify(self, kept: Kept) -> str:
        """Unpack every copy of a session and compare it with its digests; returns "" or the problem."""
        for each in _counted(self._copies(kept)):
            if why := each.problem(unpack=True):
                return f"{each.stem.name}: {why}"
        return ""

    def restore(self, kept: Kept) -> list[Path]:
        """Restore a session's transcripts to their original paths; existing files are kept.

        Args:
            kept: the session.

        Raises:
            FileProblem: a copy is not whole, or cannot be written. Whole copies are restored all the same if
                the session's own is among them.
        """
        written: list[Path] = []
        for source, copy in self._by_source(kept).items():
            if not os.path.lexists(source):
                with writing(source):
                    source.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _unpack(copy, source)
                written.append(source)
        if kept.problem:
            raise Incomplete(kept.stem, kept.problem)
        return written

    def _by_source(self, kept: Kept) -> dict[Path, Copy]:
        """The newest copy of each transcript by its original path, the session's own first."""
        copies = sorted(
            self._copies(kept), key=lambda each: (each.stem.parent != kept.stem.parent, _age(each))
        )
        return {each.source: each for each in copies if not each.unusable}

    def agents_of(self, kept: Kept) -> dict[str, Copy]:
        """The newest copy of each subagent's transcript, by its name without ``.jsonl``."""
        own = kept.stem.parent
        copies = [each for each in self._by_source(kept).values() if each.stem.parent != own]
        return {each.stem.with_suffix("").name: each for each in copies}

    def readable(self, kept: Kept) -> Path:
        """A readable transcript: Claude Code's own if it still exists, else a copy unpacked into the cache.

        Its subagents' transcripts are below it, as in Claude Code's folder.

        Raises:
            FileProblem: a copy is not whole, or cannot be written.
        """
        if kept.is_live:
            return kept.source
        for agent in self.agents_of(kept).values():
            self._unpacked(agent)
        target = self._unpacked(Copy(kept.stem))
        self._bound_unpacked(target)
        return target

    def readable_at(self, source: Path) -> Path:
        """A readable transcript, a session's or a subagent's, by its original path.

        Raises:
            FileProblem: it is deleted and not archived, or the copy is not whole or cannot be written.
        """
        if os.path.isfile(source):  # noqa: PTH113 - Path.is_file raises where a folder is closed
            return source
        if (kept := self.kept_at(source)) is not None:
            return self.readable(kept)
        for kept in self._sessions_of(source):
            if (copy := self.agents_of(kept).get(source.stem)) is not None:
                return self._unpacked(copy)
        raise FileProblem(source, "is gone, and the archive has no copy of it")

    def _sessions_of(self, agent: Path) -> Iterator[Kept]:
        """The sessions whose subagent may have had its transcript at this path."""
        for folder in agent.parents:
            if folder.name and (kept := self.kept_at(folder.with_name(f"{folder.name}.jsonl"))) is not None:
                yield kept
        if agent.name.startswith("agent-"):  # next to its session's, as in older versions
            yield from (each for each in self.entries() if each.folder == agent.parent.name)

    def _unpacked(self, copy: Copy) -> Path:
        """A copy in the cache, unpacked if it is not there yet."""
        target = self._cached(copy.stem)
        if not target.is_file() or target.stat().st_size != copy.size:
            private_folder(target.parent, within=existing_above(self._home.cache))
            with writing(target):
                target.unlink(missing_ok=True)
            _unpack(copy, target)
        with suppress(OSError):
            os.utime(target)  # the least recently read go first
        return target

    def _cached(self, stem: Path) -> Path:
        return self._home.cache / "unpacked" / stem.relative_to(self.root).with_suffix(".jsonl")

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

    def remove(self, kept: Kept) -> None:
        """Delete every copy of a session from the archive, and its unpacked files.

        Raises:
            FileProblem: a file cannot be deleted.
        """
        with writing(kept.stem):
            for each in self._copies(kept):
                each.index.unlink(missing_ok=True)
                each.data.unlink(missing_ok=True)
            cached = self._cached(kept.stem)
            cached.unlink(missing_ok=True)
            shutil.rmtree(cached.with_suffix(""), ignore_errors=True)
            place = kept.stem.with_name(kept.session_id)
            shutil.rmtree(place, ignore_errors=True)
            with suppress(OSError):
                place.parent.rmdir()


def only_one(sessions: Collection[str], session: str, where: Path) -> str:
    """The one of some sessions whose id is or begins with `session`.

    Raises:
        FileProblem: none in `where` does, or several.
    """
    if session in sessions:
        return session
    found = [each for each in sessions if session and each.startswith(session)]
    if len(found) != 1:
        how_many = "several sessions that begin" if found else "no session whose id is or begins"
        raise FileProblem(where, f"has {how_many} like this: {session}")
    return found[0]


def sessions_text(number: int) -> str:
    """A number of sessions: ``1 session``, ``2 sessions``."""
    return f"{number} {'session' if number == 1 else 'sessions'}"


def is_private(transcript: Path, settings: ArchiveSettings) -> bool:
    """Whether a session was started in a private folder."""
    folder = first_cwd(transcript)
    if folder is not None:
        return settings.is_private(folder)
    # Its first lines do not name the folder, but Claude Code's folder name is derived from it.
    slugs = [transcript_slug(each) for each in settings.private]
    name = transcript.parent.name
    return any(name == slug or name.startswith(f"{slug}-") for slug in slugs)


def _stems(folder: Path) -> dict[str, list[Path]]:
    """The stems of the copies in a folder by the names of their transcripts."""
    found: dict[str, set[str]] = {}
    with suppress(FileMissing, FileOutside), reading(folder), os.scandir(folder) as items:
        for item in items:
            if (match := _FILE.fullmatch(item.name)) and item.is_file(follow_symlinks=False):
                found.setdefault(match["name"], set()).add(item.name.rpartition(".")[0])
    return {name: [folder / each for each in sorted(stems)] for name, stems in found.items()}


def _sessions(folder: Path) -> dict[str, list[Path]]:
    """The stems of the sessions' copies in a folder; of one with no more than subagents, its first."""
    begun = {each.parent.name: [folder / f"{each.parent.name}.1"] for each in folder.glob("*/subagents")}
    return {**begun, **_stems(folder)}


def _number(stem: Path) -> int:
    return int(stem.suffix[1:])


def _age(copy: Copy) -> tuple[bool, bool, float, int]:
    """Sorts the copies of a transcript, the newest that can be used last."""
    at = copy.at
    return copy.is_finished, not copy.unusable, at.timestamp() if at else 0.0, _number(copy.stem)


def _counted(copies: Iterable[Copy]) -> list[Copy]:
    """The newest copy of each transcript: those that have to be whole."""
    return list({each.stem.with_suffix(""): each for each in sorted(copies, key=_age)}.values())


def _unpack(copy: Copy, target: Path) -> None:
    """Write an unpacked copy, whole or not at all; existing files are not replaced.

    Raises:
        FileProblem: it is not whole, or cannot be written.
    """
    if not create_exclusive(target, copy.parts()):
        raise FileProblem(target, "already exists; memtui does not overwrite it")


def _tree_bytes(transcript: Path) -> int:
    """Size in bytes of an unpacked session with its subagents' transcripts."""
    agents = [path for _, path in agent_transcripts(transcript, ())]
    return sum(each.stat().st_size for each in (transcript, *agents))
