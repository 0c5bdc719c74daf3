"""Fitting texts into room: whole sections of one, or its lines, the most important first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
    """The sections that fit `limit` characters, in order; more important ones are chosen first."""
    kept: set[int] = set()
    used = 0
    for number, section in sorted(enumerate(sections), key=lambda pair: pair[1].rank):
        size = size_of(section.text) + (len(_BETWEEN) if kept else 0)
        if section.text and used + size <= limit:
            kept.add(number)
            used += size
    return [section for number, section in enumerate(sections) if number in kept]


def joined(sections: Sequence[Section]) -> str:
    return _BETWEEN.join(section.text for section in sections)


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Characters for each of several texts: short ones get their size, long ones share the rest."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for done, index in enumerate(order):
        given[index] = min(sizes[index], room // (len(sizes) - done))
        room -= given[index]
    return given


_FIRST_LINES = 2
"""Lines of each part of a text that are kept before others, besides its heading."""
_MARKER = 120
"""Room for the line that says how much was cut, without its path."""
_HEADING = re.compile(r"#{1,6} |[*# ]{0,4}===")


class Piece(NamedTuple):
    """A line with the indented and blank ones after it, kept or left out as a whole."""

    text: str
    section: str
    """The heading of the first two levels above it, in small letters; "" before the first one."""
    number: int
    """Its place under the nearest heading; 0 for a heading."""
    heading: int
    """The index of the heading that it comes with; -1 without one."""


Rank = Callable[[Piece], tuple[int, int] | None]
"""A smaller one is kept longer; None for a heading that only comes with lines under it."""


def shortened(text: str, room: int, rank: Rank) -> str:
    """A text in at most `room` characters (`size_of`): the pieces of a smaller rank first.

    None takes more than a quarter of the room, but for what is left in the end. Where one is left out, those
    after it that have the same first rank and section are, too.
    """
    if size_of(text) <= room:
        return text
    whole = _pieces(text)
    found = [piece._replace(text=_cut(piece.text, room // 4)) for piece in whole]
    ranked = [(order, index) for index, piece in enumerate(found) if (order := rank(piece)) is not None]
    kept: set[int] = set()
    full: set[tuple[str, int]] = set()
    for (first, _), index in sorted(ranked):
        piece = found[index]
        needed, above = {index}, piece.heading
        while above >= 0 and above not in kept:
            needed.add(above)
            above = found[above].heading
        size = sum(size_of(found[each].text) + 2 for each in needed)
        if size > room or (piece.section, first) in full:
            full.add((piece.section, first))
        else:
            kept |= needed
            room -= size
    for index in (index for _, index in sorted(ranked) if index in kept):
        grown = _cut(whole[index].text, size_of(found[index].text) + room)
        room -= size_of(grown) - size_of(found[index].text)
        found[index] = found[index]._replace(text=grown)
    shown = ""
    for piece in (found[index] for index in sorted(kept)):
        gap = "\n" if shown and not piece.number and not shown.endswith("\n\n") else ""
        shown += f"{gap}{piece.text}\n"
    return shown.strip("\n")


def abridged(
    text: str, room: int, path: str, rank: Rank = lambda piece: (int(piece.number > _FIRST_LINES), 0)
) -> str:
    """A text in at most `room` characters; a last line says how much is missing and where to read all of it.

    By default the first lines of every part are kept, then more from the top.
    """
    if size_of(text) <= room:
        return text
    shown = shortened(text, room - _MARKER - size_of(path), rank)
    return f"{shown}\n\n... {size_of(text) - size_of(shown):,} more characters: read {path}"


def _pieces(text: str) -> list[Piece]:
    found: list[list[str]] = []
    where: list[tuple[str, int, int]] = []
    section, number, heading, part, fence = "", 0, -1, -1, ""
    for line in text.split("\n"):
        is_heading = not fence and _HEADING.match(line)  # a # inside a fence is none
        if (mark := line.lstrip()[:3]) in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        if found and not is_heading and (not line or line[0].isspace()):
            found[-1].append(line)
            continue
        number = 0 if is_heading else number + 1
        if is_heading and not line.startswith("###"):
            section, part, heading = line.strip("# ").lower(), len(found), -1
        elif is_heading:
            heading = part
        where.append((section, number, heading))
        if is_heading:
            heading = len(found)
        found.append([line])
    return [Piece("\n".join(lines), *each) for lines, each in zip(found, where, strict=True)]


def _cut(text: str, room: int) -> str:
    if size_of(text) <= room:
        return text
    head = beginning(text, room - 2)
    return f"{head.rpartition(' ')[0] or head} …"
