"""Blocks of a document that are folded away until somebody asks for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from memtui.app.widgets.document import Line, from_markdown, styled

LINK = "fold:"
"""What the link of a fold begins with; its name follows."""

_DETAILS = re.compile(r"\s*<details\b[^>]*>\s*", re.IGNORECASE)
_END = re.compile(r"\s*</details>\s*", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*<summary>([^<]*)</summary>\s*", re.IGNORECASE)
_BELOW = re.compile(r"##[ \t]+Working Files\b", re.IGNORECASE)
_CLICK = re.compile(r"\s*\(click to expand\)", re.IGNORECASE)


def fold(name: str, title: str, remark: str, inner: Iterable[Line], unfolded: Collection[str]) -> list[Line]:
    """A block under a line that opens and closes it.

    Args:
        name: tells it from the others of the document.
        title: what is in it.
        remark: how much, quietly.
        inner: its lines.
        unfolded: the names of the folds that are open.
    """
    is_open = name in unfolded
    head = styled(
        ("▾ " if is_open else "▸ ", "accent"), (title, "label"), (f"  {remark}", "dim"), link=LINK + name
    )
    return [head, *inner] if is_open else [head]


def recovery_lines(text: str, unfolded: Collection[str]) -> list[Line]:
    """A recovery text, its plan folded: what stands between ``<details>`` and ``</details>``."""
    rows = text.split("\n")
    lines: list[Line] = []
    shown = at = 0
    while at < len(rows):
        end = _end_of(rows, at) if _DETAILS.fullmatch(rows[at].rstrip("\r")) else None
        if end is None:
            at += 1
            continue
        lines += _markdown(rows[shown:at])
        inner = rows[at + 1 : end]
        summary = _SUMMARY.fullmatch(inner[0].rstrip("\r")) if inner else None
        title = _CLICK.sub("", summary[1]).strip() if summary else "Details"
        inner = _without_blank_ends(inner[1:] if summary else inner)
        remark = "1 line" if len(inner) == 1 else f"{len(inner)} lines"
        lines += fold(f"details {at}", title, remark, [*_markdown(inner), Line("")], unfolded)
        shown = at = end + 1
    return lines + _markdown(rows[shown:])


def _end_of(rows: list[str], start: int) -> int | None:
    """Where the block that opens at `start` ends: a plan may hold such lines itself."""
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
