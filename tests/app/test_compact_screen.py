"""c makes a memory of the current session: drafted, changed, checked, stored, its id shown and copied."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from memtui.app.panes.pane import PaneId
from memtui.app.screens import compact
from memtui.app.screens.compact import CompactScreen
from memtui.app.screens.dialogs import ConfirmScreen, StoredScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.documents.memory import StoredMemory, parse_stored
from memtui.store.compact import draft
from memtui.transcript.facts import read_facts
from tests.app.harness import NARROW, SIZES, WIDE, Driver, opened
from tests.app.world import World, captured_session


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "_PAUSE", 0.0)


def screen(driver: Driver) -> CompactScreen:
    assert isinstance(driver.screen, CompactScreen)
    return driver.screen


def checks(driver: Driver) -> str:
    return screen(driver).query_one("#compact-checks", DocumentView).document.text


async def start(driver: Driver) -> CompactScreen:
    await driver.press("c")
    await driver.until(lambda: screen(driver).text_area.text and checks(driver), "the draft")
    return screen(driver)


def drafted(world: World) -> str:
    return draft(world.places).text


def memories(world: World) -> list[StoredMemory]:
    return [parse_stored(path.read_bytes()) for path in sorted(world.home.memories.rglob("CMEM-*.md"))]


@pytest.mark.parametrize("size", SIZES)
async def test_it_drafts_checks_stores_and_shows_the_id(full: World, size: tuple[int, int]) -> None:
    before = memories(full)
    async with opened(full, size) as driver:
        shown = await start(driver)
        assert "## Session ID\n(none)\n\n" + shown.text_area.text == drafted(full)
        assert "checklist 13 ✓" in checks(driver)
        assert shown.query_one("#compact-description", Input).value == "Fix the token refresh race"
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.screen, StoredScreen), "the id")
        (new,) = [each for each in memories(full) if each not in before]
        assert new.body.decode() == drafted(full)
        assert (new.meta.description, new.meta.source) == ("Fix the token refresh race", "compact")
        assert (new.meta.project, new.meta.session_id) == (str(full.root), "s-1")
        assert new.meta.id in driver.shown
        await driver.until(lambda: driver.app.clipboard == new.meta.id, "the copy")
        (file,) = full.home.memories.rglob(f"{new.meta.id}.md")
        assert str(driver.screen.query_one("#stored-file", Static).content) == f"kept in {file}"
        await driver.press("Y")
        await driver.until(lambda: f"Memory {new.meta.id}" in driver.app.clipboard, "the copy")
        await driver.press("escape")
        assert driver.at_home()
        await driver.until(lambda: f"{new.meta.id}.md" in driver.pane(PaneId.MEMORIES).rows, "its row")
        await driver.press("u")
        assert (
            await driver.until_said("Undone")
            == f"Undone: stored {new.meta.id}, so it is in the trash. ctrl+r does it again."
        )
        assert memories(full) == before


async def test_an_unchanged_session_is_stored_once(full: World) -> None:
    async with opened(full) as driver:
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.screen, StoredScreen), "the id")
        await driver.press("escape")
        (new,) = [each for each in memories(full) if each.meta.source == "compact"]
        await start(driver)
        await driver.press("ctrl+s")
        said = await driver.until_said("Already stored")
        assert said == f"Already stored as {new.meta.id}: the session has not changed since."
        await driver.until(driver.at_home, "the return")
        assert [each for each in memories(full) if each.meta.source == "compact"] == [new]


async def test_the_edited_text_is_stored(full: World) -> None:
    async with opened(full) as driver:
        shown = await start(driver)
        await driver.press("f2", "end", *" now", "tab", *"auth, jwt", "tab")
        assert shown.focused is shown.query_one("#compact-checks")
        await driver.press("f2")
        shown.text_area.move_cursor(shown.text_area.document.end)
        await driver.press(*" Mind the mock.")
        shown.text_area.text = f"## Session ID\nWFS-1\n\n{shown.text_area.text}"
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.screen, StoredScreen), "the id")
        (new,) = [each for each in memories(full) if each.meta.source == "compact"]
        assert new.meta.description == "Fix the token refresh race now"
        assert new.meta.tags == ("auth", "jwt")
        assert new.body.decode() == drafted(full).replace("(none)", "WFS-1", 1) + " Mind the mock."


async def test_a_point_of_the_checklist_leads_to_its_line(full: World) -> None:
    async with opened(full, NARROW) as driver:
        shown = await start(driver)
        text = shown.text_area.text.replace(str(full.root), "somewhere", 1)
        shown.text_area.text = text
        await driver.until(lambda: "✗ Project Root" in checks(driver), "the check")
        await driver.press("f2")
        assert driver.has("#compact-form")
        await driver.press("tab", "tab", "enter", "enter")
        assert shown.focused is shown.text_area
        assert text.split("\n")[shown.text_area.cursor_location[0]] == "somewhere"


async def test_a_text_that_is_none_is_not_stored(full: World) -> None:
    before = memories(full)
    async with opened(full) as driver:
        shown = await start(driver)
        shown.text_area.text = "Nothing of it."
        await driver.until(lambda: "not a recovery text" in checks(driver), "the check")
        await driver.press("ctrl+s")
        await driver.until_said("Not stored")
        assert shown is driver.screen
        assert memories(full) == before


async def test_esc_leaves_a_draft_and_asks_when_something_was_written(full: World) -> None:
    async with opened(full) as driver:
        await start(driver)
        await driver.press("escape")
        assert driver.at_home()
        shown = await start(driver)
        await driver.press("x", "escape")
        assert isinstance(driver.screen, ConfirmScreen)
        await driver.press("n")
        assert screen(driver) is shown
        await driver.press("ctrl+q")
        assert isinstance(driver.screen, ConfirmScreen)
        await driver.press("y")
        assert driver.at_home()
        assert not driver.app.left


async def test_it_is_of_the_session_of_the_selected_row(full: World) -> None:
    captured_session(full, "s-9", "Paint the gate", minutes=300)
    full.capture(290, "Paint the gate", session="s-9")
    async with opened(full) as driver:
        await driver.press("j", "j")
        await start(driver)
        assert "Recovery text of session s-9" in driver.shown


async def test_without_a_session_it_says_so(world: World) -> None:
    async with opened(world) as driver:
        await driver.press("c")
        assert "has no session" in await driver.until_said("Claude Code was not used here")
        await driver.until(driver.at_home, "the way back")


async def test_it_says_how_far_it_is_and_can_be_left(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()

    def slowly(transcript: Path, *, progress: object, cancelled: object) -> object:
        assert callable(progress) and callable(cancelled)
        progress(3, 10)
        while not cancelled():
            stopped.wait(0.01)
        stopped.set()
        return read_facts(transcript, cancelled=cancelled)

    monkeypatch.setattr("memtui.store.compact.read_facts", slowly)
    async with opened(full, WIDE) as driver:
        await driver.press("c")
        await driver.until(lambda: "reading the transcript 30%" in driver.shown, "the progress")
        await driver.press("ctrl+s", "escape")
        await driver.until(lambda: driver.at_home() and stopped.is_set(), "the end")
        assert driver.said == []
