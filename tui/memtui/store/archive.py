"""The archive: compressed copies of transcripts, kept after Claude Code deletes the originals.

A copy is two files in ``archive/<project's folder>/``: ``<session>.<n>.frames``, compressed parts of the
source one after the other, which only grows, and ``<session>.<n>.index``, which is written last and names
length and digest of the source and of each part. Subagents' transcripts are below ``<session>/subagents/``. A
source that got shorter or different gets the next `n`, as does one whose copy is damaged; the newest counts.

Lists compare the frames' length alone; reading, restoring and verifying compare every byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from memtui.ground import files
from memtui.ground.clock import parse_iso, system_clock
from memtui.ground.files import FileMissing, FileOutside, FileProblem
from memtui.ground.project import Home, transcript_slug
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.transcripts import first_cwd
from memtui.transcript.session import agent_transcripts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME = 1 << 20  # source bytes per frame

_FILE = re.compile(r"(?P<name>.+)\.(?P<number>\d{1,6})\.(?:index|frames)", re.DOTALL)
_FOLDER = re.compile(r"[^./\\][^/\\]{0,254}")


class Incomplete(FileProblem):
    """A copy that is not whole."""

    def __init__(self, stem: Path, why: str) -> None:
        super().__init__(stem, f"is ✗ incomplete: {why}")
        self.why = why


class Frame(NamedTuple):
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
        self.unusable = ""
        """Why its index cannot be used."""
        try:
            self.head, self.frames = _parsed(self.index.read_bytes())
        except FileNotFoundError:
            self.is_finished, self.unusable = False, "it was not written to its end"
        except OSError as error:
            self.unusable = f"its index cannot be read: {files.os_error_reason(error)}"
        except (ValueError, TypeError, KeyError, RecursionError):
            self.unusable = "its index is damaged"
        last = self.frames[-1] if self.frames else Frame(0, 0, 0, 0, "")
        self.size = last.at + last.size
        self._end = last.start + last.length
        """Bytes of the frames; any beyond are of a process that was stopped before it wrote the index."""
        self.source = Path(str(self.head.get("source", "")))
        """The original path; empty if unknown."""
        status = _status(self.index) or _status(self.data)
        changed = datetime.fromtimestamp(status.st_mtime).astimezone() if status else None
        self.at = parse_iso(str(self.head.get("at"))) or changed

    @property
    def age(self) -> tuple[bool, bool, float, int]:
        """Sorts the copies of a transcript, the newest that can be used last."""
        at = self.at.timestamp() if self.at else 0.0
        return self.is_finished, not self.unusable, at, _number(self.stem)

    def parts(self) -> Iterator[bytes]:
        """The source, part by part; raises `Incomplete` at the first that is not what was kept."""
        if self.unusable:
            raise Incomplete(self.stem, self.unusable)
        whole = hashlib.sha256()
        try:
            with self.data.open("rb") as file:
                for frame in self.frames:
                    file.seek(frame.start)
                    part = b""
                    with suppress(zstd.ZstdError):  # it is damaged
                        part = bytes(zstd.decompress(file.read(frame.length)))
                    if hashlib.sha256(part).hexdigest() != frame.sha256:
                        raise Incomplete(self.stem, f"the part at byte {frame.at:,} is not what was kept")
                    whole.update(part)
                    yield part
        except OSError as error:
            raise Incomplete(
                self.stem, f"its frames cannot be read: {files.os_error_reason(error)}"
            ) from error
        if self.head["sha256"] != whole.hexdigest():
            raise Incomplete(self.stem, "its parts are not the whole that was kept")

    def problem(self, *, unpack: bool = False) -> str:
        """Why it is not whole, "" if it is; `unpack` compares every byte, too."""
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
        """Become a whole copy of a source, by adding what the frames do not have; returns the bytes added.

        None if they have something that the source has not, or are damaged. After an error a copy of less
        stays as it was.
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
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(self.data, flags, 0o600), "r+b", buffering=0) as data:
            data.truncate(end)
            data.seek(end)
            while part := source.read(FRAME):
                whole.update(part)
                packed = bytes(zstd.compress(part, 9))
                frames.append(Frame(size, len(part), end, len(packed), hashlib.sha256(part).hexdigest()))
                size, end = size + len(part), end + len(packed)
                while packed:
                    packed = packed[os.write(data.fileno(), packed) :]
            os.fsync(data.fileno())
        added = size - self.size
        if added or not self.is_finished or self.source != Path(head["source"]):
            if self.is_finished and not added:
                head = {**head, "at": self.head["at"]}
            head = {**head, "size": size, "sha256": whole.hexdigest(), "memtui": 2}
            rows = (head, *(each._asdict() for each in frames))
            files.write_atomic(self.index, "".join(json.dumps(each) + "\n" for each in rows).encode())
        return added


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


