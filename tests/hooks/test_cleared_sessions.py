"""Finding the session that a new one replaces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.ground.project import Project
from memtui.hooks.session import note_end, take_ended
from tests.disk import names
from tests.hooks.world import SESSION, World

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)


def test_the_last_end_in_a_project_is_taken_once(world: World) -> None:
    note_end("other", "/o.jsonl", world.project, world.home, NOW)
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    assert take_ended(Project(world.base / "other"), world.home, NOW) is None
    assert take_ended(world.project, world.home, NOW + timedelta(minutes=1)) == (SESSION, NOW, "/t.jsonl")
    assert take_ended(world.project, world.home, NOW) is None
    assert names(world.home.state / "ended") == [".gitignore"]


def test_an_old_end_is_not_the_one_before(world: World) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    assert take_ended(world.project, world.home, NOW + timedelta(minutes=3)) is None


@pytest.mark.parametrize("note", ["", "{", "[]", '{"session_id": "x", "at": "never"}', '{"at": []}'])
def test_a_broken_note_is_none(world: World, note: str) -> None:
    note_end(SESSION, "/t.jsonl", world.project, world.home, NOW)
    (path,) = (world.home.state / "ended").glob("*.json")
    path.write_text(note)
    assert take_ended(world.project, world.home, NOW) is None
