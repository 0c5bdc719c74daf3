"""Hypothesis strategies for every record of the formats, and for texts that are nearly of a format.

The texts are made to hurt: lines that look like headings, fences, bullets or markers of other formats, odd
white space, lone surrogates and control characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeVar

from hypothesis import strategies as st

from memtui.documents.capture import Capture
from memtui.documents.markdown import Section
from memtui.documents.memory import MemoryMeta, StoredMemory
from memtui.documents.memory_file import MemoryFile
from memtui.documents.record import Record
from memtui.documents.recovery import Plan, Recovery, RoleFile
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
)
from tests.examples import shared

T = TypeVar("T")
R = TypeVar("R", bound=Record)

NASTY = (
    "## Goal",
    "## notes (again):",
    "##",
    "##\tTask tree",
    "## Working Files (Modified)",
    "\\## Working Files",
    "## Execution Plan",
    "## Memory",
    "## Summary",
    "\\## Notes",
    "\\\\## Notes",
    "### Source: todo (TodoWrite)",
    "# Autocompact Capture",
    "# Memory: other",
    "<details>",
    "</details>",
    "  </details>",
    "<summary>Full Execution Plan (Click to expand)</summary>",
    "```",
    "```python",
    "````",
    "\\```",
    "~~~",
    "~~~~ x",
    "- item",
    "* item",
    "-",
    "  - nested",
    "    four",
    "\ttab",
    "\\- item",
    "1. one",
    "[ ] NEXT: soon",
    "- [x] done",
    "- [ ] **IN PROGRESS**: **now**",
    "Sub: part",
    "Blocker: None",
    "Branch: b",
    "**Project:** p",
    "Decision: d",
    "Constraint: c",
    "(none)",
    "(None)",
    "N/A",
    "n/a",
    "> quoted",
    ">",
    "**Status:** reviewed",
    "**Trigger:** auto",
    "Session ID: x",
    "=== SESSION STATE v3 ===",
    "=== END STATE ===",
    "\\=== END STATE ===",
    "[m.md](./m.md)",
    "[m](http://x/(y))",
    "20251225_081500-memory.md",
    "_Not yet reviewed. Run `/review-compact` to process._",
    "_No memory file._",
    "---",
    "...",
    "a.py (role: x)",
    "(role: y)",
    "`a.py` (z)",
    "`a.py`",
    "C:\\Program Files (x86)",
    "",
    " ",
    "\t",
    "\u3000",
    "\ufeff",
    "\x85x\x1c",
    "\ud800",
    "x\udfff\ud83d\ude00",
    "\x00\x1b[31m",
    "中文：功能（完成）",
    "key: value",
    "'quoted': #",
)

anything = st.text(st.characters(exclude_categories=()), max_size=12)
lines = st.sampled_from(NASTY) | anything
texts = shared(
    st.lists(lines, max_size=7).map("\n".join) | st.sampled_from(("", "plain", "two\nlines", "a\r\nb\rc"))
)
short = lines | st.sampled_from(("name", "a/b.py", "/home/u/my project/x.py"))
lists = st.lists(texts, max_size=4).map(tuple)

offsets = st.integers(-86399, 86399).map(lambda seconds: timezone(timedelta(seconds=seconds)))
moments = st.datetimes(
    datetime(1, 1, 3), datetime(9999, 12, 28), timezones=offsets | st.just(UTC)
)  # fmt: skip


_headings = st.sampled_from(("Extra", "Phase 1", "Goals (x)", "", "中文", "# x", "`code`")) | st.builds(
    lambda number, tail: f"{number} {tail}", st.integers(0, 9), anything
)
sections = st.lists(st.builds(Section, heading=_headings, text=texts), max_size=3).map(tuple)
"""Unknown sections of any format."""
_OF_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    str: texts, tuple[str, ...]: lists, tuple[Section, ...]: sections,
}  # fmt: skip


def _made(model: type[R], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[R]:
    """Records; fields that are not given are texts, lists of them, or unknown sections."""
    types = {name: field.annotation for name, field in model.model_fields.items() if name not in given}
    return st.builds(model, **given, **{name: _OF_TYPE[kind] for name, kind in types.items()})


captures = st.builds(
    Capture,
    status=st.sampled_from(("pending", "reviewed")),
    timestamp=moments,
    session_id=short,
    transcript=texts,
    first_message=texts,
    summary=texts,
    memory=st.sampled_from(("", "20251225_081500-memory.md", "a b-memory.md")),
    header=texts,
    transcript_note=texts,
    memory_note=texts,
    extra=sections,
)

memory_files = _made(MemoryFile)

kinds = st.sampled_from(TaskKind)
tasks = st.recursive(
    _made(Task, kind=kinds, children=st.just(())),
    lambda children: _made(Task, kind=kinds, children=st.lists(children, max_size=3).map(tuple)),
    max_leaves=8,
)

session_states = _made(
    SessionState,
    version=st.integers(0, 999_999_999),
    identity=_made(Identity, branch=short),
    tasks=st.lists(tasks, max_size=4).map(tuple),
    decisions=st.lists(_made(Decision, kind=st.sampled_from(("decision", "constraint"))), max_size=4).map(
        tuple
    ),
    working=_made(WorkingContext),
    dynamics=_made(Dynamics, language=short),
)

paths = st.sampled_from(("a/b.py", "/home/u/my project/x.py", "C:\\Program Files (x86)\\x", "`"))
role_files = st.lists(_made(RoleFile, path=paths), max_size=3).map(tuple)

recoveries = _made(
    Recovery,
    session_id=short,
    plan=_made(
        Plan,
        source=st.sampled_from(("workflow", "todo (TodoWrite)", "user-stated", "")) | short,
        content=st.lists(lines, max_size=12).map("\n".join),
    ),
    working_files=role_files,
    reference_files=role_files,
)

metas = _made(
    MemoryMeta,
    id=st.from_regex(r"\ACMEM-[0-9]{8}-[0-9]{6}\Z"),
    created=moments,
    updated=moments,
    tags=st.lists(short, max_size=4).map(tuple),
    session_id=short | st.uuids().map(str),
    source=st.sampled_from(("", "review", "import", "null", "~")),
    other=st.sampled_from(("", "rating: 5", "# mine\nnested:\n  - a\n  - b: c\n\nlast: 'x'")),
)
stored_memories = _made(StoredMemory, meta=metas, body=st.binary(max_size=60) | st.just(b"---\n---\r\n"))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | anything,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def nearly(draw: st.DrawFn, records: st.SearchStrategy[T], render: Callable[[T], str]) -> str:
    """A rendered record with some of its lines dropped, doubled, moved, cut or mixed with others."""
    found = render(draw(records)).split("\n")
    for _ in range(draw(st.integers(0, 5))):
        place = draw(st.integers(0, len(found)))
        action = draw(st.sampled_from(("drop", "double", "insert", "move", "cut", "indent", "end")))
        if action == "insert" or place == len(found):
            found.insert(place, draw(lines))
        elif action == "drop":
            del found[place]
        elif action == "double":
            found.insert(place, found[place])
        elif action == "move":
            found.insert(draw(st.integers(0, len(found) - 1)), found.pop(place))
        elif action == "cut":
            found[place] = found[place][: draw(st.integers(0, 8))]
        elif action == "indent":
            found[place] = draw(st.sampled_from((" ", "  ", "\t", "> "))) + found[place]
        else:
            found = found[: place + 1]
    return draw(st.sampled_from(("\n", "\r\n"))).join(found)


def hostile() -> st.SearchStrategy[str]:
    """Any text at all, from any bytes."""
    return (
        st.text(st.characters(exclude_categories=()))
        | st.binary().map(lambda data: data.decode("utf-8", "replace"))
        | st.lists(lines, max_size=20).map("\n".join)
    )


entries = st.fixed_dictionaries(
    {"name": st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)},
    optional={
        "type": st.just("interactive"),
        "activated_at": st.sampled_from(("2026-02-27T16:41:00.577Z", None, "soon", 5)),
        "state": st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=4), max_size=2),
        "params": st.just({}),
    },
)


@st.composite
def command_files(draw: st.DrawFn) -> str:
    """A session-state.json as programs write it: any style of `json.dumps`, foreign keys around ours."""
    named = {entry["name"]: entry for entry in draw(st.lists(entries, max_size=4))}
    foreign = st.dictionaries(
        st.text(max_size=5).filter(lambda key: "active" not in key), json_values, max_size=3
    )
    data: dict[str, Any] = draw(foreign)
    data["active_commands"] = list(named.values())
    data.update({key: value for key, value in draw(foreign).items() if key not in data})
    style: dict[str, Any] = draw(
        st.sampled_from(({"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}))
    )
    text = json.dumps(data, ensure_ascii=draw(st.booleans()), **style)
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(data, **style)
    text = draw(st.sampled_from(("", "\ufeff"))) + text + draw(st.sampled_from(("", "\n", "\n\n")))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text
