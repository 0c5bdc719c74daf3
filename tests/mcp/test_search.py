"""The tool `search`."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.project import Project, transcript_slug
from memtui.mcp.server import Surroundings
from memtui.store.search import NOT_ALL_SEARCHED, Group, Searcher
from memtui.store.search_query import Kind
from tests.mcp.conftest import done, refused
from tests.store.furnishing import furnish
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


async def test_search_finds_turns_and_reads_around_them(here: Surroundings) -> None:
    answer = await done(here, "search", query="cmd:make")
    (hit,) = answer["results"]
    assert (hit["kind"], hit["name"], hit["line"], hit["what"]) == ("session", "s-1", 2, "command")
    assert answer["totals"] == {"session": 1}
    assert TOKEN not in str(answer)


async def test_the_index_takes_in_what_has_come_since(here: Surroundings, transcript: Path) -> None:
    assert not (await done(here, "search", query="door"))["results"]
    more = Transcript(session_id="s-1")
    more.user("Now the door")
    with transcript.open("ab") as file:
        file.write(more.data)
    assert [
        hit["line"] for hit in (await done(here, "search", query="door", kinds=["sessions"]))["results"]
    ] == [5]


async def test_a_search_that_leaves_much_out_says_so(
    here: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Searcher, "search", lambda *_, **__: [Group(Kind.MEMORY, complete=False)])
    found = await done(here, "search", query="x")
    assert (found["totals"], found["note"]) == ({}, NOT_ALL_SEARCHED)


async def test_a_long_query_is_refused(here: Surroundings) -> None:
    said = await refused(here, "search", query="x" * 3_000)
    assert said == "query: String should have at most 2000 characters."


async def test_every_kind_is_found_here_or_everywhere(
    here: Surroundings, project: Project, tmp_path: Path
) -> None:
    for root, session in ((project.root, "s-3"), (tmp_path / "other", "s-4")):
        furnish(root, here.home, session, "hinge")
        t = Transcript(session_id=session, cwd=str(root.resolve()))
        t.user("Oil the hinge")
        t.write(tmp_path / "claude" / "projects" / transcript_slug(root.resolve()), f"{session}.jsonl")
    kinds = ("session", "Claude's memory", "memory file", "capture", "state", "pin")
    assert (await done(here, "search", query="hinge"))["totals"] == dict.fromkeys(kinds, 1)
    assert (await done(here, "search", query="hinge", path="*"))["totals"] == dict.fromkeys(kinds, 2)
    for name, kind in zip(("sessions", "claude", "files", "captures", "states", "pins"), kinds, strict=True):
        assert (await done(here, "search", query="hinge", kinds=[name]))["totals"] == {kind: 1}
        assert (await done(here, "search", query=f"hinge in:{name}"))["totals"] == {kind: 1}
