"""The tools `search` and `read_lines`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from memtui.ground.files import FileProblem
from memtui.ground.project import Project, transcript_slug
from memtui.mcp.calls import Calls
from memtui.mcp.search import read_lines, search
from tests.store.index.furnishing import furnish
from tests.transcripts import Transcript

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def transcript(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    t = Transcript(session_id="s-1", cwd=str(project.root))
    t.user(f"Port the lamp driver with {TOKEN} and <private>this</private>")
    t.tool("Bash", "x" * 9_000, command="make lamp")
    t.say("The lamp driver is ported.")
    return t.write(tmp_path / "claude" / "projects" / transcript_slug(project.root.resolve()), "s-1.jsonl")


def test_search_finds_turns_and_reads_around_them(calls: Calls) -> None:
    answer = search(calls, {"query": "cmd:make"})
    (hit,) = answer["results"]
    assert (hit["kind"], hit["name"], hit["line"], hit["what"]) == ("session", "s-1", 2, "command")
    assert answer["totals"] == {"session": 1}
    read = read_lines(calls, {"session": "s-1", "from": 1, "to": 3})
    assert [(each["line"], each["kind"]) for each in read["lines"]] == [
        (1, "ask"),
        (2, "call"),
        (3, "result"),
    ]
    assert read["next"] == 4 and len(read["lines"][2]["text"]) < 5_000
    assert TOKEN not in str(read) and "this" not in read["lines"][0]["text"]
    assert "next" not in read_lines(calls, {"session": "s-1", "from": 4, "to": 900})


def test_the_index_takes_in_what_has_come_since(calls: Calls, transcript: Path) -> None:
    assert not search(calls, {"query": "door"})["results"]
    more = Transcript(session_id="s-1")
    more.user("Now the door")
    with transcript.open("ab") as file:
        file.write(more.data)
    assert [hit["line"] for hit in search(calls, {"query": "door", "kinds": ["sessions"]})["results"]] == [5]


def test_invalid_arguments_are_refused(calls: Calls, transcript: Path) -> None:
    for session in ("nobody", "../s-1", str(transcript)):
        with pytest.raises(FileProblem):
            read_lines(calls, {"session": session, "from": 1, "to": 2})
    with pytest.raises(ValidationError):
        read_lines(calls, {"session": "s-1", "from": 0, "to": 2})
    with pytest.raises(ValidationError):
        search(calls, {"query": "x" * 3_000})


def test_every_kind_is_found_in_the_project_or_in_all(calls: Calls, project: Project, tmp_path: Path) -> None:
    for root, session in ((project.root, "s-3"), (tmp_path / "other", "s-4")):
        furnish(root, calls.home, session, "hinge")
        t = Transcript(session_id=session, cwd=str(root.resolve()))
        t.user("Oil the hinge")
        t.write(tmp_path / "claude" / "projects" / transcript_slug(root.resolve()), f"{session}.jsonl")
    kinds = ("session", "memory file", "capture", "state", "pin")
    assert search(calls, {"query": "hinge"})["totals"] == dict.fromkeys(kinds, 1)
    assert search(calls, {"query": "hinge", "path": "*"})["totals"] == dict.fromkeys(kinds, 2)
    for name, kind in zip(("sessions", "files", "captures", "states", "pins"), kinds, strict=True):
        assert search(calls, {"query": "hinge", "kinds": [name]})["totals"] == {kind: 1}
        assert search(calls, {"query": f"hinge in:{name}"})["totals"] == {kind: 1}
