"""Changes of stored memories by keys, each with its message and its way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtui.app.changes import Change, each_of
from memtui.ground.files import FileChanged, FileProblem
from memtui.store.memories import MemoryStore

_Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Edited:
    """A change that was made."""

    message: str
    """The result, in one line."""
    change: Change | None = None
    """None if there was nothing to change."""


def delete(backend: MemoryStore, ids: Sequence[str]) -> Edited:
    """Move memories to the trash.

    Raises:
        FileProblem: none of them could be moved.
    """

    def one(memory_id: str) -> tuple[_Act, _Act]:
        backend.delete(memory_id)
        return partial(backend.restore, memory_id), partial(backend.delete, memory_id)

    if len(ids) == 1:
        done = f"{ids[0]} is in the trash."
        return _edit_each(ids, one, f"deleted {ids[0]}", done, "u brings it back.")
    return _edit_each(ids, one, "deleted {}", "Moved to the trash: {}.", "u takes it back.")


def undelete(backend: MemoryStore, memory_id: str) -> Edited:
    """Take a memory out of the trash.

    Raises:
        FileProblem: it is not there, or cannot be moved.
    """
    backend.restore(memory_id)
    change = Change(
        f"took {memory_id} out of the trash",
        partial(backend.delete, memory_id),
        partial(backend.restore, memory_id),
        (f"{memory_id}.md",),
    )
    return Edited(f"{memory_id} is back.", change)


def common_tags(backend: MemoryStore, ids: Iterable[str]) -> tuple[str, ...]:
    """The tags that all of these memories have, in the order of the first one.

    Raises:
        FileProblem: one of them is gone.
    """
    first, *others = (backend.get(each).meta.tags for each in ids)
    return tuple(tag for tag in first if all(tag in tags for tags in others))


def retag(backend: MemoryStore, ids: Sequence[str], before: Iterable[str], after: Sequence[str]) -> Edited:
    """Change the common tags of memories; their other tags stay.

    Raises:
        FileProblem: none of them could be changed.
    """
    gone = set(before) - set(after)

    def one(memory_id: str) -> tuple[_Act, _Act] | None:
        old = backend.get(memory_id).meta.tags
        kept = [tag for tag in old if tag not in gone and tag not in after]
        new = tuple(after) if len(ids) == 1 else (*kept, *after)
        if new == old:
            return None
        backend.update(memory_id, tags=new)
        return partial(_swap, backend, memory_id, new, old), partial(_swap, backend, memory_id, old, new)

    if len(ids) == 1:
        shown = " ".join(f"#{tag}" for tag in after) or "none"
        done = f"Tags of {ids[0]}: {shown}."
        edited = _edit_each(ids, one, f"tagged {ids[0]}", done, "u brings the old ones back.")
    else:
        edited = _edit_each(ids, one, "tagged {}", "Changed the tags of {}.", "u takes it back.")
    return edited if edited.change else Edited("The tags are unchanged.")


def _swap(backend: MemoryStore, memory_id: str, expected: tuple[str, ...], tags: tuple[str, ...]) -> None:
    if backend.get(memory_id).meta.tags != expected:
        raise FileChanged(Path(memory_id), "has changed since; it is kept as it is")
    backend.update(memory_id, tags=tags)


def _edit_each(
    ids: Sequence[str], edit: Callable[[str], tuple[_Act, _Act] | None], what: str, done: str, back: str
) -> Edited:
    """Change memories one by one; `what` and `done` get their number."""
    ways: dict[str, tuple[_Act, _Act]] = {}
    problems: list[FileProblem] = []
    for each in ids:
        try:
            if way := edit(each):
                ways[each] = way
        except FileProblem as problem:
            problems.append(problem)
    if problems and not ways:
        raise problems[0]
    number = "1 memory" if len(ways) == 1 else f"{len(ways)} memories"
    failed = f" Not {len(problems)} more: {problems[0]}." if problems else ""
    message = f"{done.format(number)}{failed} {back}"
    if not ways:
        return Edited(message)
    undo = each_of(undo for undo, _ in ways.values())
    redo = each_of(redo for _, redo in ways.values())
    return Edited(message, Change(what.format(number), undo, redo, tuple(f"{each}.md" for each in ways)))
