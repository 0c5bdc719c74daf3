"""The rules of active commands at a compaction: those of a command that came later were not lost then."""

from __future__ import annotations

import json
from pathlib import Path

from memtui.flows.aftermath import aftermaths
from memtui.ground.project import Home, Places, Project, transcript_slug
from tests.transcripts import Transcript

_FILE = """<!-- COMPACT_SUMMARY_START -->
Always {} before you start

Count cents. Look for:

- sums over several currencies
- refunds above their charge

- One commit for each step
<!-- COMPACT_SUMMARY_END -->
"""


def test_rules_of_later_commands_are_not_lost(project: Project, home: Home, tmp_path: Path) -> None:
    moments = {"plan": "2026-01-02T08:00:00Z", "test": "", "ship": "2026-01-02T10:00:00Z"}
    commands = project.root / ".claude/commands"
    commands.mkdir(parents=True)
    for name in moments:
        (commands / f"{name}.md").write_text(_FILE.format(name))
    active = [{"name": name, "activated_at": at} for name, at in moments.items()]
    project.session_state_json.parent.mkdir(parents=True, exist_ok=True)
    project.session_state_json.write_text(json.dumps({"active_commands": active}))
    made = Transcript(cwd=str(project.root))
    made.user("round the tax per line in the invoice")
    made.compaction(summary="Summary:\nnothing of it")
    folder = tmp_path / "claude" / "projects" / transcript_slug(project.root)
    folder.mkdir(parents=True)
    (found,) = aftermaths(Places(project, home, tmp_path / "claude"), made.write(folder))
    rules = [row.text for row in found.rows if row.kind == "active"]
    assert {each for each in rules if "Always" in each} == {
        "Always plan before you start",
        "Always test before you start",
    }
    assert "Count cents. Look for: sums over several currencies; refunds above their charge" in rules
