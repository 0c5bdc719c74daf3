"""``memtui search``: what was said and done, in sessions, memories, captures and states."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.formats.capture import Capture, render_capture
from memtui.formats.capture_text import capture_name
from memtui.formats.model import Section
from memtui.project import Project, transcript_slug
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
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


def test_pins_are_found_and_lead_to_their_lines(memtui: Memtui) -> None:
    assert memtui("pin", "never push the lamp to main").code == 0
    rows = memtui("search", "push", "lamp").out.splitlines()
    assert rows[0] == "Pins  1" and rows[1].strip() == "pin 1  never push the lamp to main"
    assert memtui("search", "push", "in:pins").out.splitlines() == rows
    assert "Pins" not in memtui("search", "push", "in:memories").out


def test_is_pinned_finds_pinned_memories_however_many_match(
    memtui: Memtui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.flows.searching.LIMIT", 2)
    for number in range(4):
        path = tmp_path / "recovery.md"
        path.write_text(f"## Objective\n\nFix the lamp driver {number}\n")
        assert memtui("memory", "import", str(path)).code == 0
    oldest = min(path.stem for path in (tmp_path / "memtui").rglob("CMEM-*.md"))
    assert memtui("memory", "pin", oldest).code == 0
    assert memtui("pin", "the lamp stays").code == 0
    found = memtui("search", "lamp", "is:pinned").out
    rows = [row for row in found.splitlines() if row.startswith("  ") and row[2] != " "]
    assert [row.split()[0] for row in rows] == [oldest, "pin"]


def test_all_of_a_capture_is_found(memtui: Memtui, project: Project) -> None:
    capture = Capture(
        status="pending",
        timestamp=NOW,
        session_id="s-1",
        transcript="/t.jsonl",
        first_message="Port it",
        header="**Trigger:** auto",
        extra=(Section(heading="Recent files", text="- src/lamp_shade.py"),),
    )
    project.compacts.mkdir(parents=True)
    path = project.compacts / capture_name(NOW)
    path.write_text(render_capture(capture))
    for words in ("trigger", "lamp_shade", "recent files", path.name):
        assert "Captures  1" in memtui("search", words, "in:captures").out, words


def test_a_subagent_is_named_and_opens(memtui: Memtui, claude: Path, project: Project) -> None:
    t = Transcript(session_id="s-1", cwd=str(project.root))
    t.envelope["isSidechain"] = True
    t.user("Look for the hinge")
    t.say("It is in the door")
    folder = claude / "projects" / transcript_slug(project.root.resolve()) / "s-1" / "subagents"
    t.write(folder, "agent-a1.jsonl")
    rows = memtui("search", "hinge").out.splitlines()
    assert rows[1].split()[0] == "s-1" and rows[2].split()[0] == "L1" and rows[2].endswith("ask  agent-a1")
    assert "It is in the door" in memtui("transcript", "agent-a1", "--at", "2").out
    assert "no subagent" in memtui("transcript", "agent-b").err
