"""The session state: which session is shown, stored or drafted, its keys and new versions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from textual.content import Content

from memtui.app import watch
from memtui.app.panes.pane import PaneId
from memtui.app.panes.state import StatePane
from memtui.app.project import ProjectModel
from memtui.app.readings import Sessions
from memtui.app.screens.dialogs import legend
from memtui.app.watch import Mark
from memtui.documents.session_state import (
    Decision,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    render_session_state,
)
from memtui.flows.restore import restore_session
from memtui.ground.files import FileProblem
from memtui.store.state_updates import update_state
from tests.app.harness import NARROW, SHORT, WIDE, Driver, make_app, opened
from tests.app.world import NOW, STATE, World, captured_session, clock
from tests.engines.stand_in import StandIn

TALK = STATE.replace(identity=Identity(project="harbor", branch="main", goal="Search that forgives"))
NO_SESSION = "There is no session yet: start Claude Code in this folder."
NO_TRANSCRIPT = "The transcript of this session no longer exists: nothing can be added to its state."


@pytest.fixture
def two(world: World) -> World:
    """Two sessions with stored states: s-1 three minutes ago, s-2 two hours ago."""
    for session, minutes, state in (("s-1", 3, STATE), ("s-2", 120, TALK)):
        writer = world.session(session, minutes=minutes + 1)
        writer.prompt("Go on")
        world.save(writer, minutes=minutes)
        world.state(state, session=session, version=state.version)
    return world


def title(driver: Driver) -> str:
    return Content.from_markup(str(driver.pane(PaneId.STATE).border_title)).plain


async def until_title(driver: Driver, text: str) -> None:
    await driver.until(lambda: title(driver) == text, text)
    await driver.settled()


async def until_count(driver: Driver, count: str) -> None:
    await driver.until(lambda: driver.pane(PaneId.STATE).count() == count, count)
    await driver.settled()


async def test_brackets_switch_between_sessions_and_end_with_the_newest_and_the_oldest(two: World) -> None:
    async with opened(two) as driver:
        await driver.press("4")
        assert title(driver) == "4 Session state v7 · session 1/2"
        assert "Tokens that refresh once" in driver.detail
        await driver.until(lambda: driver.detail.startswith("Session 1/2 · version 7 · Go on\n"))
        assert "] older" in driver.lines[-1] and "[ newer" not in driver.lines[-1]
        await driver.press("]")
        await until_title(driver, "4 Session state v7 · session 2/2 · quiet 2 h")
        legends = legend(driver.screen)
        assert {"v", "quiet"} <= legends["Session state"].keys() and "ctx" in legends["the first line"]
        assert "goal Search that forgives" in driver.drawn(PaneId.STATE)
        assert "Search that forgives" in driver.detail
        assert "quiet for 2 h, since 2026-03-05 11:19" in driver.detail
        assert "[ newer" in driver.lines[-1] and "] older" not in driver.lines[-1]
        await driver.press("]")
        await driver.until_said("This is the oldest session.")
        await driver.press("[", "]", "[")  # faster than the disk is looked at
        await until_title(driver, "4 Session state v7 · session 1/2")
        await driver.press("[")
        await driver.until_said("This is the newest session.")
        rows = driver.drawn(PaneId.STATE)
        assert "goal Tokens that refresh once" in rows
        assert rows[-2:] == ["decided one lock a session", "done Find the race"], "where there is room"
        assert driver.browser.query_one(StatePane).wanted_height(50) == len(rows)


async def test_the_first_row_stays_selected_in_another_session_and_back(two: World) -> None:
    async with opened(two) as driver:
        await driver.press("4")
        await until_title(driver, "4 Session state v7 · session 1/2")
        pane = driver.browser.state
        await driver.until(lambda: pane.selected == "session 1", "the name")
        await driver.press("]")
        await until_title(driver, "4 Session state v7 · session 2/2 · quiet 2 h")
        assert pane.index == 0
        await driver.press("[")
        await driver.until(lambda: pane.rows and pane.rows[0] == "session 1", "the name")
        assert pane.index == 0


async def test_a_view_from_before_the_choice_is_not_shown(two: World) -> None:
    async with opened(two) as driver:
        former = driver.browser.query_one(StatePane).view
        await driver.press("4", "]")
        driver.browser.publish(former)
        await until_title(driver, "4 Session state v7 · session 2/2 · quiet 2 h")
        driver.browser.publish(former)
        await driver.press("[")
        await until_title(driver, "4 Session state v7 · session 1/2")


async def test_a_session_without_a_document_is_drafted_when_it_is_switched_to(world: World) -> None:
    for session, minutes, words in (("s-1", 1, "Fix the race"), ("s-2", 2, "Forgive typos")):
        writer = world.session(session, minutes=minutes + 1)
        writer.prompt(words)
        world.save(writer, minutes=minutes)
    async with opened(world) as driver:
        await driver.press("4")
        await until_title(driver, "4 Session state drafted · session 1/2")
        await driver.press("]")
        await until_title(driver, "4 Session state drafted · session 2/2")
        assert "goal Forgive typos" in driver.drawn(PaneId.STATE)
        await driver.press("[")
        await until_title(driver, "4 Session state drafted · session 1/2")
        assert "goal Fix the race" in driver.drawn(PaneId.STATE)


async def test_with_one_session_or_none_the_brackets_say_why(world: World) -> None:
    async with opened(world) as driver:
        for key in "[]":
            await driver.press("4", key)
            assert driver.said.pop() == NO_SESSION, key
        assert "[ newer" not in driver.shown
        captured_session(world)
        driver.app.hint("transcripts 0")
        await until_count(driver, "drafted")
        for key in "[]":
            await driver.press(key)
            assert driver.said.pop() == "This project has no other session.", key


async def test_the_detail_shows_how_the_context_has_grown(world: World) -> None:
    writer = world.session("s-1", minutes=9)
    writer.prompt("Go on")
    writer.prompt("never push to main, I do that myself")
    for _ in range(6):
        writer.say("On it.")
    writer.compaction("What was before.")
    writer.say("On it again.")
    world.save(writer, minutes=3)
    world.state(STATE, version=7)
    async with opened(world, SHORT) as driver:
        await driver.press("4", "enter")
        await driver.until(lambda: "Context size" in driver.detail, "the chart")
        # There it is folded away, so that the document is seen first.
        assert "▸ Context size  now " in driver.shown
        assert "IDENTITY" in driver.shown
        await driver.press("tab", "enter")
        await driver.until(lambda: "▼ 1 compaction" in driver.detail, "the chart unfolded")
        assert "▾ Context size" in driver.shown
        assert "██▼" in driver.shown
        assert "Tokens that refresh once" in driver.detail
        await driver.press("enter")
        await driver.until(lambda: "▼ 1 compaction" not in driver.detail, "the fold")
        await driver.press("tab", "enter")
        await driver.until(lambda: "a summary has to keep: rules 1" in driver.detail, "what would go")
        assert "· never push to main, I do that myself (L2)" in driver.detail
        await driver.press("enter")
        await driver.until(lambda: "▸ Next compaction  what it would take" in driver.shown, "the fold")


async def test_p_copies_what_memtui_restore_prints(two: World, tmux: Path) -> None:
    async with opened(two) as driver:
        await driver.press("4", "]", "Y")
        await driver.until_said("buffer")
        assert (
            driver.last_said
            == "Copied the text that restores session s-2 into the tmux buffer: paste with prefix ]"
        )
        notes = restore_session(two.places, clock, session="s-2").text
        assert tmux.read_text() == notes
        assert "Search that forgives" in notes


async def test_without_a_session_there_is_nothing_to_copy_to_update_or_to_ask(world: World) -> None:
    async with opened(world) as driver:
        await driver.press("4")
        for key in ("Y", "n", "m", "v"):
            number = len(driver.said)
            await driver.press(key)
            assert driver.said[number:] == [NO_SESSION], key
            assert driver.at_home()


async def test_n_writes_a_version_now(world: World) -> None:
    captured_session(world)
    async with opened(world) as driver:
        await driver.press("4")
        await until_count(driver, "drafted")
        await driver.press("v")
        assert driver.last_said == "No version of this state is stored yet: n writes the first one."
        await driver.press("n")
        await driver.until_said("Version 1 is written: v shows what has changed.")
        await until_count(driver, "v1")
        await driver.press("n")
        await driver.until_said("Nothing new to say since v1.")
    assert update_state(world.places, transcript=world.transcript_path("s-1")) is None


async def test_without_its_transcript_a_state_stays_as_it_is(world: World) -> None:
    state = STATE.replace(identity=STATE.identity.replace(project=f"harbor ({world.root})"))
    world.state(state, session="s-9", version=7)
    async with opened(world) as driver:
        for key in "nm":
            await driver.press("4", key)
            assert driver.said.pop() == NO_TRANSCRIPT, key
    assert len(list((world.home.states / "s-9").iterdir())) == 1


ANSWER = SessionState(
    identity=Identity(goal="One refresh at a time"),
    tasks=(Task(kind=TaskKind.IN_PROGRESS, text="Take the lock"),),
    decisions=(Decision(text="one lock a session"),),
)


async def test_m_lets_a_model_word_the_next_version(world: World, claude: StandIn) -> None:
    captured_session(world)
    claude.says(f"<document>\n{render_session_state(ANSWER)}</document>")
    async with opened(world) as driver:
        await driver.press("4", "m")
        await driver.until_said("Claude wrote version 1.")
        await until_count(driver, "v1")
        assert "▸ Take the lock (no source)" in driver.drawn(PaneId.STATE)
        assert "Never refresh twice" in driver.detail
        assert "one lock a session" in driver.detail


async def test_where_the_model_fails_the_facts_stand_and_one_line_says_why(
    world: World, claude: StandIn
) -> None:
    captured_session(world)
    claude.says("", code=3, errors="\x1b[2Jno credits\n")
    async with opened(world) as driver:
        await driver.press("4", "m")
        await driver.until_said("made from the facts")
        assert driver.last_said.startswith("Claude ended with exit code 3: ")
        assert driver.last_said.endswith("no credits: version 1 is made from the facts.")
        assert "\x1b" not in driver.last_said
        await until_count(driver, "v1")
        await driver.press("m")
        await driver.until_said(": v1 stands.")


async def test_esc_calls_the_model_off(world: World, claude: StandIn) -> None:
    captured_session(world)
    claude.hangs()
    async with opened(world) as driver:
        await driver.press("4", "m")
        await driver.until((claude.notes / "child").exists, "the question")
        pane = driver.pane(PaneId.STATE)
        assert "esc cancels" in str(pane.border_subtitle)
        await driver.press("m")
        assert driver.last_said == "Claude is already working; esc cancels."
        await driver.press("enter", "escape")
        await driver.until_said("Called off: version 1 is made from the facts.")
        assert driver.reading()  # that esc was for the model
        assert str(pane.border_subtitle) == ""
        await driver.until(lambda: not claude.child_runs(), "the end of the program")


async def test_leaving_calls_the_model_off(world: World, claude: StandIn) -> None:
    captured_session(world)
    claude.hangs()
    async with opened(world) as driver:
        await driver.press("4", "m")
        await driver.until((claude.notes / "child").exists, "the question")
        app = driver.app
    assert app.is_running is False
    assert claude.child_ends()


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are followed at once and all the time."""
    monkeypatch.setattr(watch, "BEGIN", 0.0)
    monkeypatch.setattr(watch, "WRITE_INTERVAL", 0.02)


