"""Memories for a model: whole, in a few lines, or as a row of a list."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any

from mcp import types
from memtui.documents.memory import StoredMemory
from memtui.documents.recovery import Plan, Recovery, is_unknown, parse_recovery
from memtui.ground.clean import clean_line
from memtui.ground.text import FormatError
from memtui.secrets.secrets import masked
from memtui.store.memories import Listed
from memtui.transcript.short_text import shortened

RESULT_BYTES = 45_000
"""Bytes of JSON in one result: fewer than 20,000 tokens in every script (estimated at 2.3 bytes a token)."""

_LINE = 300
"""Maximum length of a line in a summary."""

_ITEMS = 5
"""The most items of a list in a summary."""

_TAGS = 20
"""The most tags in a row of a list."""

_BOX = re.compile(r"^[ \t]*[-*][ \t]+\[([ xX>])\]", re.MULTILINE)


def answer(value: dict[str, Any]) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(value, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=value)


def decoded(body: bytes) -> tuple[str, bool]:
    """A stored text with its secrets masked, and whether it is valid UTF-8, which JSON can carry."""
    try:
        return masked(body.decode()), True
    except UnicodeDecodeError:
        return masked(body.decode("utf-8", "replace")), False


def paged(text: str, start: int = 0) -> dict[str, Any]:
    """A text as fields of an answer, or the page of it that begins at a character."""
    part = text[start : start + RESULT_BYTES]
    fits = bisect_right(range(len(part) + 1), RESULT_BYTES, key=lambda end: _bytes(part[:end])) - 1
    after = start + fits
    if start == 0 and after >= len(text):
        return {"content": text}
    found = {"content": part[:fits], "offset": start, "total_characters": len(text)}
    return found if after >= len(text) else {**found, "next_offset": after}


def rows_that_fit(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    size = 0
    for number, each in enumerate(rows):
        size += _bytes(each)
        if size > RESULT_BYTES:
            return rows[:number]
    return rows


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def row(listed: Listed) -> dict[str, Any]:
    meta = listed.meta
    if listed.problem:
        return {"id": meta.id, "problem": clean_line(listed.problem)}
    return {
        "id": meta.id,
        "description": shortened(masked(clean_line(listed.title)), _LINE),
        "project": clean_line(meta.project),
        "created": meta.created.isoformat(),
        "updated": meta.updated.isoformat(),
        "tags": [shortened(clean_line(tag), _LINE) for tag in meta.tags[:_TAGS]],
    }


def summary(memory: StoredMemory) -> str:
    """A memory in a few lines: objective, progress, next step."""
    text, _ = decoded(memory.body)
    try:
        lines = _outline(parse_recovery(text))
    except FormatError:
        lines = [line for line in map(clean_line, text.split("\n")) if line][:_ITEMS]
    if memory.meta.description:
        lines.insert(0, clean_line(memory.meta.description))
    return "\n".join(shortened(line, _LINE) for line in lines)


def _outline(recovery: Recovery) -> list[str]:
    files = [file.path for file in recovery.working_files if not is_unknown(file.path)]
    outline = (
        ("Objective", recovery.objective),
        ("Last action", recovery.last_action),
        ("Plan", _plan(recovery.plan)),
        ("Pending", _some(recovery.pending)),
        ("Modified files", _some(files)),
        ("Known issues", _some(recovery.known_issues)),
    )
    return [f"{name}: {clean_line(what)}" for name, what in outline if what.strip()]


def _plan(plan: Plan) -> str:
    """The plan's source, and how many of its steps with a box are done."""
    if not plan.content.strip():
        return ""
    boxes = _BOX.findall(plan.content)
    count = f"{sum(box in 'xX' for box in boxes)} of {len(boxes)} steps done" if boxes else "no steps to tick"
    return f"{plan.source or 'of unknown source'}, {count}"


def _some(items: list[str] | tuple[str, ...]) -> str:
    more = f"; and {len(items) - _ITEMS} more" if len(items) > _ITEMS else ""
    return "; ".join(items[:_ITEMS]) + more
