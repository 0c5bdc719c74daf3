"""The task tree of a session state document: nested list items, each with a status."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import field_validator, model_validator

from memtui.formats.lists import indented
from memtui.formats.model import Record
from memtui.formats.text import item

_DEPTH = 12
"""Number of levels; deeper tasks are moved up to the last one."""


class TaskKind(StrEnum):
    """The status of a task, or the kind of its note."""

    DONE = "done"
    IN_PROGRESS = "in progress"
    NEXT = "next"
    LATER = "later"
    OPEN = "open"
    SUB = "sub"
    BLOCKER = "blocker"
    NOTE = "note"


_MARKERS = {
    TaskKind.DONE: "[x] ",
    TaskKind.IN_PROGRESS: "[ ] **IN PROGRESS**: ",
    TaskKind.NEXT: "[ ] NEXT: ",
    TaskKind.LATER: "[ ] LATER: ",
    TaskKind.OPEN: "[ ] ",
    TaskKind.SUB: "Sub: ",
    TaskKind.BLOCKER: "Blocker: ",
    TaskKind.NOTE: "",
}
_BOX = re.compile(r"\[([ xX>~]?)\](?:\s+|$)")
_STATUS = re.compile(r"(?:\*\*)?(IN PROGRESS|NEXT|LATER)(?:\*\*:|:\*\*|:)\s*", re.IGNORECASE)
_LABEL = re.compile(r"(?:\*\*)?(Sub|Blocker)(?:\*\*:|:\*\*|:)\s*", re.IGNORECASE)
_BULLET = re.compile(r"([ \t]*)[-*+•](?:[ \t]+(.*))?$")
_LIKE_BULLET = re.compile(r"^([ \t]*)(\\*[-*+•](?:[ \t]|$))")


class Task(Record):
    """A line of the tree with its children."""

    kind: TaskKind
    text: str
    """Of one or more lines."""
    children: tuple[Task, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_read(cls, values: Any) -> Any:
        """Normalise the task as if read from its line: an open task ``NEXT: x`` is the next task ``x``."""
        if not isinstance(values, dict):
            return values
        kind, text = values.get("kind"), values.get("text")
        if not isinstance(text, str) or not isinstance(kind, str) or kind not in _MARKERS:
            return values
        kind, text = classified(_MARKERS[TaskKind(kind)] + item(text))
        return {**values, "kind": kind, "text": text}

    @field_validator("children")
    @classmethod
    def _said(cls, value: tuple[Task, ...]) -> tuple[Task, ...]:
        return tuple(task for task in value if not task.is_nothing)

    @property
    def is_nothing(self) -> bool:
        """Whether the line is empty or ``N/A``."""
        return self.kind is TaskKind.NOTE and not self.children and self.text.casefold() in ("", "n/a")


def classified(line: str) -> tuple[TaskKind, str]:
    """Kind and text of an item."""
    line = item(line)
    box = _BOX.match(line)
    if box is None:
        label = _LABEL.match(line)
        if label is None:
            return TaskKind.NOTE, line
        return TaskKind(label[1].casefold()), item(line[label.end() :])
    rest = item(line[box.end() :])
    if box[1] in "xX" and box[1]:
        return TaskKind.DONE, rest
    status = _STATUS.match(rest)
    if status:
        return TaskKind(status[1].casefold()), item(rest[status.end() :])
    return TaskKind.IN_PROGRESS if box[1] in (">", "~") else TaskKind.OPEN, rest


def bounded(tasks: Iterable[Task], depth: int = _DEPTH) -> tuple[Task, ...]:
    """The tasks that are not empty, nested at most `depth` levels deep."""
    result: list[Task] = []
    for task in tasks:
        if task.is_nothing:
            continue
        if task.children and depth == 1:
            result.extend(_flat(task))
        elif task.children:
            children = bounded(task.children, depth - 1)
            result.append(task if children == task.children else task.replace(children=children))
        else:
            result.append(task)
    return tuple(result)


def _flat(task: Task) -> list[Task]:
    found: list[Task] = []
    waiting = [task]
    while waiting:
        one = waiting.pop()
        waiting.extend(reversed(one.children))
        alone = one.replace(children=())
        if not alone.is_nothing:
            found.append(alone)
    return found


def render_tasks(tasks: Iterable[Task], indent: str = "") -> str:
    """The tree, indented by two columns per level."""
    lines: list[str] = []
    for task in tasks:
        first, *rest = (_MARKERS[task.kind] + task.text).split("\n")
        text = "\n".join([first, *(_LIKE_BULLET.sub(r"\1\\\2", line) for line in rest)])
        lines.append(f"{indent}- {indented(text, indent + '  ')}".rstrip())
        if task.children:
            lines.append(render_tasks(task.children, indent + "  "))
    return "\n".join(lines)


@dataclass(slots=True)
class _Node:
    indent: int
    lines: list[str]
    children: list[_Node] = field(default_factory=list)

    def task(self, children: Sequence[Task]) -> Task:
        kind, text = classified("\n".join(self.lines))
        return Task(kind=kind, text=text, children=tuple(children))


class _Reader:
    """Builds the tree line by line: the parent of an item is the nearest less indented one above."""

    def __init__(self) -> None:
        self.root = _Node(-1, [])
        self._path = [self.root]
        self._blanks = 0

    def line(self, line: str) -> None:
        if not line.strip():
            self._blanks += 1
            return
        bullet = _BULLET.match(line)
        if bullet:
            self._add(len(bullet[1].expandtabs(4)), bullet[2] or "")
        elif len(self._path) == 1 or (self._blanks and not line[0].isspace()):
            self._add(0, line.strip())
        else:
            self._go_on(line)
        self._blanks = 0

    def _add(self, indent: int, text: str) -> None:
        while self._path[-1].indent >= indent:
            self._path.pop()
        if len(self._path) > _DEPTH:
            self._path.pop()
        node = _Node(indent, [text])
        self._path[-1].children.append(node)
        self._path.append(node)

    def _go_on(self, line: str) -> None:
        node = self._path[-1]
        margin = node.indent + 2
        bare = line[min(margin, len(line) - len(line.lstrip())) :]
        if _LIKE_BULLET.match(bare):
            bare = bare.replace("\\", "", 1)
        node.lines += [*[""] * self._blanks, bare]


def parse_tasks(lines: Sequence[str]) -> tuple[Task, ...]:
    """The tree of a section. A line that is not an item continues the one above, or is a note by itself."""
    reader = _Reader()
    for line in lines:
        reader.line(line)
    return _tasks(reader.root)


def _tasks(node: _Node) -> tuple[Task, ...]:
    return tuple(child.task(_tasks(child)) for child in node.children)
