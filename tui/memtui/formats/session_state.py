"""The session state document (seed 003): the state of a session, for the next one to continue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from memtui.formats.lists import parse_items, render_items
from memtui.formats.model import Block, FormatError, Items, Record, Section
from memtui.formats.sections import Document, Layout, escape, placed, read, render, unescape
from memtui.formats.tasks import Task, TaskKind, bounded, parse_tasks, render_tasks
from memtui.formats.text import file_text, item, without_blank_ends

__all__ = [
    "LATEST",
    "Decision",
    "Dynamics",
    "Identity",
    "SessionState",
    "Task",
    "TaskKind",
    "WorkingContext",
    "is_whole",
    "parse_session_state",
    "render_session_state",
]

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
