"""The aftermath of a session's compactions, or of a capture's compaction."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.hooks.in_force import active_rules, pin_texts
from memtui.hooks.records import Report
from memtui.lost.asked import asked_for
from memtui.lost.compare import aftermath_of
from memtui.lost.pin_fates import pinned_later
from memtui.lost.records import Aftermath, Row
from memtui.lost.traces import Trace, traces
from memtui.store.captures import CaptureStore, compactions_in
from memtui.store.sessions import captured_transcript, find_transcript, session_root, transcripts_of
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.facts import read_facts
from memtui.transcript.records import NOWHERE, Facts
from memtui.transcript.text import words

_LEAD = re.compile(r"(?:[-*+>] |\d+[.)] )*")
"""The marks of list items and quotes."""
_CAPTURE = re.compile(r".*\.md|\d{8}[-_]\d{6}", re.ASCII)


def aftermaths(
    places: Places,
    transcript: Path,
    since: datetime | None = None,
    *,
    every: bool = False,
    traced: Sequence[Trace] | None = None,
    read: Callable[[Path, datetime | None], Facts] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> list[Aftermath]:
    """The aftermaths of a transcript's compactions, oldest first: the newest one, or `every`.

    `since` selects the first compaction at or after that time. `traced` are the transcript's compactions, if
    they have been read; `read` reads facts up to a time. A `FileProblem` if there is no such compaction.
    """
    found = list(enumerate(traces(transcript, cancelled) if traced is None else traced, 1))
    if not found:
        raise FileProblem(f"Session {transcript.stem[:8]}", "has no compaction with a summary yet")
    total = len(found)
    if since and not every:
        later = (each for each in found if (at := _moment(each[1])) and at >= since)
        if not (found := [*itertools.islice(later, 1)]):
            why = "does not have the compaction of this capture: it was not finished"
            raise FileProblem(transcript, why)
    elif not every:
        found = found[-1:]
    read = read or (lambda path, until: read_facts(path, until=until, cancelled=cancelled))
    made = []
    for number, trace in found:
        facts = read(transcript, _moment(trace))
        root = session_root(facts, places.project)
        held = standing_rules(places, transcript, _moment(trace)) if number == total else ()
        asked = asked_for(places.home, transcript.stem, _moment(trace))
        made.append(
            aftermath_of(facts, trace, number, root, transcript=transcript, standing=held, asked=asked)
        )
    return made


def newest_or_named(places: Places, name: str = "", *, every: bool = False) -> list[Aftermath]:
    """The aftermath of a capture's compaction (its path, name or time), or of a session's newest one.

    Without a name it is the session that `find_transcript` finds, else the newest one that was compacted.
    """
    if not _CAPTURE.fullmatch(name):
        transcript = find_transcript(places, name)
        traced = traces(transcript)
        if not name and not traced:
            entries = TranscriptStore(places.project, places.claude).entries()
            compactions = sorted(itertools.chain(*map(compactions_in, entries)), key=lambda each: each.at)
            paths = (each.transcript for each in reversed(compactions))
            found = ((path, made) for path in paths if (made := traces(path)))
            transcript, traced = next(found, (transcript, traced))
        return aftermaths(places, transcript, every=every, traced=traced)
    store = CaptureStore(places.project)
    capture = store.load(store.resolve(name))
    transcript = captured_transcript(places, capture.transcript)
    return aftermaths(places, transcript, capture.timestamp, every=every)


def as_object(aftermath: Aftermath) -> dict[str, Any]:
    compaction = aftermath.compaction
    summary = compaction.summary
    rows = (*aftermath.missing, *aftermath.kept)
    return {
        "session_id": aftermath.session_id,
        "number": aftermath.number,
        "trigger": compaction.trigger or None,
        "timestamp": compaction.source.timestamp,
        "line": compaction.source.line,
        "pre_tokens": compaction.pre_tokens,
        "post_tokens": compaction.post_tokens,
        "losses": len(aftermath.counted_losses),
        "rows": [
            {
                "number": number if row.missing else None,
                "key": row.key,
                "kind": row.kind,
                "text": row.text,
                "answers": row.about or None,
                "state": row.state,
                "line": row.source.line or None,
                "timestamp": row.source.timestamp or None,
                "evidence": {"span": list(span), "text": summary[span.start : span.end]}
                if (span := row.evidence)
                else None,
                "preserved": row.preserved,
                "asked": row.asked,
                "earlier": row.earlier or None,
                "needed_again": row.need._asdict() if row.need else None,
                "counts": row.counts,
            }
            for number, row in enumerate(rows, 1)
        ],
        "unfounded": [
            {"text": each.text, "reason": each.reason, "span": list(each.evidence)}
            for each in aftermath.unfounded
        ],
    }


def standing_rules(
    places: Places, transcript: Path | None = None, moment: datetime | None = None
) -> list[Row]:
    """Pins and rules of active commands, at the time of a session's newest compaction.

    Later ones cannot have been lost then. None for sessions with a successor, to which current pins and rules
    do not apply; without a transcript all of them. Unreadable ones are left out; the pane shows the problem.
    """
    if transcript and next(iter(transcripts_of(places).values()), None) != transcript:
        return []
    report = Report()
    pins = pin_texts(places.project, places.home, report)
    later = pinned_later(places, moment) if pins and moment is not None else frozenset()
    found = [Row("pin", text, NOWHERE) for text in pins if text not in later]
    for rules in active_rules(places.project, report):
        since = rules.entry.activated_at
        if not (since and moment and since > moment):
            found += [Row("active", text, NOWHERE) for text in _lines_of(rules.text)]
    return found


def _lines_of(rules: str) -> list[str]:
    """The lines of a command's rules, without titles and marks; items go with what announces them."""
    lines: list[str] = []
    announces = False
    for written in map(str.strip, rules.split("\n")):
        line = _LEAD.sub("", written).replace("**", "")
        if not line or written.startswith("#"):
            announces = announces and not line and lines[-1].endswith(":")  # a gap may come before its items
        elif announces and line != written and len(lines[-1]) + len(line) < 400:
            lines[-1] += f"{'' if lines[-1].endswith(':') else ';'} {line}"
        else:
            lines.append(line)
            announces = line.endswith(":")
    return [line for line in lines if len(words(line)) >= 3][:20]  # shorter ones are titles


def _moment(trace: Trace) -> datetime | None:
    return parse_iso(trace.compaction.source.timestamp)
