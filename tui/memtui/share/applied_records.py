"""Applied and waiting records of memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memtui.formats.errors import FormatError
from memtui.formats.shared_record import SharedRecord, parse_record
from memtui.share.merging import Marks

_NAMED = 20
"""Broken records that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The state of a memory in the store when records were last applied to it or made from it."""

    text: str
    """SHA-256 of the text in its shared form, hexadecimal."""
    marks: Marks
    signature: str = ""
    """Of the memory's file; unchanged as long as the memory is."""


class Waiting(NamedTuple):
    """A memory with unapplied records."""

    memory: str
    records: list[tuple[str, bytes]]
    """Names and contents of all its records."""
    applied: Applied | None
    """Its state when records were last applied; None if they never were."""


def row_of(memory: str, applied: Applied) -> tuple[object, ...]:
    """The columns for a row of the table `applied`."""
    marks = applied.marks
    return (
        memory, applied.text, marks.description, "\n".join(marks.tags), marks.archived, marks.deleted,
        applied.signature, marks.superseded_by,
    )  # fmt: skip


def applied_of(columns: tuple[Any, ...]) -> Applied | None:
    """The state from such a row without its key; None if all columns are NULL."""
    text, description, tags, archived, deleted, signature, superseded_by = columns
    if text is None:
        return None
    kept = tuple(filter(None, tags.split("\n")))
    marks = Marks(description, kept, bool(archived), bool(deleted), superseded_by)
    return Applied(text, marks, signature)


@dataclass
class PassedOver:
    """Skipped records of a remote: there may be millions, so only the first few are named."""

    foreign: int = 0
    """Records that claim to be of this machine."""
    files: int = 0
    """Files that are not records."""
    records: int = 0
    """That are broken."""
    reasons: list[str] = field(default_factory=list)

    def refuse(self, *reasons: str) -> None:
        """Count broken records."""
        self.records += len(reasons)
        self.reasons += reasons[: max(_NAMED - len(self.reasons), 0)]

    def notes(self) -> list[str]:
        """A sentence each."""
        notes = [f"A record passed over: {reason}." for reason in self.reasons]
        if more := self.records - len(self.reasons):
            notes.append(f"And {more:,} more records were passed over.")
        if self.foreign:
            notes.append(f"Records that claim to be of this machine were passed over: {self.foreign:,}.")
        if self.files:
            notes.append(f"Files that are not records were passed over: {self.files:,}.")
        return notes


def readable_records(
    records: Iterable[tuple[str, bytes]], passed: PassedOver | None = None
) -> list[tuple[str, SharedRecord]]:
    """The records that can be read, with their names; `passed` receives why others cannot be."""
    found = []
    for name, data in records:
        try:
            found.append((name, parse_record(name, data)))
        except FormatError as error:
            if passed is not None:
                passed.refuse(f"{name[:120]}: {error}")
    return found
