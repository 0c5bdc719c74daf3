"""Session states from version to version, on the disk, and when one is due while sessions are followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.quotes import without_source
from memtui.documents.session_state import TaskKind, parse_session_state
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.state_updates import GROWTH, PAUSE, Following, documents_of, update_state
from memtui.store.states import StateStore, StoredState, read_progress
from tests import faults
from tests.processes import start_together
from tests.transcripts import Transcript

RED = 'the red one (the user\'s answer to "Which ledger?") (L5)'


class World:
    """A project with one session."""

    def __init__(self, folder: Path) -> None:
        (folder / "app" / ".git").mkdir(parents=True, exist_ok=True)
        self.home = memtui_home({"MEMTUI_HOME": str(folder)})
        self.project = Project(folder / "app")
        self.places = Places(self.project, self.home, folder / "claude")
        self.transcripts = folder / "claude" / "projects" / str(self.project.root).replace("/", "-")
        self.session = Transcript(session_id="s1", cwd=str(self.project.root))

    def says(self, words: str) -> None:
        self.session.user(words)
        self.session.write(self.transcripts, "s1.jsonl")

    def update(self, transcript: Path | None = None) -> StoredState | None:
        self.session.write(self.transcripts, "s1.jsonl")
        return update_state(self.places, transcript or self.transcripts / "s1.jsonl")

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
    assert done[0].startswith("Earlier: completed 17 tasks")
    assert [without_source(text) for text in done[1:]] == [f"task {number}" for number in range(17, 30)]


def test_an_update_may_be_killed_at_any_point(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 10


def _sweep(base: Path) -> int:
    def make(number: int) -> Path:
        world = World(base / str(number))
        world.says("Fix the refresh race. Never touch the schema.")
        world.update()
        world.says("Write the tests first. Do not add dependencies.")
        return base / str(number)

    def act(place: Path) -> None:
        update_state(World(place).places, World(place).transcripts / "s1.jsonl")

    def check(place: Path) -> None:
        def versions() -> list[int]:
            loaded = [store.load(entry) for entry in store.versions("s1")]
            assert all(each.state is not None and each.state.version == each.version for each in loaded)
            return [each.version for each in loaded]

        store = StateStore(World(place).project, World(place).home)
        assert versions() in ([2, 1], [1])
        act(place)  # the next run has everything
        assert versions() == [2, 1]
        text = store.load(store.versions("s1")[0]).text
        assert "Never touch the schema" in text
        assert "Do not add dependencies" in text

    return faults.kill_sweep(make, act, check)


def follower() -> Following:
    return Following(Places(Project(Path("/p")), memtui_home(), Path("/claude")), growth=100, pause=10)


def test_the_newest_session_is_due_at_the_first_look() -> None:
    following = follower()
    assert following.due({"new": 5, "old": 500}, 0) == ["new"]
    assert following.due({"new": 5, "old": 500}, 1000) == []


def test_one_that_pauses_is_due_once() -> None:
    following = follower()
    assert following.due({}, 0) == []
    assert [following.due({"a": 1}, now) for now in (1, 5, 11, 30)] == [[], [], ["a"], []]


def test_parallel_sessions_are_followed_each_for_itself() -> None:
    following = follower()
    following.due({"a": 100, "b": 100}, 0)
    assert following.due({"b": 250, "a": 150}, 1) == ["b"]
    assert following.due({"b": 250, "a": 150}, 11) == ["a"]


def test_a_transcript_that_is_smaller_is_another_one() -> None:
    following = follower()
    following.due({"a": 1000}, 0)
    assert following.due({"a": 500}, 1) == ["a"]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=60))
def test_nothing_is_forgotten_and_nothing_due_twice(steps: list[tuple[int, int]]) -> None:
    following = follower()
    size = noted = 0
    now = grown = 0.0
    following.due({"a": 0}, 0)
    for growth, seconds in steps:
        size += growth
        now += seconds
        grown = now if growth else grown
        due = following.due({"a": size}, now) == ["a"]
        assert due == (size - noted >= 100 or (size > noted and now - grown >= 10))
        if due:
            noted = size


def test_a_real_session_gets_a_version_only_for_news(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.says("Fix the token refresh race.")
    following = Following(world.places)
    (made,) = following.step(0)
    assert isinstance(made, StoredState)
    assert (made.version, made.session_id) == (1, "s1")
    world.says("And never touch the schema.")
    assert list(following.step(1)) == []
    (made,) = following.step(1 + PAUSE)
    assert isinstance(made, StoredState)
    assert made.version == 2
    assert "never touch the schema" in made.text
    assert list(following.step(2 + 2 * PAUSE)) == []
    another = Following(world.places)
    assert list(another.step(0)) == []
    assert len(StateStore(world.project, world.home).versions("s1")) == 2
    assert GROWTH < 1 << 20


_FOLLOWER = """
import sys
from pathlib import Path
from memtui.ground.clock import system_clock
from memtui.store.state_updates import update_state
from memtui.ground.project import Places, Project, memtui_home
base = Path(sys.argv[1])
places = Places(Project(base / "app"), memtui_home({"MEMTUI_HOME": str(base)}), base / "claude")
print("ready", flush=True)
input()
for number in range(12):
    with open(sys.argv[2], "a") as transcript:
        transcript.write(sys.argv[3].replace("NUMBER", f"{number} of {sys.argv[4]}") + "\\n")
    update_state(places, transcript=Path(sys.argv[2]))
"""


def test_two_followers_of_one_session_lose_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.says("Fix the token refresh race.")
    line = Transcript(session_id="s1", cwd=str(world.project.root))
    line.user("Never touch table NUMBER.")
    path = world.transcripts / "s1.jsonl"
    words = (str(tmp_path), str(path), line.data.decode().strip())
    start_together((_FOLLOWER, *words, name) for name in ("one", "two"))
    update_state(world.places, transcript=path)
    store = StateStore(world.project, world.home)
    versions = [store.load(entry) for entry in store.versions("s1")]
    assert [each.version for each in versions] == list(range(len(versions), 0, -1))
    assert all(each.state is not None and each.state.version == each.version for each in versions)
    assert len({each.text for each in versions}) == len(versions) > 1
    result = [f"table {number} of {name}" for number in range(12) for name in ("one", "two")]
    assert [words for words in result if words not in versions[0].text] == []
    assert not list(world.home.states.rglob("*.tmp"))
