"""Comparing facts with the summary that replaced them, and with hand-overs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memtui.lost.fact_rows import Fact, StandingRule, facts_of
from memtui.lost.handover_marks import MARK
from memtui.lost.naming import SearchedText
from memtui.lost.records import Aftermath, Row, State
from memtui.lost.traces import Trace
from memtui.lost.unfounded import unfounded
from memtui.transcript.records import Facts

_EXACT = frozenset({"file", "read", "check", "command"})
"""Kinds that can only be named literally, so that their absence is certain."""


def aftermath_of(
    facts: Facts,
    trace: Trace,
    number: int,
    root: Path,
    *,
    transcript: Path,
    standing: Sequence[StandingRule] = (),
) -> Aftermath:
    """The aftermath of one compaction.

    Args:
        facts: the facts up to the compaction.
        trace: the compaction.
        number: its number in the transcript.
        root: the folder that paths are relative to.
        transcript: searched for names in the summary.
        standing: pins and rules at that time.

    Raises:
        OSError: the transcript cannot be read.
    """
    summary = SearchedText(trace.compaction.summary)
    ours = "\n".join(text for text in trace.handed if MARK.search(text))
    handed = SearchedText(ours)
    rows = [
        _row(fact, trace, summary, handed if ours else None)
        for fact in facts_of(facts, trace, root, standing)
    ]
    return Aftermath(
        session_id=transcript.stem,
        number=number,
        compaction=trace.compaction,
        rows=tuple(sorted(rows, key=lambda row: row.order)),
        unfounded=tuple(unfounded(transcript, trace, facts)),
        handed_over=ours,
    )


def _row(fact: Fact, trace: Trace, summary: SearchedText, handed: SearchedText | None) -> Row:
    evidence = fact.test(summary)
    preserved = not trace.preserved.isdisjoint((fact.source.line, *fact.lines))
    need = trace.needs.get(fact.target) if fact.target else None
    row = Row(fact.kind, fact.text, fact.source, "kept", evidence, preserved and evidence is None, need)
    if evidence is not None or preserved:
        return row
    state: State = "lost" if fact.kind in _EXACT else "not named"
    if handed is not None and fact.test(handed) is not None:
        state = "handed over"
    elif fact.unclear is not None and fact.unclear(summary) is not None:
        state = "not named"
    return Row(fact.kind, fact.text, fact.source, state, None, False, need)
