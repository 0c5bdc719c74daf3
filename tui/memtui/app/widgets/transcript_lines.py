"""A transcript's blocks as lines for reading."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtui.app.widgets.document import Line, Span, from_markdown, line, rule, styled
from memtui.app.widgets.transcript_calls import FOLD, ROWS, call_lines, result_lines, subject_of
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.transcript.blocks import Attached, Block, Skipped, Thinking
from memtui.transcript.events import Boundary, Call, Queued, Result, Said, Summary, Words

BLANK = Line("")
_WORKED = "  (while the model worked)"
_DRESS = re.compile(r"(?:┆ )?(?:\d\d:\d\d )?(?:[❯!└•] )?[ ]*(?:[└•] )?|\s+")
"""The decoration at the beginning of a line."""
_NOTE = re.compile(re.escape(_WORKED) + "$")
_PASTED = 30
"""Number of lines from which an ask is folded: long ones were usually pasted."""
_HEAD = 20


def render(block: Block, *, unfolded: bool, result: Result | None = None, paired: bool = False) -> list[Line]:
    """The lines that show one block.

    Args:
        block: the block.
        unfolded: whether to show all of it, or only the essential part.
        result: that of a call, shown below it.
        paired: whether this is a result shown below its call.
    """
    event = block.event
    if isinstance(event, Call):
        made = call_lines(block, event, result, unfolded=unfolded)
    elif isinstance(event, Result):
        made = result_lines(event, unfolded=unfolded, paired=paired)
    elif isinstance(event, Said):
        made = [BLANK, *from_markdown(event.text.strip("\n")).lines, BLANK]
    elif isinstance(event, Words):
        made = _words(block, event, unfolded)
    elif isinstance(event, Queued):
        made = _prompt(block, event.text, unfolded, _WORKED)
    elif isinstance(event, Boundary):
        made = [BLANK, rule(boundary_caption(event), "rule"), BLANK]
    elif isinstance(event, Summary):
        made = _folding("Summary", event.text, unfolded)
    elif isinstance(event, Thinking):
        made = _folding("Thinking", event.text, unfolded)
    else:
        made = [_remark(event)]
    return _of_subagent(made) if block.agent else made


def can_fold(made: Iterable[Line]) -> bool:
    """Whether these lines of a block can be unfolded or folded."""
    return any(each.link == FOLD for each in made)


def words_of(block: Block, shown: Line, *, first: bool) -> str:
    """The words of a line made by `render`, without decoration; "" without any.

    Args:
        block: the block of the line.
        shown: the line.
        first: whether it is the block's first line: for a call, its subject.
    """
    event = block.event
    if isinstance(event, Call) and first:
        return clean_line(subject_of(event, block.folder))
    if isinstance(event, (Boundary, Attached, Skipped)) or shown.link or shown.role in ("rule", "label"):
        return ""
    return _NOTE.sub("", _DRESS.sub("", shown.text, count=1)).strip()


def boundary_caption(event: Boundary, number: int = 0, total: int = 0) -> str:
    """The text of a compaction's rule; `number` of `total` if known."""
    sizes = " → ".join(_thousands(size) for size in (event.pre_tokens, event.post_tokens) if size is not None)
    parts = ("▼ COMPACTED", event.trigger, sizes, f"({number} of {total})" if number and total else "")
    return " ".join(part for part in parts if part)


def date_line(block: Block) -> Line | None:
    """The day of a block; None if its record has no time."""
    moment = parse_iso(block.stamp) if block.stamp else None
    return rule(f"{to_local(moment):%a %d %b %Y}", "label") if moment is not None else None


def _of_subagent(lines: Iterable[Line]) -> list[Line]:
    """Lines of a subagent, set apart behind a bar, without blank lines."""
    return [
        Line(
            f"┆ {text}",
            role or "dim",
            tuple(Span(a + 2, b + 2, kind) for a, b, kind in spans),
            hang + 2,
            link,
        )
        for text, role, spans, hang, link in lines
        if text
    ]


def _time(block: Block) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    return to_local(moment).strftime("%H:%M") if moment is not None else ""


def _words(block: Block, event: Words, unfolded: bool) -> list[Line]:
    if event.kind == "interruption":
        return [line(clean_line(event.text), "warn")]
    if event.kind == "local command":
        return [BLANK, styled((f"{_time(block)} ", "dim"), (clean_line(event.text), "label"))]
    if event.kind == "shell":
        return [BLANK, styled((f"{_time(block)} ", "dim"), ("! ", "prompt"), clean_line(event.text), hang=2)]
    if event.kind == "shell output":
        return _folded_rows(event.text, "dim", unfolded, indent=2, limit=3, head=3)
    made = _prompt(block, event.text, unfolded)
    if event.plan and event.plan not in event.text:
        made += from_markdown(event.plan.strip("\n")).lines
    return made


def _prompt(block: Block, text: str, unfolded: bool, note: str = "") -> list[Line]:
    time = _time(block)
    lead = f"{time} " if time else ""
    hang = len(lead) + 2
    rows = _folded_rows(text, "prompt", unfolded, indent=hang, limit=_PASTED, head=_HEAD)
    first = styled((lead, "dim"), "❯ ", (rows[0].text.lstrip(" "), "prompt"), (note, "dim"), hang=hang)
    return [BLANK, first, *rows[1:], BLANK]


def _folded_rows(text: str, role: str, unfolded: bool, *, indent: int, limit: int, head: int) -> list[Line]:
    """A text row by row; if it exceeds `limit` rows, only the first `head`, and a row to unfold the rest."""
    rows = clean(text).strip("\n").split("\n")
    long = len(rows) > limit
    shown = rows[:head] if long and not unfolded else rows[:ROWS]
    made = [line(" " * indent + row, role, hang=indent) for row in shown]
    left = len(rows) - len(shown)
    if long and not unfolded:
        made.append(line(f"{' ' * indent}… {left:,} more lines ▸", "dim")._replace(link=FOLD))
    elif long:
        note = f"… {left:,} more, e opens all of it" if left else "▾ fold these lines"
        made.append(line(f"{' ' * indent}{note}", "dim")._replace(link=FOLD))
    return made


def _folding(name: str, text: str, unfolded: bool) -> list[Line]:
    mark = "▾" if unfolded else "▸"
    head = line(f"{mark} {name}, {len(text):,} characters", "label")._replace(link=FOLD)
    if not unfolded:
        return [head]
    body = from_markdown(text.strip("\n")).lines
    return [head, *(each._replace(role=each.role or "quote") for each in body), BLANK]


def _remark(event: object) -> Line:
    if isinstance(event, Attached):
        size = f", {event.size * 3 // 4 / 1000:,.0f} kB" if event.size else ""
        return line(f"▣ {clean_line(event.name)}{size}", "dim")
    reason = event.reason if isinstance(event, Skipped) else ""
    return line(f"… {reason} skipped", "dim")


def _thousands(tokens: int) -> str:
    return f"{tokens / 1000:.0f}k" if tokens >= 1000 else str(tokens)
