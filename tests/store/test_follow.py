"""When a version is due, and what following a project's sessions does."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memtui.ground.project import Places, Project, memtui_home, transcript_slug
from memtui.store.state_updates import GROWTH, PAUSE, Followed, Following, update_state
from memtui.store.states import StateStore
from tests.processes import start_together
from tests.transcripts import Transcript


def follower() -> Following:
    return Following(Places(Project(Path("/p")), memtui_home(), Path("/claude")), growth=100, pause=10)


def test_the_newest_session_is_due_at_the_first_look() -> None:
    following = follower()
    assert following.due({"new": 5, "old": 500}, 0) == ["new"]
    following.note("new", 5)
    assert following.due({"new": 5, "old": 500}, 1000) == []


def test_what_is_not_noted_stays_due() -> None:
    following = follower()
    assert following.due({}, 0) == []
    assert [following.due({"a": 1}, now) for now in (1, 5, 11)] == [[], [], ["a"]]


def test_parallel_sessions_are_followed_each_for_itself() -> None:
    following = follower()
    following.due({"a": 100, "b": 100}, 0)
    following.note("a", 100)
    assert following.due({"b": 250, "a": 150}, 1) == ["b"]
    following.note("b", 250)
    assert following.due({"b": 250, "a": 150}, 11) == ["a"]


def test_a_transcript_that_is_smaller_is_another_one() -> None:
    following = follower()
    following.due({"a": 1000}, 0)
    following.note("a", 1000)
    assert following.due({"a": 500}, 1) == ["a"]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=60))
def test_nothing_is_forgotten_and_nothing_noted_twice(steps: list[tuple[int, int]]) -> None:
    following = follower()
    size = noted = 0
    now = grown = 0.0
    following.due({"a": 0}, 0)
    following.note("a", 0)
    for growth, seconds in steps:
        size += growth
        now += seconds
        grown = now if growth else grown
        due = following.due({"a": size}, now) == ["a"]
        assert due == (size - noted >= 100 or (size > noted and now - grown >= 10))
        if due:
            following.note("a", size)
            noted = size


class Session:
    """A project with a session in which one thing was said."""

    def __init__(self, base: Path) -> None:
        root = base / "harbor"
        root.mkdir()
        home = memtui_home({"MEMTUI_HOME": str(base / "memtui")})
        self.places = Places(Project(root), home, base / "claude")
        self.said = Transcript(session_id="a", cwd=str(root))
        self.says("Fix the token refresh race.")

    def says(self, words: str) -> None:
        self.said.user(words)
        self.path = self.said.write(
            self.places.claude / "projects" / transcript_slug(self.places.project.root), "a.jsonl"
        )


def test_a_real_session_gets_a_version_only_for_news(tmp_path: Path) -> None:
    session = Session(tmp_path)
    following = Following(session.places)
    (followed,) = following.step(0)
    assert followed.stored is not None
    assert (followed.stored.version, followed.stored.session_id) == (1, "a")
    session.says("And never touch the schema.")
    assert list(following.step(1)) == []
    (followed,) = following.step(1 + PAUSE)
    assert followed.stored is not None
    assert followed.stored.version == 2
    assert "never touch the schema" in followed.stored.text
    assert list(following.step(2 + 2 * PAUSE)) == []
    another = Following(session.places)
    assert list(another.step(0)) == [Followed("a")]
    assert len(StateStore(session.places.project, session.places.home).versions("a")) == 2
    assert GROWTH < 1 << 20


_FOLLOWER = """
import sys
from pathlib import Path
from memtui.ground.clock import system_clock
from memtui.store.state_updates import update_state
from memtui.ground.project import Places, Project, memtui_home
base = Path(sys.argv[1])
places = Places(Project(base / "harbor"), memtui_home({"MEMTUI_HOME": str(base / "memtui")}), base / "claude")
print("ready", flush=True)
input()
for number in range(12):
    with open(sys.argv[2], "a") as transcript:
        transcript.write(sys.argv[3].replace("NUMBER", f"{number} of {sys.argv[4]}") + "\\n")
    update_state(places, transcript=Path(sys.argv[2]))
"""


def test_two_followers_of_one_session_lose_nothing(tmp_path: Path) -> None:
    session = Session(tmp_path)
    line = Transcript(session_id="a", cwd=str(session.places.project.root))
    line.user("Never touch table NUMBER.")
    words = (str(tmp_path), str(session.path), line.data.decode().strip())
    start_together((_FOLLOWER, *words, name) for name in ("one", "two"))
    update_state(session.places, transcript=session.path)
    store = StateStore(session.places.project, session.places.home)
    versions = [store.load(entry) for entry in store.versions("a")]
    assert [each.version for each in versions] == list(range(len(versions), 0, -1))
    assert all(each.state is not None and each.state.version == each.version for each in versions)
    assert len({each.text for each in versions}) == len(versions) > 1
    result = [f"table {number} of {name}" for number in range(12) for name in ("one", "two")]
    assert [words for words in result if words not in versions[0].text] == []
    assert not list(session.places.home.states.rglob("*.tmp"))
