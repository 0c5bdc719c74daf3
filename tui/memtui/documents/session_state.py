"""The session state document (seed 003): the state of a session, for the next one to continue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from memtui.documents import markdown
from memtui.documents.markdown import Section, parse_items, read, render_items
from memtui.documents.record import Block, Items, Record, text_as
from memtui.ground.text import FormatError, file_text, item

_DEPTH = 12  # number of levels; deeper tasks are moved up to the last one


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


def said(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    return tuple(
        task
        for task in tasks
        if task.kind is not TaskKind.NOTE or task.children or task.text.casefold() not in ("", "n/a")
    )


class Task(Record):
    """A line of the tree with its children."""

    kind: TaskKind
    text: str
    """Of one or more lines."""
    children: Annotated[tuple[Task, ...], AfterValidator(said)] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_read(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Normalise the task as if read from its line: an open task ``NEXT: x`` is the next task ``x``."""
        kind, text = classified(_MARKERS[values["kind"]] + item(values["text"]))
        return {**values, "kind": kind, "text": text}


def classified(line: str) -> tuple[TaskKind, str]:
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


def render_tasks(tasks: Iterable[Task], indent: str = "") -> str:
    """The tree, indented by two columns per level."""
    lines: list[str] = []
    for task in tasks:
        first, *rest = (_MARKERS[task.kind] + task.text).split("\n")
        text = "\n".join([first, *(_LIKE_BULLET.sub(r"\1\\\2", line) for line in rest)])
        lines.append(f"{indent}- {markdown.indented(text, indent + '  ')}".rstrip())
        if task.children:
            lines.append(render_tasks(task.children, indent + "  "))
    return "\n".join(lines)


@dataclass(slots=True)
class _Node:
    indent: int
    lines: list[str]
    children: list[_Node] = field(default_factory=list)

    def tasks(self) -> tuple[Task, ...]:
        found = []
        for child in self.children:
            kind, text = classified("\n".join(child.lines))
            found.append(Task(kind=kind, text=text, children=child.tasks()))
        return tuple(found)


def parse_tasks(lines: Sequence[str]) -> tuple[Task, ...]:
    """The tree of a section. A line that is not an item continues the one above, or is a note by itself.

    The parent of an item is the nearest less indented one above.
    """
    path = [_Node(-1, [])]
    blanks = 0
    for line in lines:
        if not line.strip():
            blanks += 1
            continue
        bullet = _BULLET.match(line)
        if bullet or len(path) == 1 or (blanks and not line[0].isspace()):
            indent = len(bullet[1].expandtabs(4)) if bullet else 0
            while path[-1].indent >= indent:
                path.pop()
            if len(path) > _DEPTH:
                path.pop()
            node = _Node(indent, [(bullet[2] or "") if bullet else line.strip()])
            path[-1].children.append(node)
            path.append(node)
        else:
            node = path[-1]
            bare = line[min(node.indent + 2, len(line) - len(line.lstrip())) :]
            bare = bare.replace("\\", "", 1) if _LIKE_BULLET.match(bare) else bare
            node.lines += [*[""] * blanks, bare]
        blanks = 0
    return path[0].tasks()


LATEST = 999_999_999  # the highest version number, as the header has at most nine digits

_IDENTITY, _TASKS = "IDENTITY", "TASK TREE"
_DECISIONS = "KEY DECISIONS (append-only, NEVER delete)"
_WORKING, _DYNAMICS = "WORKING CONTEXT", "CONVERSATION DYNAMICS"
_LAYOUT = markdown.layout(_IDENTITY, _TASKS, _DECISIONS, _WORKING, _DYNAMICS)

_HEADER = re.compile(r"(?:[*#]{1,3} ?)?===+\s*SESSION STATE(?:\s+v?\s*([0-9]{1,9}))?\s*===", re.IGNORECASE)
_END = re.compile(r"(?:[*#]{1,3} ?)?===+\s*END STATE\s*===", re.IGNORECASE)
_NOTHING = "N/A"


def _is_rule(line: str) -> bool:
    """Whether a line could be taken for the first or last of the document."""
    return bool(_HEADER.match(line) or _END.match(line))


def _value(value: str) -> str:
    text = item(value)
    return "" if text.casefold() == "n/a" else text


Value = Annotated[str, text_as(_value)]
"""The value of a label, of one or more lines; "" is written as ``N/A`` and read back from it."""

Lines = Annotated[Items, BeforeValidator(lambda values: tuple(filter(_value, values)))]
"""List items that belong to no field."""


class Identity(Record):
    """The subject of the session."""

    project: Value = Field("", title="Project")
    """Name and, in brackets, path."""
    branch: Value = Field("", title="Branch")
    goal: Value = Field("", title="Session goal")
    extra: Lines = ()


