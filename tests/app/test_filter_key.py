"""/ filters while typing; the arrows move the selection; enter keeps the filter, esc drops it."""

from __future__ import annotations

from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from tests.app.harness import SHORT, WIDE, Driver, opened
from tests.app.world import FIRST, World


def rows(driver: Driver) -> int:
    return len(driver.browser.pane.rows)


async def test_it_filters_with_every_letter(full: World) -> None:
    async with opened(full) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            assert rows(driver) == 3, size
            await driver.press("slash")
            assert driver.has("#filter-line"), size
            assert isinstance(driver.browser.focused, Input), size
            assert driver.lines[-2].startswith(" / filter, enter keeps it"), size
            await driver.press("e", "x")
            await driver.until(lambda: rows(driver) == 1)
            assert driver.lines[-2].startswith(" / ex"), size
            assert driver.lines[-1].split() == ["esc", "drop", "^p", "palette", "f1", "help"], size
            assert "Make the export stream" in driver.shown, size
            assert FIRST not in "".join(driver.drawn(PaneId.PENDING)), size
            await driver.press("backspace", "backspace")
            await driver.until(lambda: rows(driver) == 3)
            await driver.press("escape", "g")


async def test_letters_that_are_keys_elsewhere_are_text_here_and_the_arrows_move(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("slash")
        await driver.type("qxRu1z?jk")
        assert driver.browser.query_one("#filter", Input).value == "qxRu1z?jk"
        assert driver.browser.pane.filter_text == "qxRu1z?jk"
        assert not driver.app.left
        assert driver.said == []
        await driver.press("escape")
        await driver.until(lambda: rows(driver) == 3)
        await driver.press("g", "slash", "e", "down")
        pane = driver.browser.pane
        assert pane.index == 1
        assert isinstance(driver.browser.focused, Input)
        assert "Make the export" in driver.detail
        await driver.press("up")
        assert pane.index == 0


async def test_enter_keeps_the_filter_and_escape_or_a_click_on_the_title_drops_it(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("slash")
        await driver.type("stream")
        await driver.press("enter")
        assert driver.at(PaneId.PENDING)
        assert not driver.has("#filter-line")
        assert rows(driver) == 1
        assert '1 Pending 1/3 · "stream" ✕' in driver.shown
        await driver.press("slash")
        assert driver.browser.query_one("#filter", Input).value == "stream"
        await driver.press("escape")
        await driver.until(lambda: rows(driver) == 3)
        assert driver.at(PaneId.PENDING)
        assert not driver.has("#filter-line")
        assert driver.pane(PaneId.PENDING).selected == full.capture_path(200).name
        await driver.press("slash", *"stream", "enter")
        assert rows(driver) == 1
        await driver.pilot.click("#pending", offset=(4, 0))
        await driver.until(lambda: rows(driver) == 3)
        assert driver.pane(PaneId.PENDING).filter_text == ""
        assert "✕" not in driver.shown
        await driver.press("slash")
        await driver.type("zebra")
        await driver.until(lambda: rows(driver) == 0)
        assert "Nothing here matches “zebra”." in driver.shown
        await driver.press("enter", "r")
        assert driver.last_said == "No capture is selected."


FOUND = [
    ("1", "stream EXPORT", 1),
    ("1", "no Timestamp", 1),
    ("2", "#auth", 1),
    ("2", "auth jwt", 1),
    ("2", "keys rotate", 1),
    ("2", "CMEM", 2),
    ("2", "20260305-135007", 1),
    ("2", "billing", 1),
    ("3", "ask", 1),
    ("4", "retry", 1),
]


async def test_what_each_pane_is_filtered_by(full: World) -> None:
    async with opened(full) as driver:
        for pane, words, found in FOUND:
            await driver.press(pane, "slash")
            await driver.type(words)
            await driver.until(lambda: rows(driver) == found, f"{words}: {found} rows")  # noqa: B023
            await driver.settled()
            assert rows(driver) == found, words
            await driver.press("escape")
            await driver.until(lambda: rows(driver) > found, f"{words}: all rows again")  # noqa: B023


async def test_titles_out_of_sight_are_found(world: World) -> None:
    for number in range(120):
        world.memory(number + 1, f"Memory of {'whales' if number == 99 else 'trees'}")
    async with opened(world) as driver:
        await driver.press("2", "slash", *"whales")
        await driver.until(lambda: rows(driver) == 1)
        assert "whales" in driver.shown


async def test_what_arrives_while_a_filter_is_typed_is_filtered_by_its_title(world: World) -> None:
    world.memory(9, "Memory of trees")
    async with opened(world) as driver:
        await driver.press("2", "slash", *"whales")
        await driver.until(lambda: rows(driver) == 0)
        world.memory(1, "Memory of whales")
        driver.app.hint("memories")
        await driver.until(lambda: rows(driver) == 1, "the new memory")


async def test_compactions_out_of_sight_without_a_capture_are_found_by_the_name_of_their_session(
    world: World,
) -> None:
    for number in range(15):
        session = world.session(f"s-{number}", minutes=90 + number)
        session.prompt(f"Count the {'whales' if number == 14 else 'gulls'}")
        session.compaction("Summary of what came before.")
        world.save(session)
    async with opened(world, SHORT) as driver:
        await driver.until(lambda: rows(driver) == 15, "the rows")
        await driver.press("slash", *"whales")
        await driver.until(lambda: rows(driver) == 1)
        assert "Count the whales" in driver.shown


async def test_capital_a_shows_reviewed_captures_and_hides_them(full: World) -> None:
    async with opened(full) as driver:
        assert "Migrate billing" not in driver.shown
        await driver.press("A")
        assert driver.last_said == "Reviewed captures are shown, too."
        assert "✓ Migrate billing" in driver.shown
        await driver.press("j", "j")
        assert "reviewed" in driver.detail
        assert "Summary" in driver.detail
        assert "Done." in driver.detail
        await driver.press("A")
        assert driver.last_said == "Only pending captures are shown."
        assert "Migrate billing" not in driver.shown
        assert rows(driver) == 3


async def test_a_click_elsewhere_closes_the_line_and_keeps_the_filter(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("slash", "r")
        await driver.pilot.click("#memories", offset=(5, 2))
        await driver.settled()
        assert driver.at(PaneId.MEMORIES)
        assert not driver.browser.query_one("#filter-line").has_class("-open")
        assert driver.pane(PaneId.PENDING).filter_text == "r"
