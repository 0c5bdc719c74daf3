"""The versions of a session state, and the changes between any two."""

from __future__ import annotations

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.screens import versions as screen_module
from memtui.app.screens.versions import Version, VersionsScreen, changes_document, state_versions, title_of
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.row_list import RowList
from memtui.documents.session_state import Decision, Identity, SessionState, Task, TaskKind, WorkingContext
from memtui.store.states import StateStore
from tests.app.harness import SHORT, WIDE, Driver, opened
from tests.app.world import World

FIRST = SessionState(
    identity=Identity(project="harbor", branch="main", goal="Tokens that refresh once"),
    tasks=(
        Task(kind=TaskKind.IN_PROGRESS, text="Find the race"),
        Task(kind=TaskKind.NEXT, text="Take the lock before reading"),
    ),
    decisions=(Decision(text="one lock a session"),),
    working=WorkingContext(last_compile="FAILURE: 2 of 9 tests"),
)
SECOND = FIRST.replace(
    version=2,
    tasks=(
        Task(kind=TaskKind.DONE, text="Find the race"),
        Task(kind=TaskKind.IN_PROGRESS, text="Take the lock before reading"),
    ),
    decisions=(*FIRST.decisions, Decision(kind="constraint", text="never refresh twice")),
    working=WorkingContext(last_compile="SUCCESS: 9 of 9 tests"),
)
THIRD = SECOND.replace(version=3, working=WorkingContext(last_compile="SUCCESS: 10 of 10 tests"))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_module, "_PAUSE", 0.0)


@pytest.fixture
def three(world: World) -> World:
    """Three versions, and a broken one between the last two."""
    world.save(world.session("s-1"))
    for number, state in ((1, FIRST), (2, SECOND), (4, THIRD.replace(version=4))):
        world.state(state, version=number)
    world.state("\x1b[2Jnothing of the kind", version=3)
    return world


class Screen:
    """The screen, as it is seen."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        assert isinstance(driver.screen, VersionsScreen)
        self.listing = driver.screen.query_one("#versions", RowList)
        self.view = driver.screen.query_one("#changes", DocumentView)

    @property
    def rows(self) -> list[str]:
        assert isinstance(self.driver.screen, VersionsScreen)
        return [self.driver.screen._draw(key, 60).plain for key in self.listing.rows]

    @property
    def compared(self) -> str:
        return str(self.view.border_title)

    @property
    def changes(self) -> list[str]:
        return self.view.document.text.split("\n")


async def shown(driver: Driver) -> Screen:
    await driver.press("4")
    await driver.until(lambda: driver.pane(PaneId.STATE).subject.file, "a stored state")
    await driver.press("v")
    await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the screen")
    screen = Screen(driver)
    await driver.until(lambda: screen.listing.rows and screen.compared, "the versions")
    await driver.settled()
    return screen


def listed(world: World) -> dict[str, Version]:
    return state_versions(StateStore(world.project, world.home), "s-1")


def test_a_decision_that_comes_back_is_not_new(world: World) -> None:
    for number, decisions in enumerate(
        (("a",), ("a", "b"), ("a",), ("a", "b", "c")), 1
    ):  # no writer of ours would lose one, but a person may
        kept = tuple(Decision(text=text) for text in decisions)
        world.state(FIRST.replace(version=number, decisions=kept), version=number)
    assert [each.new_decisions for each in listed(world).values()] == [1, 0, 1, 1]


def text_of(older: Version | None, newer: Version) -> list[str]:
    return changes_document(older, newer).text.split("\n")


def test_what_has_changed_word_by_word(three: World) -> None:
    versions = listed(three)
    compared = versions["v1"], versions["v2"]
    assert title_of(*compared) == "v1 → v2"
    lines = text_of(*compared)
    assert lines[0].startswith("1 new decision · ")
    assert "+ NEW • Constraint: never refresh twice" in lines
    assert "~ • Last compile: [-FAILURE-] {+SUCCESS+}: [-2-] {+9+} of 9 tests" in lines
    assert not any("Session goal" in line for line in lines)
    assert "+ ✓ Find the race" in lines and any(line.startswith("~ ▸ [-Find") for line in lines)
    document = changes_document(*compared)
    (changed,) = (line for line in document.lines if "Last compile" in line.text)
    roles = {changed.text[span.start : span.end]: span.role for span in changed.spans}
    assert (roles["[-FAILURE-]"], roles["{+SUCCESS+}"]) == ("removed", "added")


def test_a_broken_version_says_why_and_what_it_has(three: World) -> None:
    broken = listed(three)["v3"]
    assert title_of(None, broken) == "v3 is broken"
    lines = text_of(None, broken)
    assert lines[0].startswith("v3 is broken: it has neither ")
    assert lines[-1].endswith("nothing of the kind")
    assert "\x1b" not in lines[-1]


async def test_v_lists_the_versions_and_shows_what_the_newest_changed(three: World) -> None:
    async with opened(three) as driver:
        screen = await shown(driver)
        assert [row.split()[0] for row in screen.rows] == ["v4", "v3", "v2", "v1"]
        assert screen.rows[0].split()[1:5] == ["05", "Mar", "13:20", "Take"]
        assert screen.rows[2].split()[4] == "+1"
        assert "is broken" in screen.rows[1]
        assert screen.compared == "v2 → v4"  # the broken one between them is passed over
        # A shows the version itself, or what has changed.
        few = screen.changes
        await driver.press("A")
        assert screen.compared == "v4" and "▸ Take the lock before reading" in screen.changes
        assert any("Tokens that refresh once" in line for line in screen.changes)
        await driver.press("A")
        assert screen.changes == few
        await driver.press("j")
        assert screen.compared == "v3 is broken"
        await driver.press("j")
        assert screen.compared == "v1 → v2"
        await driver.press("G")
        assert screen.compared == "v1, the first"
        await driver.press("A")
        assert driver.last_said == "This is the first version: all of it is shown."
        assert not any(line.lstrip().startswith("+ ") for line in screen.changes)


async def test_list_and_changes_are_both_in_sight_and_reached_by_keys(three: World) -> None:
    async with opened(three) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            screen = await shown(driver)
            assert driver.has("#versions"), size
            assert driver.has("#changes"), size
            assert "v4" in driver.lines[0 if size == SHORT else 1], size
            assert "v2 → v4" in driver.shown, size
            await driver.press("enter")
            assert screen.view.has_focus, size
            await driver.press("tab")
            assert screen.listing.has_focus, size
            await driver.press("tab", "escape")
            assert screen.listing.has_focus, size
            await driver.press("escape")
            assert driver.at_home(), size
            assert driver.at(PaneId.STATE), size
        for key in "qv":  # from wherever one is
            await shown(driver)
            await driver.press("enter", key)
            assert driver.at_home(), key
            assert not driver.app.left, key


async def test_o_opens_the_transcript_at_the_line_that_is_quoted(three: World) -> None:
    session = three.session("s-1")
    for words in ("Go on", "Then the next", "And the last"):
        session.prompt(words)
    three.save(session)
    decided = (*THIRD.decisions, Decision(text="two locks (L1)"))
    three.state(THIRD.replace(version=5, decisions=decided), version=5)
    async with opened(three) as driver:
        await shown(driver)
        await driver.press("o")
        await driver.until(lambda: "─ L1 ─" in driver.lines[-2], "the line")
        await driver.press("escape")
        assert isinstance(driver.screen, VersionsScreen)
