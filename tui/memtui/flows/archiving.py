"""Archiving sessions before Claude Code deletes them."""

from __future__ import annotations

from contextlib import suppress

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.archive import Archive
from memtui.store.archive_settings import archive_settings
from memtui.store.session_list import SessionList

SOON = 10
"""Days before the deletion of a session at which the app archives it."""


def archive_ending_sessions(places: Places, clock: Clock) -> int:
    """Archive the project's sessions that will be deleted soon; returns the number of updated copies.

    Raises:
        FileProblem: the settings cannot be read, or Claude Code's folder cannot be listed.
    """
    settings = archive_settings(places.home)
    if not settings.keep:
        return 0
    archive, kept = Archive(places.home, clock), 0
    for session in SessionList(places.project, places.home, places.claude, clock).entries():
        if session.days_left is not None and session.days_left <= SOON:
            with suppress(FileProblem):  # go on with the others
                kept += archive.keep(session.path, settings) > 0
    return kept
