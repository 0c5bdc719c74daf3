"""Receipts of a project: hand-overs by hooks, and whether Claude Code's transcripts have them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.hooks.records import Run, read_runs
from memtui.hooks.settings import read_settings, settings_paths
from memtui.lost.receipts import Handed, Notes, Receipt, is_marked, read_notes, receipts, without_hook
from memtui.plugin.installing import has_all_hooks
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.paths import shown_path
from memtui.transcript.records import CompactionFact

RECENT = 20

_START = "session-start"
_BEFORE = timedelta(minutes=1)
"""Maximum time between a SessionStart hook and its boundary."""


def receipts_of(places: Places, limit: int = RECENT, session: str = "") -> list[Receipt]:
    """The newest receipts of a project, the newest first.

    Args:
        places: the project and the folders.
        limit: the most to return.
        session: restrict to this session.

    Raises:
        OSError: the hook log exists and cannot be read.
        FileProblem: Claude Code's folder cannot be listed.
    """
    root = str(places.project.root)
    runs = [run for run in read_runs(places.home.hook_log) if run.project == root]
    runs = [run for run in runs if not session or run.session_id == session]
    by_session = _by_session(runs)
    why = why_no_hook(places)
    since = _first(runs)
    found: list[Receipt] = []
    transcripts = TranscriptStore(places.project, places.claude).entries()
    for transcript in [each for each in transcripts if not session or each.session_id == session][:limit]:
        mine = by_session.pop(transcript.session_id, [])
        notes = _notes(transcript.path)
        found += receipts(_handed(mine), notes)
        if notes is not None:
            starts = [moment for run in mine if run.event == _START and (moment := parse_iso(run.at))]
            found += without_hook(transcript.session_id, notes, starts, since, why)
    for mine in by_session.values():
        found += receipts(_handed(mine), None)
    return sorted(found, key=lambda each: each.at, reverse=True)[:limit]


def receipt_since(places: Places, transcript: Path, compaction: CompactionFact) -> Receipt | None:
    """The receipt of the hand-overs at a session's last compaction and since.

    Returns: The newest receipt that is not whole, else the newest; None without a hand-over, and until the
    model answers, as the text may still be on its way.

    Raises:
        OSError: the hook log or the transcript cannot be read.
    """
    moment = parse_iso(compaction.source.timestamp)
    if moment is None:
        return None
    root, session = str(places.project.root), transcript.stem
    runs = [run for run in read_runs(places.home.hook_log) if run.project == root]
    mine = [run for run in runs if run.session_id == session and _is_since(run, moment)]
    notes = read_notes(transcript, compaction.source.offset, compaction.source.line)
    starts = [at for run in mine if run.event == _START and (at := parse_iso(run.at))]
    found = [
        *receipts(_handed(mine), notes),
        *without_hook(session, notes, starts, _first(runs), why_no_hook(places)),
    ]
    found = [each for each in found if notes.answered or each.arrival != "missing"]
    bad = [each for each in found if each.arrival != "whole"]
    return max(bad or found, key=lambda each: each.at, default=None)


def why_no_hook(places: Places) -> str:
    """The likely reason why no hook ran at a compaction; paths are relative to the project's root."""
    root = places.project.root
    for path in settings_paths(places.claude, root):
        shown = shown_path(str(path), root)
        try:
            settings = read_settings(path)
        except FileProblem as problem:
            return f"no hook ran: {shown} {problem.reason}"
        if settings.get("disableAllHooks") is True:
            return f"no hook ran: {shown} turns all hooks off (disableAllHooks)"
        if settings.get("allowManagedHooksOnly") is True:
            return f"no hook ran: {shown} allows managed hooks only"
    if not has_all_hooks(places):
        return "no hook ran: memtui is not installed in Claude Code; run `memtui init`"
    return "no hook ran: the session was started before the plugin was installed, or in a folder not trusted"


def _is_since(run: Run, moment: datetime) -> bool:
    """Whether a hook ran at a compaction or later: SessionStart runs just before the boundary is written."""
    at = parse_iso(run.at)
    return at is not None and at >= moment - _BEFORE


def _by_session(runs: list[Run]) -> dict[str, list[Run]]:
    ordered = sorted(runs, key=lambda run: run.session_id)
    return {name: list(mine) for name, mine in groupby(ordered, key=lambda run: run.session_id)}


def _handed(runs: list[Run]) -> list[Handed]:
    return [Handed(run.at, run.event, run.session_id, run.detail) for run in runs if is_marked(run.detail)]


def _first(runs: list[Run]) -> datetime:
    """The time of the hooks' first run; earlier compactions do not count."""
    moments = [moment for run in runs if (moment := parse_iso(run.at)) is not None]
    return min(moments, default=datetime.max.replace(tzinfo=UTC))


def _notes(path: Path) -> Notes | None:
    try:
        return read_notes(path)
    except OSError:
        return None
