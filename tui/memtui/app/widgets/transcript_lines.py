"""A transcript's records as lines to read: who said what, which tools were called and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from memtui.app.widgets.document import Document, Line, Span, from_markdown, line, rule, styled
from memtui.app.widgets.wrap import cut
from memtui.clean import clean_line
from memtui.clock import local, parse_iso
from memtui.formats import transcript
from memtui.formats.transcript_events import (
    Boundary,
    Call,
    Event,
    Queued,
    Result,
    Said,
    Summary,
    Words,
    events,
)

_RESULT_LINES, _ERROR_LINES = 3, 8
_TEXT_LINES = 1000
_SUBJECT_CELLS = 160
_BLANK = Line("")

# What a call is about, by tool; of other tools the first text among their arguments.
_SUBJECTS = {
    "Bash": "command",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
    "Write": "file_path",
    "Read": "file_path",
    "Grep": "pattern",
    "Glob": "pattern",
    "Task": "description",
    "Agent": "description",
    "TaskCreate": "subject",
    "WebFetch": "url",
    "WebSearch": "query",
    "Skill": "skill",
    "ToolSearch": "query",
}
_PATHS = frozenset({"file_path", "notebook_path"})

# Results that only repeat what the call says.
_ECHOES = (
    "The file ",
    "File created successfully",
    "Todos have been modified",
    "Updated task #",
    "Launching skill:",
)
_ERROR_TAG = re.compile("</?tool_use_error>")
# How the Read tool numbers what it read.
_NUMBERED = re.compile(r"\s*\d+[→\t]")


def render(read: transcript.Line) -> list[Line]:
    """The lines that show one transcript line; none for bookkeeping and for a line still being written."""
    if read.problem == "too long" and read.end > read.offset:
        return [line(f"… line of {(read.end - read.offset) / 1e6:.1f} MB skipped", "dim")]
    lines: list[Line] = []
    for record in read.records:
        for event in events(record):
            lines += _render(event, record)
    if read.problem == "not JSON" and not lines:
        return [line("… line that is not JSON skipped", "dim")]
    return lines


def _render(event: Event, record: transcript.Record) -> list[Line]:
    make = _MAKERS.get(type(event))
    lines = make(event, record) if make is not None else []
    agent = event.agent if isinstance(event, (Call, Result, Said)) else ""
    return _of_subagent(lines) if agent else lines


def _of_subagent(lines: Iterable[Line]) -> list[Line]:
    """Set apart from the session's own: behind a bar, without the blank lines."""
    return [
        Line(f"┆ {text}", role or "dim", tuple(Span(a + 2, b + 2, kind) for a, b, kind in spans), hang + 2)
        for text, role, spans, hang, _ in lines
        if text
    ]


def _time(record: transcript.Record) -> str:
    written = record.get("timestamp")
    moment = parse_iso(written) if isinstance(written, str) else None
    return local(moment).strftime("%H:%M") if moment is not None else ""


def _prompt(text: str, record: transcript.Record, note: str = "") -> list[Line]:
    time = _time(record)
    lead = f"{time} " if time else ""
    hang = len(lead) + 2
    rows, left = _head(text, _TEXT_LINES)
    first = styled((lead, "dim"), "❯ ", (rows[0], "prompt"), (note, "dim"), hang=hang)
    rest = [line(" " * hang + row, "prompt", hang=hang) for row in rows[1:]]
    return [_BLANK, first, *rest, *_more(left, hang), _BLANK]


def _head(text: str, limit: int) -> tuple[list[str], int]:
    """The first lines of a text, and how many more there are."""
    rows = text.strip("\n").split("\n", limit)
    return (rows, 0) if len(rows) <= limit else (rows[:limit], rows[limit].count("\n") + 1)


def _more(left: int, indent: int) -> list[Line]:
    if not left:
        return []
    return [line(f"{' ' * indent}… {left:,} more {'line' if left == 1 else 'lines'}", "dim", hang=indent)]


