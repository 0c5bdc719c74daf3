"""A memory file: the result of the review of a capture (seed 001)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, field_validator

from memtui.documents.format import (
    Block,
    Items,
    Layout,
    Line,
    Record,
    Section,
    escape,
    fenced,
    parse_items,
    placed,
    read,
    render,
    render_items,
    unescape,
)
from memtui.ground.text import FormatError, file_text, without_backticks, without_blank_ends

_GOAL, _LEARNINGS, _QUESTIONS = "Goal", "Learnings", "Open Questions / Issues"
_CONFIDENCE, _KEY_FILES = "Confidence Level", "Key Files"
_LAYOUT = Layout(
    _GOAL,
    _LEARNINGS,
    _QUESTIONS,
    _CONFIDENCE,
    _KEY_FILES,
    aliases={
        "Open Questions": _QUESTIONS,
        "Open Issues": _QUESTIONS,
        "Open Questions/Issues": _QUESTIONS,
        "Open Questions & Issues": _QUESTIONS,
        "Open Questions and Issues": _QUESTIONS,
        "Confidence": _CONFIDENCE,
    },
)
_PREFIX = "memory:"


def _bare_paths(values: object) -> object:
    if not isinstance(values, list | tuple):
        return values
    return tuple(without_backticks(value.strip()) if isinstance(value, str) else value for value in values)


class MemoryFile(Record):
    """One memory file."""

    title: Line
    goal: Block = ""
    """The user's goal."""
    learnings: Items = ()
    questions: Items = ()
    """Unresolved questions and issues."""
    confidence: Block = ""
    """High, Medium or Low, a dash, and why."""
    key_files: Annotated[Items, BeforeValidator(_bare_paths)] = ()
    preamble: Block = ""
    """Text between the title and the first section."""
    extra: tuple[Section, ...] = ()
    """Unknown sections."""

    @field_validator("extra")
    @classmethod
    def _placed(cls, value: tuple[Section, ...]) -> tuple[Section, ...]:
        return placed(value, _LAYOUT)


def render_memory(memory: MemoryFile) -> str:
    """The memory file, to the character."""
    bodies = {
        _GOAL: escape(memory.goal),
        _LEARNINGS: render_items(memory.learnings),
        _QUESTIONS: render_items(memory.questions),
        _CONFIDENCE: escape(memory.confidence),
        _KEY_FILES: render_items(memory.key_files),
    }
    parts = [f"# Memory: {memory.title}".rstrip(), escape(memory.preamble), render(bodies, memory.extra)]
    return "\n\n".join(part for part in parts if part) + "\n"


def parse_memory(text: str) -> MemoryFile:
    """Read a memory file.

    Raises:
        FormatError: when it has neither a title nor a section of a memory file.
    """
    document = read(file_text(text).split("\n"), _LAYOUT)
    title, preamble = _read_title(document.preamble)
    if title is None and not document.bodies:
        raise FormatError("it has neither a title nor a section of a memory file")
    return MemoryFile(
        title=title or "",
        goal=document.block(_GOAL),
        learnings=tuple(parse_items(document.lines(_LEARNINGS))),
        questions=tuple(parse_items(document.lines(_QUESTIONS))),
        confidence=document.block(_CONFIDENCE),
        key_files=tuple(parse_items(document.lines(_KEY_FILES))),
        preamble=unescape("\n".join(without_blank_ends(preamble))),
        extra=tuple(document.extra),
    )


def _read_title(lines: list[str]) -> tuple[str | None, list[str]]:
    """The first top-level heading's text and the other lines."""
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not inside[index] and line.startswith("# "):
            title = line[2:].strip()
            if title[: len(_PREFIX)].casefold() == _PREFIX:
                title = title[len(_PREFIX) :]
            return title.strip(), lines[:index] + lines[index + 1 :]
    return None, lines
