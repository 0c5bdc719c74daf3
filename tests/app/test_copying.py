"""What is copied or saved: ids, prompts, selected text, screenshots, and by which way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from memtui.ground import clipboard
from memtui.plugin.installing import settings_block
from tests.app.harness import NARROW, SHORT, Driver, opened
from tests.app.world import World

PROMPT = "Please import memory {}"


async def test_y_puts_the_id_into_the_tmux_buffer_and_says_so(full: World, tmux: Path) -> None:
    name = full.memory(1, "The newest")
    async with opened(full, NARROW) as driver:
        await driver.press("2", "y")
        await driver.until_said("buffer")
        assert driver.last_said == f"Copied {name} into the tmux buffer: paste with prefix ]"
        assert tmux.read_text() == name
        assert driver.app.clipboard == name  # sent to the terminal as well, which need not be tmux's own
        assert name in driver.shown
        driver.app.clear_notifications()
        await driver.resize(SHORT)
        await driver.press("y")
        await driver.until(lambda: "tmux buffer: paste with prefix ]" in driver.shown, "all of the message")


def install(world: World) -> None:
    world.write(world.claude / "settings.json", json.dumps(settings_block()))


async def test_capital_y_copies_the_text_where_nothing_follows_the_prompt(full: World, tmux: Path) -> None:
    name = full.memory(1, "The newest")
    async with opened(full) as driver:
        await driver.press("2", "Y")
        said = await driver.until_said("buffer")
        why = "The plugin is not installed (i), so Claude needs the whole text."
        assert said == f"{why} Copied the text of {name} into the tmux buffer: paste with prefix ]"
        assert "Keep every session valid while the keys move." in tmux.read_text()


async def test_capital_y_says_first_that_the_memory_is_stale(full: World, tmux: Path) -> None:
    install(full)
    full.write(full.root / "a.py", "x", minutes=-1)
    text = f"## Project Root\n{full.root}\n\n## Working Files (Modified)\n- {full.root}/a.py\n"
    name = full.memory(1, "The newest", body=text)
    async with opened(full) as driver:
        await driver.press("2")
        await driver.until(lambda: "△ The newest" in driver.drawn(PaneId.MEMORIES)[0], "the mark")
        await driver.press("Y")
        said = await driver.until_said("buffer")
        assert said.startswith("1 of 1 file changed since. Copied Please import")
        assert tmux.read_text() == PROMPT.format(name)


async def test_without_a_tool_it_claims_no_more_than_it_knows(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = full.memory(1, "The newest")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    async with opened(full) as driver:
        await driver.press("2", "y")
        await driver.until_said("Sent")
        assert driver.last_said == f"Sent {name} to the terminal (it cannot confirm)"
        assert driver.app.clipboard == name


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


async def test_what_is_selected_can_be_read_and_is_copied(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        for theme in ("textual-light", "ansi-dark", "memtui"):
            driver.app.theme = theme
            await drag(driver)
            style = driver.screen.get_component_rich_style("screen--selection")
            colours = [
                (part.style.color, part.style.bgcolor)
                for part in driver.browser.detail.render_line(1)
                if part.style and part.style.bgcolor == style.bgcolor
            ]
            assert colours, theme
            assert all(colour != ground for colour, ground in colours), theme
        selected = driver.screen.get_selected_text()
        assert selected and selected in driver.detail
        await driver.press("ctrl+c")
        await driver.until_said("Copied the selection.")
        assert copied == [selected]
        assert not driver.app.left
        await driver.press("slash", *"stream")
        driver.screen.query_one(Input).select_all()
        await driver.press("ctrl+c")
        await driver.until(lambda: copied == [selected, "stream"], "the text of the field")


async def test_without_a_selection_ctrl_c_says_how_to_quit(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        for key, quits in (("1", "q quits"), ("s", "esc goes back"), ("?", "esc goes back")):
            await driver.press(key, "ctrl+c")
            assert driver.last_said == f"No text is selected: ctrl+c copies, {quits}."
            assert not driver.app.left
            await driver.press("escape")
        assert not copied


async def test_without_a_downloads_folder_it_is_in_the_home_folder(world: World) -> None:
    async with opened(world) as driver:
        driver.app.deliver_screenshot("here.svg")
        await driver.until((Path.home() / "here.svg").exists, "the picture")
        await driver.until(lambda: "here.svg" in driver.shown, "where it is")
