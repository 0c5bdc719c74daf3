"""The same change made to several memories, taken back as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from memtui.app.actions.memory_edits import Edited, archive, delete, pin, retag
from memtui.files import FileProblem
from memtui.store.base import MemoryBackend
from memtui.store.undo import Undo


def archive_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Archive memories; where all of them are archived, take them out of the archive.

    Raises:
        FileProblem: none of them could be changed.
    """
    archived = not all(backend.get(each).meta.archived for each in ids)
    done = "Archived" if archived else "Unarchived"
    return _each(backend, ids, partial(archive, archived=archived), done)


def pin_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Pin memories; where all of them are pinned, unpin them.

    Raises:
        FileProblem: none of them could be changed.
    """
    pinned = not all(backend.get(each).meta.pinned for each in ids)
    return _each(backend, ids, partial(pin, pinned=pinned), "Pinned" if pinned else "Unpinned")


def delete_all(backend: MemoryBackend, ids: Sequence[str]) -> Edited:
    """Move memories to the trash.

    Raises:
        FileProblem: none of them could be moved.
    """
    return _each(backend, ids, delete, "Moved to the trash:")


def common_tags(backend: MemoryBackend, ids: Iterable[str]) -> tuple[str, ...]:
    """The tags that all of these memories have, in the order of the first.

    Raises:
        FileProblem: one of them is gone.
    """
    first, *others = (backend.get(each).meta.tags for each in ids)
    return tuple(tag for tag in first if all(tag in tags for tags in others))


def retag_all(
    backend: MemoryBackend, ids: Sequence[str], before: Iterable[str], after: Sequence[str]
) -> Edited:
    """Change the tags that memories have in common; the other tags of each stay.

    Raises:
        FileProblem: none of them could be changed.
    """
    gone = set(before) - set(after)

    def edit(backend: MemoryBackend, memory_id: str) -> Edited:
        kept = [tag for tag in backend.get(memory_id).meta.tags if tag not in gone]
        return retag(backend, memory_id, (*kept, *(tag for tag in after if tag not in kept)))

    return _each(backend, ids, edit, "Changed the tags of")


def _each(
    backend: MemoryBackend, ids: Iterable[str], edit: Callable[[MemoryBackend, str], Edited], done: str
) -> Edited:
    undos: list[Undo] = []
    problems: list[FileProblem] = []
    for each in ids:
        try:
            undo = edit(backend, each).undo
        except FileProblem as problem:
            problems.append(problem)
        else:
            undos += [undo] if undo is not None else []
    if problems and not undos:
        raise problems[0]
    changed = "1 memory" if len(undos) == 1 else f"{len(undos)} memories"
    failed = f" Not {len(problems)} more: {problems[0]}." if problems else ""
    message = f"{done} {changed}.{failed} u takes it back."
    return Edited(message, _together(f"{done[0].lower()}{done[1:]} {changed}", undos) if undos else None)


def _together(label: str, undos: Sequence[Undo]) -> Undo:
    """Takes back all of these changes, the last one first; tried again, those that are left."""
    left = list(undos)

    def run() -> None:
        problems: list[FileProblem] = []
        for undo in reversed(tuple(left)):
            try:
                undo.run()
            except FileProblem as problem:
                problems.append(problem)
            else:
                left.remove(undo)
        if problems:
            raise problems[0]

    return Undo(label, run)
