"""The changes of an edit, line by line and word by word, taken from the call, not from the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from memtui.transcript.events import Call

_LINES = 400
"""Maximum length in lines of texts that are compared; of longer ones only the common ends are left out."""
_LONGEST = 400
"""Maximum length in characters of lines whose words are compared."""
_ALIKE = 0.5
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|[^\w\s]")


class Row(NamedTuple):
    """A line of a diff."""

    sign: Literal[" ", "+", "-", "@"]
    """``@`` separates two edits of one call."""
    text: str
    changed: tuple[tuple[int, int], ...] = ()
    """The added or removed parts, where the rest of the line is unchanged."""


def edit_rows(call: Call) -> list[Row]:
    """The diff of an edit; empty for another call, or if its arguments are not known."""
    given = call.input
    if call.name == "Write":
        return [Row("+", line) for line in _lines(given.get("content"))]
    if call.name == "NotebookEdit":
        return [Row("+", line) for line in _lines(given.get("new_source"))]
    if call.name == "Edit":
        return list(_rows(_lines(given.get("old_string")), _lines(given.get("new_string"))))
    edits = given.get("edits") if call.name == "MultiEdit" else None
    rows: list[Row] = []
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            rows += [Row("@", "")] if rows else []
            rows += _rows(_lines(edit.get("old_string")), _lines(edit.get("new_string")))
    return rows


def diff_counts(rows: Sequence[Row]) -> tuple[int, int]:
    """The numbers of lines that a diff adds and removes."""
    signs = [row.sign for row in rows]
    return signs.count("+"), signs.count("-")


def _lines(text: object) -> list[str]:
    if not isinstance(text, str) or not text:
        return []
    return text.removesuffix("\n").split("\n")


def _rows(old: list[str], new: list[str]) -> Iterator[Row]:
    if max(len(old), len(new)) > _LINES:
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        ends = (len(old) - tail, len(new) - tail)
        yield from (Row(" ", line) for line in old[:head])
        yield from (Row("-", line) for line in old[head : ends[0]])
        yield from (Row("+", line) for line in new[head : ends[1]])
        yield from (Row(" ", line) for line in old[ends[0] :])
        return
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Row(" ", line) for line in old[start:stop])
        else:
            yield from _replaced(old[start:stop], new[begin:end])


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    number = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        number += 1
    return number


def _replaced(old: list[str], new: list[str]) -> Iterator[Row]:
    """Replaced lines: the first with the first and so on, as in most edits."""
    pairs = [_words(before, after) for before, after in zip(old, new, strict=False)]
    for at, line in enumerate(old):
        yield Row("-", line, pairs[at][0] if at < len(pairs) else ())
    for at, line in enumerate(new):
        yield Row("+", line, pairs[at][1] if at < len(pairs) else ())


Ranges = tuple[tuple[int, int], ...]


def _words(before: str, after: str) -> tuple[Ranges, Ranges]:
    """The removed and the added parts of a line; none if the two versions have little in common."""
    if max(len(before), len(after)) > _LONGEST:
        return (), ()
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    gone = tuple((_at(old, code[1]), _at(old, code[2])) for code in codes if code[2] > code[1])
    come = tuple((_at(new, code[3]), _at(new, code[4])) for code in codes if code[4] > code[3])
    return gone, come


def _at(tokens: Sequence[str], index: int) -> int:
    return sum(len(token) for token in tokens[:index])
