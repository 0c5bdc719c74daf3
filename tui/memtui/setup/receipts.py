"""Receipts of a project: hand-overs by hooks, and whether Claude Code's transcripts have them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.hooks.log import Run, read_runs
from memtui.lost.receipts import Handed, Notes, Receipt, is_marked, read_notes, receipts, without_hook
from memtui.setup.findings import Finding, ok, warning
from memtui.setup.hook_settings import EVENTS
from memtui.setup.hooks_check import HookSettings, read_all_settings
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
    why = why_no_hook(read_all_settings(places), places.project.root)
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
        *without_hook(
            session, notes, starts, _first(runs), why_no_hook(read_all_settings(places), places.project.root)
        ),
    ]
    found = [each for each in found if notes.answered or each.arrival != "missing"]
    bad = [each for each in found if each.arrival != "whole"]
    return max(bad or found, key=lambda each: each.at, default=None)


def why_no_hook(all_settings: tuple[HookSettings, ...], root: Path) -> str:
    """The likely reason why no hook ran at a compaction; paths are relative to the project's root."""
    for settings in all_settings:
        if (settings.content or {}).get("disableAllHooks") is True:
            return (
                f"no hook ran: {shown_path(str(settings.path), root)} turns all hooks off (disableAllHooks)"
            )
    for settings in all_settings:
        if (settings.content or {}).get("allowManagedHooksOnly") is True:
            return f"no hook ran: {shown_path(str(settings.path), root)} allows managed hooks only"
        if settings.problem:
            return f"no hook ran: {shown_path(str(settings.path), root)} {settings.problem}"
    hooks = [hook for settings in all_settings for hook in settings.hooks if hook.event == "SessionStart"]
    if not any(hook.runs == EVENTS["SessionStart"] for hook in hooks):
        return "no hook ran: memtui is not installed for SessionStart; run `memtui init`"
    if all(hook.matcher not in ("", "*", "compact") for hook in hooks):
        return f"no hook ran: its matcher is '{hooks[0].matcher}'"
    return "no hook ran: Claude Code may not trust this folder yet, or read other settings"


def check_receipts(places: Places) -> Iterator[Finding]:
    """Whether the last 20 hand-overs have arrived."""
    try:
        found = receipts_of(places)
    except (OSError, FileProblem) as problem:
        yield warning("receipts", f"Receipts cannot be read: {problem}")
        return
    known = [each for each in found if each.arrival != "unknown"]
    bad = [each for each in known if each.arrival != "whole"]
    if not known:
        yield ok("receipts", "Nothing was handed over yet that a transcript could show")
    elif not bad:
        yield ok("receipts", f"All of the last {len(known)} hand-overs arrived whole")
    else:
        message = f"{len(bad)} of the last {len(known)} hand-overs did not arrive whole: {bad[0].label}"
        yield warning("receipts", message, "`memtui doctor --receipts` lists them.")


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
