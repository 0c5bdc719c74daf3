"""The results of a session: its compactions, their captures, and the memories made from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memtui.documents.capture import Capture
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem, heads_within
from memtui.ground.project import Home, Project
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.listing import Entry, stored_as
from memtui.store.memories import MemoryFiles, MemoryHead, stored_entries
from memtui.transcript.line_index import never
from memtui.transcript.records import CompactionFact

_HEAD = 1024
"""Number of bytes of a capture or memory that contain its session."""


@dataclass(frozen=True)
class Made:
    """A memory made from the session."""

    entry: Entry
    head: MemoryHead


@dataclass(frozen=True)
class Captured:
    """A capture, and the memory stored by its review."""

    entry: Entry
    capture: Capture
    memories: tuple[Made, ...] = ()


@dataclass(frozen=True)
class Branch:
    """A compaction with its captures."""

    compaction: CompactionFact
    captures: tuple[Captured, ...] = ()


@dataclass(frozen=True)
class SessionTree:
    """All results of one session, oldest first."""

    branches: tuple[Branch, ...] = ()
    captures: tuple[Captured, ...] = ()
    """Captures without a compaction in the transcript."""
    memories: tuple[Made, ...] = ()
    """Memories that no review of a capture stored."""


def session_tree(
    project: Project,
    home: Home,
    session_id: str,
    compactions: Sequence[CompactionFact],
    cancelled: Callable[[], bool] = never,
) -> SessionTree:
    """The results of a session.

    Args:
        project: the session's.
        home: memtui's own folders.
        session_id: the session's id.
        compactions: the session's, oldest first.
        cancelled: polled; if it returns True, the tree is incomplete.

    Raises:
        FileProblem: a folder cannot be listed.
    """
    store, memories = CaptureStore(project), MemoryFiles(project, home)
    made = {each.entry.name: each for each in _memories(memories, session_id, cancelled)}
    reviews = {each.name: each for each in memories.file_entries()}
    captures = [
        Captured(entry, capture, tuple(_of_review(capture, reviews, made, memories)))
        for entry, capture in _captures(store, session_id)
        if not cancelled()
    ]
    captured = {each.entry.name for capture in captures for each in capture.memories}
    rest = list(captures)
    branches = []
    for compaction in compactions:
        own = [each for each in rest if _began_before(each.capture, compaction)]
        rest = [each for each in rest if each not in own]
        branches.append(Branch(compaction, tuple(own)))
    others = tuple(each for name, each in made.items() if name not in captured)
    return SessionTree(tuple(branches), tuple(rest), others)


def _began_before(capture: Capture, compaction: CompactionFact) -> bool:
    """Whether a capture is older than a compaction, whose boundary is only written at its end."""
    done = parse_iso(compaction.source.timestamp)
    return done is not None and capture.timestamp <= done


def _captures(store: CaptureStore, session_id: str) -> Iterator[tuple[Entry, Capture]]:
    named = _naming(session_id, store.entries(), store.project.root)
    for entry in reversed(list(named)):
        with suppress(CaptureProblem):
            capture = store.load(entry)
            if capture.session_id == session_id:
                yield entry, capture


def _memories(store: MemoryFiles, session_id: str, cancelled: Callable[[], bool]) -> Iterator[Made]:
    stored = stored_entries(store.folder)
    for entry in reversed(list(_naming(session_id, stored, store.folder, cancelled))):
        yield Made(entry, store.head(entry))


def _naming(
    session_id: str, entries: Iterable[Entry], within: Path, cancelled: Callable[[], bool] = never
) -> Iterator[Entry]:
    """The files whose beginning names the session."""
    name = os.fsencode(session_id)
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        heads = heads_within(Path(folder), [entry.name for entry in some], within, size=_HEAD)
        for entry, head in zip(some, heads, strict=True):
            if cancelled():
                return
            if head and name in head:
                yield entry


def _of_review(
    capture: Capture, reviews: dict[str, Entry], made: dict[str, Made], store: MemoryFiles
) -> Iterator[Made]:
    """The memory stored by a capture's review, else its memory file."""
    file = reviews.get(capture.memory)
    if file is None:
        return
    with suppress(FileProblem):
        stored = next((name for _, name in stored_as([file], store.project.root)), "")
        yield made.get(stored) or Made(file, store.head(file))
