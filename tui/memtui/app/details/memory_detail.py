"""The detail of a memory: metadata, checklist, related memories, text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.app.details.folds import fold, folded, recovery_lines
from memtui.app.widgets.document import Document, Line, from_markdown, line, styled
from memtui.documents.memory_graph import path_below
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, local_minute

if TYPE_CHECKING:
    from memtui.documents.checklist import Point
    from memtui.documents.memory_graph import Entity
    from memtui.store.freshness import Freshness
    from memtui.store.memory_heads import MemoryHead, MemoryText
    from memtui.store.relations import Related

MEMORY_LINK = "memory:"
"""The prefix of a link to a memory, before its Recovery ID."""

_BLANK = Line("")
_PLURALS = {
    "file": "files",
    "decision": "decisions",
    "package": "packages",
    "session": "sessions",
    "project": "projects",
}
_SHARED = 2
"""Maximum number of shared names that are listed; the rest is counted."""


def time_and_age(head: MemoryHead, now: datetime) -> str:
    """`` · 2026-01-02 10:15 · 2 d ago``."""
    return f" · {local_minute(head.time)} · {age(head.time, now)}" if head.time else ""


def memory_file_document(memory: MemoryText, now: datetime) -> Document:
    """The memory file of a review."""
    head = [styled(("memory file", "label"), (time_and_age(memory.head, now), "dim")), _BLANK]
    return Document([*head, *from_markdown(memory.text).lines])


def read_document(memory: MemoryText, now: datetime) -> Document:
    """A memory of either kind for reading: its text below its name."""
    head = memory.head
    if not head.id.startswith("CMEM-"):
        return memory_file_document(memory, now)
    named = styled(("Recovery ID ", "label"), (head.id, "accent"), (time_and_age(head, now), "dim"))
    return Document([line(head.title, "strong"), named, _BLANK, *from_markdown(memory.text).lines])


def stored_document(
    memory: MemoryText,
    now: datetime,
    named: Sequence[Entity],
    relations: Sequence[Related] | None,
    unfolded: Collection[str],
    file: str = "",
    state: Freshness | None = None,
) -> Document:
    """A stored memory.

    Args:
        memory: the memory.
        now: the time.
        named: the entities it names.
        relations: related memories; None while they are searched for.
        unfolded: names of the open folds.
        file: the memory file of the same review, if there is one.
        state: the freshness of the files it names.
    """
    head = memory.head
    said = [
        f"shared by {head.author}" if head.author else "",
        f"project {head.project}" if head.project else "",
        " ".join(f"#{tag}" for tag in head.tags),
        f"review {file}" if file else "",
    ]
    lines = [line(head.title, "strong")] if head.title else []
    lines += [*_gist(memory.text, head.title), _BLANK]
    lines.append(styled(("Recovery ID ", "label"), (head.id, "accent"), (time_and_age(head, now), "dim")))
    parts: list[str | tuple[str, str]] = [(part, "dim") for part in said if part]
    if parts:
        lines.append(styled(*_between(parts)))
    lines += [*_files(state, unfolded), *_secrets(memory.text)]
    lines += [*_related(relations, head.project), *_names(named, head.project, unfolded)]
    lines += _checklist(memory.text, unfolded)
    return Document([*lines, _BLANK, *recovery_lines(memory.text, unfolded)])


def _files(state: Freshness | None, unfolded: Collection[str]) -> list[Line]:
    """The named files that have changed or are deleted, folded."""
    if state is None or not state.is_stale:
        return []
    inner = [
        styled((f"  {kind} ", "warn"), clean_line(path), hang=4)
        for kind, paths in (("gone", state.gone), ("changed", state.changed))
        for path in paths
    ]
    return folded("stale", styled(("△ ", "warn"), state.summary), inner, unfolded)


def _secrets(text: str) -> list[Line]:
    """A warning about secrets and their lines: memories are stored as imported."""
    from memtui.secrets.secrets import find, holds_secrets

    hits = find(text)
    return [styled((f"{holds_secrets(hits)}; masked where it is handed over.", "warn"))] if hits else []


def _gist(text: str, title: str) -> list[Line]:
    """The first line of the objective, unless the title has it, and the next step, if any."""
    from memtui.documents.recovery import parse_recovery
    from memtui.ground.text import FormatError

    try:
        recovery = parse_recovery(text)
    except FormatError:
        return []
    objective = recovery.objective.strip().partition("\n")[0]
    step = next(iter(recovery.pending), "")
    parts = (("objective ", "" if objective == title else objective), ("next step ", step))
    return [styled((label, "label"), text, hang=len(label)) for label, text in parts if text.strip()]


def _between(parts: Iterable[str | tuple[str, str]]) -> list[str | tuple[str, str]]:
    joined: list[str | tuple[str, str]] = []
    for part in parts:
        joined += [(" · ", "dim"), part] if joined else [part]
    return joined


def _checklist(text: str, unfolded: Collection[str]) -> list[Line]:
    """The checklist, folded, as it is for authors of such texts rather than readers."""
    from memtui.documents.checklist import check_recovery
    from memtui.ground.text import FormatError

    try:
        counts, *points = checklist_lines(check_recovery(text))
    except FormatError as error:
        return [styled(("checklist ", "label"), (f"none: {error}", "dim"))]
    return folded("checklist", counts, points, unfolded) if points else [counts]


def checklist_lines(points: Sequence[Point]) -> list[Line]:
    """The counts of verdicts on one line, then the points that did not pass."""
    number = Counter(point.verdict.value for point in points)
    shown = [("pass", "✓", "good"), ("warn", "!", "warn"), ("fail", "✗", "bad")]
    counts = [(f"{number[verdict]} {mark}  ", role) for verdict, mark, role in shown if number[verdict]]
    lines = [styled(("checklist ", "label"), *counts)]
    marks = {verdict: (f"  {mark} ", role) for verdict, mark, role in shown}
    for point in points:
        if point.verdict.value != "pass":
            place = (f"  line {point.line}", "dim") if point.line else ""
            lines.append(
                styled(marks[point.verdict.value], f"{point.name}: ", (point.message, ""), place, hang=4)
            )
    return lines


def _related(relations: Sequence[Related] | None, root: str) -> list[Line]:
    if relations is None:
        return [styled(("related ", "label"), ("…", "dim"))]
    if not relations:
        return [styled(("related ", "label"), ("no other memory names the same", "dim"))]
    number = "1 memory" if len(relations) == 1 else f"{len(relations)} memories"
    lines = [styled(("related ", "label"), (number, "dim"))]
    for each in relations:
        names = [_short(entity, root) for entity in each.shared if entity.kind != "project"]
        more = f" +{len(names) - _SHARED}" if len(names) > _SHARED else ""
        lines.append(
            styled(
                "  ",
                (each.listed.meta.id, "accent"),
                f" {each.listed.title}",
                (f"  {', '.join(names[:_SHARED])}{more}", "dim"),
                hang=4,
                link=MEMORY_LINK + each.listed.meta.id,
            )
        )
    return lines


def _short(entity: Entity, root: str) -> str:
    """An entity's name, relative to the project `root`."""
    if entity.kind == "file":
        return path_below(entity.name, root)
    return entity.name


def _names(named: Sequence[Entity], root: str, unfolded: Collection[str]) -> list[Line]:
    kinds = Counter(entity.kind for entity in named)
    if not kinds:
        return []
    remark = " · ".join(
        f"{number} {kind if number == 1 else _PLURALS[kind]}" for kind, number in kinds.items()
    )
    inner = []
    for kind in kinds:
        inner.append(styled((f"  {_PLURALS[kind]}", "label")))
        inner += [line(f"    {_short(each, root)}", hang=6) for each in named if each.kind == kind]
    return fold("names", "names", remark, inner, unfolded)
