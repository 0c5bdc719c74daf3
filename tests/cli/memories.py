"""Memories to work on, and input for pipes."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memtui.cli import output
from memtui.documents.recovery import Recovery, RoleFile, render_recovery
from memtui.ground.clock import parse_iso
from memtui.ground.project import Project, memtui_home
from memtui.store.memories import MemoryStore

TEXT = render_recovery(
    Recovery(
        project_root="/home/ann/shop",
        objective="Rotate the refresh tokens",
        working_files=(RoleFile(path="/home/ann/shop/src/auth.py", role="tokens"),),
        last_action="Tests pass",
    )
)

FIRST, SECOND = "CMEM-20260101-080000", "CMEM-20260102-091500"


def at(text: str) -> datetime:
    moment = parse_iso(text)
    assert moment is not None
    return moment


def store(clock: str = "2026-01-02T10:15:00+00:00") -> MemoryStore:
    """The store that the command line uses."""
    return MemoryStore(memtui_home(), lambda: at(clock))


def put(
    when: str,
    body: str | bytes = TEXT,
    *,
    project: Path | str = "",
    description: str = "",
    tags: tuple[str, ...] = (),
    session_id: str = "",
) -> str:
    """Store a memory made at a time and return its id."""
    data = body.encode() if isinstance(body, str) else body
    return store().create(
        data, str(project), description=description, tags=tags, session_id=session_id, created=at(when)
    ).id  # fmt: skip


class _Piped:
    """Standard input: a pipe, or a terminal."""

    def __init__(self, data: bytes, *, terminal: bool) -> None:
        self.buffer = io.BytesIO(data)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


Pipe = Callable[..., None]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Put bytes on standard input."""

    def put_in(data: bytes, *, terminal: bool = False) -> None:
        monkeypatch.setattr(sys, "stdin", _Piped(data, terminal=terminal))

    return put_in


@pytest.fixture
def two(project: Project) -> Project:
    """Two memories of the project, FIRST and SECOND, and one of another."""
    put("2026-01-01T08:00:00+00:00", project=project.root, tags=("auth", "Tokens"))
    put("2026-01-02T09:15:00+00:00", "## Objective\nUmsätze für 退款\n", project=project.root)
    put("2026-01-03T10:00:00+00:00", project="/home/ann/other", description="Another one")
    return project


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let standard output be a terminal of 100 columns."""
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