class Kept:
    """One session of the archive, with the newest copy of its transcript, by the place and stems of that."""

    def __init__(self, place: Path, stems: list[Path]) -> None:
        copies = [[Copy(stem) for stem in each] for each in (stems, *_stems(place / "subagents").values())]
        self.session_id, self.folder = place.name, place.parent.name
        """Its id, and the name of the project's folder among Claude Code's."""
        self.copies = [max(each, key=lambda copy: copy.age) for each in copies]
        """The newest copy of each transcript, its own first: those that have to be whole."""
        own = self.copies[0]
        self.source, self.stem, self.size, self.at = own.source, own.stem, own.size, own.at
        parts = [path for each in copies for copy in each for path in (copy.index, copy.data)]
        self.packed = sum(status.st_size for each in parts if (status := _status(each)))
        """Bytes of all its copies, with those of its subagents' transcripts."""
        self.problem = next((why for each in self.copies if (why := each.problem())), "")

    @property
    def is_live(self) -> bool:
        return os.path.isfile(self.source)  # noqa: PTH113 - Path.is_file raises where a folder is closed


class Archive:
    """Archives transcripts, and restores them byte for byte."""

    def __init__(self, home: Home) -> None:
        self.root = home.archive
        self._home = home

    def keep(self, transcript: Path, settings: ArchiveSettings) -> int:
        """Add what is new of a session's transcripts; the bytes added, or -1 if it must not be kept."""
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
        files.private_folder(place.parent, within=files.existing_above(self.root))
        files.sweep_temps(place.parent)
        with (
            files.lock(place, timeout=30.0),
            files.reading(source),
            source.open("rb") as file,
            files.writing(place),
        ):
            head = {"source": str(source), "at": system_clock().isoformat(timespec="seconds")}
            stems = _stems(place.parent).get(place.name, [])
            # An older one may be what the source goes on from: below two configuration folders they differ.
            for copy in sorted(map(Copy, stems), key=lambda each: each.size, reverse=True):
                if (added := copy.take(file, head)) is not None:
                    return added
            number = _number(stems[-1]) + 1 if stems else 1
            return Copy(place.with_name(f"{place.name}.{number}")).take(file, head) or 0

    def entries(self) -> list[Kept]:
        """The sessions, last updated first."""
        listed = []
        for folder in self.root.iterdir() if self.root.is_dir() else ():
            names = (each.parent.name for each in folder.glob("*/subagents"))
            begun = {name: [folder / f"{name}.1"] for name in names}  # the session's own comes last
            listed += [Kept(folder / name, stems) for name, stems in (begun | _stems(folder)).items()]
        return sorted(listed, key=lambda each: each.at.timestamp() if each.at else 0.0, reverse=True)

    def find(self, session: str) -> Kept:
        """A kept session by its id, or the beginning of one."""
        entries = {each.session_id: each for each in reversed(self.entries())}
        return entries[only_one(entries, session, self.root)]

    def verify(self, kept: Kept) -> str:
        """Unpack every copy of a session and compare it with its digests; returns "" or the problem."""
        for each in kept.copies:
            if why := each.problem(unpack=True):
                return f"{each.stem.name}: {why}"
        return ""

    def restore(self, kept: Kept) -> list[Path]:
        """Restore the whole copies to their original paths; `Incomplete` in the end if one is not whole."""
        written: list[Path] = []
        for copy in kept.copies:
            if not copy.unusable and not os.path.lexists(copy.source):
                with files.writing(copy.source):
                    copy.source.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if files.create_exclusive(copy.source, copy.parts()):
                    written.append(copy.source)
        if kept.problem:
            raise Incomplete(kept.stem, kept.problem)
        return written

    def readable(self, kept: Kept) -> Path:
        """A readable transcript: Claude Code's own, else a copy in the cache with the subagents' below it."""
        if kept.is_live:
            return kept.source
        own, *agents = kept.copies
        for agent in agents:
            if not agent.unusable:
                self._unpacked(agent)
        target = self._unpacked(own)
        oldest = time.time() - 7 * 86_400  # days for which unread ones stay
        with suppress(OSError):
            for each in (self._home.cache / "unpacked").rglob("*.jsonl"):
                if each.stat().st_mtime < oldest:
                    each.unlink()
        return target

    def readable_at(self, source: Path) -> Path:
        """A readable transcript, also a subagent's, by its original path; `FileMissing` without a copy."""
        if os.path.isfile(source):  # noqa: PTH113 - Path.is_file raises where a folder is closed
            return source
        place = self._place(source)
        if stems := _stems(place.parent).get(place.name):
            return self.readable(Kept(place, stems))
        for copy in (copy for each in self.entries() for copy in each.copies[1:]):  # of subagents
            if copy.source == source and not copy.unusable:
                return self._unpacked(copy)
        raise FileMissing(source, "is gone, and the archive has no copy of it")

    def _unpacked(self, copy: Copy) -> Path:
        """A copy in the cache, unpacked if it is not there yet."""
        target = self._cached(copy.stem)
        if not target.is_file() or target.stat().st_size != copy.size:
            files.private_folder(target.parent, within=files.existing_above(self._home.cache))
            files.write_atomic(target, copy.parts())
        with suppress(OSError):
            os.utime(target)  # it was read now
        return target

    def _cached(self, stem: Path) -> Path:
        return self._home.cache / "unpacked" / stem.relative_to(self.root).with_suffix(".jsonl")

    def remove(self, kept: Kept) -> None:
        """Delete every copy of a session from the archive, and its unpacked files."""
        place, cached = kept.stem.with_name(kept.session_id), self._cached(kept.stem)
        with files.writing(kept.stem):
            for copy in map(Copy, _stems(place.parent).get(place.name, [])):
                copy.index.unlink(missing_ok=True)
                copy.data.unlink(missing_ok=True)
            cached.unlink(missing_ok=True)
            for folder in (place, cached.with_suffix("")):
                if folder.is_dir():
                    shutil.rmtree(folder)
            with suppress(OSError):
                place.parent.rmdir()


def only_one(sessions: Collection[str], session: str, where: Path) -> str:
    """The session with this id, beginning of one or both ends (``0b6d3c1e…0001``), else a problem."""
    if session in sessions:
        return session
    start, _, end = session.partition("…")
    found = [each for each in sessions if session and each.startswith(start) and each.endswith(end)]
    if len(found) != 1:
        if found:
            named = f"{', '.join(sorted(found)[:5])}{', …' if found[5:] else ''}"
            raise FileProblem(where, f"has several sessions that begin like this: {session}: {named}")
        raise FileProblem(where, f"has no session whose id is or begins like this: {session}")
    return found[0]


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
    """The stems of the copies in a folder by the names of their transcripts, the newest last."""
    found: dict[str, set[Path]] = {}
    with suppress(FileMissing, FileOutside), files.reading(folder), os.scandir(folder) as items:
        for item in items:
            if (match := _FILE.fullmatch(item.name)) and item.is_file(follow_symlinks=False):
                found.setdefault(match["name"], set()).add((folder / item.name).with_suffix(""))
    return {name: sorted(stems, key=_number) for name, stems in found.items()}


def _number(stem: Path) -> int:
    return int(stem.suffix[1:])
