"""Transcripts in the index: found by words and actions, as they appear, grow and disappear."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.project import Home, Places, Project
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.base import Filter
from memtui.store.index import schema
from memtui.store.index.query import parse_search
from memtui.store.index.sessions import SessionIndex, TurnsFound
from memtui.store.index.updating import update_index
from memtui.transcript.passages import Passage
from tests.store.corpus import home
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 3, tzinfo=UTC)


@pytest.fixture
def where(tmp_path: Path) -> Home:
    return home(tmp_path)


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    """Claude Code's folder with two sessions of two projects."""
    t = Transcript(session_id="s-1", cwd="/work/app")
    t.user("Port the lamp driver to 中国")
    t.tool("Bash", "ok", command="make lampDriver && go test ./...")
    t.edit("/work/app/src/lamp.py")
    t.broken("Bash", "undefined: Bulb", command="go vet")
    t.say("The driver is ported.")
    t.user("Now the door")
    t.say("The door is red.")
    t.write(tmp_path / "claude" / "projects" / "-work-app", "s-1.jsonl")
    other = Transcript(session_id="s-2", cwd="/work/other")
    other.user("Paint the door of lamp.py")
    other.write(tmp_path / "claude" / "projects" / "-work-other", "s-2.jsonl")
    return tmp_path / "claude"


@pytest.fixture
def index(where: Home, claude: Path, monkeypatch: pytest.MonkeyPatch) -> SessionIndex:
    monkeypatch.setattr("memtui.store.index.sessions.FRESH", -1.0)  # every search looks at the folder
    monkeypatch.setattr("memtui.store.index.sessions._BUDGET", 600.0)  # however slow the machine is
    return SessionIndex(where, claude)


def look(index: SessionIndex, text: str, *, project: str = "", session: str = "") -> TurnsFound:
    wanted = parse_search(text)
    where = Filter(project, since=wanted.since, until=wanted.until, session=session)
    return index.search(wanted, where, limit=50, now=NOW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lamp driver", "s-1"),
        ("PDRIVER", "s-1"),
        ("door", "s-1 s-2"),
        ('"the door"', "s-1 s-2"),
        ('"driver ported"', ""),
        ("国", "s-1"),
        ("中国 bulb", "s-1"),
        ("file:lamp.py", "s-1"),
        ("file:make", ""),
        ('cmd:"go test"', "s-1"),
        ("cmd:bulb", ""),
        ("door before:2026-01-01", ""),
        ("door after:2026-01-02 before:2026-01-05", "s-1 s-2"),
        ("q", ""),
    ],
)
def test_what_is_found(index: SessionIndex, text: str, expected: str) -> None:
    found = look(index, text)
    assert found.complete and found.total == len(found.hits)
    assert {hit.session_id for hit in found.hits} == set(expected.split())


def test_a_hit_names_its_place(index: SessionIndex) -> None:
    (hit,) = look(index, "file:lamp.py").hits
    assert (hit.kind, hit.turn, hit.line, hit.project) == ("file", 1, 4, "/work/app")
    (hit,) = look(index, "undefined bulb").hits
    assert (hit.kind, hit.line, hit.title) == ("error", 7, "Port the lamp driver to 中国")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["undefined", "Bulb"]
    assert [passage.text for passage in hit.around][-2:] == ["undefined: Bulb", "The driver is ported."]


def test_in_a_session_a_project_or_everywhere(index: SessionIndex) -> None:
    assert {hit.session_id for hit in look(index, "door", project="/work/other").hits} == {"s-2"}
    assert {hit.session_id for hit in look(index, "door", session="s-1").hits} == {"s-1"}