def _words(event: Words, record: transcript.Record) -> list[Line]:
    if event.kind in ("typed", "command", "plan", "comment", "memory"):
        lines = _prompt(event.text, record)
        return lines + _markdown(event.plan) if event.plan and event.plan not in event.text else lines
    if event.kind == "local command":
        return [_BLANK, styled((f"{_time(record)} ", "dim"), (clean_line(event.text), "label"))]
    if event.kind == "interruption":
        return [line(clean_line(event.text), "warn")]
    return []


def _queued(event: Queued, record: transcript.Record) -> list[Line]:
    return _prompt(event.text, record, "  (while the model worked)")


def _said(event: Said, record: transcript.Record) -> list[Line]:
    return _markdown(event.text) if event.text.strip() else []


def _markdown(text: str) -> list[Line]:
    rows, left = _head(text, _TEXT_LINES)
    document: Document = from_markdown("\n".join(rows))
    return [_BLANK, *document.lines, *_more(left, 0), _BLANK]


def _call(event: Call, record: transcript.Record) -> list[Line]:
    subject = cut(clean_line(_subject(event, record)), _SUBJECT_CELLS)
    return [styled(("● ", "tool"), (event.name, "strong"), f"  {subject}", hang=2)]


def _subject(event: Call, record: transcript.Record) -> str:
    if event.name == "TodoWrite":
        return _todos(event.input.get("todos"))
    if event.name == "TaskUpdate":
        return f"{event.input.get('taskId', '')} {event.input.get('status', '')}"
    name = _SUBJECTS.get(event.name)
    value = event.input.get(name) if name else None
    if not isinstance(value, str):
        value = next((each for each in event.input.values() if isinstance(each, str)), "")
    if name in _PATHS:
        return _within(value, record.get("cwd"))
    return value.strip().split("\n", 1)[0] + (" …" if "\n" in value.strip() else "")


def _within(path: str, folder: Any) -> str:
    """A path as it is known in the folder that the session works in."""
    if isinstance(folder, str) and folder and path.startswith(folder.rstrip("/") + "/"):
        return path[len(folder.rstrip("/")) + 1 :]
    return path


def _todos(items: Any) -> str:
    states = (
        [item.get("status") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    )
    return f"{states.count('completed')} of {len(states)} done"


def _result(event: Result, record: transcript.Record) -> list[Line]:
    text = _ERROR_TAG.sub("", event.text).strip()
    role, limit = ("bad", _ERROR_LINES) if event.failed else ("dim", _RESULT_LINES)
    if not text or (not event.failed and text.startswith(_ECHOES)):
        return []
    if _NUMBERED.match(text):
        number = text.count("\n") + 1
        text = f"{number:,} {'line' if number == 1 else 'lines'}"
    rows, left = _head(text, limit)
    first = line(f"  └ {rows[0]}", role, hang=4)
    return [first, *(line(f"    {row}", role, hang=4) for row in rows[1:]), *_more(left, 4)]


def _boundary(event: Boundary, record: transcript.Record) -> list[Line]:
    sizes = " → ".join(_thousands(size) for size in (event.pre_tokens, event.post_tokens) if size is not None)
    notes = ", ".join(note for note in (event.trigger, f"{sizes} tokens" if sizes else "") if note)
    return [_BLANK, rule(f"compacted ({notes})" if notes else "compacted", "rule"), _BLANK]


def _thousands(tokens: int) -> str:
    return f"{tokens / 1000:.0f}k" if tokens >= 1000 else str(tokens)


def _summary(event: Summary, record: transcript.Record) -> list[Line]:
    return [line(f"▸ summary of what came before, {len(event.text):,} characters", "label"), _BLANK]


_MAKERS: dict[type, Callable[[Any, transcript.Record], list[Line]]] = {
    Words: _words,
    Queued: _queued,
    Said: _said,
    Call: _call,
    Result: _result,
    Boundary: _boundary,
    Summary: _summary,
}


def join(parts: Iterable[Iterable[Line]]) -> list[Line]:
    """Lines one after the other, of blank lines never two."""
    lines: list[Line] = []
    for part in parts:
        for each in part:
            if each.text or each.role or not lines or lines[-1].text or lines[-1].role:
                lines.append(each)
    return lines
