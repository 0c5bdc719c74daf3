"""The task tree from version to version (seed 003): done ones stay, one is in progress, fifteen at most."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memtui.documents.sources import without_source
from memtui.documents.state_tasks import NO_BLOCKER, is_ours, task_key
from memtui.formats.session_state import Task, TaskKind
from memtui.transcript.short_text import one_line, shortened

MOST = 15
_DONE_STAY = 3
_NAMED = 3
_NAME = 60

_EARLIER = re.compile(r"Earlier: completed (\d{1,6}) tasks?(?: including (.*))?", re.DOTALL)
_FURTHER = re.compile(r"\d+ further tasks?")
_OPEN = (TaskKind.OPEN, TaskKind.NEXT, TaskKind.LATER, TaskKind.IN_PROGRESS)


def merged_tasks(
    previous: Sequence[Task], drafted: Sequence[Task], *, gone: Collection[str] = ()
) -> tuple[Task, ...]:
    """The tree of the next version, of any size; `collapsed` limits it.

    Args:
        previous: the tree of the version before.
        drafted: the tasks in the new part of the conversation.
        gone: keys of open tasks that are no longer wanted.
    """
    after = flat(drafted)
    before = [_with_full_text(task, after) for task in flat(previous) if not is_ours(task)]
    # Of two tasks with the same words, the done one counts, as it does in a first version.
    latest = {
        task_key(task.text): task for task in sorted(after, key=lambda task: task.kind is TaskKind.DONE)
    }
    known = {task_key(task.text) for task in before}
    earlier = [task for task in before if _EARLIER.fullmatch(task.text)]
    ours = (task for task in after if not (earlier and _EARLIER.fullmatch(task.text)))
    new = [_with_additions(task, before) for task in ours]
    done = [_as_done(_now(task, latest)) for task in before if _is_done(task, latest)]
    done += [
        _as_done(task) for task in new if task.kind is TaskKind.DONE and task_key(task.text) not in known
    ]
    listed = {task_key(task.text) for task in done}
    coming = [task for task in new if task.kind is not TaskKind.DONE and task_key(task.text) not in listed]
    listed |= {task_key(task.text) for task in coming}
    coming += [
        _waiting(task, bool(coming))
        for task in before
        if task_key(task.text) not in listed and not (task.kind in _OPEN and task_key(task.text) in gone)
    ]
    return _one_in_progress([*done, *coming])


def collapsed(tasks: Sequence[Task], most: int = MOST) -> tuple[Task, ...]:
    """At most `most` tasks: old done ones become one line that counts them, the last open ones one task."""
    earlier = next((task for task in tasks if _EARLIER.fullmatch(task.text)), None)
    rest = [task for task in tasks if task is not earlier]
    counted = [task for task in rest if task.kind is not TaskKind.NOTE]
    notes = [task for task in rest if task.kind is TaskKind.NOTE]
    done = [task for task in counted if task.kind is TaskKind.DONE]
    coming = [task for task in counted if task.kind is not TaskKind.DONE]
    if len(counted) + (earlier is not None) > most:
        stay = min(len(done), max(_DONE_STAY, most - 1 - len(coming)))
        earlier = _earlier(earlier, done[: len(done) - stay])
        done = done[len(done) - stay :]
    coming = _further(coming, most - len(done) - (earlier is not None))
    return (*([earlier] if earlier else []), *done, *coming, *notes)


def count_of(task: Task) -> int:
    """Number of tasks in the counting line; 0 for any other line."""
    match = _EARLIER.fullmatch(task.text) if task.kind is TaskKind.DONE else None
    return int(match[1]) if match else 0


def flat(tasks: Iterable[Task]) -> list[Task]:
    """The tasks, with those collected under "further tasks" separated again."""
    found: list[Task] = []
    for task in tasks:
        if task.kind in _OPEN and _FURTHER.fullmatch(task.text) and task.children:
            found += [child.replace(kind=TaskKind.LATER) for child in task.children]
        else:
            found.append(task)
    return found


def _with_full_text(task: Task, drafted: Sequence[Task]) -> Task:
    """A task with its full text, if it was cut to save room."""
    if not task.text.endswith("…"):
        return task
    cut = task.text[:-1].rstrip()
    found = {each.text for each in drafted if each.text.startswith(cut)}
    return task.replace(text=found.pop()) if len(found) == 1 else task


def _is_done(task: Task, latest: dict[str, Task]) -> bool:
    """Whether a task is done, in this version or the one before."""
    now = latest.get(task_key(task.text))
    return task.kind is TaskKind.DONE if now is None else now.kind is TaskKind.DONE


def _now(task: Task, latest: dict[str, Task]) -> Task:
    """A task with the line that names it now."""
    now = latest.get(task_key(task.text))
    return task if now is None else task.replace(text=now.text)


def _as_done(task: Task) -> Task:
    children = tuple(child for child in task.children if not _is_ours(child))
    return task.replace(kind=TaskKind.DONE, children=children)


def _with_additions(task: Task, before: Sequence[Task]) -> Task:
    """A task with the additions of a person in the previous version."""
    known = next((each for each in before if task_key(each.text) == task_key(task.text)), None)
    if known is None:
        return task
    there = {task_key(child.text) for child in task.children}
    theirs = [child for child in known.children if not _is_ours(child) and task_key(child.text) not in there]
    return task.replace(children=(*theirs, *task.children))


def _is_ours(child: Task) -> bool:
    return child.kind is TaskKind.BLOCKER or is_ours(child)


def _waiting(task: Task, superseded: bool) -> Task:
    """A task missing from the draft: no longer in progress if another task is."""
    if task.kind is not TaskKind.IN_PROGRESS or not superseded:
        return task
    return task.replace(
        kind=TaskKind.OPEN, children=tuple(child for child in task.children if not _is_ours(child))
    )


def _one_in_progress(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Keep one task in progress, the first, and give it a blocker line."""
    found = False
    result = []
    for task in tasks:
        if task.kind is TaskKind.IN_PROGRESS:
            if found:
                task = task.replace(kind=TaskKind.OPEN)
            elif not any(child.kind is TaskKind.BLOCKER for child in task.children):
                blocker = Task(kind=TaskKind.BLOCKER, text=NO_BLOCKER)
                task = task.replace(children=(*task.children, blocker))
            found = True
        result.append(task)
    return tuple(result)


def _earlier(line: Task | None, done: Sequence[Task]) -> Task | None:
    """The counting line, increased by further tasks."""
    if not done:
        return line
    match = _EARLIER.fullmatch(line.text) if line is not None else None
    number = (int(match[1]) if match else 0) + len(done)
    named = [*(match[2] or "").split("; ")] if match else []
    named += [shortened(one_line(without_source(task.text)).replace("; ", ", "), _NAME) for task in done]
    names = "; ".join([name for name in named if name][-_NAMED:])
    plural = "task" if number == 1 else "tasks"
    return Task(kind=TaskKind.DONE, text=f"Earlier: completed {number} {plural} including {names}")


def _further(coming: list[Task], room: int) -> list[Task]:
    """Open tasks, the last of them collected under one task if there are more than `room`."""
    if len(coming) <= max(room, 2):
        return coming
    first, rest = coming[: max(room, 2) - 1], coming[max(room, 2) - 1 :]
    children = tuple(task.replace(kind=TaskKind.OPEN, children=()) for task in rest)
    return [*first, Task(kind=TaskKind.LATER, text=f"{len(rest)} further tasks", children=children)]
