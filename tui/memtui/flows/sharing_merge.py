"""Bringing a memory up to date with its records, without losing what was changed here."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memtui.flows.shared_names import Names, digest, marks_of, shared_text
from memtui.formats.stored_memory import StoredMemory
from memtui.share.applied_records import Applied
from memtui.share.merging import Marks, Merged


class Update(NamedTuple):
    """The change of a memory that its records ask for."""

    body: bytes | None
    """The new text; None if the local one stays."""
    values: dict[str, object]
    """New values of its front matter."""
    was: Marks
    """The marks that the new ones are compared with."""
    changed_here: bool
    """Whether the text stays because it was changed here, too."""
    is_current: bool
    """Whether the memory is as its records say."""


def update_of(names: Names, stored: StoredMemory, base: Applied | None, found: Merged) -> Update:
    """The update of a memory from its records.

    Args:
        names: how memories are called here and elsewhere.
        stored: the memory.
        base: its state when its records were last applied; None if they never were.
        found: the memory by its records.
    """
    now, new = marks_of(names, stored), found.marks
    was = base.marks if base is not None else replace(now, tags=())
    here, there = digest(shared_text(names, found.newest.memory, stored)), digest(found.newest.body)
    # Without an earlier replica, any text that was once shared counts as an older version.
    older = {base.text} if base is not None else {digest(each.body) for each in found.versions}
    is_new = here != there and (base is None or base.text != there)
    return Update(
        body=found.newest.body if is_new and here in older else None,
        values=_values(names, stored, now, was, new),
        was=was,
        changed_here=is_new and here not in older,
        is_current=(here, now) == (there, new),
    )


def _values(names: Names, stored: StoredMemory, now: Marks, was: Marks, new: Marks) -> dict[str, object]:
    """The values that others have changed, where they differ from those here."""
    meta = stored.meta
    tags = (set(now.tags) | (set(new.tags) - set(was.tags))) - (set(was.tags) - set(new.tags))
    wanted: dict[str, object] = {"tags": tuple(sorted(tags)) if tags != set(now.tags) else meta.tags}
    if new.description != was.description:
        wanted["description"] = new.description
    if new.archived != was.archived:
        wanted["archived"] = new.archived
    if new.superseded_by != was.superseded_by:
        wanted["superseded_by"] = names.here(new.superseded_by)
    return {key: value for key, value in wanted.items() if value != getattr(meta, key)}
