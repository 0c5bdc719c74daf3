"""A file stored in compressed frames: it grows by appending, and stays valid if a writer is killed.

It has two files: the frames, and an index with one line for each, written after its frame is flushed. Data
beyond the last indexed frame is unfinished and overwritten.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO

FRAME = 1 << 20
"""Source bytes per frame: reading at any place unpacks one or two."""

_LEVEL = 9
_INDEX, _DATA = ".index", ".frames"


class BrokenArchiveError(Exception):
    """A stored file is damaged; the text says where."""


@dataclass(frozen=True)
class Frame:
    """One part of the source."""

    at: int
    """Byte offset of its beginning in the source."""
    size: int
    start: int
    """Byte offset of its beginning in the frames' file."""
    length: int
    sha256: str
    """Hash of the source's part."""


def codec() -> str:
    """Compression of new frames: ``zstd``, or ``gzip`` if Python has no zstd."""
    return "zstd" if _zstd() is not None else "gzip"


def _zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[import-not-found,unused-ignore,no-redef]
        except ImportError:
            return None
    return zstd


def _packed(data: bytes, how: str) -> bytes:
    return _zstd().compress(data, _LEVEL) if how == "zstd" else gzip.compress(data, mtime=0)


def _unpacked(data: bytes, how: str) -> bytes:
    try:
        if how == "zstd":
            zstd = _zstd()
            if zstd is None:
                raise BrokenArchiveError("it is packed with zstd, which this Python does not have")
            return bytes(zstd.decompress(data))
        return gzip.decompress(data)
    except BrokenArchiveError:
        raise
    except Exception as error:  # the libraries have errors of their own
        raise BrokenArchiveError(f"a frame cannot be unpacked ({type(error).__name__})") from error


class FramedFile:
    """One stored file. Its methods raise OSError, and `BrokenArchiveError` for damaged data."""

    def __init__(self, stem: Path) -> None:
        """Open the pair of files that begin with `stem`; they need not exist."""
        self.index = stem.with_name(stem.name + _INDEX)
        self.data = stem.with_name(stem.name + _DATA)
        self.head: dict[str, Any] = {}
        self.frames: list[Frame] = []
        self._end = 0
        """The end of the index's last complete line."""
        self._read()

    def _read(self) -> None:
        try:
            raw = self.index.read_bytes()
        except FileNotFoundError:
            return
        *lines, _torn = raw.split(b"\n")
        try:
            for number, line in enumerate(lines):
                value = json.loads(line)
                if number == 0:
                    self.head = _head(value)
                else:
                    self.frames.append(_frame(value))
                self._end += len(line) + 1
        except (ValueError, TypeError, RecursionError) as error:
            raise BrokenArchiveError(f"line {number + 1} of {self.index.name} cannot be read") from error

    @property
    def size(self) -> int:
        """Number of stored source bytes."""
        return self.frames[-1].at + self.frames[-1].size if self.frames else 0

    @property
    def packed_size(self) -> int:
        """Their compressed size."""
        return (self.frames[-1].start + self.frames[-1].length if self.frames else 0) + self._end

    def can_grow(self) -> bool:
        """Whether frames may be added: all indexed ones exist, in a known compression."""
        if self.head and self.head["codec"] == "zstd" and _zstd() is None:
            return False
        end = self.frames[-1].start + self.frames[-1].length if self.frames else 0
        return not end or (self.data.is_file() and self.data.stat().st_size >= end)

    def is_start_of(self, source: BinaryIO) -> bool:
        """Whether the source still begins with the stored data, by the hashes of all parts."""
        for frame in self.frames:
            source.seek(frame.at)
            if hashlib.sha256(source.read(frame.size)).hexdigest() != frame.sha256:
                return False
        return True

    def append(self, source: BinaryIO, head: dict[str, Any]) -> int:
        """Add the source's new data; returns its number of bytes."""
        before = self.size
        source.seek(before)
        data = os.open(self.data, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        index = os.open(self.index, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            start = self.frames[-1].start + self.frames[-1].length if self.frames else 0
            os.ftruncate(data, start)
            os.ftruncate(index, self._end)
            os.lseek(data, start, os.SEEK_SET)
            os.lseek(index, self._end, os.SEEK_SET)
            if not self.head:
                self.head = head | {"codec": codec()}
                self._commit(index, self.head)
            while chunk := source.read(FRAME):
                packed = _packed(chunk, self.head["codec"])
                _write(data, packed)
                os.fsync(data)
                made = Frame(self.size, len(chunk), start, len(packed), hashlib.sha256(chunk).hexdigest())
                self._commit(index, asdict(made))
                self.frames.append(made)
                start += len(packed)
        finally:
            os.close(data)
            os.close(index)
        return self.size - before

    def _commit(self, index: int, value: dict[str, Any]) -> None:
        line = json.dumps(value, ensure_ascii=True).encode() + b"\n"
        _write(index, line)
        os.fsync(index)
        self._end += len(line)

    def parts(self, check: Callable[[], bool] | None = None) -> Iterator[bytes]:
        """The source, part by part, each verified by its hash; ends early when `check` is false."""
        if not self.frames:
            return
        with self.data.open("rb") as file:
            for frame in self.frames:
                if check is not None and not check():
                    return
                file.seek(frame.start)
                part = _unpacked(file.read(frame.length), self.head.get("codec", ""))
                if len(part) != frame.size or hashlib.sha256(part).hexdigest() != frame.sha256:
                    raise BrokenArchiveError(f"the part at byte {frame.at:,} is not what was kept")
                yield part


class UnpackedStream(io.RawIOBase):
    """The source of an archived file, read once from its beginning; damage raises `BrokenArchiveError`."""

    def __init__(self, stem: Path) -> None:
        self._parts = FramedFile(stem).parts()
        self._part = memoryview(b"")

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` from the current part, perhaps not completely."""
        if not self._part:
            self._part = memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._part))
        buffer[:size] = self._part[:size]
        self._part = self._part[size:]
        return size


def remove_framed(stem: Path) -> None:
    """Delete both files, damaged or not, the index first: without it nothing is stored."""
    for ending in (_INDEX, _DATA):
        stem.with_name(stem.name + ending).unlink(missing_ok=True)


def bytes_of(stem: Path) -> int:
    """Size of both files in bytes."""
    total = 0
    for ending in (_INDEX, _DATA):
        with suppress(OSError):
            total += stem.with_name(stem.name + ending).stat().st_size
    return total


def _head(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("codec") not in ("zstd", "gzip"):
        raise ValueError("no head")
    return value


def _frame(value: dict[str, Any]) -> Frame:
    frame = Frame(**value)
    numbers = (frame.at, frame.size, frame.start, frame.length)
    if type(frame.sha256) is not str or any(type(each) is not int or each < 0 for each in numbers):
        raise ValueError("no frame")
    return frame


def copies_of(place: Path) -> Iterator[Path]:
    """The stems that begin with a path; only names in its folder are read."""
    for index in place.parent.glob(f"{escape(place.name)}.*{_INDEX}"):
        yield index.with_name(index.name.removesuffix(_INDEX))


def framed_files(folder: Path) -> Iterator[Path]:
    """The stems of all kept files under a folder."""
    for index in sorted(folder.rglob(f"*{_INDEX}")):
        # Not Path.is_file, which raises in an unreadable folder.
        if os.path.isfile(index) and not os.path.islink(index):  # noqa: PTH113, PTH114
            yield index.with_name(index.name.removesuffix(_INDEX))


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
