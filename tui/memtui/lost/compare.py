"""Comparing the lines of a conversation with the summary that replaced them, and with hand-overs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.lost.candidates import candidates
from memtui.lost.handover_marks import MARK
from memtui.lost.records import PLAN, QUOTE, TOGETHER, Aftermath, Row
from memtui.lost.traces import Trace
from memtui.lost.unfounded import unfounded
from memtui.lost.verdicts import Text, stems
from memtui.lost.worth import doubles, ranked, worth
from memtui.transcript.records import Facts

_JOINED = frozenset({"rule", "ask", "finding", "report", "said", "step"})
"""Kinds whose neighbours are read together: the item of a list says little by itself."""
_BEGINNING = 80  # characters by which a line is known again in what was asked for: long ones are shortened
_NEAR = 120  # characters between two lines that are read together
_AGAIN = 14.0
"""Worth of a line that was needed again, or whose words that the summary lacks all came up again after it."""


def aftermath_of(
    facts: Facts,
    trace: Trace,
    number: int,
    root: Path,
    *,
    transcript: Path,
    standing: Sequence[Row] = (),
    asked: str = "",
) -> Aftermath:
    """The aftermath of one compaction, the transcript's `number`th; `facts` are those up to it.

    `root` is the folder that paths are relative to, `standing` are the pins and rules of that time, `asked`
    is what PreCompact asked the summariser to keep. The transcript is searched for names in the summary, too.
    """
    found = [*standing, *candidates(transcript, facts, trace.compaction, root)]
    ours = "\n".join(text for text in trace.handed if MARK.search(text))
    lines = [each.text for each in found]
    rows = rows_of(
        found,
        Text(trace.compaction.summary, lines),
        trace.compaction.source.line,
        trace=trace,
        handed=Text(ours, lines) if ours else None,
        asked=" ".join(asked.split()),
    )
    return Aftermath(
        session_id=transcript.stem,
        number=number,
        compaction=trace.compaction,
        rows=tuple(rows),
        unfounded=tuple(unfounded(transcript, trace, facts)),
    )


def rows_of(
    found: Sequence[Row],
    summary: Text,
    end: int,
    *,
    trace: Trace | None = None,
    handed: Text | None = None,
    asked: str = "",
) -> list[Row]:
    """Lines with their state, those of most worth first; `end` is the line of the boundary.

    `trace` tells what followed the compaction, if there is one yet, `handed` what memtui has handed over
    since, `asked` (without line breaks) what PreCompact asked the summariser to keep.
    """
    followed = stems("\n".join(trace.followed)) if trace else frozenset[str]()
    made = []
    for line in found:
        verdict = summary.verdict(line)
        need = trace.needs.get(line.target) if trace and line.target else None
        value = worth(line, verdict, end)
        new = summary.lacks(line.text)
        if line.kind != "file" and (need or (new and new <= followed)):  # a path is a call away
            value += _AGAIN
        row = replace(line, state=verdict.fate, evidence=verdict.nearest, need=need, worth=value)
        if row.state == "kept":
            row = replace(row, asked=" ".join(line.text.split())[:_BEGINNING] in asked)
        elif trace and line.source.line in trace.preserved:
            row = replace(row, state="kept", evidence=None, preserved=True)
        elif handed is not None and handed.verdict(line).fate == "kept":
            row = replace(row, state="handed over", evidence=None)
        made.append(row)
    rows = ranked(_joined(made))
    # Commands differ by one word, and those that are part of another one are no candidates.
    lost = [
        at
        for at, row in enumerate(rows)
        if row.state == "lost" and row.kind not in ("check", "command")
        if row.kind != "step" or row.target in ("", PLAN)
    ]
    for at in doubles([rows[each].text for each in lost]):
        rows[lost[at]] = replace(rows[lost[at]], double=True)
    return sorted(rows, key=lambda row: row.double)


def _joined(rows: Sequence[Row]) -> list[Row]:
    """Rows with those missing lines as one that stand together in a message; lost if one of them is."""
    found: list[Row] = []
    last: dict[tuple[str, int, str], int] = {}
    ends: dict[tuple[str, int, str], int] = {}
    for row in rows:
        runs = row.kind == "step" and row.target not in ("", PLAN)  # to be run as it stands
        if not (row.missing and row.kind in _JOINED and row.source.line) or row.earlier or runs:
            found.append(row)
            continue
        state = row.state if row.kind == "step" else ""  # what is due for sure stands by itself
        place = (row.kind, row.source.line, row.standing + state)
        before = found[last[place]] if place in last else None
        near = row.at is None or row.standing == "open" or 0 <= row.at <= ends.get(place, 0) + _NEAR
        ends[place] = (row.at or 0) + len(row.text)
        if before is None or not near or len(before.text) + len(row.text) > QUOTE:
            last[place] = len(found)
            found.append(row)
        elif doubles((before.text, row.text)):
            found.append(row)
        else:
            first = before if before.state == "lost" or row.state == "maybe" else row
            text = f"{before.text}{TOGETHER}{row.text}"
            found[last[place]] = replace(
                first,
                text=text,
                parts=(*before.keys, *row.keys),
                need=before.need or row.need,
                worth=max(before.worth, row.worth),
            )
    return found
