"""Facts as titled groups of one-line items: what the detail pane, the review and the CLI show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memtui.extract.facts import Facts


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One line of evidence."""

    text: str
    """One line."""
    kind: str
    """`file`, `reference`, `todo`, `plan`, `decision`, `constraint`, `error`, `command`, `prompt`, `answer`,
    `correction`, `compaction`, `action` or `session`."""
    detail: str = ""
    """The whole text when `text` is a shortened form of it."""


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Items of one kind under a title."""

    title: str
    items: tuple[EvidenceItem, ...]


def evidence(facts: Facts, root: Path | None) -> tuple[EvidenceGroup, ...]:
    """Group facts for showing; paths inside `root` are shown relative to it, empty groups are left out."""
    raise NotImplementedError