@pytest.mark.usefixtures("followed")
async def test_while_the_app_is_open_versions_are_written(world: World) -> None:
    writer = world.session("s-1", minutes=5)
    writer.prompt("Fix the race")
    world.save(writer, minutes=5)
    async with opened(world) as driver:
        await until_count(driver, "v1")
        writer.edit(f"{world.root}/src/tokens.py", "LOCK = None", "LOCK = Lock()")
        writer.say("x" * (300 << 10))
        world.save(writer)
        await until_count(driver, "v2")
        await driver.press("4")
        assert "src/tokens.py" in driver.detail
    assert not world.home.failure_log.exists()


@pytest.mark.usefixtures("followed")
async def test_an_old_session_is_drafted_and_not_written(world: World) -> None:
    writer = world.session("s-1", minutes=500)
    writer.prompt("Fix the race")
    world.save(writer, minutes=500)
    async with opened(world) as driver:
        await until_title(driver, "4 Session state drafted · quiet 8 h")
        for _ in range(20):
            await driver.pilot.pause(0.01)
        assert not world.home.states.exists()


def failing(error: Exception) -> Callable[..., None]:
    def update(*args: object, **options: object) -> None:
        raise error

    return update


@pytest.mark.usefixtures("followed")
async def test_why_no_version_can_be_written_is_said_once_and_stays_in_the_detail(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = captured_session(world)
    problem = FileProblem(world.home.states, "cannot be written: read-only file system")
    monkeypatch.setattr(watch, "update_fresh", failing(problem))
    async with opened(world) as driver:
        await driver.until_said("The session state is not kept: ")
        assert driver.last_said.endswith("states cannot be written: read-only file system.")
        await driver.press("4")
        await driver.until(lambda: "No version could be written: " in driver.detail, "the line")
        path.write_text(path.read_text() + "\n" * (300 << 10))
        for _ in range(20):
            await driver.pilot.pause(0.01)
        assert len(driver.said) == 1
        assert driver.mark is Mark.LIVE


@pytest.mark.usefixtures("followed")
async def test_an_unexpected_error_is_logged_and_the_app_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured_session(world)
    monkeypatch.setattr(watch, "update_fresh", failing(RuntimeError("no idea")))
    app = make_app(world)
    async with app.run_test(size=WIDE) as pilot:
        driver = Driver(app, pilot)
        await driver.until_said("Something is wrong in memtui (RuntimeError while following the sessions).")
        for _ in range(10):
            await pilot.pause(0.02)
        assert len(driver.said) == 1
        await driver.press("4")
        assert driver.at(PaneId.STATE)
    assert "no idea" in world.home.failure_log.read_text()


async def shows(driver: Driver, count: str) -> None:
    for name in ("states", "transcripts 0"):
        driver.app.hint(name)
    await driver.until(lambda: driver.pane(PaneId.STATE).count() == count, f"“{count}”")


@pytest.mark.parametrize(
    ("told_of", "row"),
    [
        ("pytest failed: no lock (resolved)", "resolved pytest failed: no lock"),
        (
            "Bash `pytest` failed at L7, ok when it ran again at L9: no lock",
            "resolved Bash `pytest` failed at L7",
        ),
        ("pytest failed: no lock (fixed by a lock)", "resolved pytest failed: no lock"),
        ("pytest failed: no lock (open)", "error pytest failed: no lock (open)"),
        ("f(resolved) raised", "error f(resolved) raised"),
    ],
)
async def test_an_error_that_is_over_is_not_shown_as_one(world: World, told_of: str, row: str) -> None:
    captured_session(world)
    world.state(STATE.model_copy(update={"working": WorkingContext(last_error=told_of)}), version=7)
    async with opened(world, WIDE) as driver:
        await shows(driver, "v7")
        await driver.until(lambda: row in map(str.strip, driver.drawn(PaneId.STATE)), "the row")


async def test_a_transcript_that_is_removed_takes_its_draft_along(world: World) -> None:
    async with opened(world) as driver:
        await shows(driver, "")
        captured_session(world)
        await shows(driver, "drafted")
        folder = world.transcript_path("s-1").parent
        aside = folder.rename(world.base / "aside")
        await shows(driver, "")
        aside.rename(folder)
        await shows(driver, "drafted")
        shutil.rmtree(folder)
        await shows(driver, "")


def talk(world: World, session: str, *, minutes: float, words: str = "Fix it") -> Path:
    """A session that said something so many minutes ago."""
    writer = world.session(session, minutes=minutes)
    writer.prompt(words)
    writer.say("I will.")
    return world.save(writer, minutes=minutes)


def browser(world: World) -> ProjectModel:
    return ProjectModel(world.places, clock)


def shown(sessions: Sessions) -> str:
    return sessions.current_view().session_id


def touch(path: Path, *, seconds: float) -> None:
    """Write a record of that time."""
    moment = NOW - timedelta(seconds=seconds)
    with path.open("a") as file:
        file.write(f'{{"type": "system", "timestamp": "{moment.isoformat()}"}}\n')
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def test_stored_ones_and_those_with_a_transcript_alone_are_one_list_newest_first(world: World) -> None:
    talk(world, "stored-and-said", minutes=30)
    world.state(STATE, session="stored-and-said")
    talk(world, "said", minutes=20)
    named = STATE.replace(identity=STATE.identity.replace(project=f"harbor ({world.root})"))
    os.utime(world.state(named, session="stored"), (0, (NOW - timedelta(hours=9)).timestamp()))
    world.state(STATE, session="of-another-project")
    found = browser(world).sessions.sessions()
    assert [each.session_id for each in found] == ["said", "stored-and-said", "stored"]
    # Writing a document is no sign of life: that is what memtui does.
    assert [NOW - each.active for each in found] == [timedelta(minutes=n) for n in (20, 30, 540)]


def test_two_sessions_at_work_do_not_take_turns(world: World) -> None:
    first, second = talk(world, "a", minutes=1), talk(world, "b", minutes=2)
    sessions = browser(world).sessions
    touch(first, seconds=5)
    assert shown(sessions) == "a"
    touch(second, seconds=3)
    assert shown(sessions) == "a"
    touch(first, seconds=25)
    assert shown(sessions) == "b"
    touch(first, seconds=0)
    assert shown(sessions) == "b"


def test_a_stored_state_says_how_far_it_is_behind(world: World) -> None:
    writer = world.session("s-1", minutes=30)
    writer.prompt("Fix it")
    path = world.save(writer, minutes=20)
    update_state(world.places, transcript=path)
    sessions = browser(world).sessions

    def since() -> int:
        return sessions.current_view().since

    assert since() == 0
    writer.bash("cat log", "Look", "x" * 70_000)
    world.save(writer, minutes=10)
    assert 5 <= since() <= 12
    # Reading on with nothing to say catches up, too, without a new version.
    update_state(world.places, transcript=path)
    assert since() == 0


async def test_a_session_whose_file_was_copied_is_quiet_since_its_last_record(two: World) -> None:
    os.utime(two.transcript_path("s-2"), (NOW.timestamp(), NOW.timestamp()))
    async with opened(two) as driver:
        await driver.press("4", "]")
        await until_title(driver, "4 Session state v7 · session 2/2 · quiet 2 h")
        await driver.press("S")
        await driver.until(lambda: "05 Mar 11:19" in driver.shown, "the time in the list")


async def test_how_long_it_has_been_quiet_is_said_anew_as_time_passes(
    two: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(two) as driver:
        await driver.press("4")
        assert "quiet" not in driver.detail
        monkeypatch.setattr(driver.browser.state, "clock", lambda: NOW + timedelta(minutes=20))
        driver.browser._let_time_pass()
        await driver.until(lambda: "quiet for 24 m" in driver.detail, "the quiet time")


async def test_a_hidden_detail_has_the_text_of_its_title_ready(two: World) -> None:
    async with opened(two, NARROW) as driver:
        await driver.press("4")
        await until_title(driver, "4 Session state v7 · session 1/2")
        await driver.press("enter")
        await driver.until(lambda: "Tokens that refresh once" in driver.shown, "the first session")
        await driver.press("escape", "]")
        await driver.until(lambda: "Search that forgives" in driver.detail, "the second one")
        await driver.settled()
        assert "Search that forgives" in driver.browser.detail._layout.document.text


async def test_enter_on_a_row_opens_the_detail_at_its_line(two: World) -> None:
    async with opened(two, size=SHORT) as driver:
        await driver.press("4", "G", "enter")
        await driver.until(lambda: "✓ Find the race" in driver.shown, "the line")
