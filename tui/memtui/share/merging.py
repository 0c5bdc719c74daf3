"""Merging the records of a memory: the result does not depend on their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.formats.shared_record import FORGOTTEN, SharedRecord


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a memory."""

    description: str = ""
    tags: tuple[str, ...] = ()
    """Sorted."""
    archived: bool = False
    deleted: bool = False
    superseded_by: str = ""
    """The key of the memory that replaces it; see `memtui.formats.shared_record.MEMORY`."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory as described by all its records."""

    versions: tuple[SharedRecord, ...]
    """Its texts, newest first; at least one."""
    marks: Marks

    @property
    def newest(self) -> SharedRecord:
        """The current version."""
        return self.versions[0]


def is_forgotten(records: Iterable[tuple[str, SharedRecord]]) -> bool:
    """Whether the last of these records that deletes the memory or takes that back is a tombstone."""
    said = [(record.at, name, record) for name, record in records if record.deleted is not None]
    last = max(said, default=None, key=lambda each: each[:2])
    return last is not None and last[2].deleted is True and last[2].source == FORGOTTEN


def merged(records: Iterable[tuple[str, SharedRecord]]) -> Merged | None:
    """The memory described by records, given by name; None if none of them has a text.

    For each mark the last record that mentions it decides; records of the same second are ordered by name.
    """
    ordered = sorted(records, key=lambda each: (each[1].at, each[0]))
    versions: dict[bytes, SharedRecord] = {}
    tags: dict[str, bool] = {}
    description, archived, deleted, successor = "", False, False, ""
    for _, record in ordered:
        if record.kind == "text":
            versions.pop(record.body, None)  # a text that returns is the newest again
            versions[record.body] = record
        tags |= dict.fromkeys(record.tags, True) | dict.fromkeys(record.untagged, False)
        description = description if record.description is None else record.description
        archived = archived if record.archived is None else record.archived
        deleted = deleted if record.deleted is None else record.deleted
        successor = successor if record.superseded_by is None else record.superseded_by
    if not versions:
        return None
    kept = tuple(sorted(tag for tag, there in tags.items() if there))
    return Merged(tuple(reversed(versions.values())), Marks(description, kept, archived, deleted, successor))
