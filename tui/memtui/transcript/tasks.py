"""The last to-do list, kept by either of two kinds of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from memtui.transcript.events import Result
from memtui.transcript.record_order import is_after
from memtui.transcript.records import NOWHERE, Source, Todo

_CREATED = re.compile(r"Task #(\S{1,40}) created")
_LISTED = re.compile(r"#(\S{1,40}) \[(\w+)\] ([^\n]+)")
_COUNT_LIMIT = 1_000
_PAST_LIMIT = 500
_TEXT_LIMIT = 2_000


_NOT_DONE = re.compile(
    r"\W*(?:skipped|not done|won['’]?t (?:do|fix)|dropped|obsolete|cancell?ed)\b", re.IGNORECASE
)
"""Descriptions of items that were ticked off without being done."""


OPEN = ("pending", "in_progress")
"""Statuses of a task still to be done; ``cancelled`` or any other is neither open nor done."""


def was_done(todo: Todo) -> bool:
    """Whether an item was ticked off as done, not as abandoned."""
    return todo.status == "completed" and not _NOT_DONE.match(todo.details)


def dropped_among(todos: Iterable[Todo]) -> str:
    """``, 1 dropped`` for items that are neither open nor done, "" without any."""
    number = sum(mark_of(todo) == "-" for todo in todos)
    return f", {number} dropped" if number else ""


def mark_of(todo: Todo) -> str:
    """The mark in an item's box (seed 000): ``x`` done, ``>`` in progress, ``-`` left undone, or a blank."""
    if todo.status in OPEN:
        return ">" if todo.status == "in_progress" else " "
    return "x" if was_done(todo) else "-"


@dataclass(slots=True)
class ListedTask:
    """An item of the task list."""

    content: str
    status: str
    changed: Source
    """Its latest mention."""
    source: Source = NOWHERE
    """Of its last change."""
    details: str = ""
    needs: dict[str, None] = field(default_factory=dict)
    """Numbers of the tasks it depends on."""


@dataclass(frozen=True, slots=True)
class TodoMemory:
    """State of a `TodoLog` between two readings."""

    todos: tuple[Todo, ...] = ()
    tasks: dict[str, ListedTask] = field(default_factory=dict)
    """By the number that later lines refer to."""
    tasks_are_newer: bool = False
    past: dict[str, tuple[str, Source]] = field(default_factory=dict)
    began: Source = NOWHERE


