"""A session state document split into pieces for shortening. Standard library only.

`session_state` has it as records; the hook cannot afford the models behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_HEADING = re.compile(r"##? +(.*)")
_BULLET = re.compile(r"( *)[-*+•](?: +(.*))?$")
_RULE = re.compile(r"[*# ]{0,4}===+\s*(?:SESSION STATE|END STATE)\b.*", re.IGNORECASE)


class Piece(NamedTuple):
    """A heading, a list item or a part of one: kept or left out as a whole."""

    text: str
    """Its first line and the continuation lines."""
    section: str
    """The heading above it, in capitals; "" before the first one."""
    parent: int
    """The index of the piece that it depends on; -1 for none."""

    @property
    def words(self) -> str:
        """The first line without its bullet."""
        first = self.text.partition("\n")[0]
        match = _BULLET.match(first)
        return (match[2] or "") if match else first


def pieces(text: str) -> list[Piece]:
    """Split a document; joined by line feeds, the pieces are the document again."""
    found: list[Piece] = []
    heading, section = -1, ""
    above: list[tuple[int, int]] = []  # indentation and index of the items that later ones can belong to
    for line in _grouped(text.split("\n")):
        bullet = _BULLET.match(line.partition("\n")[0])
        if match := _HEADING.match(line):
            section, heading, above = match[1].strip().upper(), len(found), []
            found.append(Piece(line, section, -1))
        elif bullet:
            indent = len(bullet[1])
            while above and above[-1][0] >= indent:
                above.pop()
            found.append(Piece(line, section, above[-1][1] if above else heading))
            above.append((indent, len(found) - 1))
        else:
            is_rule = bool(_RULE.match(line))
            found.append(Piece(line, "" if is_rule else section, -1 if is_rule else heading))
    return found


def _grouped(lines: Sequence[str]) -> Iterator[str]:
    """Lines, each joined with its continuation lines."""
    group: list[str] = []
    for line in lines:
        starts = _HEADING.match(line) or _BULLET.match(line) or _RULE.match(line)
        if starts and group:
            yield "\n".join(group)
            group = []
        group.append(line)
    yield "\n".join(group)
