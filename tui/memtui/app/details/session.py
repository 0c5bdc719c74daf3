"""A session: its state drawn for reading, and the chart of its context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memtui.app.details.memory import split_sections
from memtui.app.widgets.document import Document, Line, line, markdown_lines, styled
from memtui.app.widgets.wrap import short_paths, short_tokens
from memtui.ground.clock import day_and_minute, parse_iso, to_local
from memtui.ground.text import counted
from memtui.lost.context_gauge import learned_limit
from memtui.transcript.records import CompactionFact, ContextSize

_FRAME = re.compile(r"=== (?:SESSION STATE v\S+|END STATE) ===\s*")
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_TASK = re.compile(r"(\s*)[-*] \[([ xX])\]\s*(\*\*IN PROGRESS\*\*:|NEXT:|LATER:)?\s*(.*)")
_MARKS = {r"\[[xX]\]": "✓", r"\[ \] \*\*IN PROGRESS\*\*:": "▸", r"\[ \](?: NEXT:)?": "○", "(?:Sub: )?": "• "}
_NOTHING = re.compile(r"\s*[-*]\s*(?:[\w ]+:\s*)?(?:(?:N/A|none)(?: on record)?\.?)?\s*", re.IGNORECASE)
_ABSENCE = re.compile(rf"(?!.*:\s*$){_NOTHING.pattern}", re.IGNORECASE)
"""A row that only says that there is nothing; one that ends in a colon stands above others."""
_GOAL = re.compile(r"(\s*[-*] Session goal: )(.+)")
_WORDS = re.compile(r"\s*[-*] Sub: ((?:Last asked|Claude said last)\b.*)")
_SUB = re.compile(r"^(\s*[-*] )Sub: ")


def state_document(text: str) -> Document:
    """The document of a session state (seed 003), with ✓ ▸ ○ for its tasks; empty sections are left out.

    Its goal is one sentence: where that is from, and what was asked before it, is in the file.
    """
    rows = [row for row in short_paths(text).strip().split("\n") if not _FRAME.fullmatch(row)]
    lines: list[Line] = []
    for first, *rest in split_sections(rows):
        heading, body = (first, rest) if first.startswith("## ") else ("", [first, *rest])
        if not all(map(_NOTHING.fullmatch, filter(str.strip, body))):
            lines += markdown_lines([_BRACKETS.sub("", heading)] if heading else [])
            lines += _body(body)
    return Document(lines)


def marked(text: str) -> str:
    """The beginning of a row with its mark instead of the file format's."""
    for written, mark in _MARKS.items():
        text = re.sub(rf"^(\s*)- {written}", rf"\1{mark}", text)
    return text


def _body(rows: list[str]) -> Iterator[Line]:
    """Tasks with their marks; the text between them as Markdown, last the words said, which are no steps."""
    from memtui.documents.work import goal_words  # the first paint needs no facts

    between, said = list[str](), list[str]()
    for row in rows:
        if task := _TASK.fullmatch(row):
            yield from markdown_lines(between)
            yield _task(task)
            between = []
        elif goal := _GOAL.fullmatch(row):
            between.append(goal[1] + goal_words(goal[2]))
        elif words := _WORDS.fullmatch(row):
            said.append(words[1])
        elif not _ABSENCE.fullmatch(row):
            between.append(_SUB.sub(r"\1", row))
    yield from markdown_lines(between)
    yield from (*(line(each, "dim") for each in said), *[Line("")][: len(said)])


def _task(task: re.Match[str]) -> Line:
    indent, box, kind, text = task.groups()
    hang = len(indent) + 2
    if box != " ":
        return styled(indent, ("✓ ", "good"), (text, "dim"), hang=hang)
    if kind and "PROGRESS" in kind:
        return styled(indent, ("▸ ", "accent"), (text, "strong"), hang=hang)
    later = " (later)" if kind == "LATER:" else ""
    return line(f"{indent}○ {text}{later}", hang=hang)


COLUMNS = 34
"""Width of the chart: it fits a window of 40 columns."""
_BARS, _MARK = "▁▂▃▄▅▆▇█", "▼"


def context_chart(sizes: Sequence[ContextSize], compactions: Sequence[CompactionFact]) -> Document:
    """How the context grew, in a row of bars; empty for a session with fewer than two requests.

    A bar stands for some requests and shows the largest of them, so that the peak before a compaction is
    visible. Time is not to scale: a night without requests takes no column.
    """
    known = [size for size in sizes if size.tokens > 0]
    if len(known) < 2:
        return Document()
    tokens = [size.tokens for size in known]
    limit, peak = learned_limit(compactions), max(tokens)
    bounds = pairwise(len(tokens) * column // COLUMNS for column in range(COLUMNS + 1))
    bars = [
        (_BARS[7 * max(tokens[start : max(end, start + 1)]) // max(peak, limit)], "accent")
        for start, end in bounds
    ]
    for moment in filter(None, (each.source.timestamp for each in compactions)):
        before = sum(size.timestamp <= moment for size in known)
        bars[min(COLUMNS - 1, before * COLUMNS // len(known))] = (_MARK, "warn")
    said = [counted(len(compactions), "compaction") if compactions else "no compaction yet"]
    said += [f"limit {short_tokens(limit)}"] if limit else ["none automatic"] if compactions else []
    mark = [(f"{_MARK} ", "warn")] if compactions else []
    return Document(
        [
            styled(("Context size", "label"), (f" · now {short_tokens(tokens[-1])} tokens", "dim")),
            styled(*bars),
            line(_times(known[0].timestamp, known[-1].timestamp), "dim"),
            styled(*mark, (" · ".join([*said, f"most {short_tokens(peak)}"]), "dim")),
        ]
    )


def _times(first: str, last: str) -> str:
    """The times of the first and the last request, with their days if these differ."""
    moments = [to_local(moment) for text in (first, last) if (moment := parse_iso(text))]
    dated = len({moment.date() for moment in moments}) > 1
    times = [day_and_minute(moment) if dated else f"{moment:%H:%M}" for moment in moments]
    return (" " * (COLUMNS - sum(map(len, times)))).join(times)
