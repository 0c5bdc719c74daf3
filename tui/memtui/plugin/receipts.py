"""Receipts of a project: hand-overs by hooks, and whether Claude Code's transcripts have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.ground.project import Places
from memtui.hooks.records import Run, read_runs
from memtui.lost.outbox import waiting_by_session
from memtui.lost.receipts import WITHIN, Notes, Receipt, arrived, read_notes
from memtui.plugin.installing import has_all_hooks, hooks_off
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.paths import shown_path
from memtui.transcript.records import CompactionFact

RECENT = 20
_HANDED = re.compile(r"(\d[\d,]*) characters of context, memtui:([0-9a-f]{8})")


def receipts_of(places: Places, limit: int = RECENT, session: str = "") -> list[Receipt]:
    """The newest receipts of a project, or a session, newest first; `OSError` for an unreadable log."""
    runs = read_runs(places.home.hook_log, places.project.root)
    runs = [run for run in runs if session in ("", run.session_id)]
    why, since = why_no_hook(places), _first(runs)
    entries = TranscriptStore(places.project, places.claude).entries()
    newest = [each for each in entries if session in ("", each.session_id)][:limit]
    paths = {each.session_id: each.path for each in newest}
    found: list[Receipt] = []
    for name in dict.fromkeys([*paths, *(run.session_id for run in runs)]):
        mine = [run for run in runs if run.session_id == name]
        try:
            notes = read_notes(paths[name])
        except (KeyError, OSError):  # it is gone, or older than the newest
            found += _handed(mine, None)
        else:
            found += _all(name, mine, notes, since, why)
    return sorted(found, key=lambda each: each.at, reverse=True)[:limit]


def receipt_since(places: Places, transcript: Path, compaction: CompactionFact) -> Receipt | None:
    """The receipt of a session's last compaction and since: the newest that is not whole, else the newest.

    None without a hand-over, and until the model answers, as the text may still be on its way. `OSError` if
    log or transcript cannot be read.
    """
    moment = parse_iso(compaction.source.timestamp)
    if moment is None:
        return None
    runs, session = read_runs(places.home.hook_log, places.project.root), transcript.stem
    since = moment - timedelta(minutes=1)  # SessionStart runs just before the boundary is written
    own = [run for run in runs if run.session_id == session]
    mine = [run for run in own if (at := parse_iso(run.at)) is not None and at >= since]
    notes = read_notes(transcript, compaction.source.offset, compaction.source.line)
    found = _all(session, mine, notes, _first(runs), why_no_hook(places))
    found = [each for each in found if notes.answered or each.arrival != "missing"]
    bad = [each for each in found if each.arrival != "whole"]
    return max(bad or found, key=lambda each: each.at, default=None)


def waiting_here(places: Places) -> dict[str, int]:
    """The number of lines that wait for the next prompt, by session of the project."""
    if not (waiting := waiting_by_session(places.home)):
        return {}
    own = {each.session_id for each in TranscriptStore(places.project, places.claude).entries()}
    return {name: rows for name, rows in waiting.items() if name in own}


def why_no_hook(places: Places) -> str:
    """The likely reason why no hook ran at a compaction; paths are relative to the project's root."""
    if problem := hooks_off(places):
        return f"no hook ran: {shown_path(str(problem.path), places.project.root)} {problem.reason}"
    if not has_all_hooks(places):
        return "no hook ran: memtui is not installed in Claude Code; run `memtui init`"
    return "no hook ran: the session was started before the plugin was installed, or in a folder not trusted"


def _all(session: str, runs: list[Run], notes: Notes, since: datetime, why: str) -> list[Receipt]:
    """The receipts of a session's runs, and of its compactions from `since` on at which no hook ran."""
    starts = [moment for run in runs if run.event == "session-start" and (moment := parse_iso(run.at))]
    return [
        *_handed(runs, notes),
        *(
            Receipt(moment, session, "session-start", "missing", reason=why)
            for moment in notes.compactions
            if moment >= since and not any(abs(start - moment) <= WITHIN for start in starts)
        ),
    ]


def _handed(runs: list[Run], notes: Notes | None) -> Iterator[Receipt]:
    """The receipts of one session's hand-overs that carry a mark."""
    for run in runs:
        found, moment = _HANDED.search(run.detail), parse_iso(run.at)
        if found and moment:
            what = "; ".join(part for part in run.detail.split("; ") if part.startswith("handed over"))
            size = int(found[1].replace(",", ""))
            yield arrived(Receipt(moment, run.session_id, run.event, "unknown", what, found[2], size), notes)


def _first(runs: list[Run]) -> datetime:
    """The time of the hooks' first run; earlier compactions do not count."""
    moments = [moment for run in runs if (moment := parse_iso(run.at)) is not None]
    return min(moments, default=datetime.max.replace(tzinfo=UTC))
