"""Archiving sessions before Claude Code deletes them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memtui.clock import Clock
from memtui.files import FileProblem
from memtui.project import Places
from memtui.store.archive import Archive, Kept
from memtui.store.archive_settings import archive_settings
from memtui.store.changes import Changes
from memtui.store.session_list import SessionList

SOON = 10
"""The app archives a session this many days before its deletion."""


def restore_kept(archive: Archive, kept: Kept, changes: Changes) -> list[Path]:
    """Put a session back where Claude Code had it, on record; returns the files that were written.

    Raises:
        FileProblem: a copy is broken, or cannot be written.
    """
    written = archive.restore(kept)
    if written:
        what = f"restored session {kept.session_id[:8]} for Claude Code"
        changes.for_good(what, "memtui deletes no transcript of Claude Code's")
    return written


def keep_ending(places: Places, clock: Clock) -> int:
    """Archive the project's sessions that are deleted soon; returns the number of updated copies.

    Raises:
        FileProblem: the settings cannot be read, or Claude Code's folder cannot be listed.
    """
    settings = archive_settings(places.home)
    if not settings.keep:
        return 0
    archive, kept = Archive(places.home, clock), 0
    for session in SessionList(places.project, places.home, places.claude, clock).entries():
        if session.days_left is not None and session.days_left <= SOON:
            with suppress(FileProblem):  # the others are archived all the same
                kept += archive.keep(session.path, settings) > 0
    return kept
