"""Auto-compactions without a capture, in Claude Code's transcripts and in archived ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from memtui.formats.capture import Capture
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.archive import Archive
from memtui.store.backfill import BOUNDARY, Compaction, first_message, missing_captures
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.transcripts import Transcript, TranscriptStore, first_cwd


class Missing(NamedTuple):
    """A compaction without a capture."""

    compaction: Compaction
    """Names the transcript's path in Claude Code's folder, even if it is only archived."""
    message: str
    """The user's first words in its session, masked."""


def find_missing(places: Places, clock: Clock) -> list[Missing]:
    """The auto-compactions of the project that have no capture, oldest first.

    Raises:
        FileProblem: captures or transcripts cannot be listed.
    """
    deleted = dict(_deleted(places, clock))
    transcripts = [*TranscriptStore(places.project, places.claude).entries(), *deleted]
    sources = {each.path: source for each, source in deleted.items()}
    return [
        Missing(replace(each, transcript=sources.get(each.transcript, each.transcript)), first_message(each))
        for each in missing_captures(transcripts, _captures(places))
    ]


def _captures(places: Places) -> list[Capture]:
    store = CaptureStore(places.project)
    captures: list[Capture] = []
    for entry in store.entries():
        with suppress(CaptureProblem):
            captures.append(store.load(entry))
    return captures


def _deleted(places: Places, clock: Clock) -> Iterator[tuple[Transcript, Path]]:
    """Unpacked sessions with compactions that only the archive has, each with its original path."""
    archive, store = Archive(places.home, clock), TranscriptStore(places.project, places.claude)
    folders = {each.name for each in (store.folder(), *store.folders())}
    for kept in archive.entries():
        if kept.is_live or kept.problem or kept.folder not in folders:
            continue
        with suppress(FileProblem, OSError):  # a broken copy: reported by `memtui archive verify`
            if not archive.holds(kept, BOUNDARY):
                continue
            path = archive.readable(kept)
            folder = first_cwd(path)
            if folder is None or folder.is_relative_to(places.project.root):
                status = path.stat()
                signature = (status.st_mtime_ns, status.st_size, status.st_ino)
                yield Transcript(path, kept.session_id, signature), kept.source
