"""A transcript's blocks as lines for reading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from memtui.app.widgets.document import BLANK, Line, Span, from_markdown, led, line, rule, styled
from memtui.app.widgets.wrap import cut, cut_left
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.ground.text import counted
from memtui.transcript.blocks import FOLDED, Attached, Block, Folded, Row, Skipped, diff_counts, edit_rows
from memtui.transcript.events import Boundary, Call, Queue, Queued, Result, Said, Words, error_text
from memtui.transcript.outcomes import exit_code, outcome_of, target_of
from memtui.transcript.session import worker_of
from memtui.transcript.shell import EDIT_TOOLS

FOLD = "fold"
AGENT = "agent:"
"""The prefix of a link to a subagent's transcript, before its id."""

_ROWS = 5_000
_SHORT, _ERROR_LINES = 3, 8

_PATHS = frozenset({"file_path", "notebook_path"})

# Results that only repeat the call.
_ECHOES = (
    "The file ",
    "File created successfully",
    "Todos have been modified",
    "Updated task #",
    "Launching skill:",
)
_NUMBERED = re.compile(r"\s*\d+[→\t]")

_WORKED, _QUEUED = "  (while the model worked)", "  (queued)"
_DRESS = re.compile(r"(?:┆ )?(?:\d\d:\d\d )?(?:[❯!└•] )?[ ]*(?:[└•] )?|\s+")
_NOTE = re.compile(rf"(?:{re.escape(_WORKED)}|{re.escape(_QUEUED)})$")


def render(block: Block, *, unfolded: bool, result: Result | None = None, paired: bool = False) -> list[Line]:
    """The lines that show one block; `paired`: whether it is a result shown below its call."""
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
    elif isinstance(event, Queue):
        made = _prompt(block, event.text, unfolded, _QUEUED)
    elif isinstance(event, Boundary):
        made = [BLANK, rule(boundary_caption(event), "rule"), BLANK]
    elif isinstance(event, Folded):
        made = _folding(FOLDED[type(event)], event.text, unfolded)
    else:
        made = [_remark(event)]
    return _of_subagent(made) if block.agent else made


def can_fold(made: Iterable[Line]) -> bool:
    """Whether these lines of a block can be unfolded or folded."""
    return any(each.link == FOLD for each in made)


def words_of(block: Block, shown: Line, *, first: bool) -> str:
    """The words of a line made by `render`, without decoration; of the first line of a call, its subject."""
    event = block.event
    if isinstance(event, Call) and first:
        return clean_line(subject_of(event, block.folder))
    if isinstance(event, (Boundary, Attached, Skipped)) or shown.link or shown.role in ("rule", "label"):
        return ""
    return _NOTE.sub("", _DRESS.sub("", shown.text, count=1)).strip()


def boundary_caption(event: Boundary, number: int = 0, total: int = 0) -> str:
    """The text of a compaction's rule; `number` of `total` if known."""
    known = [size for size in (event.pre_tokens, event.post_tokens) if size is not None]
    sizes = " → ".join(f"{size / 1000:.0f}k" if size >= 1000 else str(size) for size in known)
    parts = ("▼ COMPACTED", event.trigger, sizes, f"({number} of {total})" if number and total else "")
    return " ".join(part for part in parts if part)


def date_line(block: Block) -> Line | None:
    """The day of a block; None if its record has no time."""
    moment = parse_iso(block.stamp) if block.stamp else None
    return rule(f"{to_local(moment):%a %d %b %Y}", "label") if moment is not None else None


def _of_subagent(lines: Iterable[Line]) -> list[Line]:
    """Lines of a subagent, set apart behind a bar, without blank lines."""
    shown = (each for each in lines if each.text)
    return [led("┆ ", "", each._replace(role=each.role or "dim", hang=each.hang + 2)) for each in shown]


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
    # Long ones were usually pasted.
    rows = _folded_rows(text, "prompt", unfolded, indent=hang, limit=30, head=20)
    first = styled((lead, "dim"), "❯ ", (rows[0].text.lstrip(" "), "prompt"), (note, "dim"), hang=hang)
    return [BLANK, first, *rows[1:], BLANK]


def _folded_rows(text: str, role: str, unfolded: bool, *, indent: int, limit: int, head: int) -> list[Line]:
    """A text row by row; if it exceeds `limit` rows, only the first `head`, and a row to unfold the rest."""
    rows = clean(text).strip("\n").split("\n")
    long = len(rows) > limit
    shown = rows[:head] if long and not unfolded else rows[:_ROWS]
    made = [line(" " * indent + row, role, hang=indent) for row in shown]
    left = len(rows) - len(shown)
    if long and not unfolded:
        made.append(line(f"{' ' * indent}… {left:,} more lines ▸", "dim")._replace(link=FOLD))
    elif long:
        note = f"… {left:,} more, y copies all of it" if left else "▾ fold these lines"
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