class TodoLog:
    """Keeps the todo list (TodoWrite, to 2.1.15) or the task list (TaskCreate and others, from 2.1.17).

    Each agent has its own todo list; the task list is shared by the session and its subagents.
    """

    def __init__(self, memory: TodoMemory | None = None) -> None:
        memory = memory or TodoMemory()
        self._todos = list(memory.todos)
        self._before = list(self._todos)
        self._tasks = {number: replace(task, needs=dict(task.needs)) for number, task in memory.tasks.items()}
        self._tasks_are_newer = memory.tasks_are_newer
        self._past = dict(memory.past)
        self._past_before = dict(self._past)
        self.began = memory.began
        """Source of the session's first list; `NOWHERE` if there was none."""

    def memory(self) -> TodoMemory:
        """State for the next reading."""
        tasks = {number: replace(task, needs=dict(task.needs)) for number, task in self._tasks.items()}
        return TodoMemory(
            tuple(self._todos),
            tasks,
            self._tasks_are_newer,
            dict(self._past),
            self.began,
        )

    def write(self, arguments: dict[str, Any], source: Source) -> None:
        """Record a TodoWrite call, which always contains the whole list."""
        items = arguments.get("todos")
        if not isinstance(items, list):
            return
        self._begins(source)
        self._past_before = dict(self._past)
        self._before = self._todos
        known = {todo.content: todo for todo in self._before}
        self._todos = []
        for item in items[:_COUNT_LIMIT]:
            if isinstance(item, dict) and (content := _text(item.get("content"))):
                before, status = known.get(content), _status(item)
                same = before is not None and before.status == status
                self._todos.append(before if same and before else Todo(content, status, source=source))
        listed = {todo.content for todo in self._todos}
        for todo in self._before:
            if todo.content not in listed:
                self._put_away(todo, source)
        self._tasks_are_newer = False

    def _begins(self, source: Source) -> None:
        if self.began == NOWHERE:
            self.began = source

    def write_failed(self) -> None:
        """Note that the last TodoWrite was refused."""
        self._todos, self._past = self._before, self._past_before

    def task_result(self, tool: str, arguments: dict[str, Any], result: Result, source: Source) -> None:
        """Record the result of a successful task tool call."""
        self._tasks_are_newer = True
        if tool != "TaskList":
            self._begins(source)
        if tool == "TaskCreate":
            self._create(arguments, result, source)
        elif tool == "TaskUpdate":
            self._update(arguments, result, source)
        else:
            self.state(_listed(result), source)

    def state(self, items: list[Any], source: Source) -> None:
        """Record a full list (TaskList, task_reminder).

        An empty one means nothing: it is also written after a finished list was cleared.
        """
        listed = {task: item for item in items if isinstance(item, dict) and (task := _text(item.get("id")))}
        if not listed:
            return
        self._tasks_are_newer = True
        for identity in [key for key in self._tasks if key not in listed]:
            if self._tasks[identity].status != "completed":
                self._put_away(self._tasks.pop(identity), source)
        for identity, item in listed.items():
            content = _text(item.get("subject"))
            known = self._tasks.get(identity)
            self._renamed(known, content, source)
            if content and len(self._tasks) < _COUNT_LIMIT:
                details = _text(item.get("description")) or (known.details if known else "")
                needs = (known.needs if known else {}) | _numbers(item.get("blockedBy"))
                same = known is not None and (known.content, known.status) == (content, _status(item))
                changed = known.source if known is not None and same else source
                self._tasks[identity] = ListedTask(content, _status(item), source, changed, details, needs)

    def finish(self) -> tuple[Todo, ...]:
        """The list at the end."""
        if self._tasks_are_newer and self._tasks:
            tasks = self._tasks.values()
            return tuple(Todo(task.content, task.status, self._details(task), task.source) for task in tasks)
        return tuple(self._todos)

    def _details(self, task: ListedTask) -> str:
        """Description of a task, with its dependencies."""
        first = [self._tasks[number].content for number in task.needs if number in self._tasks]
        return f"{task.details}\nDepends on: {'; '.join(first)}".strip() if first else task.details

    def past(self) -> tuple[Todo, ...]:
        """Items that were removed from the list."""
        listed = {todo.content for todo in self.finish()}
        past = self._past.items()
        return tuple(Todo(text, status, source=at) for text, (status, at) in past if text not in listed)

    def _renamed(self, task: ListedTask | None, content: str, source: Source) -> None:
        if task is not None and content and content != task.content:
            self._put_away(task, source)

    def _put_away(self, item: Todo | ListedTask, source: Source) -> None:
        """Keep an item that leaves the list: where it was finished, or as dropped at `source`."""
        before, at = self._past.pop(item.content, ("", NOWHERE))
        if item.status == "completed":
            before, at = "completed", item.source
        self._past[item.content] = ("completed", at) if before == "completed" else ("dropped", source)
        if len(self._past) > _PAST_LIMIT:
            del self._past[next(iter(self._past))]

    def _create(self, arguments: dict[str, Any], result: Result, source: Source) -> None:
        made = result.detail.get("task") if isinstance(result.detail, dict) else None
        made = made if isinstance(made, dict) else {}
        identity = _text(made.get("id"))
        if not identity and (found := _CREATED.search(result.text)):
            identity = found[1]
        content = _text(arguments.get("subject")) or _text(made.get("subject"))
        before = self._tasks.get(identity)
        if before is not None and before.content != content and is_after(source, before.changed):
            for old in self._tasks.values():
                self._put_away(old, source)
            self._tasks.clear()  # numbering began anew: another list
        if content and len(self._tasks) < _COUNT_LIMIT:
            task = ListedTask(content, "pending", source, source, _text(arguments.get("description")))
            self._tasks.setdefault(identity or f"?{len(self._tasks)}", task)

    def _update(self, arguments: dict[str, Any], result: Result, source: Source) -> None:
        if isinstance(result.detail, dict) and result.detail.get("success") is False:
            return
        identity = _text(arguments.get("taskId"))
        task = self._tasks.get(identity)
        # A subagent's own file is read after the session's: the later change wins.
        if task is None or (source.timestamp and is_after(task.changed, source)):
            return
        status = _text(arguments.get("status"))
        if status == "deleted":
            task.status = "deleted"
            self._put_away(self._tasks.pop(identity), source)
            return
        task.needs |= _numbers(arguments.get("addBlockedBy"))
        for number in _numbers(arguments.get("addBlocks")):
            if number in self._tasks:
                self._tasks[number].needs[identity] = None
        task.status = status or task.status
        subject = _text(arguments.get("subject"))
        self._renamed(task, subject, source)
        task.content = subject or task.content
        task.details = _text(arguments.get("description")) or task.details
        task.changed = task.source = source


def _listed(result: Result) -> list[Any]:
    tasks = result.detail.get("tasks") if isinstance(result.detail, dict) else None
    if isinstance(tasks, list):
        return tasks
    return [
        {"id": found[1], "status": found[2], "subject": found[3].split(" [blocked by ")[0]}
        for found in _LISTED.finditer(result.text)
    ]


def _numbers(value: Any) -> dict[str, None]:
    """The numbers in a list of tasks."""
    return dict.fromkeys(filter(None, map(_text, value[:_COUNT_LIMIT]))) if isinstance(value, list) else {}


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip()[:_TEXT_LIMIT] if isinstance(value, str) else ""


def _status(item: dict[str, Any]) -> str:
    return _text(item.get("status")) or "pending"
