"""Finding the session that a new one replaces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.ground.project import Project
from memtui.hooks.session import note_end, take_ended
from tests.hooks.world import SESSION, World

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)


def test_an_end_in_a_project_is_taken_once(world: World) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    assert take_ended(Project(world.base / "other"), world.home, NOW) is None
    assert take_ended(world.project, world.home, NOW + timedelta(minutes=1)) == (SESSION, NOW, "/t.jsonl")
    assert take_ended(world.project, world.home, NOW) is None


def test_of_two_that_were_cleared_at_the_same_time_none_is_taken_for_the_other(world: World) -> None:
    note_end("other", "/o.jsonl", world.project, world.home, NOW - timedelta(minutes=1))
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    for _ in range(3):  # the second new session must not get what the first one has left
        assert take_ended(world.project, world.home, NOW) is None
    later = NOW + timedelta(minutes=1, seconds=30)
    assert take_ended(world.project, world.home, later) == (SESSION, NOW, "/t.jsonl")


def test_an_old_end_is_not_the_one_before(world: World) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    assert take_ended(world.project, world.home, NOW + timedelta(minutes=3)) is None
    assert take_ended(world.project, world.home, NOW) is None


@pytest.mark.parametrize("note", ["", "{", "[]", '{"session_id": "x", "at": "never"}', '{"at": []}'])
def test_a_broken_note_is_none(world: World, note: str) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    (path,) = (world.home.state / "ended").glob("*/*.json")
    path.write_text(note)
    assert take_ended(world.project, world.home, NOW) is None
