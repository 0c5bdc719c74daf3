"""The detail of a memory: its folds, metadata, related memories, text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.widgets.document import BLANK, Document, Line, led, line, markdown_lines, styled
from memtui.app.widgets.wrap import short_paths
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, local_minute
from memtui.ground.text import FormatError, counted, without_blank_ends

if TYPE_CHECKING:
    from memtui.documents.memory_graph import Entity
    from memtui.store.freshness import Freshness
    from memtui.store.memories import Listed, MemoryText
    from memtui.store.relations import Related


LINK = "fold:"
"""Prefix of a fold's link, before its name."""

_DETAILS = re.compile(r"\s*<details\b[^>]*>\s*", re.IGNORECASE)
_END = re.compile(r"\s*</details>\s*", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*<summary>([^<]*)</summary>\s*", re.IGNORECASE)
_BELOW = re.compile(r"##[ \t]+Working Files\b", re.IGNORECASE)
_HEADING = re.compile(r"##[ \t]+\S")
_NOTHING = re.compile(r"[ \t]*(?:[-*•][ \t]*)?(?:\(?none\)?\.?|n/a\b.*|-)?[ \t\r]*", re.IGNORECASE)
"""A row that states an absence and its reason."""
_CLICK = re.compile(r"\s*\(click to expand\)", re.IGNORECASE)


def fold(name: str, title: str, remark: str, inner: Iterable[Line], unfolded: Collection[str]) -> list[Line]:
    """A block under a line that unfolds and folds it; `name` is unique in the document."""
    return folded(name, styled((title, "label"), (f"  {remark}", "dim")), inner, unfolded)


def folded(name: str, head: Line, inner: Iterable[Line], unfolded: Collection[str]) -> list[Line]:
    is_open = name in unfolded
    opener = led("▾ " if is_open else "▸ ", "accent", head)._replace(link=LINK + name)
    return [opener, *inner] if is_open else [opener]


def recovery_lines(text: str, unfolded: Collection[str] | None = None) -> list[Line]:
    """A recovery text without empty sections; its plan, within ``<details>``, is folded.

    With None for `unfolded` all of it is shown, without links, to read it and to find words in it.
    """
    rows = text.split("\n")
    lines: list[Line] = []
    shown = at = 0
    while at < len(rows):
        end = _end_of(rows, at) if _DETAILS.fullmatch(rows[at].rstrip("\r")) else None
        if end is None:
            at += 1
            continue
        lines += _sections(rows[shown:at], goes_on=True)
        inner = rows[at + 1 : end]
        summary = _SUMMARY.fullmatch(inner[0].rstrip("\r")) if inner else None
        title = _CLICK.sub("", summary[1]).strip() if summary else "Details"
        inner = without_blank_ends(inner[1:] if summary else inner)
        # The headings of a plan stand below that of its section.
        made = [
            each._replace(role="strong") if each.role in ("title", "heading") else each
            for each in markdown_lines(inner)
        ]
        if unfolded is None:
            lines += [line(title, "label"), *made, Line("")]
        else:
            remark = counted(len(inner), "line")
            lines += fold(f"details {at}", title, remark, [*made, Line("")], unfolded)
        shown = at = end + 1
    return lines + _sections(rows[shown:])


def _sections(rows: list[str], *, goes_on: bool = False) -> list[Line]:
    """Rows by section, without empty ones; `goes_on` means that the last section continues elsewhere."""
    sections = split_sections(rows)
    return [
        line
        for each in sections
        if (goes_on and each is sections[-1])
        or not (_HEADING.match(each[0]) and all(map(_NOTHING.fullmatch, each[1:])))
        for line in markdown_lines(each)
    ]


def split_sections(rows: list[str]) -> list[list[str]]:
    """The rows before the first heading, then each heading with the rows below it."""
    sections: list[list[str]] = [[]]
    fenced = False
    for row in rows:
        if row.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and _HEADING.match(row):
            sections.append([])
        sections[-1].append(row)
    return [section for section in sections if section]


def _end_of(rows: list[str], start: int) -> int | None:
    """The end of the block that opens at `start`; a plan may contain such lines itself."""
    limit = next((index for index in range(start, len(rows)) if _BELOW.match(rows[index])), None)
    inside = range(start + 1, limit or len(rows))
    found = [index for index in inside if _END.fullmatch(rows[index].rstrip("\r"))]
    return (found[0] if limit is None else found[-1]) if found else None


MEMORY_LINK = "memory:"
"""The prefix of a link to a memory, before its Recovery ID."""

_SHARED = 2


def time_and_age(head: Listed, now: datetime) -> str:
    """`` · 2026-01-02 10:15 · 2 d ago``."""
    return f" · {local_minute(head.time)} · {age(head.time, now)}" if head.time else ""


def memory_file_document(memory: MemoryText, now: datetime) -> Document:
    head = [styled(("memory file", "label"), (time_and_age(memory.head, now), "dim")), BLANK]
    return Document([*head, *recovery_lines(short_paths(memory.text, memory.head.meta.project))])


def read_document(memory: MemoryText, now: datetime) -> Document:
    head = memory.head
    if not head.id.startswith("CMEM-"):
        return memory_file_document(memory, now)
    named = styled(("Recovery ID ", "label"), (head.id, "accent"), (time_and_age(head, now), "dim"))
    text = short_paths(memory.text, head.meta.project)
    return Document([line(head.title, "strong"), named, BLANK, *recovery_lines(text)])


def stored_document(
    memory: MemoryText,
    now: datetime,
    named: Sequence[Entity],
    relations: Sequence[Related] | None,
    unfolded: Collection[str],
    file: str = "",
    state: Freshness | None = None,
) -> Document:
    """A stored memory; `relations` are None while they are looked for, `file` is that of the same review."""
    head = memory.head
    said = (
        f"shared by {head.meta.author}" if head.meta.author else "",
        f"project {head.meta.project}" if head.meta.project else "",
        " ".join(f"#{tag}" for tag in head.meta.tags),
        f"review {file}" if file else "",
    )
    lines = [line(head.title, "strong")] if head.title else []
    lines += [*_gist(memory.text, head.title), BLANK]
    lines.append(styled(("Recovery ID ", "label"), (head.id, "accent"), (time_and_age(head, now), "dim")))
    if any(said):
        lines.append(styled((" · ".join(filter(None, said)), "dim")))
    lines += [*_files(state, unfolded), *_secrets(memory.text)]
    lines += [*_related(relations, head.meta.project), *_names(named, head.meta.project, unfolded)]
    from memtui.documents.recovery import review_first  # the first paint does without the format

    text = short_paths(memory.text, head.meta.project)
    return Document([*lines, BLANK, *recovery_lines(review_first(text), unfolded)])


def _files(state: Freshness | None, unfolded: Collection[str]) -> list[Line]:
    if state is None or not state.is_stale:
        return []
    files = [*(("gone", path) for path in state.gone), *(("changed", path) for path in state.changed)]
    inner = [styled((f"  {kind} ", "warn"), clean_line(path), hang=4) for kind, path in files]
    return folded("stale", styled(("△ ", "warn"), state.summary), inner, unfolded)


def _secrets(text: str) -> list[Line]:
    """A warning about secrets and their lines: memories are stored as imported."""
    from memtui.secrets.secrets import find, holds_secrets

    hits = find(text)
    return [styled((f"{holds_secrets(hits)}; masked where it is handed over.", "warn"))] if hits else []


def _gist(text: str, title: str) -> list[Line]:
    """The first line of the objective, unless the title has it, and the next step, if any."""
    from memtui.documents.recovery import parse_recovery

    try:
        recovery = parse_recovery(text)
    except FormatError:
        return []
    objective = recovery.objective.strip().partition("\n")[0]
    step = next(iter(recovery.pending), "")
    parts = (("objective ", "" if objective == title else objective), ("next step ", step))
    return [styled((label, "label"), text, hang=len(label)) for label, text in parts if text.strip()]


def _related(relations: Sequence[Related] | None, root: str) -> list[Line]:
    said = "…" if relations is None else counted(len(relations), "memory", "memories")
    lines = [styled(("related ", "label"), (said, "dim"))] if relations != [] else []
    for each in relations or ():
        names = [_short(entity, root) for entity in each.shared if entity.kind != "project"]
        more = f" +{len(names) - _SHARED}" if len(names) > _SHARED else ""
        why, link = (f"  {', '.join(names[:_SHARED])}{more}", "dim"), MEMORY_LINK + each.id
        lines.append(styled("  ", (each.id, "accent"), f" {each.title}", why, hang=4, link=link))
    return lines


def _short(entity: Entity, root: str) -> str:
    if entity.kind == "file":
        from memtui.transcript.paths import shown_path  # many patterns, which the first paint does without

        return shown_path(entity.name, Path(root) if root else None)
    return entity.name


def _names(named: Sequence[Entity], root: str, unfolded: Collection[str]) -> list[Line]:
    kinds = Counter(entity.kind for entity in named)
    if not kinds:
        return []
    remark = " · ".join(counted(number, kind) for kind, number in kinds.items())
    inner = []
    for kind in kinds:
        inner.append(styled((f"  {kind}s", "label")))
        inner += [line(f"    {_short(each, root)}", hang=6) for each in named if each.kind == kind]
    return fold("names", "names", remark, inner, unfolded)
