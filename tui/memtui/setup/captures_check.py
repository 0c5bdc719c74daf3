"""The doctor's checks of results: hooks ran, every compaction is captured, nothing is about to be lost."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.formats.capture import Capture
from memtui.formats.capture_text import capture_name
from memtui.ground.clock import age, parse_iso
from memtui.ground.files import is_within
from memtui.ground.git import git_sees
from memtui.ground.project import Places
from memtui.hooks.log import Run, read_runs
from memtui.setup.findings import Finding, broken, note, ok, warning
from memtui.setup.hook_settings import EVENTS
from memtui.store.archive import Archive
from memtui.store.backfill import coverage
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.listing import Entry
from memtui.store.retention import cleanup_days
from memtui.store.transcripts import TranscriptProblem, TranscriptStore, check_transcript

SLOW_MS = 1_000
"""Milliseconds above which a hook is noticeably slow."""

LONG = timedelta(days=7)
"""The longest time for a capture to stay pending, and the time before a transcript's deletion to warn."""

_RECENT = 20

Loaded = Sequence[tuple[Entry, Capture]]


def check_runs(places: Places, now: datetime) -> Iterator[Finding]:
    """The last run of each hook in this project: time, duration, outcome."""
    try:
        runs = read_runs(places.home.hook_log)
    except OSError as error:
        message = f"The hook log {places.home.hook_log} cannot be read: {error.strerror}"
        yield warning("runs", message, "Check its owner and mode.")
        return
    mine = [run for run in runs if run.project == str(places.project.root)]
    if not mine:
        advice = "Once installed, they run with Claude Code, in folders that it trusts."
        yield note("runs", "No hook has run in this project yet", advice)
        return
    for event, name in EVENTS.items():
        last = next((run for run in reversed(mine) if run.event == name), None)
        if last is not None:
            yield _last_run(event, last, now)
    recent = mine[-_RECENT:]
    failed = [run.outcome for run in recent if run.outcome != "ok"]
    if failed and mine[-1].outcome == "ok":
        yield note("runs", f"{len(failed)} of the last {len(recent)} runs had a problem: {failed[-1]}")


def check_compactions(places: Places, captures: Loaded) -> Iterator[Finding]:
    """Whether every auto-compaction in the transcripts has a capture."""
    transcripts = TranscriptStore(places.project, places.claude).entries()
    found = coverage(transcripts, [capture for _, capture in captures])
    total, missing = len(found.compactions), len(found.missing)
    if not total:
        yield ok("compactions", "No auto-compaction in the transcripts that Claude Code keeps")
    elif not missing:
        yield ok("compactions", f"{_count(total, 'auto-compaction')}, all captured")
    else:
        message = f"{_count(total, 'auto-compaction')}, {_count(total - missing, 'capture')}"
        yield warning("compactions", message, "Run `memtui backfill`.")


def load_captures(places: Places) -> tuple[Loaded, list[Finding]]:
    """The readable captures, and findings for the others.

    Raises:
        FileProblem: their folder cannot be listed.
    """
    store = CaptureStore(places.project)
    loaded: list[tuple[Entry, Capture]] = []
    findings = []
    for entry in store.entries():
        try:
            loaded.append((entry, store.load(entry)))
        except CaptureProblem as problem:
            findings.append(warning("captures", str(problem), "Correct it, or move it away."))
    return loaded, findings


def check_pending(captures: Loaded, now: datetime) -> Iterator[Finding]:
    """Whether captures have been pending too long."""
    pending = [capture.timestamp for _, capture in captures if capture.status == "pending"]
    waiting = [moment for moment in pending if now - moment > LONG]
    if waiting:
        number = _count(len(waiting), "capture")
        message = f"{number} pending for more than 7 days, the oldest from {age(min(waiting), now)}"
        yield note("pending", message, "Review in memtui, with /review-compact or with `memtui review`.")
    else:
        yield ok("pending", f"{_count(len(pending), 'capture')} pending, none for more than 7 days")


def check_retention(places: Places, captures: Loaded, now: datetime) -> Iterator[Finding]:
    """Whether Claude Code will soon delete the transcript of a pending capture."""
    days = cleanup_days(places.claude, places.project.root)
    archive = Archive(places.home, lambda: now)
    gone = 0
    for entry, capture in captures:
        if capture.status != "pending":
            continue
        try:
            path = check_transcript(capture.transcript, places.claude)
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except (TranscriptProblem, OSError):
            gone += not _is_kept(archive, capture)
            continue
        left = written + timedelta(days=days) - now
        if left <= LONG and not _is_kept(archive, capture):
            when = f"in {_count(left.days, 'day')}" if left.days > 0 else "any day now"
            message = f"Claude Code deletes the transcript of {entry.name} {when} (after {days} days)"
            yield warning("transcripts", message, f"Run `memtui review {entry.name}`.")
    if gone:
        message = f"{_count(gone, 'pending capture')} without a transcript that can be read"
        yield note("transcripts", message, "A review of them has the first message to go by.")


def check_folders(places: Places, now: datetime) -> Iterator[Finding]:
    """Whether captures, memories and states are private, and kept out of the repository."""
    compacts, root, home = places.project.compacts, places.project.root, places.home
    if not is_within(compacts, root):
        message = f"{compacts} leads out of the project through a symbolic link"
        yield broken("folders", message, "Make it a folder: memtui does not follow the link.")
        return
    folders = (compacts, home.memories, home.states, home.state)
    open_ones = [folder for folder in folders if _is_open_to_others(folder)]
    for folder in open_ones:
        advice = f"Run: chmod 700 {shlex.quote(str(folder))}"
        yield warning("folders", f"Others can look into {folder}", advice)
    if compacts.is_dir() and git_sees(root, compacts / capture_name(now)):
        advice = "Put a .gitignore with one line, *, into it."
        yield warning("folders", f"git may commit what is in {compacts}", advice)
    elif not open_ones:
        yield ok("folders", "Captures and memories are closed to others")


def _last_run(event: str, run: Run, now: datetime) -> Finding:
    moment = parse_iso(run.at)
    message = f"Last {event} {age(moment, now) if moment else run.at}, {run.ms} ms"
    if run.outcome != "ok":
        message, advice = f"{message}: {run.outcome}", "If this repeats, fix the cause."
        lost = event == "PreCompact"
        return broken("runs", message, advice) if lost else warning("runs", message, advice)
    if run.ms > SLOW_MS:
        return warning("runs", message, "That is slow; is one of the folders on a slow disk?")
    return ok("runs", message)


def _is_open_to_others(folder: Path) -> bool:
    try:
        return bool(stat.S_IMODE(folder.stat().st_mode) & 0o077)
    except OSError:
        return False


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _is_kept(archive: Archive, capture: Capture) -> bool:
    kept = archive.kept_at(Path(capture.transcript))
    return kept is not None and not kept.problem
