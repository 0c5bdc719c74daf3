"""Folded blocks of a document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from memtui.app.widgets.document import Line, Span, from_markdown, styled
from memtui.ground.patterns import deferred

LINK = "fold:"
"""Prefix of a fold's link, before its name."""

_DETAILS = deferred(r"\s*<details\b[^>]*>\s*", re.IGNORECASE)
_END = deferred(r"\s*</details>\s*", re.IGNORECASE)
_SUMMARY = deferred(r"\s*<summary>([^<]*)</summary>\s*", re.IGNORECASE)
_BELOW = deferred(r"##[ \t]+Working Files\b", re.IGNORECASE)
_HEADING = deferred(r"##[ \t]+\S")
_NOTHING = deferred(r"[ \t]*(?:[-*•][ \t]*)?(?:\(?none\)?\.?|n/a\b.*|-)?[ \t\r]*", re.IGNORECASE)
"""A row that states an absence and its reason."""
_CLICK = deferred(r"\s*\(click to expand\)", re.IGNORECASE)


def fold(name: str, title: str, remark: str, inner: Iterable[Line], unfolded: Collection[str]) -> list[Line]:
    """A block under a line that unfolds and folds it.

    Args:
        name: unique in the document.
        title: its title.
        remark: a note on its size, in a quiet colour.
        inner: its lines.
        unfolded: the names of the folds that are open.
    """
    return folded(name, styled((title, "label"), (f"  {remark}", "dim")), inner, unfolded)


def folded(name: str, head: Line, inner: Iterable[Line], unfolded: Collection[str]) -> list[Line]:
    """The same under a given line."""
    is_open = name in unfolded
    mark = styled(("▾ " if is_open else "▸ ", "accent"))
    by = len(mark.text)
    spans = tuple(Span(start + by, end + by, role) for start, end, role in head.spans)
    opener = head._replace(text=mark.text + head.text, spans=mark.spans + spans, link=LINK + name)
    return [opener, *inner] if is_open else [opener]


def recovery_lines(text: str, unfolded: Collection[str]) -> list[Line]:
    """A recovery text; its plan, between ``<details>`` and ``</details>``, and empty sections are folded."""
    rows = text.split("\n")
    lines: list[Line] = []
    shown = at = 0
    while at < len(rows):
        end = _end_of(rows, at) if _DETAILS.fullmatch(rows[at].rstrip("\r")) else None
        if end is None:
            at += 1
            continue
        lines += _sections(rows[shown:at], unfolded, goes_on=True)
        inner = rows[at + 1 : end]
        summary = _SUMMARY.fullmatch(inner[0].rstrip("\r")) if inner else None
        title = _CLICK.sub("", summary[1]).strip() if summary else "Details"
        inner = _without_blank_ends(inner[1:] if summary else inner)
        remark = "1 line" if len(inner) == 1 else f"{len(inner)} lines"
        lines += fold(f"details {at}", title, remark, [*_markdown(inner), Line("")], unfolded)
        shown = at = end + 1
    return lines + _sections(rows[shown:], unfolded)


def _sections(rows: list[str], unfolded: Collection[str], *, goes_on: bool = False) -> list[Line]:
    """Rows by section; adjacent empty sections are folded together.

    `goes_on` means that the last section continues elsewhere.
    """
    sections = _split(rows)
    lines: list[Line] = []
    empty: list[list[str]] = []
    for number, section in enumerate(sections, 1):
        if _is_empty(section) and not (goes_on and number == len(sections)):
            empty.append(section)
            continue
        lines += _fold_of(empty, unfolded) + _markdown(section)
        empty = []
    return lines + _fold_of(empty, unfolded)


def _split(rows: list[str]) -> list[list[str]]:
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


def _is_empty(section: list[str]) -> bool:
    return bool(_HEADING.match(section[0])) and all(_NOTHING.fullmatch(row) for row in section[1:])


def _fold_of(sections: list[list[str]], unfolded: Collection[str]) -> list[Line]:
    if not sections:
        return []
    titles = ", ".join(_markdown([section[0]])[0].text for section in sections)
    rows = [row for section in sections for row in section]
    lines = fold(f"empty {titles}", titles, "nothing on record", _markdown(rows), unfolded)
    ends_blank = not rows[-1].strip() and lines[-1].text
    return [*lines, Line("")] if ends_blank else lines


def _end_of(rows: list[str], start: int) -> int | None:
    """The end of the block that opens at `start`; a plan may contain such lines itself."""
    below = (index for index in range(start, len(rows)) if _BELOW.match(rows[index]))
    limit = next(below, None)
    ends = (
        index for index in range(start + 1, limit or len(rows)) if _END.fullmatch(rows[index].rstrip("\r"))
    )
    found = list(ends)
    return (found[0] if limit is None else found[-1]) if found else None


def _markdown(rows: list[str]) -> list[Line]:
    return list(from_markdown("\n".join(rows)).lines) if rows else []


def _without_blank_ends(rows: list[str]) -> list[str]:
    kept = [index for index, row in enumerate(rows) if row.strip()]
    return rows[kept[0] : kept[-1] + 1] if kept else []