def call_lines(block: Block, call: Call, result: Result | None, *, unfolded: bool) -> list[Line]:
    """A call's row with its outcome, and its input when unfolded."""
    rows = edit_rows(call) if call.name in EDIT_TOOLS else []
    parts: list[str | tuple[str, str]] = [("● ", "tool"), (call.name, "strong")]
    shorten = cut_left if _PATHS & call.input.keys() else cut
    subject = shorten(clean_line(subject_of(call, block.folder)), 110)
    parts.append(f"  {subject}" if subject else "")
    if rows:
        added, removed = diff_counts(rows)
        parts += [(f"  +{added}", "good"), (f" −{removed}", "bad")]
    if result is not None:
        parts += _outcome(result)
    size = _hidden(result)
    body = _arguments(call, subject) if not rows else _diff(rows) if unfolded else []
    folds = bool(rows or body or size)
    if folds:
        note = f"  {counted(size, 'line')} " if size else "  "
        parts.append((f"{note}{'▾' if unfolded else '▸'}", "dim"))
    head = styled(*parts, hang=2, link=FOLD if folds else "")
    return [head, *(body if unfolded else ())]


def result_lines(result: Result, *, unfolded: bool, paired: bool) -> list[Line]:
    """A result: whole when unfolded, else if short or failed, and a count, unless its call shows it."""
    text = error_text(result) if result.failed else result.text.strip("\n")
    if not text.strip() or (not result.failed and not unfolded and text.startswith(_ECHOES)):
        return _agent_lines(result)
    long = not unfolded and _is_long(result, text)
    if long and paired and not result.failed:
        return _agent_lines(result)
    role = "bad" if result.failed else "dim"
    rows = clean(text).split("\n")
    limit = _ROWS if unfolded else _ERROR_LINES if result.failed else _SHORT
    if long and _NUMBERED.match(text):
        return [line(f"  └ {counted(len(rows), 'line')} ▸", role, hang=4)._replace(link=FOLD)]
    shown, left = rows[:limit], len(rows) - limit
    made = [line(f"  └ {shown[0]}", role, hang=4), *(line(f"    {row}", role, hang=4) for row in shown[1:])]
    if left > 0 and unfolded:
        made.append(line(f"    … {left:,} more, y copies all of it", "dim"))
    elif left > 0:
        made.append(line(f"    … {counted(left, 'more line')} ▸", "dim")._replace(link=FOLD))
    return made + _agent_lines(result)


def subject_of(call: Call, folder: str) -> str:
    if call.name == "TodoWrite":
        todos = call.input.get("todos")
        todos = todos if isinstance(todos, list) else []
        states = [each.get("status") for each in todos if isinstance(each, dict)]
        return f"{states.count('completed')} of {len(states)} done"
    if call.name == "TaskUpdate":
        return f"{call.input.get('taskId', '')} {call.input.get('status', '')}"
    return target_of(call).removeprefix(f"{folder.rstrip('/')}/" if folder else "")


def _outcome(result: Result) -> list[tuple[str, str]]:
    """The outcome of a call by Claude Code's record, not by the tool's output."""
    outcome = outcome_of(result)
    if outcome == "failed":
        code = exit_code(result)
        return [("  ✗", "bad"), (f" exit {code}", "bad")] if code is not None else [("  ✗ failed", "bad")]
    if outcome in ("rejected", "interrupted"):
        return [(f"  ✗ {outcome}", "warn")]
    detail = result.detail if isinstance(result.detail, dict) else {}
    calls, seconds = detail.get("totalToolUseCount"), detail.get("totalDurationMs")
    notes = [f"{calls} call{'s' if calls > 1 else ''}"] if type(calls) is int and calls else []
    if type(seconds) is int and seconds >= 0:
        notes.append(f"{seconds // 60_000} min" if seconds >= 60_000 else f"{seconds // 1000} s")
    return [(f"  {', '.join(notes)}", "dim")] if notes else []


def _is_long(result: Result, text: str) -> bool:
    limit = _ERROR_LINES if result.failed else _SHORT
    return text.count("\n") >= limit or bool(_NUMBERED.match(text))


def _hidden(result: Result | None) -> int:
    if result is None:
        return 0
    text = error_text(result) if result.failed else result.text.strip("\n")
    rows = text.split("\n") if text.strip() else []
    return len(rows) if rows and _is_long(result, text) and not text.startswith(_ECHOES) else 0


def _arguments(call: Call, subject: str) -> list[Line]:
    made: list[Line] = []
    for name, value in call.input.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if clean_line(text) == subject or (subject and name in _PATHS and subject in clean_line(text)):
            continue
        rows = clean(text).strip("\n").split("\n")
        lead = f"  {clean_line(name)}: "
        if len(rows) > 1:
            made.append(styled((lead.rstrip(), "label")))
            made += [line(f"    {row}", "code", hang=4) for row in rows[:_ROWS]]
        else:
            made.append(styled((lead, "label"), rows[0], hang=4))
    return made


def _diff(rows: list[Row]) -> list[Line]:
    made: list[Line] = []
    for row in rows[:_ROWS]:
        role, changed = {"+": ("good", "added"), "-": ("bad", "removed")}.get(row.sign, ("", ""))
        text = clean(row.text)
        # Cleaning may move characters: then changed parts are not highlighted.
        parts = row.changed if text == row.text else ()
        spans = tuple(Span(start + 4, stop + 4, changed) for start, stop in parts)
        made.append(line(f"  {row.sign} {text}", role, hang=4, spans=spans))
    if len(rows) > _ROWS:
        made.append(line(f"    … {len(rows) - _ROWS:,} more, y copies all of it", "dim"))
    return made


def _agent_lines(result: Result) -> list[Line]:
    agent = worker_of(result)
    return [styled("  ", ("▸ its own transcript", "accent"), link=AGENT + agent)] if agent else []
