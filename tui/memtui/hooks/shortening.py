"""Shortening a session state document: whole pieces are left out, decisions last. Standard library only.

Facts that cannot be recovered otherwise are kept: constraints, decisions, open tasks, the plan's path,
changed files. Finished work and the course of the conversation are dropped first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtui.hooks.sections import size_of

_ALWAYS = 0
_DECISIONS, _GOAL, _OPEN, _FILES, _TROUBLE, _STATE, _OTHER, _DONE, _UNKNOWN = range(1, 10)
"""Ranks of pieces; smaller ones are kept longer."""

_FIELDS = {
    "session goal": _GOAL,
    "project": _STATE,
    "branch": _STATE,
    "files modified": _FILES,
    "files read": _OTHER,
    "last compile": _TROUBLE,
    "last error": _TROUBLE,
    "technical state": _STATE,
    "last user intent": _TROUBLE,
    "current phase": _OTHER,
    "dependencies": _OTHER,
    "user language": _OTHER,
    "user style": _OTHER,
}

_LONG, _LONGEST = 400, 2_400
"""Maximum length of a piece, and of the list of files, if not everything fits."""
_CUT = " ..."


def shortened(text: str, room: int) -> str:
    """`text`, shortened to `room` characters (`size_of`) if necessary; "" if nothing useful fits."""
    if size_of(text) <= room:
        return text
    found = [piece._replace(text=_cut(piece)) for piece in pieces(text)]
    kept = _kept(found, room)
    always = {index for index, piece in enumerate(found) if _rank(found, piece) == _ALWAYS}
    if not always < kept:
        return ""
    return "\n".join(piece.text for index, piece in enumerate(found) if index in kept)


def _kept(found: list[Piece], room: int) -> set[int]:
    kept: set[int] = set()
    for index in sorted(range(len(found)), key=lambda index: _order(found, index)):
        needed = {index}
        while (parent := found[min(needed)].parent) >= 0 and parent not in kept:
            needed.add(parent)
        size = sum(size_of(found[each].text) + 1 for each in needed)
        if size <= room:
            kept |= needed
            room -= size
    return kept


def _order(found: list[Piece], index: int) -> tuple[int, int, int]:
    piece = found[index]
    rank = _rank(found, piece)
    constraint = piece.words.lower().lstrip("*_ ").startswith("constraint")
    # The newest decisions and finished tasks are the most important; of all else the first.
    newest_first = rank in (_DECISIONS, _DONE)
    return rank, 0 if constraint else 1, -index if newest_first else index


def _rank(found: list[Piece], piece: Piece) -> int:
    section = piece.section
    if not section:
        return _ALWAYS if "===" in piece.text else _UNKNOWN
    if piece.text.startswith("#"):
        return _UNKNOWN  # included with the pieces under it
    if section.startswith("KEY DECISIONS"):
        return _DECISIONS
    if section.startswith("TASK TREE"):
        return _task(piece)
    label = piece.words.partition(":")[0].strip("*_ ").lower()
    if label in _FIELDS:
        return _FIELDS[label]
    if label.startswith("plan"):
        return _FILES  # its path
    parent = found[piece.parent] if piece.parent >= 0 else piece
    return _STATE if parent.words.lower().startswith("technical state") else _UNKNOWN


def _task(piece: Piece) -> int:
    words = piece.words.lower()
    if words.startswith("[x]"):
        return _DONE
    if "in progress" in words[:24] or words.startswith(("[>]", "[~]")):
        return _GOAL
    # Sub-items explain a task; those of a finished one are dropped with it.
    return _OPEN if words.startswith("[") else _TROUBLE if piece.text.startswith(" ") else _OPEN


def _cut(piece: Piece) -> str:
    limit = _LONGEST if piece.words.lower().startswith(("files modified", "**files modified")) else _LONG
    if len(piece.text) <= limit or not piece.section:
        return piece.text
    head, comma, _ = piece.text[: limit - len(_CUT)].rpartition(", " if limit == _LONGEST else " ")
    return (head + comma.rstrip(" ") if head else piece.text[: limit - len(_CUT)]) + _CUT


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
