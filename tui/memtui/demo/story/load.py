"""Loads the story: TOML files in this folder, with durations such as ``2d 04:23:11``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from memtui.demo.transcript import TranscriptWriter
from memtui.documents.memory_file import MemoryFile

Step = Sequence[Any]
"""A method of `TranscriptWriter` and its arguments; paths are relative to the project."""

_PATHS = {"read": 0, "edit": 0, "write": 0, "plan": 1}
"""Index of the path among a step's arguments."""


@dataclass(frozen=True, slots=True)
class Running:
    """A session that runs while the demo is open."""

    id: str
    branch: str
    lasted: timedelta
    """Time since its start, when the demo opens."""
    prompt: str
    """The first message."""
    summary: str
    """The summary of its compaction."""
    before: Sequence[Sequence[Step]]
    """Scenes up to the compaction, without the prompt."""
    compacted: timedelta = timedelta(0)
    """Time since the compaction, when the demo opens; 0 if it comes later."""
    after: Sequence[Sequence[Step]] = ()
    """Scenes from the compaction to the opening of the demo."""
    live: Sequence[Step] = ()
    """Steps while the demo runs."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A session that was captured once."""

    id: str
    branch: str
    captured: timedelta
    """Age of the capture."""
    prompt: str
    """The first message."""
    steps: Sequence[Step] = ()
    """The transcript after the prompt; () if Claude Code has deleted it."""
    summary: str = ""
    memory: MemoryFile | None = None
    """The memory file of the review; None for a pending capture."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A memory; paths are relative to the project."""

    age: timedelta
    description: str
    tags: Sequence[str]
    objective: str
    plan: str = ""
    working: Sequence[tuple[str, str]] = ()
    """Modified files and their roles."""
    reference: Sequence[tuple[str, str]] = ()
    """Files that were only read, and their roles."""
    last_action: str = ""
    decisions: Sequence[str] = ()
    constraints: Sequence[str] = ()
    dependencies: Sequence[str] = ()
    known_issues: Sequence[str] = ()
    changes: Sequence[str] = ()
    pending: Sequence[str] = ()
    notes: str = ""
    session: str = ""
    """The session's id, if it is part of the story."""
    project: str = "harbor"
    """The folder name of its project; all projects are in one folder."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory that Claude keeps for itself."""

    name: str
    kind: str
    age: timedelta
    description: str
    text: str
    session: str = ""
    """The captured session that wrote it; "" if Claude Code has deleted its transcript."""
    after: str = ""
    """The person's words before."""

    @property
    def content(self) -> str:
        """The file."""
        head = f"name: {self.name}\ndescription: {self.description}\nmetadata:\n  type: {self.kind}"
        return f"---\n{head}\n---\n\n{self.text.strip()}\n"


@dataclass(frozen=True, slots=True)
class Story:
    """The whole story."""

    refunds: Running
    typos: Running
    earlier: Sequence[Earlier]
    """Newest first."""
    broken_age: timedelta
    broken_capture: str
    memories: Sequence[Saved]
    """Newest first."""
    arriving: Saved
    """The memory that is stored while the demo runs."""
    command_files: dict[str, str]
    """By their path in the project."""
    kept: Sequence[Kept]


@cache
def story() -> Story:
    """The story, loaded once."""
    earlier, memories = _toml("earlier"), _toml("memories")
    return Story(
        refunds=Running(**_toml("refunds")),
        typos=Running(**_toml("typos")),
        earlier=[_earlier(each) for each in earlier["session"]],
        broken_age=earlier["broken"]["age"],
        broken_capture=earlier["broken"]["text"],
        memories=[Saved(**each) for each in memories["memory"]],
        arriving=Saved(age=timedelta(0), **memories["arriving"]),
        command_files=_toml("command_files"),
        kept=[Kept(**each) for each in _toml("claude_memories")["memory"]],
    )


def play(scenes: Sequence[Sequence[Step]], session: TranscriptWriter, root: str) -> Iterator[None]:
    """Write scenes to a transcript; yields after each of them."""
    for scene in scenes:
        for step in scene:
            act(step, session, root)
        yield


def act(step: Step, session: TranscriptWriter, root: str) -> None:
    """Write one step to a transcript."""
    name, *arguments = step
    if name in _PATHS:
        arguments[_PATHS[name]] = f"{root}/{arguments[_PATHS[name]]}"
    getattr(session, name)(*arguments)


def _toml(name: str) -> dict[str, Any]:
    text = (files(__package__) / f"{name}.toml").read_text("utf-8")
    loaded = tomllib.loads(text)
    for table in (loaded, *(each for value in loaded.values() for each in _tables(value))):
        for key in ("age", "captured", "compacted", "lasted"):
            if key in table:
                table[key] = _duration(table[key])
    return loaded


def _tables(value: object) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value]
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _earlier(table: dict[str, Any]) -> Earlier:
    memory = table.pop("memory", None)
    return Earlier(memory=MemoryFile(**memory) if memory else None, **table)


def _duration(text: str) -> timedelta:
    found = re.fullmatch(r"(\d+)d (\d\d):(\d\d):(\d\d)", text)
    assert found is not None, text
    days, hours, minutes, seconds = map(int, found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
