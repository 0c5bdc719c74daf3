"""The tool `lost`."""

from __future__ import annotations

from memtui.ground.project import Project
from memtui.mcp.calls import Calls
from memtui.mcp.lost import lost
from tests.lost.made import SUMMARY, session


def test_losses_come_first_and_kept_rows_on_request(calls: Calls, project: Project) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    path = str(made.write(project.root))
    answer = lost(calls, {"session": path})
    assert answer["rows"][0]["text"] == "Write the release notes"
    assert {row["state"] for row in answer["rows"]} == {"lost", "not named"}
    assert answer["unfounded"][0]["text"] == "docs/ghost.md"
    assert {row["state"] for row in lost(calls, {"session": path, "kept": True})["rows"]} > {"kept"}
