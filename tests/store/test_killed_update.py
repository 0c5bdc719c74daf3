"""An update of a session's state that is killed at any point: no version is lost, none is half written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memtui.ground.project import Places, Project, memtui_home
from memtui.store.state_updates import update_state
from memtui.store.states import StateStore
from tests import faults
from tests.transcripts import Transcript


def test_an_update_may_be_killed_at_any_point(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 10


def _clock() -> datetime:
    return datetime(2026, 1, 2, 10, 15, tzinfo=UTC)


def _places(place: Path) -> Places:
    return Places(Project(place / "app"), memtui_home({"MEMTUI_HOME": str(place)}), place / "claude")


def _sweep(base: Path) -> int:
    def transcript(place: Path) -> Path:
        return place / "claude" / "projects" / "x" / "a.jsonl"

    def make(number: int) -> Path:
        place = base / str(number)
        (place / "app").mkdir(parents=True)
        said = Transcript(session_id="a", cwd=str(place / "app"))
        said.user("Fix the refresh race. Never touch the schema.")
        said.write(transcript(place).parent, "a.jsonl")
        update_state(_places(place), transcript=transcript(place))
        said.user("Write the tests first. Do not add dependencies.")
        said.write(transcript(place).parent, "a.jsonl")
        return place

    def act(place: Path) -> None:
        update_state(_places(place), transcript=transcript(place))

    def check(place: Path) -> None:
        def versions() -> list[int]:
            loaded = [store.load(entry) for entry in store.versions("a")]
            assert all(each.state is not None and each.state.version == each.version for each in loaded)
            return [each.version for each in loaded]

        store = StateStore(_places(place).project, _places(place).home)
        assert versions() in ([2, 1], [1])
        act(place)  # the next run has everything
        assert versions() == [2, 1]
        text = store.load(store.versions("a")[0]).text
        assert "Never touch the schema" in text
        assert "Do not add dependencies" in text

    return faults.kill_sweep(make, act, check)
