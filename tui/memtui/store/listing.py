"""Listings of captures and memories: names and signatures, and what the first paint shows of them.

Standard library only, as the first paint and the hooks wait for it; `memories` and `captures` are the stores.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.ground import files
from memtui.ground.files import FileMissing, FileProblem
from memtui.ground.project import Home, Project
from memtui.ground.text import FormatError

if TYPE_CHECKING:
    from memtui.documents.capture import Capture

ANY_NAME = re.compile(r"[^.].*", re.DOTALL)
CAPTURE_NAME = re.compile(r"[^.].*-autocompact\.md")
MEMORY_FILE_NAME = re.compile(r"[^.].*-memory(-\d{1,2})?\.md")
STORED_NAME = re.compile(r"CMEM-\d{8}-\d{6}(?:@[a-z0-9-]{1,40})?\.md", re.ASCII)
MONTH_NAME = re.compile(r"\d{4}-\d{2}", re.ASCII)

TIME = re.compile(r"(\d{8})[-_](\d{6})", re.ASCII)


class Entry(NamedTuple):
    """One file of a listing. A tuple, as thousands of them are made every two seconds."""

    name: str
    folder: str
    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> Entry:
        """The entry of a file as it is now; raises `OSError`."""
        status = path.lstat()
        return cls(path.name, str(path.parent), status.st_mtime_ns, status.st_size, status.st_ino)

    @property
    def key(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        return Path(self.folder, self.name)

    @property
    def signature(self) -> files.Signature:
        return (self.mtime_ns, self.size, self.inode)

    @property
    def time(self) -> datetime | None:
        return time_of(self.name)

    @property
    def written(self) -> datetime:
        """When the file was changed last, in local time."""
        return datetime.fromtimestamp(self.mtime_ns / 1e9).astimezone()

    @property
    def session_id(self) -> str:
        return self.name.removesuffix(".jsonl")


def time_of(name: str) -> datetime | None:
    """The local time in a file's name, or None."""
    match = TIME.search(name)
    try:
        # Not strptime, which takes five times as long per row.
        return datetime.fromisoformat(f"{match[1]}T{match[2]}").astimezone() if match else None
    except (ValueError, OverflowError, OSError):
        return None


def scan(folder: Path | str, pattern: re.Pattern[str], *, within: Path | None = None) -> list[Entry]:
    """List the files of one folder whose names match `pattern`, in no order; a missing folder is empty.

    Links, pipes and folders with such a name are included: reading them reports the problem. With links
    resolved, the folder has to be in `within`.
    """
    return _entries(folder, _names(folder, pattern, within))


def _names(folder: Path | str, pattern: re.Pattern[str], within: Path | None) -> list[str]:
    try:
        with _listing(folder):
            where = folder if within is None else files.resolved_within(Path(folder), within)
            return list(filter(pattern.fullmatch, os.listdir(where)))  # noqa: PTH208 - names are wanted
    except (FileNotFoundError, FileMissing):
        return []


def _entries(folder: Path | str, names: Iterable[str]) -> list[Entry]:
    where = os.fspath(folder)
    entries: list[Entry] = []
    add = entries.append
    with _listing(folder):
        for name in names:
            try:
                status = os.lstat(f"{where}{os.sep}{name}")
            except FileNotFoundError:  # deleted since
                continue
            add(Entry(name, where, status.st_mtime_ns, status.st_size, status.st_ino))
    return entries


