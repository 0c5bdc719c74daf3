"""The demo's first minute, step by step and without waiting."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memtui.demo.build import DemoProject, script
from memtui.documents.session_state import TaskKind
from memtui.ground.project import Places
from memtui.store.captures import CaptureStore
from memtui.store.state_updates import Following
from memtui.store.states import StoredState
from memtui.transcript.facts import read_facts
from tests.demo.conftest import NOW


def test_a_capture_arrives(demo: DemoProject) -> None:
    before = CaptureStore(demo.project).newest_pending()
    now = [NOW]
    for seconds, act in script(demo, lambda: now[0]):
        if seconds <= 12:
            now[0] = NOW + timedelta(seconds=seconds)
            act()
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
    places = Places(demo.project, demo.home, demo.claude_config)
    following = Following(places, growth=1)
    list(following.step(0))
    written, now = [], [NOW]
    for seconds, act in script(demo, lambda: now[0]):
        now[0] = NOW + timedelta(seconds=seconds)
        act()
        written += [each for each in following.step(seconds) if isinstance(each, StoredState)]
    mine = [each for each in written if each.session_id == demo.transcript("refunds").stem]
    assert [each.version for each in mine] == [7, 8, 9, 10, 11, 12, 13, 14]
    last = mine[-1].state
    assert last is not None
    assert "Backfill the refunds since release 4.2 (L74)" in [
        task.text for task in last.tasks if task.kind is TaskKind.IN_PROGRESS
    ]
    assert last.decisions
