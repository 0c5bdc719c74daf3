"""Themes: kept when chosen, set in config.toml, and legible."""

from __future__ import annotations

import pytest

from memtui.app.settings import SettingsError, load_settings
from memtui.app.themes import MEMTUI
from tests.app.harness import make_app, opened
from tests.app.world import World


def configure(world: World, text: str) -> str:
    path = world.home.config / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


async def test_a_chosen_theme_is_there_at_the_next_start(world: World) -> None:
    async with opened(world) as driver:
        assert driver.app.theme == MEMTUI.name
        driver.app.theme = "textual-light"
        await driver.until(lambda: load_settings(world.home).theme == "textual-light", "the kept theme")
    assert make_app(world).theme == "textual-light"


def test_config_toml_comes_before_the_chosen_theme(world: World) -> None:
    (world.home.state).mkdir(parents=True, exist_ok=True)
    (world.home.state / "theme").write_text("textual-light\n")
    configure(world, '[app]\ntheme = "nord"\n')
    assert make_app(world).theme == "nord"


def test_a_kept_theme_that_is_not_there_any_more_is_passed_over(world: World) -> None:
    (world.home.state).mkdir(parents=True, exist_ok=True)
    (world.home.state / "theme").write_text("gone\n")
    assert make_app(world).theme == MEMTUI.name


@pytest.mark.parametrize("text", ['[app]\ntheme = "nrod"', "[app]\ntheme = 3", 'app = "x"', "[app"])
def test_a_wrong_setting_is_named_with_its_file(world: World, text: str) -> None:
    path = configure(world, text)
    with pytest.raises(SettingsError) as caught:
        make_app(world)
    assert path in str(caught.value)
    assert "theme" in str(caught.value) or "TOML" in str(caught.value)


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
def test_on_ansi_themes_hints_have_the_colour_of_the_terminal(world: World, theme: str) -> None:
    configure(world, f'[app]\ntheme = "{theme}"\n')
    assert make_app(world).theme_variables["quiet"] == "ansi_default"
