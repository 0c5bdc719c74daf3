"""Differences between two versions of a session state, or of any text with headings, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from memtui.documents.session_state import SessionState, render_session_state
from memtui.ground.text import file_text
from memtui.transcript.blocks import word_changes
from memtui.transcript.short_text import key_of

Change = Literal["same", "added", "removed", "changed"]

_HEADING = re.compile(r"## (.*)")
_DECISIONS = "KEY DECISIONS"
_LABEL = re.compile(r"\s*- (?:\[[ x]\] )?(?:\*\*IN PROGRESS\*\*|[\w ]{2,20}):")
_MANY = ("Decision:", "Constraint:", "LATER:", "NEXT:", "Sub:")
"""Labels that may occur several times in a section."""
_ALIKE = 0.5
_LONGEST = 4_000  # maximum length of lines whose words are compared; longer ones are shown as replaced


class Piece(NamedTuple):
    """Part of a line."""

    change: Literal["same", "added", "removed"]
    text: str


class LineDiff(NamedTuple):
    """A line of one version or of both."""

    change: Change
    pieces: tuple[Piece, ...]
    """The whole line; if `changed`, with the words of both versions, in order."""
    is_new_decision: bool = False

    @property
    def text(self) -> str:
        """The new line; the old one if it was removed."""
        gone = self.change == "removed"
        return "".join(piece.text for piece in self.pieces if gone or piece.change != "removed")


class SectionDiff(NamedTuple):
    """A section of the document."""

    title: str
    lines: tuple[LineDiff, ...]

    @property
    def has_changed(self) -> bool:
        return any(line.change != "same" for line in self.lines)


def state_diff(old: SessionState | None, new: SessionState) -> tuple[SectionDiff, ...]:
    """The sections of `new` line by line, with changes since `old`; without `old` everything is new."""
    return text_diff(_text(old) if old is not None else None, _text(new))


def text_diff(old: str | None, new: str) -> tuple[SectionDiff, ...]:
    """The sections of a text line by line, with changes since `old`; without `old` everything is new."""
    before, after = (_lines_by_heading(text) for text in (old or "", new))
    sections = ((title, before.get(title, []), after.get(title, [])) for title in (after | before))
    return tuple(
        SectionDiff(title, tuple(_decisions(was, now) if title.startswith(_DECISIONS) else _lines(was, now)))
        for title, was, now in sections
    )


def _text(state: SessionState) -> str:
    lines = render_session_state(state).split("\n")
    return "\n".join(line for line in lines if not line.startswith("==="))


def _lines_by_heading(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in file_text(text).split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            lines = sections.setdefault(heading[1], [])
        elif line.strip():
            if not sections:
                lines = sections.setdefault("", lines)
            lines.append(line)
    return sections


def _decisions(before: Sequence[str], after: Sequence[str]) -> Iterator[LineDiff]:
    """Decisions are only ever added: one never replaces another, and one joined to others is not new."""
    known = {"", *map(_decision_key, ("N/A", *before))}
    for line in _lines(before, after, pair=False):
        new = line.text.lstrip().startswith("- ") and _decision_key(line.text) not in known
        yield line._replace(is_new_decision=line.change == "added" and new)


def _decision_key(line: str) -> str:
    """Of a decision's line, without its bullet and label."""
    bare = line.strip().removeprefix("- ")
    return key_of(bare.partition(":")[2] if bare.startswith(("Decision:", "Constraint:")) else bare)


def _lines(before: Sequence[str], after: Sequence[str], *, pair: bool = True) -> Iterator[LineDiff]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, stop, begin, end in matcher.get_opcodes():
        if kind == "equal":
            yield from (LineDiff("same", (Piece("same", line),)) for line in after[begin:end])
        else:
            yield from _replaced(before[start:stop], list(after[begin:end]), pair=pair)


def _replaced(gone: Sequence[str], come: list[str], *, pair: bool) -> Iterator[LineDiff]:
    """Replaced lines; with `pair`, those continued by a new line are compared with it."""
    for line in gone:
        at = next((number for number, other in enumerate(come) if pair and _go_on(line, other)), None)
        if at is None:
            yield LineDiff("removed", (Piece("removed", line),))
            continue
        yield from (LineDiff("added", (Piece("added", other),)) for other in come[:at])
        yield LineDiff("changed", tuple(_words(line, come[at])))
        del come[: at + 1]
    yield from (LineDiff("added", (Piece("added", line),)) for line in come)


def _go_on(line: str, other: str) -> bool:
    """Whether one line continues the other: the same field of a section, or mostly the same words."""
    label = _label(line)
    if label != _label(other):
        return False
    if label and not label.endswith(_MANY):
        return True
    return SequenceMatcher(None, line[:_LONGEST], other[:_LONGEST]).quick_ratio() > _ALIKE


def _label(line: str) -> str:
    match = _LABEL.match(line)
    return match[0].strip() if match else ""


def _words(before: str, after: str) -> Iterator[Piece]:
    """The words of a line in both versions; not mixed if they have little in common."""
    label = _label(after)
    start = after.find(label) + len(label)
    if label and before.startswith(after[:start]):
        yield Piece("same", after[:start])
        before, after = before[start:], after[start:]
    changes = word_changes(before, after, _LONGEST) or [(False, before, after)]
    for same, old, new in changes:
        if same:
            yield Piece("same", new)
            continue
        if old:
            yield Piece("removed", old)
        if new:
            yield Piece("added", new)
