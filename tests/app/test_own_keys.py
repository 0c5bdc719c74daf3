"""The user's own keys work and are shown everywhere; an invalid one is reported with its file."""

from __future__ import annotations

import pytest

from memtui.app.app import run_app
from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import HelpScreen
from memtui.app.widgets.document_view import DocumentView
from tests.app.harness import opened
from tests.app.world import World


def configure(world: World, text: str) -> str:
    path = world.home.config / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


async def test_an_own_key_acts_and_shows_at_the_bottom_in_help_and_palette(full: World) -> None:
    configure(full, '[keys]\nlost = "f5"\nzoom = ","\n')
    async with opened(full) as driver:
        assert "f5 lost" in driver.lines[-1]
        offered = {command.title for command in driver.app.get_system_commands(driver.screen)}
        assert {"Lost (f5)", "Zoom (,)"} <= offered
        await driver.press("comma")
        assert driver.browser.has_class("-zoomed")
        await driver.press("comma", "question_mark")
        assert isinstance(driver.screen, HelpScreen)
        text = driver.screen.query_one(DocumentView).document.text
        assert "\nf5            what this compaction lost" in text
        assert "\nz " not in text


async def test_own_keys_and_the_theme_change_without_a_restart(full: World) -> None:
    async with opened(full) as driver:
        configure(full, '[keys]\nzoom = "f5"\n[app]\ntheme = "nord"\n')
        driver.app.hint("config")
        await driver.until(lambda: driver.app.theme == "nord", "the theme")
        await driver.press("z")
        assert not driver.browser.has_class("-zoomed")
        await driver.press("f5")
        assert driver.browser.has_class("-zoomed")
        configure(full, '[keys]\nzoom = "j"\n')
        driver.app.hint("config")
        await driver.until_said("zoom: j moves in lists")
        await driver.press("f5")
        assert not driver.browser.has_class("-zoomed")


async def test_an_own_key_of_a_pane_works_in_the_detail_and_is_named_elsewhere(full: World) -> None:
    configure(full, '[keys]\ncopy_id = "f6"\n')
    async with opened(full) as driver:
        await driver.press("f6")
        assert driver.last_said == "f6 means “copy the Recovery ID”: that works in Memories (2)."
        await driver.press("2", "enter", "f6")
        assert driver.reading()
        await driver.until_said("CMEM-")
        assert driver.browser.current_id is PaneId.MEMORIES


WRONG = [
    ('[keys]\nnothing = "x"', "'nothing' is not a command"),
    ("[keys]\nlost = 3", "3 is not a key"),
    ('[keys]\nlost = "ab"', "'ab' is not a key"),
    ('[keys]\nlost = "j"', "moves in lists"),
    ('[keys]\nlost = "r"', "is the key of review"),
    ('keys = "x"', "keys must be a section"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_wrong_key_is_named_with_its_file(world: World, text: str, said: str) -> None:
    path = configure(world, text)
    with pytest.raises(SystemExit) as caught:
        run_app(world.project, world.home, world.claude)
    assert path in str(caught.value)
    assert said in str(caught.value)
