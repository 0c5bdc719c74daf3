"""The detail of a session: asks, end, context, and results; each can be opened."""

from __future__ import annotations

import pytest

from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.screens.sessions import SessionsScreen
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.document_view import DocumentView
from tests.app.harness import Driver, opened
from tests.app.world import KEPT, World

TREE = [
    "RESULTS  2 compactions · 3 captures · 2 memories",
    "▼ 05 Mar 12:19  auto",
    "  └ capture 05 Mar 12:00 reviewed  Paint the pier",
    "    └ memory file  Billing moved",
    "▼ 05 Mar 12:33  auto",
    "  └ capture 05 Mar 12:30 pending  Paint the pier",
    "\n● capture 05 Mar 13:15 pending  Not compacted in the end",
    "\n● CMEM-20260305-140007  A note on paint",
]


@pytest.fixture
def compacted(world: World) -> World:
    """A session with two compactions, a capture of each, a third capture, and two memories."""
    session = world.session("s-1", minutes=82)
    for number in range(12):
        session.prompt(f"Paint pier {number}" if number else "Paint the pier")
        session.say("Painted.")
    for minutes in (60, 40):
        session.wait(minutes=minutes / 3)
        session.compaction("The pier is half painted.")
    session.prompt("And the rest?")
    session.say("All of it is blue.")
    world.save(session)
    world.reviewed_capture(80, "Paint the pier", KEPT)
    world.capture(50, "Paint the pier")
    world.capture(5, "Not compacted in the end")
    world.capture(4, "Of another session", session="s-9")
    world.memory(20, "A note on paint", session="s-1")
    world.memory(19, "Of another session", session="s-9")
    return world


async def detail(driver: Driver) -> DocumentView:
    await driver.press("S")
    view = driver.screen.query_one("#session", DocumentView)
    await driver.until(lambda: "RESULTS" in view.document.text, "the tree")
    return view


async def test_it_shows_what_came_of_the_session_as_a_tree(compacted: World) -> None:
    async with opened(compacted) as driver:
        text = (await detail(driver)).document.text
        at = -1
        for part in TREE:
            found = text.find(part, at + 1)
            assert found > at, f"{part!r} in:\n{text}"
            at = found
        assert "Of another session" not in text
        assert "Context size" in text and "2 compactions" in text
        assert "CLOSING MESSAGE" in text and "All of it is blue." in text


async def mark(driver: Driver, view: DocumentView, part: str) -> None:
    """Press tab until a line is marked."""
    driver.screen.set_focus(view)
    for _ in view.document.links:
        await driver.press("tab")
        if part in view.document.lines[view._link].text:
            return
    raise AssertionError(f"{part!r} is no link")


@pytest.mark.parametrize(
    ("part", "shows", "where"),
    [
        ("▼ ", "COMPACTED", TranscriptScreen),
        ("13:15", "Not compacted in the end", ReadingScreen),
        ("memory file", "Move billing", ReadingScreen),
        ("CMEM-20260305-140007", "Keep every session valid", ReadingScreen),
    ],
)
async def test_enter_opens_what_a_line_names_and_comes_back(
    compacted: World, part: str, shows: str, where: type[object]
) -> None:
    async with opened(compacted) as driver:
        view = await detail(driver)
        await mark(driver, view, part)
        await driver.press("enter")
        assert isinstance(driver.screen, where)
        await driver.until(lambda: shows in driver.shown, shows)
        await driver.press("escape")
        assert isinstance(driver.screen, SessionsScreen)
        assert driver.screen.focused is view and part in view.document.lines[view._link].text


async def test_only_the_newest_asks_show_until_the_others_are_unfolded(compacted: World) -> None:
    async with opened(compacted) as driver:
        view = await detail(driver)
        assert "❯ Paint the pier" not in view.document.text and "❯ And the rest?" in view.document.text
        await mark(driver, view, "3 earlier")
        await driver.press("enter")
        assert "❯ Paint the pier" in view.document.text
        await driver.press("enter")
        assert "❯ Paint the pier" not in view.document.text
