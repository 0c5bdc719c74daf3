"""The health of captures: whether hooks are installed, when they last ran, and missed compactions."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from memtui.app.model.views import CaptureRow, HealthView
from memtui.ground.clock import age, parse_iso
from memtui.ground.project import Home, Places, Project
from memtui.hooks.log import SERVER_EVENT, Run, read_runs
from memtui.plugin.installing import has_all_hooks
from memtui.store.backfill import Compaction, compactions_in, coverage
from memtui.store.transcripts import Transcript, TranscriptStore

_REST = 5.0
"""Seconds between two checks: nothing here changes quickly."""


class Health:
    """Checks settings, hook log and transcripts; results for a transcript are cached until it changes."""

    def __init__(self, places: Places, transcripts: TranscriptStore) -> None:
        self.places = places
        self._transcripts = transcripts
        self._known: dict[Path, tuple[tuple[int, int, int], tuple[Compaction, ...]]] = {}
        self._due = 0.0
        self._captures: tuple[str, ...] = ()

    def check(self, rows: Iterable[CaptureRow]) -> HealthView | None:
        """The current health of the captures; None if it is too early to check again.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        captures = [row.capture for row in rows if row.capture is not None]
        names = tuple(capture.session_id for capture in captures)
        now = time.monotonic()
        if now < self._due and names == self._captures:
            return None
        self._due, self._captures = now + _REST, names
        found = coverage(self._transcripts.entries(), captures, self._compactions)
        return HealthView(
            installed=has_all_hooks(self.places),
            last=last_run(self.places.home, self.places.project),
            missing=found.missing,
            sizes=found.sizes,
        )

    def _compactions(self, transcript: Transcript) -> tuple[Compaction, ...]:
        known = self._known.get(transcript.path)
        if known is None or known[0] != transcript.signature:
            known = (transcript.signature, compactions_in(transcript))
            self._known[transcript.path] = known
        return known[1]


def last_run(home: Home, project: Project) -> Run | None:
    """The last run of a hook for this project, or None."""
    try:
        runs = read_runs(home.hook_log)
    except OSError:
        return None
    mine = (run for run in reversed(runs) if run.project == str(project.root) and run.event != SERVER_EVENT)
    return next(mine, None)


def status_line(view: HealthView, now: datetime) -> tuple[str, str]:
    """A short text for the status bar, and its colour."""
    if view.missing:
        number = len(view.missing)
        return f"{number} compaction{'s' if number > 1 else ''} without a capture: b", "$warning"
    if not view.installed:
        return "hooks not installed: i", "$quiet"
    if view.last is None:
        return "hooks installed", "$quiet"
    if view.last.outcome != "ok":
        return "last hook failed: see memtui doctor", "$error"
    at = parse_iso(view.last.at)
    return f"hooks ✓{f' last ran {age(at, now)}' if at else ''}", "$quiet"
