"""The alarms of a session, one line each."""

from __future__ import annotations

from pathlib import Path

from memtui.app.readings import Readings
from memtui.ground.project import Places, Project, memtui_home
from tests.transcripts import Transcript


def places_in(folder: Path) -> Places:
    return Places(Project(folder), memtui_home({"MEMTUI_HOME": str(folder / "m")}), folder / "c")


def test_a_loop_and_a_task_that_is_open_again_are_both_said(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    readings = Readings(places)
    ship = {"content": "Ship it", "status": "pending"}
    made = Transcript()
    made.tool("TodoWrite", todos=[{"content": "Write the tests", "status": "completed"}, ship])
    made.compaction()
    assert readings.context(made.write(tmp_path), (), lambda: False).alarms == ()
    made.compaction()
    made.compaction()
    made.tool("TodoWrite", todos=[{"content": "write the tests.", "status": "pending"}, ship])
    assert Readings(places).context(made.write(tmp_path), (), lambda: False).alarms == (
        "compaction loop: 3 within 10 minutes, no file changed",
        "done before, open again: write the tests.",
    )
