"""The files of stored memories: listing and reading them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from memtui.documents.memory import (
    HEAD_LIMIT,
    MemoryMeta,
    StoredMemory,
    has_front_matter,
    moment_of,
    parse_stored,
    read_head,
)
from memtui.ground.files import FileProblem, head_within, heads_within
from memtui.ground.text import FormatError
from memtui.store.base import Listed
from memtui.store.listing import MONTH_NAME, STORED_NAME, Entry, newest_first, scan

HEAD_SIZE = 8 << 10
"""Number of bytes read for a list: front matter and, without a description, the objective."""

LIMIT = 32 << 20
"""Maximum size of a text, in bytes."""

MOST = LIMIT + HEAD_LIMIT
"""Maximum size of a file, in bytes."""

_NONE: Mapping[str, Entry] = {}
_YOUNG, _YOUNG_IN_WHOLE_SECONDS = 100_000_000, 2_000_000_000
"""A folder changed less than this many nanoseconds ago may change again with the same time. Systems count in
steps of up to 10 ms, but some file systems in whole seconds, and FAT in two."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_OBJECTIVE = re.compile(r"^##[ \t]+Objective[^\n]*\n\s*([^\n#][^\n]*)", re.IGNORECASE | re.MULTILINE)


def file_name(memory_id: str) -> str:
    """The name of a memory's file."""
    return f"{memory_id}.md"


def month_of(memory_id: str) -> str:
    """The folder name of a memory's file, ``2026-01``."""
    return f"{memory_id[5:9]}-{memory_id[9:11]}"


def id_of(entry: Entry) -> str:
    """The id of a listed memory by its file's name, as front matter may be a copy."""
    return entry.name.removesuffix(".md")


def signature_text(status: os.stat_result) -> str:
    """The signature of a memory's file as a text, different after every change."""
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"


def month_folders(memories: Path) -> list[Path]:
    """The folders of the months, newest first.

    Raises:
        FileProblem: the store cannot be listed.
    """
    return sorted((month.path for month in scan(memories, MONTH_NAME)), reverse=True)


def stored_entries(memories: Path, left_over: list[Path] | None = None) -> list[Entry]:
    """The files of all memories, newest first; if two months have the same name, the one in the later month.

    Args:
        memories: the folder of the months.
        left_over: receives folders that may have files left by killed processes.

    Raises:
        FileProblem: the store cannot be listed. Unreadable months are skipped.
    """
    entries: dict[str, Entry] = {}
    for folder in reversed(month_folders(memories)):
        strange: list[str] = []
        try:
            entries.update((entry.name, entry) for entry in scan(folder, STORED_NAME, strange))
        except FileProblem:
            continue
        if left_over is not None and has_left_over(strange):
            left_over.append(folder)
    return newest_first(entries.values())


def scan_month(folder: str, known: Mapping[str, Entry] = _NONE) -> dict[str, Entry]:
    """The memories in a month's folder by their names; none if it cannot be listed.

    Args:
        folder: the month's folder.
        known: see `scan`.
    """
    try:
        return {entry.name: entry for entry in scan(folder, STORED_NAME, known=known)}
    except FileProblem:  # not a folder, or unreadable: go on with the other months
        return {}


def folder_state(folder: str) -> tuple[int, int]:
    """Modification time (ns) and inode of a folder, through a link too: they change when files come or go."""
    try:
        status = os.stat(folder)  # noqa: PTH116
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_ino)


def has_settled(state: tuple[int, int]) -> bool:
    """Whether any later change will change this state of a folder; not if it is too recent."""
    young = _YOUNG if state[0] % 1_000_000_000 else _YOUNG_IN_WHOLE_SECONDS
    return time.time_ns() - state[0] > young


def has_left_over(strange: Iterable[str]) -> bool:
    """Whether names that begin with a dot include files left by killed processes."""
    return any(name != ".gitignore" for name in strange)


def read_stored(memory_id: str, data: bytes) -> StoredMemory:
    """A memory from its file's bytes. A file without front matter, made by hand, has only a name and a text.

    Raises:
        FormatError: its front matter is broken.
    """
    if not has_front_matter(data):
        return StoredMemory(meta=bare_meta(memory_id), body=data)
    memory = parse_stored(data)
    return memory.replace(meta=_named(memory.meta, memory_id))


def listed(path: Path, data: bytes) -> Listed:
    """A memory for a list, from the beginning of its file."""
    memory_id = path.name.removesuffix(".md")
    try:
        meta = _named(read_head(data), memory_id) if has_front_matter(data) else bare_meta(memory_id)
    except FormatError as error:
        return broken(path, f"is broken: {error}")
    return Listed(meta, path, meta.description or objective(data) or memory_id)


def broken(path: Path, reason: str) -> Listed:
    """An unusable memory for a list."""
    memory_id = path.name.removesuffix(".md")
    return Listed(bare_meta(memory_id), path, memory_id, reason)


def bare_meta(memory_id: str) -> MemoryMeta:
    """The metadata of a memory by its id alone; an invalid time counts as 1970."""
    created = moment_of(memory_id) or _LONG_AGO
    return MemoryMeta(id=memory_id, created=created, updated=created)


def objective(data: bytes) -> str:
    """The first line of a recovery text's objective, or ""."""
    found = _OBJECTIVE.search(data.decode("utf-8", "replace"))
    return found[1].strip() if found else ""


def read_listed(entries: Iterable[Entry], root: Path) -> Iterator[Listed]:
    """The memories for a list; quick if files of one folder follow each other.

    Args:
        entries: the files.
        root: the folder they have to be in.
    """
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        heads = heads_within(Path(folder), [entry.name for entry in some], root, size=HEAD_SIZE)
        for entry, data in zip(some, heads, strict=True):
            yield _listed(entry.path, data, root)


def _listed(path: Path, data: bytes | None, root: Path) -> Listed:
    try:
        if data is None:
            data = head_within(path, root, size=HEAD_SIZE)
        if len(data) == HEAD_SIZE and has_front_matter(data) and b"\n---" not in data:
            data = head_within(path, root, size=HEAD_LIMIT + HEAD_SIZE)
    except FileProblem as problem:
        return broken(path, problem.reason)
    return listed(path, data)


def _named(meta: MemoryMeta, memory_id: str) -> MemoryMeta:
    return meta if meta.id == memory_id else meta.replace(id=memory_id)
