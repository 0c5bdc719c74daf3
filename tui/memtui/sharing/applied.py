"""What this machine has made of the records of a memory, and the records that wait for that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from memtui.formats.errors import FormatError
from memtui.formats.shared_record import SharedRecord, parse_record
from memtui.sharing.merged import Marks


@dataclass(frozen=True, slots=True)
class Applied:
    """The state of a memory in the store when records were last applied to it, or made of it."""

    text: str
    """SHA-256 of the text as it is shared, hexadecimal."""
    marks: Marks
    signature: str = ""
    """Of the memory's file: while it stays the same, the memory has not changed."""


class Waiting(NamedTuple):
    """A memory with records that were not applied yet."""

    memory: str
    records: list[tuple[str, bytes]]
    """Names and contents of all its records."""
    applied: Applied | None
    """Its state when it was last applied; None when it never was."""


def row_of(memory: str, applied: Applied) -> tuple[object, ...]:
    """A row of the table `applied`."""
    marks = applied.marks
    return (
        memory, applied.text, marks.description, "\n".join(marks.tags), marks.archived, marks.deleted,
        applied.signature, marks.superseded_by,
    )  # fmt: skip


def applied_of(columns: tuple[Any, ...]) -> Applied | None:
    """The state in such a row, given without the key; None when all of it is None."""
    text, description, tags, archived, deleted, signature, superseded_by = columns
    if text is None:
        return None
    kept = tuple(filter(None, tags.split("\n")))
    marks = Marks(description, kept, bool(archived), bool(deleted), superseded_by)
    return Applied(text, marks, signature)


def readable(
    records: Iterable[tuple[str, bytes]], refused: list[str] | None = None
) -> list[tuple[str, SharedRecord]]:
    """The records that can be read, with their names; `refused` receives why others cannot be."""
    found = []
    for name, data in records:
        try:
            found.append((name, parse_record(name, data)))
        except FormatError as error:
            if refused is not None:
                refused.append(f"{name[:120]}: {error}")
    return found
