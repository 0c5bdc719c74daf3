"""``memtui search``: what was said and done, in sessions, memories, captures and states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.project import Project, transcript_slug
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def claude(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    claude = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude))
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "memtui"))
    t = Transcript(session_id="s-1", cwd=str(project.root))
    t.user(f"Port the lamp driver with {TOKEN}")
    t.tool("Bash", "ok", command="make lamp \x1b[2J")
    t.say("The lamp driver is ported.")
    t.write(claude / "projects" / transcript_slug(project.root.resolve()), "s-1.jsonl")
    other = Transcript(session_id="s-2", cwd="/elsewhere")
    other.user("Paint the lamp")
    other.write(claude / "projects" / "-elsewhere", "s-2.jsonl")
    return claude


def test_sessions_and_memories_are_found(memtui: Memtui, tmp_path: Path) -> None:
    text = tmp_path / "recovery.md"
    text.write_text("## Objective\n\nFix the lamp driver\n")
    assert memtui("memory", "import", str(text)).code == 0
    done = memtui("search", "lamp", "driver")
    assert done.code == 0
    rows = done.out.splitlines()
    assert rows[0] == "Sessions  1"
    assert rows[1].split()[0] == "s-1" and "Port the lamp driver" in rows[1]
    assert rows[2].split()[0] == "L1" and rows[2].endswith("ask")
    assert "Memories  1" in rows and TOKEN not in done.out


def test_filters_and_json(memtui: Memtui) -> None:
    (group,) = json.loads(memtui("search", "cmd:make", "--in", "sessions", "--json").out)
    (row,) = group["results"]
    assert (row["name"], row["line"], row["turn"], row["what"]) == ("s-1", 2, 1, "command")
    assert "\x1b" not in memtui("search", "cmd:make").out
    assert "Nothing matches" in memtui("search", "lamp", "--since", "2027").out


def test_all_projects(memtui: Memtui) -> None:
    assert "s-2" not in memtui("search", "lamp").out
    assert "s-2" in memtui("search", "lamp", "--all").out


@pytest.mark.parametrize("options", [("--in", "nowhere"), ("--since", "soon")])
def test_wrong_options_say_what_is_right(memtui: Memtui, options: tuple[str, str]) -> None:
    done = memtui("search", "lamp", *options)
    assert done.code == 2 and options[0] in done.err
