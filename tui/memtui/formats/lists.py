"""Bulleted lists: items of one or more lines, continuation lines indented by two columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memtui.formats.sections import fenced

_BULLET = re.compile(r"[-*+•](?:[ \t]+(.*))?$")
_NUMBER = re.compile(r"[0-9]{1,9}[.)][ \t]")


def parse_items(lines: Sequence[str]) -> list[str]:
    """The items of a list. Text outside a list counts, too: a paragraph is an item, so no line is lost."""
    return [text for _, text in numbered_items(lines)]


def numbered_items(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The items of `parse_items`, each with the index of its first line."""
    items: list[list[str]] = []
    starts: list[int] = []
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not line.strip():
            if items:
                items[-1].append("")
            continue
        bullet = None if inside[index] else _BULLET.match(line)
        if bullet:
            starts.append(index)
            items.append([bullet[1] or ""])
        elif items and _belongs(line, after_blank=not lines[index - 1].strip(), fenced=bool(inside[index])):
            items[-1].append(line if inside[index] else _unindented(line))
        else:
            starts.append(index)
            items.append([line])
    return [(start, "\n".join(item).strip()) for start, item in zip(starts, items, strict=True)]


def _belongs(line: str, *, after_blank: bool, fenced: bool) -> bool:
    """Whether a line that starts no item continues the previous one."""
    if line.startswith(("  ", "\t")) or fenced:
        return True
    return not after_blank and not _NUMBER.match(line)


def _unindented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line.removeprefix("\t")


def render_items(items: Iterable[str]) -> str:
    """Items in normal form as a list."""
    return "\n".join("- " + indented(item) for item in items)


def indented(text: str, by: str = "  ") -> str:
    """`text` with all lines but the first indented; blank ones stay empty."""
    if "\n" not in text:
        return text
    first, *rest = text.split("\n")
    return "\n".join([first, *(by + line if line else "" for line in rest)])