@contextmanager
def _listing(folder: Path | str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:
        raise FileProblem(folder, "is not a folder; move it away") from error
    except OSError as error:
        raise FileProblem(folder, "cannot be listed: check the owner and mode of the folder") from error


def is_stored(file: Entry | Path) -> bool:
    return file.name.startswith("CMEM-")


def newest_first(entries: Iterable[Entry]) -> list[Entry]:
    """Sort by the time in the name, newest first; names without a time last."""
    return sorted(entries, key=lambda entry: name_order(entry.name), reverse=True)


def name_order(name: str) -> str:
    """The sort key of entries: the time in the name, then the name. Ids sort as they do by themselves."""
    # One string, not a pair: they compare twice as fast.
    match = TIME.search(name)
    return match[1] + match[2] + name if match else " " + name


# -- which project a memory belongs to -----------------------------------------------------------------------


@lru_cache(maxsize=8)
def project_test(root: str) -> Callable[[str], bool]:
    """Whether memories belong to a project: those of its folder or one below, and those without a project.

    Answers are cached, as each needs the disk.
    """
    own, name = os.path.realpath(root), Path(root).name

    @cache
    def concerns(project: str) -> bool:
        if not os.path.isabs(project):  # noqa: PTH117
            return project in ("", name)
        with suppress(OSError, ValueError):
            return f"{os.path.realpath(project)}{os.sep}".startswith(f"{own.rstrip(os.sep)}{os.sep}")
        return False

    return concerns


_FRONT_MATTER = rb"---\nid: .*\nproject: (?:'([^'\n]*)'|([\w/.][^:#\n]*))\n(?:(?!project)[a-z_]+: .*\n)*---\n"
"""As `render_stored` writes it."""
# The section added to a memory file by `memtui.store.compact`.
_STORED_AS = rb"(?m)^## Recovery[ \t\r]*\nRecovery ID: (CMEM-\d{8}-\d{6})[ \t\r]*$"


def quick_project(data: bytes) -> str | None:
    """The project in a stored memory's head, "" without front matter; None if that needs a YAML parser."""
    if found := re.match(_FRONT_MATTER, data):
        value = found[1] if found[1] is not None else found[2]
        return None if value.lower() in (b"null", b"~") else value.rstrip().decode("utf-8", "replace")
    return None if data.startswith((b"---", b"\xef\xbb\xbf")) else ""


def stored_as(entries: Iterable[Entry], root: Path) -> Iterator[tuple[Entry, str]]:
    """For each memory file, the name of the stored memory of the same review; "" if there is none."""
    for entry, data in heads_of(entries, root, 64 << 10):  # most have 2,000, and name it at the end
        stored = stored_id(data or b"")
        yield entry, f"{stored}.md" if stored else ""


def stored_id(memory_file: bytes) -> str:
    """The Recovery ID of the stored memory of the same review, from a memory file; "" if there is none."""
    named = re.findall(_STORED_AS, memory_file)
    return named[-1].decode() if named else ""


def heads_of(entries: Iterable[Entry], root: Path, size: int) -> Iterator[tuple[Entry, bytes | None]]:
    """The first `size` bytes of each file; quick if files of one folder follow each other."""
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        names = [each.name for each in some]
        yield from zip(some, files.heads_within(Path(folder), names, root, size=size), strict=True)


# -- the first paint: read in milliseconds ------------------------------------------------------------------

_CAPTURES, _MEMORIES = 20, 60  # number of rows: more than fit in a pane
_SMALL = 16 << 10  # size below which a capture is read, in bytes; usual ones have 1 KB


def newest_captures(project: Project) -> tuple[list[tuple[Entry, Capture]], int]:
    """The small ones among the newest captures that can be read, and the number of all captures."""
    from memtui.documents.capture import parse_capture  # the hooks need no captures

    entries, number = _newest(project.compacts, CAPTURE_NAME, _CAPTURES, project.root)
    found = []
    for entry, head in heads_of(entries, project.root, _SMALL):
        if head is not None and len(head) < _SMALL:
            with suppress(FormatError):  # the full listing says so
                found.append((entry, parse_capture(head.decode("utf-8", "replace"))))
    return found, number


def newest_memories(project: Project, home: Home) -> tuple[list[Entry], bool]:
    """The newest memories of both kinds, and whether there are more."""
    entries, number = _newest(project.compacts, MEMORY_FILE_NAME, _MEMORIES, project.root)
    stored = 0
    months = list[Entry]()
    with suppress(FileProblem):
        months = sorted(scan(home.memories, MONTH_NAME), reverse=True)
    for month in months:
        if stored >= _MEMORIES:
            number += 1  # earlier months are not read, only known to exist
            break
        some, more = _newest(month.path, STORED_NAME, _MEMORIES)
        entries += some
        stored += len(some)
        number += more
    kept = newest_first(entries)[:_MEMORIES]
    return kept, number > len(kept)


def _newest(
    folder: Path, pattern: re.Pattern[str], number: int, within: Path | None = None
) -> tuple[list[Entry], int]:
    """The newest files and their total number; none if they cannot be listed: the full listing says so."""
    with suppress(FileProblem):
        names = sorted(_names(folder, pattern, within), key=name_order, reverse=True)
        return _entries(folder, names[:number]), len(names)
    return [], 0