def test_what_a_session_adds_is_found_and_nothing_twice(index: SessionIndex, claude: Path) -> None:
    path = claude / "projects" / "-work-app" / "s-1.jsonl"
    assert len(look(index, "door", session="s-1").hits) == 1
    more = Transcript(session_id="s-1", cwd="/work/app")
    more.say("The door is red, and the hinge holds.")
    more.user("And the window?")
    torn = more.data[:-20]
    with path.open("ab") as file:
        file.write(torn)
    assert [hit.turn for hit in look(index, "hinge door", session="s-1").hits] == [2]
    assert look(index, "window").total == 0  # its line is not whole yet
    with path.open("ab") as file:
        file.write(more.data[-20:])
    assert [hit.turn for hit in look(index, "window").hits] == [3]
    assert len(look(index, "door", session="s-1").hits) == 1


def test_a_transcript_that_is_another_one_or_gone_is_read_anew(index: SessionIndex, claude: Path) -> None:
    path = claude / "projects" / "-work-other" / "s-2.jsonl"
    assert look(index, "paint").total == 1
    t = Transcript(session_id="s-2", cwd="/work/other")
    t.user("Sweep the floor instead, and the stairs, and then the whole of the yard behind the house")
    path.write_bytes(t.data)
    assert (look(index, "paint").total, look(index, "sweep").total) == (0, 1)
    path.unlink()
    assert look(index, "sweep").total == 0


