"""Forgetting a session: deleting its stored data, and naming the rest."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.aftermath.kept import kept_path
from memtui.clock import Clock
from memtui.files import FileProblem
from memtui.files.problems import writing
from memtui.project import Places
from memtui.store.archive import Archive, Kept
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.changes import APP, Changes
from memtui.store.index.sessions import SessionIndex
from memtui.store.keys import session_key
from memtui.store.transcripts import all_transcripts


@dataclass(frozen=True)
class Traces:
    """The stored data of a session."""

    session_id: str
    copies: tuple[Kept, ...]
    """In the archive."""
    paths: tuple[Path, ...]
    """Files and folders to delete: captures, states, the outbox."""
    indexed: bool
    """Whether the search index has it."""
    stays: tuple[str, ...]
    """Data that is not deleted, each as a phrase."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to delete."""
        return not self.copies and not self.paths and not self.indexed


def traces_of(places: Places, clock: Clock, session_id: str) -> Traces:
    """All data that memtui has of a session.

    Raises:
        FileProblem: a folder cannot be listed.
    """
    home, key = places.home, session_key(session_id)
    copies = tuple(each for each in Archive(home, clock).entries() if each.session_id == session_id)
    folders = [each for each in (home.states / key, home.handover / key) if each.is_dir()]
    captures = list(_captures(places, session_id))
    noted = home.state / "captured" / f"{key}.json"
    stays = [
        f"Claude Code's own transcript, which a search reads anew: {each.path}"
        for each in all_transcripts(places.claude)
        if each.session_id == session_id
    ]
    stays.append(
        "memories that were made of it: `memtui memory list` shows them, `memtui memory delete` deletes"
    )
    stays.append("what `memtui undo` could still take back of earlier changes")
    stays.append(f"its id, in the logs of the hooks and of changes: {home.hook_log}, {home.changes_log}")
    indexed = SessionIndex(home, places.claude).has(session_id)
    notes = [each for each in (noted, kept_path(places.project, session_id)) if each.is_file()]
    return Traces(session_id, copies, (*captures, *folders, *notes), indexed, tuple(stays))


def _captures(places: Places, session_id: str) -> list[Path]:
    store, found = CaptureStore(places.project), []
    for entry in store.entries():
        with suppress(CaptureProblem):
            if store.load(entry).session_id == session_id:
                found.append(entry.path)
    return found


def forget(places: Places, clock: Clock, traces: Traces, *, by: str = APP) -> list[str]:
    """Delete the data, on record; returns a sentence for each failure.

    Args:
        places: where things are.
        clock: for the record.
        traces: what there is of the session.
        by: as in `memtui.store.changes`.
    """
    failed = []
    archive = Archive(places.home, clock)
    for kept in traces.copies:
        try:
            archive.remove(kept)
        except FileProblem as problem:
            failed.append(f"{problem}.")
    for path in traces.paths:
        try:
            with writing(path):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except FileProblem as problem:
            failed.append(f"{problem}.")
    if traces.indexed:
        try:
            SessionIndex(places.home, places.claude).delete()
        except FileProblem as problem:
            failed.append(f"{problem}.")
    with suppress(OSError):
        places.home.session_cache.unlink(missing_ok=True)  # its entry for the session is made again if needed
    what = f"forgot {'parts of ' if failed else ''}session {traces.session_id[:8]}"
    Changes(places.home, clock, by, places.project.root).for_good(what, "it was deleted for good")
    return failed
