"""The demo's first minute, step by step and without waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from memtui.demo.build import DemoProject
from memtui.demo.player import Player, Step
from memtui.documents.session_state import TaskKind
from memtui.ground.project import Places
from memtui.store.captures import CaptureStore
from memtui.store.follow import Following
from memtui.transcript.facts import read_facts
from tests.demo.conftest import NOW


class Stage:
    """A player with a manual clock."""

    def __init__(self, demo: DemoProject) -> None:
        self.now = NOW
        self.player = Player(demo, lambda: self.now)

    def play(self, *, until: Callable[[Step], bool] = lambda _: False) -> None:
        for step in self.player.script():
            self.now = NOW + timedelta(seconds=step.seconds)
            step.act()
            if until(step):
                return


def test_a_capture_arrives(demo: DemoProject) -> None:
    before = CaptureStore(demo.project).newest_pending()
    Stage(demo).play(until=lambda step: step.name == "capture")
    store = CaptureStore(demo.project)
    entry = store.newest_pending()
    assert entry is not None
    assert entry != before
    capture = store.load(entry)
    assert capture.timestamp == (NOW + timedelta(seconds=12)).replace(microsecond=0)
    assert len(store.entries()) == 7
    assert capture.session_id == demo.transcript("typos").stem
    assert read_facts(Path(capture.transcript)).compactions == ()


def test_the_session_state_moves_on(demo: DemoProject) -> None:
    stage = Stage(demo)
    places = Places(demo.project, demo.home, demo.claude_config)
    following = Following(places, growth=1)
    list(following.step(0))
    written = []
    for step in stage.player.script():
        stage.now = NOW + timedelta(seconds=step.seconds)
        step.act()
        written += [followed.stored for followed in following.step(step.seconds)]
    mine = [each for each in written if each and each.session_id == demo.transcript("refunds").stem]
    assert [each.version for each in mine] == [7, 8, 9, 10, 11, 12, 13, 14]
    last = mine[-1].state
    assert last is not None
    assert "Backfill the refunds since release 4.2 (L74)" in [
        task.text for task in last.tasks if task.kind is TaskKind.IN_PROGRESS
    ]
    assert last.decisions