def test_no_secret_is_written(index: SessionIndex, where: Home, claude: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    t = Transcript(session_id="s-3", cwd="/work/app")
    t.user(f"Use {token} and <private>the blue one</private> for the upload")
    t.write(claude / "projects" / "-work-app", "s-3.jsonl")
    (hit,) = look(index, "upload").hits
    (passage,) = hit.around
    assert passage.text == "Use [masked: github token] and [private] for the upload"
    assert look(index, token[:10]).total == look(index, "blue one").total == 0
    for file in where.cache.iterdir():
        data = file.read_bytes().lower()
        assert token.lower().encode() not in data and b"blue one" not in data
        assert file.stat().st_mode & 0o077 == 0


def test_a_damaged_index_is_made_anew(index: SessionIndex, where: Home) -> None:
    assert look(index, "door").total == 2
    path = where.cache / "index.db"
    path.write_bytes(b"nothing of the kind" * 1000)
    assert look(index, "door").total == 2


def test_while_another_process_writes_what_is_there_is_found(
    index: SessionIndex, where: Home, claude: Path
) -> None:
    assert index.refresh()
    t = Transcript(session_id="s-4", cwd="/work/app")
    t.user("Another door")
    t.write(claude / "projects" / "-work-app", "s-4.jsonl")
    other = SessionIndex(where, claude)
    with other._database.locked():
        found = look(index, "door")
    assert (found.total, found.complete) == (2, False)
    assert look(index, "door").total == 3


def test_indexing_stops_and_goes_on(index: SessionIndex, where: Home, claude: Path) -> None:
    assert index.waiting() > 0
    assert not index.refresh(budget=0)
    assert index.refresh() and index.waiting() == 0
    assert update_index(Places(Project(where.data), where, claude))
    with sqlite3.connect(where.cache / "index.db") as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchone()[0] == 2
    connection.close()


def test_an_unreadable_transcript_hides_no_other(index: SessionIndex, claude: Path) -> None:
    os.mkfifo(claude / "projects" / "-work-app" / "pipe.jsonl")
    assert look(index, "door").total == 2


def test_several_searches_at_once_find_what_is_new(index: SessionIndex) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert [found.total for found in pool.map(lambda _: look(index, "door"), range(4))] == [2] * 4


@pytest.mark.parametrize(
    "place", ["s-1/subagents/agent-a1.jsonl", "s-1/subagents/deep/agent-a1.jsonl", "agent-a1.jsonl"]
)
def test_a_subagent_is_found_with_its_session(index: SessionIndex, claude: Path, place: str) -> None:
    t = Transcript(session_id="s-1", cwd="/work/app")
    t.envelope["isSidechain"] = True
    t.user("Look for the hinge")
    t.tool("Bash", "ok", command="grep -rn hinge")
    t.say("The hinge is in lamp.py")
    path = claude / "projects" / "-work-app" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(t.data)
    (hit,) = look(index, "hinge", session="s-1").hits
    assert (hit.session_id, hit.agent, hit.path) == ("s-1", "agent-a1", path)
    assert (hit.title, hit.project, hit.line) == ("Port the lamp driver to 中国", "/work/app", 1)
    assert [passage.kind for passage in hit.around] == ["ask", "command", "said"]
    assert index.has("s-1")


def test_a_deleted_session_is_found_in_the_archive(index: SessionIndex, where: Home, claude: Path) -> None:
    path = claude / "projects" / "-work-app" / "s-1.jsonl"
    agent = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    t = Transcript(session_id="s-1", cwd="/work/app")
    t.user("Look for the hinge")
    agent.write_bytes(t.data)
    archive = Archive(where, lambda: NOW)
    assert archive.keep(path, ArchiveSettings()) > 0
    live = look(index, "lamp driver").hits
    assert [hit.archived for hit in live] == [False]
    path.unlink()
    agent.unlink()
    (hit,) = look(index, "lamp driver").hits
    assert hit == replace(live[0], archived=True)
    (hit,) = look(index, "hinge").hits
    assert (hit.session_id, hit.agent, hit.archived) == ("s-1", "agent-a1", True)
    archive.remove(archive.find("s-1"))
    assert look(index, "lamp driver").total == look(index, "hinge").total == 0


def test_a_deleted_subagent_of_an_older_version_belongs_to_its_session(
    index: SessionIndex, where: Home, claude: Path
) -> None:
    path = claude / "projects" / "-work-app" / "s-1.jsonl"
    agent = path.with_name("agent-a1.jsonl")
    t = Transcript(session_id="s-1", cwd="/work/app")
    t.envelope["isSidechain"] = True
    t.user("Look for the hinge")
    agent.write_bytes(t.data)
    assert Archive(where, lambda: NOW).keep(path, ArchiveSettings()) > 0
    agent.unlink()
    (hit,) = look(index, "hinge").hits
    assert (hit.session_id, hit.agent, hit.archived) == ("s-1", "agent-a1", True)


def test_a_broken_copy_in_the_archive_hides_no_other(index: SessionIndex, where: Home, claude: Path) -> None:
    path = claude / "projects" / "-work-app" / "s-1.jsonl"
    archive = Archive(where, lambda: NOW)
    assert archive.keep(path, ArchiveSettings()) > 0
    path.unlink()
    archive.find("s-1").stem.with_name("s-1.1.frames").write_bytes(b"no frame")
    assert {hit.session_id for hit in look(index, "door").hits} == {"s-2"}


def test_texts_are_written_one_after_the_other(
    index: SessionIndex, claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    connect = schema.connect

    def traced(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(schema, "connect", traced)
    assert index.refresh()
    written = [number for number, each in enumerate(statements) if each.startswith("INSERT INTO words ")]
    assert len(written) == 3
    between = [
        each
        for each in statements[written[0] : written[-1]]
        if not each.startswith(("INSERT INTO words ", "--"))
    ]
    assert between == []


def test_damage_within_a_document_makes_the_index_anew(index: SessionIndex, claude: Path) -> None:
    assert look(index, "door").total == 2
    database = index._database

    def damage(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE docs SET passages = x'00'")

    with database.locked():
        database.write(damage)
    assert look(index, "door") == TurnsFound((), 0, False)
    assert look(index, "door").total == 2


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_a_mistake_of_ours_is_not_taken_for_a_broken_index(
    index: SessionIndex, where: Home, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    assert look(index, "door").total == 2
    inode = (where.cache / "index.db").stat().st_ino

    def fail(blob: bytes, start: int, stop: int) -> list[Passage]:
        raise error("ours")

    monkeypatch.setattr("memtui.store.index.sessions.passages_of", fail)
    with pytest.raises(error, match="ours"):
        look(index, "door")
    assert (where.cache / "index.db").stat().st_ino == inode