class Decision(Record):
    """A decision or a constraint; neither is ever removed."""

    kind: Literal["decision", "constraint"] = "decision"
    text: Value


class WorkingContext(Record):
    """The volatile state."""

    files_modified: Value = Field("", title="Files modified")
    last_compile: Value = Field("", title="Last compile")
    last_error: Value = Field("", title="Last error")
    technical_state: Value = Field("", title="Technical state")
    dependencies: Value = Field("", title="Dependencies")
    extra: Lines = ()


class Dynamics(Record):
    """The course of the conversation."""

    language: Value = Field("", title="User language")
    style: Value = Field("", title="User style")
    phase: Value = Field("", title="Current phase")
    last_intent: Value = Field("", title="Last user intent")
    extra: Lines = ()


Labelled = TypeVar("Labelled", Identity, WorkingContext, Dynamics)
"""A section of values behind labels, the titles of its fields."""


def _labels(kind: type[Record]) -> dict[str, str]:
    """The label of each field that has one."""
    return {name: field.title for name, field in kind.model_fields.items() if field.title}


class SessionState(Record):
    """One version of a session state document."""

    version: int = Field(default=1, ge=0, le=LATEST)
    identity: Identity = Identity()
    tasks: Annotated[tuple[Task, ...], AfterValidator(said)] = ()
    decisions: Annotated[
        tuple[Decision, ...], AfterValidator(lambda decisions: tuple(each for each in decisions if each.text))
    ] = ()
    working: WorkingContext = WorkingContext()
    dynamics: Dynamics = Dynamics()
    preamble: Block = ""
    extra: tuple[Section, ...] = ()


def render_session_state(state: SessionState) -> str:
    bodies = {
        _IDENTITY: _labelled(state.identity),
        _TASKS: render_tasks(state.tasks) or f"- {_NOTHING}",
        _DECISIONS: render_items(_entry(each.kind.capitalize(), each.text) for each in state.decisions)
        or f"- {_NOTHING}",
        _WORKING: _labelled(state.working),
        _DYNAMICS: _labelled(state.dynamics),
    }
    parts = [
        f"=== SESSION STATE v{state.version} ===",
        markdown.escape(state.preamble, _is_rule),
        markdown.render(bodies, state.extra, always=_is_rule),
        "=== END STATE ===",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _labelled(section: Identity | WorkingContext | Dynamics) -> str:
    entries = [_entry(label, getattr(section, name)) for name, label in _labels(type(section)).items()]
    return render_items([*entries, *section.extra])


def _entry(label: str, value: str) -> str:
    # A value that is itself a list is more readable below its label than after it.
    gap = "\n" if "\n" in value and value.startswith(("- ", "* ")) else " "
    return f"{label}:{gap}{value or _NOTHING}"


def parse_session_state(text: str) -> SessionState:
    """Parse a document: its first line or one of the five sections makes it one.

    Text before its first and after its last line (a model's chatter) is dropped.
    """
    version, lines = _within(file_text(text).split("\n"))
    document = read(lines, _LAYOUT, _is_rule)
    if version is None and not document.bodies:
        raise FormatError("it has neither a SESSION STATE line nor a section of a session state")
    return SessionState(
        version=1 if version is None else version,
        identity=_read_labelled(Identity, document.lines(_IDENTITY)),
        tasks=parse_tasks(document.lines(_TASKS)),
        decisions=tuple(_decision(entry) for entry in parse_items(document.lines(_DECISIONS))),
        working=_read_labelled(WorkingContext, document.lines(_WORKING)),
        dynamics=_read_labelled(Dynamics, document.lines(_DYNAMICS)),
        preamble=document.text(document.preamble) if version is not None else "",
        extra=tuple(document.extra),
    )


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


def _read_labelled(kind: type[Labelled], lines: Sequence[str]) -> Labelled:
    names = {label.casefold(): name for name, label in _labels(kind).items()}
    values: dict[str, object] = {}
    extra: list[str] = []
    for entry in parse_items(lines):
        label, colon, value = entry.partition(":")
        name = names.get(label.strip("*_ ").casefold())
        if colon and name and name not in values:
            values[name] = value.removeprefix("**") if label.startswith("**") else value
        else:
            extra.append(entry)
    return kind.model_validate({**values, "extra": tuple(extra)})


def _decision(entry: str) -> Decision:
    """An entry with another label, or without one, is a decision: nothing in this section is dropped."""
    label, colon, value = entry.partition(":")
    kind = label.strip("*_ ").casefold()
    value = value.removeprefix("**") if label.startswith("**") else value
    if colon and kind == "constraint":
        return Decision(kind="constraint", text=value)
    return Decision(text=value if colon and kind == "decision" else entry)
