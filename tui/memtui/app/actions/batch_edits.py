"""The same change to several memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from memtui.app.actions.memory_edits import Edited, archive, delete, pin, retag
from memtui.ground.files import FileProblem
from memtui.store.base import MemoryBackend

_DELETED, _TAGGED = "Moved to the trash:", "Changed the tags of"
_DONE = {_DELETED: "deleted", _TAGGED: "tagged"}
"""Past tense of an edit, for the log."""


def archive_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Archive memories; unarchive them if all are archived.

    Raises:
        FileProblem: none of them could be changed.
    """
    archived = not all(backend.get(each).meta.archived for each in ids)
    done = "Archived" if archived else "Unarchived"
    return _edit_each(backend, ids, partial(archive, archived=archived), done)


def pin_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Pin memories; unpin them if all are pinned.

    Raises:
        FileProblem: none of them could be changed.
    """
    pinned = not all(backend.get(each).meta.pinned for each in ids)
    return _edit_each(backend, ids, partial(pin, pinned=pinned), "Pinned" if pinned else "Unpinned")


def delete_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Move memories to the trash.

    Raises:
        FileProblem: none of them could be moved.
    """
    return _edit_each(backend, ids, delete, _DELETED)


def common_tags(backend: MemoryBackend, ids: Iterable[str]) -> tuple[str, ...]:
    """The tags that all of these memories have, in the order of the first one.

    Raises:
        FileProblem: one of them is gone.
    """
    first, *others = (backend.get(each).meta.tags for each in ids)
    return tuple(tag for tag in first if all(tag in tags for tags in others))


def retag_all(
    backend: MemoryBackend, ids: Sequence[str], before: Iterable[str], after: Sequence[str]
) -> Edited:
    """Change the common tags of memories; their other tags stay.

    Raises:
        FileProblem: none of them could be changed.
    """
    gone = set(before) - set(after)

    def edit(backend: MemoryBackend, memory_id: str) -> Edited:
        kept = [tag for tag in backend.get(memory_id).meta.tags if tag not in gone]
        return retag(backend, memory_id, (*kept, *(tag for tag in after if tag not in kept)))

    return _edit_each(backend, ids, edit, _TAGGED)


def _edit_each(
    backend: MemoryBackend, ids: Iterable[str], edit: Callable[[MemoryBackend, str], Edited], done: str
) -> Edited:
    number = 0
    problems: list[FileProblem] = []
    for each in ids:
        try:
            number += edit(backend, each).changed
        except FileProblem as problem:
            problems.append(problem)
    if problems and not number:
        raise problems[0]
    changed = "1 memory" if number == 1 else f"{number} memories"
    failed = f" Not {len(problems)} more: {problems[0]}." if problems else ""
    what = f"{_DONE.get(done, done.lower())} {changed}"
    return Edited(f"{done} {changed}.{failed}", bool(number), what, "u takes it back.")
