"""The review's form as text: converting a memory file to fields and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.documents.memory_file import MemoryFile


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the form.

    Attributes:
        name: of the `MemoryFile` field; `summary` belongs to the capture.
        label: shown in its border.
        listed: whether each line is an item.
    """

    name: str
    label: str
    listed: bool = False


FIELDS = (
    Field("title", "Title"),
    Field("summary", "Summary (for the capture)"),
    Field("goal", "Goal"),
    Field("learnings", "Learnings", listed=True),
    Field("questions", "Open questions / issues", listed=True),
    Field("confidence", "Confidence: High, Medium or Low, and why"),
    Field("key_files", "Key files", listed=True),
)


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of a review: the memory file, and the summary for the capture."""

    memory: MemoryFile
    summary: str


def to_fields(draft: Draft) -> dict[str, str]:
    """The texts that the form shows."""
    values = dict(draft.memory) | {"summary": draft.summary}
    return {
        field.name: list_text(values[field.name]) if field.listed else values[field.name] for field in FIELDS
    }


def from_fields(texts: Mapping[str, str], original: MemoryFile) -> Draft:
    """The draft in the form's texts; parts of `original` without a field are kept."""
    values = {
        field.name: items(texts[field.name]) if field.listed else texts[field.name].strip()
        for field in FIELDS
    }
    summary = values.pop("summary")
    assert isinstance(summary, str)
    return Draft(original.replace(**values), " ".join(summary.split()))


def list_text(items: tuple[str, ...]) -> str:
    """Items as lines with a dash; further lines of an item are indented."""
    return "\n".join("- " + item.replace("\n", "\n  ") for item in items)


def items(text: str) -> tuple[str, ...]:
    """Lines as items: a dash or asterisk may lead, an indented line continues the previous one."""
    found: list[str] = []
    for row in text.split("\n"):
        if not row.strip():
            continue
        if row.startswith("  ") and found:
            found[-1] += "\n" + row[2:].rstrip()
            continue
        found.append(row.strip().removeprefix("- ").removeprefix("* ").strip())
    return tuple(item for item in found if item)


def with_item(text: str, item: str, *, listed: bool) -> str:
    """The field's text with a piece of evidence added, unless it contains it."""
    if listed:
        return (
            text if item in items(text) else "\n".join(part for part in (text.rstrip(), f"- {item}") if part)
        )
    return text if item in text else " ".join(part for part in (text.rstrip(), item) if part)
