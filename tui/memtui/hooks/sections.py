"""Texts made of sections, shortened by leaving out whole ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

LIMIT = 9_000
"""Upper limit of a session's notes in characters (`size_of`): of 10,000 or more, Claude Code 2.1.197 passes
on only the first 2,000."""

_BETWEEN = "\n\n"


class Section(NamedTuple):
    """A part of a text, kept or left out as a whole."""

    text: str
    rank: int
    """Smaller is more important."""


def size_of(text: str) -> int:
    """Characters as Claude Code counts them, which are JavaScript's: most emoji are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "replace")) // 2


def beginning(text: str, limit: int) -> str:
    """The first `limit` such characters of `text`."""
    return text.encode("utf-16-le", "replace")[: max(0, limit) * 2].decode("utf-16-le", "ignore")


def fitting(sections: Sequence[Section], limit: int) -> list[Section]:
    """The sections that fit, in order; more important ones are chosen first.

    Args:
        sections: all of them.
        limit: characters as `size_of` counts them.
    """
    kept: set[int] = set()
    used = 0
    for number, section in sorted(enumerate(sections), key=lambda pair: pair[1].rank):
        size = size_of(section.text) + (len(_BETWEEN) if kept else 0)
        if section.text and used + size <= limit:
            kept.add(number)
            used += size
    return [section for number, section in enumerate(sections) if number in kept]


def joined(sections: Sequence[Section]) -> str:
    """The text of the sections."""
    return _BETWEEN.join(section.text for section in sections)


_FIRST_LINES = 2
"""Lines kept of each part of a shortened text, besides its heading."""
_LINE = 160
"""Length of such a line in characters."""
_MARKER = 120
"""Room for the line that says how much was cut, without its path."""


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Characters for each of several texts: short ones get their size, long ones share the rest."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for done, index in enumerate(order):
        given[index] = min(sizes[index], room // (len(sizes) - done))
        room -= given[index]
    return given


def abridged(text: str, room: int, path: str) -> str:
    """A text in at most `room` characters (`size_of`), cut at its headings.

    The first lines of every part are kept, then whole parts from the top; a last line says how much is
    missing and where to read the whole text.
    """
    if size_of(text) <= room:
        return text
    room -= _MARKER + size_of(path)
    parts = list(_parts(text.split("\n")))
    kept = [_first_lines(part) for part in parts]
    used = 0
    for index, short in enumerate(kept):
        used += size_of(short) + 1
        if used > room:
            kept[index:] = [beginning(short, room - used + size_of(short) + 1)]
            break
    else:
        _fill(kept, ["\n".join(part) for part in parts], room - used)
    shown = "\n".join(each for each in kept if each)
    return f"{shown}\n\n... {size_of(text) - size_of(shown):,} more characters: read {path}"


def shortened_sections(text: str, room: int, path: str) -> str:
    """Sections of one-line items in at most `room` characters: long sections lose their last lines."""
    if size_of(text) <= room:
        return text
    sections = [f"## {part}".rstrip("\n") for part in f"\n{text}".split("\n## ")[1:]]
    given = shares([size_of(section) + 2 for section in sections], room)
    return "\n\n".join(
        _top_lines(section, size - 2, path) for section, size in zip(sections, given, strict=True)
    )


def _top_lines(section: str, room: int, path: str) -> str:
    if size_of(section) <= room:
        return section
    lines = section.split("\n")
    room -= _MARKER // 2 + size_of(path)
    kept: list[str] = []
    for line in lines:
        room -= size_of(line) + 1
        if room < 0 and kept:
            break
        kept.append(line)
    return "\n".join((*kept, f"... {len(lines) - len(kept)} more lines: read {path}"))


def _fill(kept: list[str], whole: Sequence[str], room: int) -> None:
    """Replace first lines by whole parts, from the top; the last one up to a line's end."""
    for index, text in enumerate(whole):
        more = size_of(text) - size_of(kept[index])
        if more <= room:
            kept[index] = text
            room -= more
            continue
        longer = beginning(text, size_of(kept[index]) + room).rpartition("\n")[0]
        kept[index] = max(kept[index], longer, key=size_of)
        return


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines under each heading, with it; a ``#`` inside a fence begins no part."""
    part: list[str] = []
    fence = ""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        if line.startswith("#") and not fence and part:
            yield part
            part = []
        part.append(line)
    yield part


def _first_lines(part: Sequence[str]) -> str:
    spoken = [line for line in part if line.strip()]
    headings = 1 if spoken and spoken[0].startswith("#") else 0
    return "\n".join(_cut(line) for line in spoken[: headings + _FIRST_LINES])


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else line[: _LINE - 2].rstrip() + " …"
