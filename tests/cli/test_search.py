"""``memtui search``: what was said and done, in sessions, memories, captures and states."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.formats.capture import Capture, render_capture
from memtui.formats.capture_text import capture_name
from memtui.formats.model import Section
from memtui.formats.stored_memory import MemoryMeta, StoredMemory, render_stored
from memtui.ground.project import Project, memtui_home, transcript_slug
from memtui.store.index import updating
from memtui.store.index.query import KINDS
from tests.cli.conftest import Memtui
from tests.faults import read_only
from tests.store.index.furnishing import furnish
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
    nothing = memtui("search", "lamp", "--since", "2027")
    assert (nothing.code, "Nothing matches" in nothing.out) == (1, True)
    assert memtui("search", "lamp", "--since", "2027", "--json").code == 1


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


NAMES = {
    "session": "s-3",
    "memory": "CMEM-20260102-101500",
    "memory file": "20260102_100000-memory.md",
    "capture": "20260102_100000-autocompact.md",
    "state": "s-3",
    "pin": "pin 1",
}
"""The names of the results of this project, by kind."""


@pytest.fixture
def furnished(project: Project, tmp_path: Path, claude: Path, memtui: Memtui) -> Path:
    """Something of each kind about a hinge, here and in another project."""
    other = tmp_path / "other"
    home = memtui_home()
    for number, (root, session) in enumerate(((project.root, "s-3"), (other, "s-4"))):
        furnish(root, home, session, "hinge")
        t = Transcript(session_id=session, cwd=str(root.resolve()))
        t.user("Oil the hinge")
        t.write(claude / "projects" / transcript_slug(root.resolve()), f"{session}.jsonl")
        meta = MemoryMeta(
            id=f"CMEM-2026010{number + 2}-101500",
            created=NOW,
            updated=NOW,
            project=str(root),
            session_id=session,
        )
        path = home.memories / "2026-01" / f"{meta.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_stored(StoredMemory(meta=meta, body=b"The hinge creaks")))
    return other


def found(memtui: Memtui, *words: str) -> dict[str, set[str]]:
    """The names of the results by their kinds."""
    groups = json.loads(memtui("search", *words, "--json").out)
    return {group["kind"]: {row["name"] for row in group["results"]} for group in groups if group["results"]}


@pytest.mark.usefixtures("furnished")
def test_every_kind_is_found_here_or_everywhere(memtui: Memtui) -> None:
    assert found(memtui, "hinge") == {kind: {name} for kind, name in NAMES.items()}
    everywhere = found(memtui, "hinge", "--all")
    assert everywhere["session"] == everywhere["state"] == {"s-3", "s-4"}
    assert everywhere["memory"] == {"CMEM-20260102-101500", "CMEM-20260103-101500"}
    groups = json.loads(memtui("search", "hinge", "--all", "--json").out)
    assert {group["kind"]: len(group["results"]) for group in groups} == dict.fromkeys(NAMES, 2)
    assert [group["total"] for group in groups] == [2] * 6


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize(("word", "kind"), zip(KINDS, NAMES, strict=True))
def test_in_finds_one_kind_alone(memtui: Memtui, word: str, kind: str) -> None:
    expected = {kind: {NAMES[kind]}}
    assert found(memtui, "hinge", f"in:{word}") == found(memtui, "hinge", "--in", word) == expected


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("hinge before:2026-01-02", set()),
        ("hinge after:2026-01-03", {"state"}),  # written now
        ("hinge after:2026-01-02 before:2026-01-03", {"session", "memory", "memory file", "capture"}),
        ("hinge is:pinned", {"pin"}),
        ("file:hinge", set()),
        ("cmd:hinge", set()),
        ("hinge in:captures,states before:2026-01-03", {"capture"}),
        ("hinge in:states is:pinned", set()),
        ("hin nge", set(NAMES)),
        ("h", {*NAMES}),
        ("never hinge in:pins", {"pin"}),
    ],
)
def test_filters_hold_for_every_kind(memtui: Memtui, words: str, kinds: set[str]) -> None:
    assert set(found(memtui, *words.split())) == kinds


@pytest.mark.usefixtures("furnished")
def test_all_projects_but_private_ones(memtui: Memtui, furnished: Path, tmp_path: Path) -> None:
    config = memtui_home().config / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[archive]\nprivate = ["{furnished}"]\n')
    assert found(memtui, "hinge", "--all") == found(memtui, "hinge")
    assert len(found(memtui, "hinge", "--root", str(furnished))) == 6


def test_the_first_index_is_made_by_several_processes(
    memtui: Memtui, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    class Readers(ThreadPoolExecutor):
        def __init__(self, number: int, **given: object) -> None:
            started.append(number)
            super().__init__(number)

    monkeypatch.setattr(updating, "ProcessPoolExecutor", Readers)
    monkeypatch.setattr(updating, "_ALONE", -1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert "s-1" in memtui("search", "lamp").out and started == [2]


@pytest.mark.usefixtures("furnished")
def test_what_is_forgotten_is_not_found(memtui: Memtui, claude: Path) -> None:
    assert "s-3" in memtui("search", "hinge").out
    next(claude.rglob("s-3.jsonl")).unlink()
    assert memtui("archive", "forget", "s-3", "--yes").code == 0
    assert not list(memtui_home().cache.glob("index.db"))
    # Memory, memory file and pin stay, as is said.
    assert set(found(memtui, "hinge")) == {"memory", "memory file", "pin"}


def test_an_index_that_cannot_be_written_is_named(memtui: Memtui) -> None:
    memtui_home().cache.parent.mkdir()
    with read_only(memtui_home().cache.parent):
        said = memtui("search", "lamp").err
    assert str(memtui_home().cache) in said and "the disk is read-only" in said and "busy" not in said
