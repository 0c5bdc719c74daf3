"""A project and facts for the tests of the compactor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.documents.compactor import next_state
from memtui.documents.session_state import (
    SessionState,
    TaskKind,
)
from memtui.ground.project import Project
from memtui.transcript.records import Facts, Todo

SHOP = Project(Path("/work/shop"))
NOTHING = Facts()


def facts(**changes: object) -> Facts:
    return replace(NOTHING, **changes)  # type: ignore[arg-type]


def todos(**statuses: str) -> tuple[Todo, ...]:
    short = {"done": "completed", "now": "in_progress", "open": "pending"}
    return tuple(Todo(name.replace("_", " "), short[status]) for name, status in statuses.items())


def after(state: SessionState | None, said: Facts) -> SessionState:
    following = next_state(state, said, SHOP)
    assert following is not None
    return following


def of_kind(state: SessionState, kind: TaskKind) -> list[str]:
    return [task.text for task in state.tasks if task.kind is kind]
