"""The session state document (seed 003): the state of a session, for the next one to continue."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from memtui.documents.format import (
    Block,
    Document,
    Items,
    Layout,
    Line,
    Record,
    Section,
    escape,
    indented,
    parse_items,
    placed,
    read,
    render,
    render_items,
    unescape,
)
from memtui.ground.text import FormatError, file_text, item, without_blank_ends

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


LATEST = 999_999_999
"""The highest version number, as the header has at most nine digits."""

_IDENTITY, _TASKS = "IDENTITY", "TASK TREE"
_DECISIONS = "KEY DECISIONS (append-only, NEVER delete)"
_WORKING, _DYNAMICS = "WORKING CONTEXT", "CONVERSATION DYNAMICS"
_LAYOUT = Layout(_IDENTITY, _TASKS, _DECISIONS, _WORKING, _DYNAMICS)

_HEADER = re.compile(r"(?:[*#]{1,3} ?)?===+\s*SESSION STATE(?:\s+v?\s*([0-9]{1,9}))?\s*===", re.IGNORECASE)
_END = re.compile(r"(?:[*#]{1,3} ?)?===+\s*END STATE\s*===", re.IGNORECASE)
_NOTHING = "N/A"

_IDENTITY_LABELS = {"project": "Project", "branch": "Branch", "goal": "Session goal"}
_WORKING_LABELS = {
    "files_modified": "Files modified",
    "last_compile": "Last compile",
    "last_error": "Last error",
    "technical_state": "Technical state",
    "dependencies": "Dependencies",
}
_DYNAMICS_LABELS = {
    "language": "User language",
    "style": "User style",
    "phase": "Current phase",
    "last_intent": "Last user intent",
}


def _is_rule(line: str) -> bool:
    """Whether a line could be taken for the first or last of the document."""
    return bool(_HEADER.match(line) or _END.match(line))


def _value(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = item(value)
    return "" if text.casefold() == "n/a" else text


def _without_nothing(values: object) -> object:
    if not isinstance(values, list | tuple):
        return values
    return tuple(value for value in values if _value(value) != "")


Value = Annotated[str, BeforeValidator(_value)]
"""The value of a label, of one or more lines; "" is written as ``N/A`` and read back from it."""

Lines = Annotated[Items, BeforeValidator(_without_nothing)]
"""List items that belong to no field."""


class Identity(Record):
    """The subject of the session."""

    project: Value = ""
    """Name and, in brackets, path."""
    branch: Value = ""
    goal: Value = ""
    extra: Lines = ()


class Decision(Record):
    """A decision or a constraint; neither is ever removed."""

    kind: Literal["decision", "constraint"] = "decision"
    text: Value


class WorkingContext(Record):
    """The volatile state."""

    files_modified: Value = ""
    last_compile: Value = ""
    last_error: Value = ""
    technical_state: Value = ""
    dependencies: Value = ""
    extra: Lines = ()


class Dynamics(Record):
    """The course of the conversation."""

    language: Value = ""
    style: Value = ""
    phase: Value = ""
    last_intent: Value = ""
    extra: Lines = ()


class SessionState(Record):
    """One version of a session state document."""

    version: int = Field(default=1, ge=0, le=LATEST)
    identity: Identity = Identity()
    tasks: tuple[Task, ...] = ()
    decisions: tuple[Decision, ...] = ()
    working: WorkingContext = WorkingContext()
    dynamics: Dynamics = Dynamics()
    preamble: Block = ""
    """Text between the first line and the first section."""
    extra: tuple[Section, ...] = ()
    """Unknown sections."""

    @field_validator("tasks")
    @classmethod
    def _bounded(cls, value: tuple[Task, ...]) -> tuple[Task, ...]:
        return bounded(value)

    @field_validator("decisions")
    @classmethod
    def _said(cls, value: tuple[Decision, ...]) -> tuple[Decision, ...]:
        return tuple(decision for decision in value if decision.text)

    @field_validator("extra")
    @classmethod
    def _placed(cls, value: tuple[Section, ...]) -> tuple[Section, ...]:
        return placed(value, _LAYOUT)


def render_session_state(state: SessionState) -> str:
    """The document, to the character."""
    bodies = {
        _IDENTITY: _labelled(state.identity, _IDENTITY_LABELS, state.identity.extra),
        _TASKS: render_tasks(state.tasks) or f"- {_NOTHING}",
        _DECISIONS: render_items(_labels(state.decisions)) or f"- {_NOTHING}",
        _WORKING: _labelled(state.working, _WORKING_LABELS, state.working.extra),
        _DYNAMICS: _labelled(state.dynamics, _DYNAMICS_LABELS, state.dynamics.extra),
    }
    parts = [
        f"=== SESSION STATE v{state.version} ===",
        escape(state.preamble, _is_rule),
        render(bodies, state.extra, always=_is_rule),
        "=== END STATE ===",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _labels(decisions: Sequence[Decision]) -> list[str]:
    return [_entry(decision.kind.capitalize(), decision.text) for decision in decisions]


def _labelled(record: Record, labels: dict[str, str], extra: Sequence[str]) -> str:
    entries = [_entry(label, getattr(record, field)) for field, label in labels.items()]
    return render_items([*entries, *extra])


def _entry(label: str, value: str) -> str:
    # A value that is itself a list is more readable below its label than after it.
    gap = "\n" if "\n" in value and value.startswith(("- ", "* ")) else " "
    return f"{label}:{gap}{value or _NOTHING}"


def parse_session_state(text: str) -> SessionState:
    """Parse a document. Text before its first and after its last line (a model's chatter) is dropped.

    Raises:
        FormatError: when it has neither the first line nor one of the five sections.
    """
    version, lines = _within(file_text(text).split("\n"))
    document = read(lines, _LAYOUT, _is_rule)
    if version is None and not document.bodies:
        raise FormatError("it has neither a SESSION STATE line nor a section of a session state")
    preamble = "\n".join(without_blank_ends(document.preamble)) if version is not None else ""
    return SessionState(
        version=1 if version is None else version,
        identity=Identity.model_validate(_fields(document, _IDENTITY, _IDENTITY_LABELS)),
        tasks=parse_tasks(document.lines(_TASKS)),
        decisions=tuple(_decision(entry) for entry in parse_items(document.lines(_DECISIONS))),
        working=WorkingContext.model_validate(_fields(document, _WORKING, _WORKING_LABELS)),
        dynamics=Dynamics.model_validate(_fields(document, _DYNAMICS, _DYNAMICS_LABELS)),
        preamble=unescape(preamble, _is_rule),
        extra=tuple(document.extra),
    )


def is_whole(text: str) -> bool:
    """Whether a document has its last line: without it, it may have been truncated anywhere."""
    return any(_END.match(line) for line in file_text(text).split("\n"))


def _within(lines: list[str]) -> tuple[int | None, list[str]]:
    """The version (1 when the first line names none; None without such a line) and the lines in between."""
    version, start = None, 0
    for index, line in enumerate(lines):
        header = _HEADER.match(line)
        if header:
            version, start = int(header[1] or 1), index + 1
            break
    stop = next((index for index in range(start, len(lines)) if _END.match(lines[index])), len(lines))
    return version, lines[start:stop]


def _fields(document: Document, title: str, labels: dict[str, str]) -> dict[str, object]:
    """The labelled values of a section and, under ``extra``, its other items."""
    names = {label.casefold(): name for name, label in labels.items()}
    values: dict[str, object] = {}
    extra: list[str] = []
    for entry in parse_items(document.lines(title)):
        label, colon, value = entry.partition(":")
        name = names.get(label.strip("*_ ").casefold())
        if colon and name and name not in values:
            values[name] = value.removeprefix("**") if label.startswith("**") else value
        else:
            extra.append(entry)
    return {**values, "extra": tuple(extra)}


def _decision(entry: str) -> Decision:
    """An entry with another label, or without one, is a decision: nothing in this section is dropped."""
    label, colon, value = entry.partition(":")
    kind = label.strip("*_ ").casefold()
    value = value.removeprefix("**") if label.startswith("**") else value
    if colon and kind == "constraint":
        return Decision(kind="constraint", text=value)
    return Decision(text=value if colon and kind == "decision" else entry)


_FORMAT = 1
HEAD, TAIL = 1 << 10, 256
"""Number of bytes at the beginning of a transcript, and before the offset, that identify it."""


class Progress(Record):
    """The part of the transcript that a version covers."""

    version: int = Field(ge=1)
    """The version that was current when the transcript was last read."""
    transcript: Line
    offset: int = Field(ge=0, lt=1 << 62)
    """Bytes of the transcript that were read."""
    head: Line
    """The fingerprint of its first bytes."""
    tail: Line
    """The fingerprint of the last bytes before `offset`."""
    read: Line = ""
    """When it was last read: ISO 8601."""


def fingerprint(data: bytes) -> str:
    """A short hash that identifies bytes."""
    return hashlib.sha256(data).hexdigest()[:32]


def render_progress(progress: Progress) -> str:
    """The file's text: one JSON object."""
    return json.dumps({"format": _FORMAT, **progress.model_dump()}, ensure_ascii=False) + "\n"


def parse_progress(text: str) -> Progress:
    """Read the file's text.

    Raises:
        FormatError: it is not JSON, of another format, or lacks something.
    """
    try:
        value = json.loads(text)
        if not isinstance(value, dict) or value.pop("format", None) != _FORMAT:
            raise FormatError("it is of another format")
        value.pop("carried", None)  # the reader's state, kept by earlier versions
        return Progress.model_validate(value)
    except (ValueError, ValidationError, RecursionError) as error:
        raise FormatError("it is not the progress of a session state") from error
