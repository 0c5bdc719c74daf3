"""The choice and the view of the current session: the model, without a screen."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from memtui.app.project import ProjectModel
from memtui.app.readings import Sessions
from memtui.ground.project import Places
from memtui.store.state_updates import update_state
from tests.app.world import NOW, STATE, World, clock


def talk(world: World, session: str, *, minutes: float, words: str = "Fix it") -> Path:
    """A session that said something so many minutes ago."""
    writer = world.session(session, minutes=minutes)
    writer.prompt(words)
    writer.say("I will.")
    return world.save(writer, minutes=minutes)


def places(world: World) -> Places:
    return Places(world.project, world.home, world.claude)


def browser(world: World) -> ProjectModel:
    return ProjectModel(places(world), clock)


def shown(sessions: Sessions) -> str:
    return sessions.current_view().session_id


def touch(path: Path, *, seconds: float) -> None:
    moment = (NOW - timedelta(seconds=seconds)).timestamp()
    os.utime(path, (moment, moment))


def test_stored_ones_and_those_with_a_transcript_alone_are_one_list_newest_first(world: World) -> None:
    talk(world, "stored-and-said", minutes=30)
    world.state(STATE, session="stored-and-said")
    talk(world, "said", minutes=20)
    named = STATE.replace(identity=STATE.identity.replace(project=f"harbor ({world.root})"))
    os.utime(world.state(named, session="stored"), (0, (NOW - timedelta(hours=9)).timestamp()))
    world.state(STATE, session="of-another-project")
    found = browser(world).sessions.sessions()
    assert [each.session_id for each in found] == ["said", "stored-and-said", "stored"]
    # Writing a document is no sign of life: that is what memtui does.
    assert [NOW - each.active for each in found] == [timedelta(minutes=n) for n in (20, 30, 540)]


def test_two_sessions_at_work_do_not_take_turns(world: World) -> None:
    first, second = talk(world, "a", minutes=1), talk(world, "b", minutes=2)
    sessions = browser(world).sessions
    touch(first, seconds=5)
    assert shown(sessions) == "a"
    touch(second, seconds=3)
    assert shown(sessions) == "a"
    touch(first, seconds=25)
    assert shown(sessions) == "b"
    touch(first, seconds=0)
    assert shown(sessions) == "b"


def test_a_stored_state_says_how_far_it_is_behind(world: World) -> None:
    writer = world.session("s-1", minutes=30)
    writer.prompt("Fix it")
    path = world.save(writer, minutes=20)
    update_state(places(world), transcript=path)
    sessions = browser(world).sessions

    def since() -> int:
        return sessions.current_view().since

    assert since() == 0
    writer.bash("cat log", "Look", "x" * 70_000)
    world.save(writer, minutes=10)
    assert 5 <= since() <= 12
    # Reading on with nothing to say catches up, too, without a new version.
    update_state(places(world), transcript=path)
    assert since() == 0
