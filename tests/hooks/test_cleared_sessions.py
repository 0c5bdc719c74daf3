"""Finding the session that a new one replaces, with several open in one project."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from memtui.ground.project import Project
from memtui.hooks.session import note_end, take_ended
from tests.disk import DEAD_PID, names
from tests.hooks.world import SESSION, World

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)


def test_an_old_end_is_not_the_one_before(world: World) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW, 7)
    assert take_ended(world.project, world.home, NOW + timedelta(minutes=3), 7) is None
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW, 7)
    taken = take_ended(world.project, world.home, NOW + timedelta(minutes=1), 7)
    assert taken == (SESSION, NOW, 7, "/t.jsonl")
    assert take_ended(world.project, world.home, NOW, 7) is None
    (folder,) = (world.home.state / "ended").iterdir()
    assert names(folder) == [".gitignore"]


@pytest.mark.parametrize(
    "note",
    ["", "{", "[]", '{"session_id": 1}', '{"session_id": "x", "at": "never", "parent": 7}',
     '{"session_id": "x", "at": "2026-01-02T10:15:00+00:00"}',
     '{"session_id": "x", "at": "2026-01-02T10:15:00+00:00", "parent": []}'],
)  # fmt: skip
def test_a_broken_note_is_none(world: World, note: str) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW, 7)
    (path,) = (world.home.state / "ended").rglob("*.json")
    path.write_text(note)
    assert take_ended(world.project, world.home, NOW, 7) is None


def test_each_claude_code_gets_the_session_that_was_cleared_in_it(world: World) -> None:
    mine, theirs = os.getpid(), os.getppid()  # two processes that run
    for name, parent in (("a", mine), ("b", theirs)):
        note_end(name, "", world.project, world.home, NOW, parent)
    other = Project(world.base / "other")
    assert take_ended(other, world.home, NOW, mine) is None
    assert take_ended(world.project, world.home, NOW, DEAD_PID) is None  # both belong to somebody else
    taken = take_ended(world.project, world.home, NOW, mine)
    assert taken is not None
    assert taken.session_id == "a"
    assert take_ended(world.project, world.home, NOW, mine) is None
    taken = take_ended(world.project, world.home, NOW, theirs)
    assert taken is not None
    assert taken.session_id == "b"


def test_where_a_shell_runs_the_hooks_the_last_end_counts(world: World) -> None:
    note_end("a", "", world.project, world.home, NOW, DEAD_PID)
    note_end("b", "", world.project, world.home, NOW + timedelta(seconds=1), DEAD_PID + 1)
    note_end("c", "", world.project, world.home, NOW + timedelta(seconds=2), os.getppid())
    at = NOW + timedelta(seconds=3)
    taken = [take_ended(world.project, world.home, at, DEAD_PID + 2) for _ in range(3)]
    assert [each and each.session_id for each in taken] == ["b", "a", None]
