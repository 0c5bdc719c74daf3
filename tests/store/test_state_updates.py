"""Session states from version to version, on the disk."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.documents.quotes import without_source
from memtui.documents.session_state import TaskKind, parse_session_state
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project
from memtui.store.state_updates import documents_of, update_state
from memtui.store.states import StoredState, read_progress
from tests.transcripts import Transcript


def clock() -> datetime:
    return datetime(2026, 1, 2, 10, 0, tzinfo=UTC)


RED = 'the red one (the user\'s answer to "Which ledger?") (L5)'


class World:
    """A project with one session."""

    def __init__(self, folder: Path) -> None:
        (folder / "app" / ".git").mkdir(parents=True)
        names = ("data", "cache", "state", "config")
        self.home = Home(*(folder / name for name in names))
        self.project = Project(folder / "app")
        self.places = Places(self.project, self.home, folder / "claude")
        self.transcripts = folder / "claude" / "projects" / str(self.project.root).replace("/", "-")
        self.session = Transcript(session_id="s1", cwd=str(self.project.root))

    def update(self, **options: object) -> StoredState | None:
        self.session.write(self.transcripts, "s1.jsonl")
        return update_state(self.places, **options)  # type: ignore[arg-type]

    @property
    def versions(self) -> list[str]:
        return sorted(path.name for path in (self.home.states / "s1").glob("v*.md"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.session.user("Make refunds give the stock back. Never touch the public API.")
    world.session.edit(f"{world.project.root}/ledger.py")
    asked = world.session.call("AskUserQuestion", questions=[{"question": "Which ledger?"}])
    world.session.result(asked, "answered", detail={"answers": {"Which ledger?": "the red one"}})
    return world


def text_of(stored: StoredState | None) -> str:
    assert stored is not None
    return stored.text


def test_nothing_new_writes_nothing(world: World) -> None:
    world.update()
    assert world.update() is None
    world.session.record({"type": "mode", "mode": "default", "sessionId": "s1"})
    assert world.update() is None  # it grew, and says nothing
    assert read_progress(world.home, "s1") == (1, len(world.session.data))
    assert world.versions == ["v0001.md"]


@pytest.mark.parametrize("content", [b"", b'{"type": "user", "mess'])
def test_a_transcript_that_was_emptied_takes_nothing_back(world: World, content: bytes) -> None:
    world.update()
    world.session.data = content
    assert world.update(transcript=world.transcripts / "s1.jsonl") is None
    assert world.versions == ["v0001.md"]


def test_other_files_than_transcripts_make_no_version(world: World) -> None:
    world.session.data = b"root:x:0:0\n\0\0\0\n"
    with pytest.raises(FileProblem, match=r"s1.jsonl is not a transcript: not one of its 2 lines is JSON$"):
        world.update(transcript=world.transcripts / "s1.jsonl")
    assert world.versions == []


@pytest.mark.parametrize("content", ["", "{}", '{"format": 1}', "\x00\xff"])
def test_a_progress_file_that_is_broken_or_missing_costs_only_time(world: World, content: str) -> None:
    world.update()
    path = world.home.states / "s1" / "progress.json"
    path.write_text(content)
    assert world.update() is None
    path.unlink()
    world.session.user("also log each refund")
    assert "also log each refund" in text_of(world.update())


def test_a_version_without_its_progress_is_gone_on_from(world: World) -> None:
    world.update()
    old = (world.home.states / "s1" / "progress.json").read_bytes()
    world.session.user("we use the ledger table for that, let's keep the old one")
    world.update()
    (world.home.states / "s1" / "progress.json").write_bytes(old)  # as if killed in between
    assert world.update() is None
    assert world.versions == ["v0001.md", "v0002.md"]


def test_a_persons_additions_to_a_version_stay(world: World) -> None:
    stored = world.update()
    assert stored is not None
    edited = stored.text.replace("## WORKING", "## MY NOTES\n\ncall Ann\n\n## WORKING")
    stored.path.write_text(edited.replace("- Branch: main\n", "- Branch: main\n- Deadline: Friday\n"))
    world.session.edit(f"{world.project.root}/stock.py")
    text = text_of(world.update())
    assert "## MY NOTES\ncall Ann\n" in text
    assert "- Deadline: Friday\n" in text


def test_behind_a_broken_version_the_last_sound_one_counts(world: World) -> None:
    world.update()
    (world.home.states / "s1" / "v0002.md").write_text("torn")
    world.session.edit(f"{world.project.root}/stock.py")
    stored = world.update()
    assert stored is not None
    assert stored.version == 3
    assert "Never touch the public API." in stored.text


def test_a_version_cut_off_that_is_the_only_one_is_gone_on_from(world: World) -> None:
    world.update()
    path = world.home.states / "s1" / "v0001.md"
    path.write_text("=== SESSION STATE v1 ===\n\n## KEY DECISIONS\n- Decision: Keep the ledger\n")
    world.session.edit(f"{world.project.root}/stock.py")
    assert f"- Decision: Keep the ledger\n- Decision: {RED}" in text_of(world.update())


def test_a_beginning_that_several_sessions_share_names_none(world: World) -> None:
    """Neither when only one of them has a version yet, nor when the transcript of that one is gone."""
    world.update()
    other = Transcript(session_id="s12", cwd=str(world.project.root))
    other.user("Write the manual")
    other.write(world.transcripts, "s12.jsonl")
    with pytest.raises(FileProblem, match="has several sessions that begin like this: s"):
        documents_of(world.places, session="s")
    named = documents_of(world.places, session="s1")  # a whole id is no beginning
    assert (named.session_id, named.transcript) == ("s1", world.transcripts / "s1.jsonl")
    (world.transcripts / "s1.jsonl").unlink()
    with pytest.raises(FileProblem, match="has several sessions that begin like this: s"):
        documents_of(world.places, session="s")
    assert documents_of(world.places, session="s1").version().version == 1


def test_a_transcript_that_is_not_there_is_said_in_a_sentence(world: World, tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        world.update(transcript=tmp_path / "gone.jsonl")


def test_tasks_go_on_over_many_versions(world: World) -> None:
    for number in range(30):
        made = world.session.call("TaskCreate", subject=f"task {number}")
        world.session.result(
            made, f"Task #{number} created", detail={"task": {"id": str(number), "subject": f"task {number}"}}
        )
        if number % 7 == 3:
            world.update()
        world.session.tool("TaskUpdate", "Updated", taskId=str(number), status="completed")
    state = parse_session_state(text_of(world.update()))
    done = [task.text for task in state.tasks if task.kind is TaskKind.DONE]
    assert done[0].startswith("Earlier: completed 16 tasks")
    assert [without_source(text) for text in done[1:]] == [f"task {number}" for number in range(16, 30)]
