"""Text is selected with the mouse, visibly, and ctrl+c copies it; without a selection ctrl+c does nothing."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from memtui.ground import clipboard
from tests.app.harness import Driver, opened
from tests.app.world import World


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts copied to the clipboard."""
    texts: list[str] = []

    def copy(text: str, send: object, *, name: str = "") -> clipboard.Copied:
        texts.append(text)
        return clipboard.Copied(f"Copied {name}.", sure=True)

    monkeypatch.setattr(clipboard, "copy", copy)
    return texts


async def drag(driver: Driver) -> None:
    """Drag over the second line of the detail and into the third."""
    region = driver.browser.detail.region
    await driver.pilot.mouse_down(offset=(region.x + 3, region.y + 2))
    await driver.pilot.hover(offset=(region.x + 20, region.y + 2))
    await driver.pilot.mouse_up(offset=(region.x + 20, region.y + 2))
    await driver.pilot.pause()


@pytest.mark.parametrize("theme", ["memtui", "textual-light", "ansi-dark"])
async def test_what_is_selected_can_be_read(full: World, theme: str) -> None:
    async with opened(full) as driver:
        driver.app.theme = theme
        await drag(driver)
        style = driver.screen.get_component_rich_style("screen--selection")
        colours = [
            (part.style.color, part.style.bgcolor)
            for part in driver.browser.detail.render_line(1)
            if part.style and part.style.bgcolor == style.bgcolor
        ]
        assert colours
        assert all(colour != ground for colour, ground in colours)


async def test_ctrl_c_copies_the_selection(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        await drag(driver)
        selected = driver.screen.get_selected_text()
        assert selected and selected in driver.detail
        await driver.press("ctrl+c")
        await driver.until_said("Copied the selection.")
        assert copied == [selected]
        assert not driver.app.left


async def test_ctrl_c_copies_from_a_field(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        await driver.press("slash", *"stream")
        driver.screen.query_one(Input).select_all()
        await driver.press("ctrl+c")
        await driver.until_said("Copied the selection.")
        assert copied == ["stream"]


@pytest.mark.parametrize(
    ("keys", "quits"), [("1", "q quits"), ("s", "esc goes back"), ("?", "esc goes back")]
)
async def test_without_a_selection_ctrl_c_says_how_to_quit(
    full: World, copied: list[str], keys: str, quits: str
) -> None:
    async with opened(full) as driver:
        await driver.press(*keys, "ctrl+c")
        assert driver.last_said == f"No text is selected: ctrl+c copies, {quits}."
        assert not driver.app.left
        assert not copied
