"""Differences between two versions of a session state, or of any text with headings, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from memtui.documents.compactor import members
from memtui.documents.session_state import SessionState, render_session_state
from memtui.ground.text import file_text
from memtui.transcript.blocks import word_changes
from memtui.transcript.short_text import key_of

Change = Literal["same", "added", "removed", "changed"]

_HEADING = re.compile(r"## (.*)")
_LABEL = re.compile(r"\s*- (?:\[[ x]\] )?(?:\*\*IN PROGRESS\*\*|[\w ]{2,20}):")
_MANY = ("Decision:", "Constraint:", "LATER:", "NEXT:", "Sub:")
"""Labels that may occur several times in a section."""
_ALIKE = 0.5
_LONGEST = 4_000
"""Maximum length of lines whose words are compared; longer ones are shown as replaced."""


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
    before = _sections(old) if old is not None else {}
    after = _sections(new)
    known = {key_of(text) for each in (old.decisions if old else ()) for text in members(each)}
    fresh = {key_of(text) for each in new.decisions for text in members(each)} - known
    titles = dict.fromkeys((*after, *before))
    found = []
    for title in titles:
        # Decisions are only ever added: one never replaces another.
        decisions = title.startswith("KEY DECISIONS")
        lines = _lines(before.get(title, []), after.get(title, []), pair=not decisions)
        found.append(SectionDiff(title, tuple(_marked(lines, fresh) if decisions else lines)))
    return tuple(found)


def text_diff(old: str | None, new: str) -> tuple[SectionDiff, ...]:
    """The sections of a text line by line, with changes since `old`; without `old` everything is new."""
    before, after = (_lines_by_heading(file_text(text).split("\n")) for text in (old or "", new))
    return tuple(
        SectionDiff(title, tuple(_lines(before.get(title, []), after.get(title, []), pair=True)))
        for title in dict.fromkeys((*after, *before))
    )


def _sections(state: SessionState) -> dict[str, list[str]]:
    """The document's lines by heading, without its first and last line."""
    lines = render_session_state(state).split("\n")
    return _lines_by_heading(line for line in lines if not line.startswith("==="))


def _lines_by_heading(text: Iterable[str]) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text:
        heading = _HEADING.fullmatch(line)
        if heading:
            lines = sections.setdefault(heading[1], [])
        elif line.strip():
            if not sections:
                lines = sections.setdefault("", lines)
            lines.append(line)
    return sections


def _marked(lines: Iterator[LineDiff], fresh: set[str]) -> Iterator[LineDiff]:
    for line in lines:
        yield line._replace(is_new_decision=line.change == "added" and key_of(_value(line.text)) in fresh)


def _value(line: str) -> str:
    """A decision's line without its bullet and label."""
    bare = line.strip().removeprefix("- ")
    return bare.partition(":")[2] if bare.startswith(("Decision:", "Constraint:")) else bare


def _lines(before: Sequence[str], after: Sequence[str], *, pair: bool) -> Iterator[LineDiff]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, stop, begin, end in matcher.get_opcodes():
        if kind == "equal":
            yield from (LineDiff("same", (Piece("same", line),)) for line in after[begin:end])
        elif pair:
            yield from _replaced(before[start:stop], list(after[begin:end]))
        else:
            yield from (LineDiff("removed", (Piece("removed", line),)) for line in before[start:stop])
            yield from (LineDiff("added", (Piece("added", line),)) for line in after[begin:end])


def _replaced(gone: Sequence[str], come: list[str]) -> Iterator[LineDiff]:
    """Replaced lines: those continued by a new line are compared with it."""
    for line in gone:
        at = next((number for number, other in enumerate(come) if _go_on(line, other)), None)
        if at is None:
            yield LineDiff("removed", (Piece("removed", line),))
            continue
        yield from (LineDiff("added", (Piece("added", other),)) for other in come[:at])
        yield LineDiff("changed", tuple(_words(line, come[at])))
        del come[: at + 1]
    yield from (LineDiff("added", (Piece("added", line),)) for line in come)


def _go_on(line: str, other: str) -> bool:
    """Whether one line continues the other: the same field of a section, or mostly the same words."""
    label, others = _label(line), _label(other)
    if label != others:
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
