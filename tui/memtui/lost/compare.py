"""Comparing the lines of a conversation with the summary that replaced them, and with hand-overs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.lost.asked import is_asked
from memtui.lost.candidates import Candidate, candidates
from memtui.lost.handover_marks import MARK
from memtui.lost.records import Aftermath, Row
from memtui.lost.traces import Trace
from memtui.lost.unfounded import unfounded
from memtui.lost.verdicts import Text, stems
from memtui.lost.worth import doubles, ranked, worth
from memtui.transcript.records import Facts

_TELLING = 3
"""The least words by which a line of Claude's is known again."""
_AGAIN = 14.0
"""Worth of a line that was needed again, or whose words that the summary lacks all came up again after it."""


def aftermath_of(
    facts: Facts,
    trace: Trace,
    number: int,
    root: Path,
    *,
    transcript: Path,
    standing: Sequence[Candidate] = (),
    asked: str = "",
) -> Aftermath:
    """The aftermath of one compaction.

    Args:
        facts: the facts up to the compaction.
        trace: the compaction.
        number: its number in the transcript.
        root: the folder that paths are relative to.
        transcript: read for its lines, and searched for names in the summary.
        standing: pins and rules at that time.
        asked: what PreCompact asked the summariser to keep.

    Raises:
        OSError: the transcript cannot be read.
    """
    found = [*standing, *candidates(transcript, facts, trace.compaction, root)]
    lines = [each.text for each in found]
    ours = "\n".join(text for text in trace.handed if MARK.search(text))
    summary, handed = Text(trace.compaction.summary, lines), Text(ours, lines) if ours else None
    asked = " ".join(asked.split())
    followed = stems("\n".join(trace.followed))
    made = [_row(each, trace, summary, handed, asked, followed) for each in found]
    rows = [made[at] for at in ranked([(each, row.worth) for each, row in zip(found, made, strict=True)])]
    lost = [row for row in rows if row.state == "lost"]
    again = {lost[at].key for at in doubles([row.text for row in lost])}
    rows = [replace(row, double=True) if row.key in again else row for row in rows]
    return Aftermath(
        session_id=transcript.stem,
        number=number,
        compaction=trace.compaction,
        rows=tuple(rows),
        unfounded=tuple(unfounded(transcript, trace, facts)),
        handed_over=ours,
    )


def _row(
    line: Candidate, trace: Trace, summary: Text, handed: Text | None, asked: str, followed: frozenset[str]
) -> Row:
    verdict = summary.verdict(line)
    need = trace.needs.get(line.target) if line.target else None
    value = worth(line, len(verdict.missing), trace.compaction.source.line)
    new = summary.lacks(line.text)
    if need or (len(new) >= (_TELLING if line.kind in ("said", "report") else 1) and new <= followed):
        value += _AGAIN
    preserved = line.source.line in trace.preserved
    row = Row(
        line.kind, line.text, line.source, verdict.fate, verdict.nearest, need=need,
        earlier=line.earlier, worth=value,
    )  # fmt: skip
    if verdict.fate == "kept":
        return replace(row, asked=is_asked(line.text, asked))
    if preserved:
        return replace(row, state="kept", evidence=None, preserved=True)
    if handed is not None and handed.verdict(line).fate == "kept":
        return replace(row, state="handed over", evidence=None)
    return row
