"""Settings: themes, own keys, bells and the split; a wrong one is named with its file."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

import pytest
from textual.color import Color
from textual.events import Key
from textual.filter import ANSIToTruecolor
from textual.theme import BUILTIN_THEMES

from memtui.app.palette import ThemePalette
from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import HelpScreen
from memtui.app.settings import Settings, load_settings, save_theme
from memtui.app.themes import MEMTUI
from memtui.app.widgets.document_view import DocumentView
from memtui.ground.project import Home
from memtui.hooks.records import Report
from memtui.hooks.settings import switched
from memtui.lost.choosing import way_of
from memtui.store.archive_settings import archive_settings
from tests.app.harness import Driver, WatchedApp, make_app, opened
from tests.app.world import World


async def test_an_own_key_acts_and_shows_at_the_bottom_in_help_and_palette(full: World) -> None:
    full.configure('[keys]\nlost = "f5"\nzoom = ","\n')
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


async def test_an_own_key_keeps_its_place_and_the_old_one_names_it(full: World) -> None:
    async with opened(full) as driver:
        before = driver.lines[-1]
    full.configure('[keys]\nlost = "L"\n')
    async with opened(full) as driver:
        assert driver.lines[-1] == before.replace("l lost", "L lost")
        await driver.press("l")
        assert driver.last_said == "l does nothing here: L is your key for lost."
        await driver.press("L")
        await driver.until_said("no compaction with a summary yet")
        await driver.press("Q")
        assert driver.last_said == "Q does nothing here: ? shows the keys."


async def test_own_keys_and_the_theme_change_without_a_restart(full: World) -> None:
    async with opened(full) as driver:
        full.configure('[keys]\nzoom = "f5"\n[app]\ntheme = "nord"\n')
        driver.app.hint("config")
        await driver.until(lambda: driver.app.theme == "nord", "the theme")
        await driver.press("z")
        assert not driver.browser.has_class("-zoomed")
        await driver.press("f5")
        assert driver.browser.has_class("-zoomed")
        full.configure("[keys")
        driver.app.hint("config")
        await driver.until_said("is not valid TOML")
        await driver.press("f5")
        assert not driver.browser.has_class("-zoomed") and driver.app.theme == "nord"
        full.configure('[keys]\nzoom = "j"\nlost = "f6"\ncapture = "f7"\ndraft = "f8"\n')
        driver.app.hint("config")
        await driver.until_said("zoom: j moves in lists")
        await driver.press("z")
        assert driver.browser.has_class("-zoomed") and "f6 lost" in driver.lines[-1]
        assert {"backfill": "f7", "memory": "f8"}.items() <= driver.app.keymap.items()


async def test_an_own_key_of_a_pane_works_in_the_detail_and_is_named_elsewhere(full: World) -> None:
    full.configure('[keys]\ncopy_id = "f6"\n')
    async with opened(full) as driver:
        await driver.press("f6")
        assert driver.last_said == "f6 does nothing here, but in Memories (2), search (s), the sessions (S)."
        await driver.press("2", "enter", "f6")
        assert driver.reading()
        await driver.until_said("CMEM-")
        assert driver.browser.current_id is PaneId.MEMORIES
        await driver.press("1", "r")
        await driver.until(lambda: driver.lines[-1].startswith(" ^s save  f2 form"), "the review's keys")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('[keys]\nnothing = "x"', "'nothing' is not a command; did you mean "),
        ('[keys]\nlots = "x"', "'lots' is not a command; did you mean lost?"),
        ("[keys]\nlost = 3", "3 is not a key"),
        ('[keys]\nlost = "ab"', "'ab' is not a key"),
        ('[keys]\nlost = "j"', "moves in lists"),
        ('[keys]\nlost = "r"', "is the key of review"),
        ('[keys]\nsearch = "q"', "search: q is the key of quit"),
        ('[app]\ntheme = "nrod"\n[keys]', "'nrod' is not a theme; did you mean nord?"),
    ],
)
async def test_a_key_or_theme_that_is_not_there_is_named_at_the_start_and_passed_over(
    full: World, wrong: str, said: str
) -> None:
    path = full.configure(f'{wrong}\nzoom = "f5"\n')
    async with opened(full) as driver:
        assert path in driver.last_said and said in driver.last_said
        await driver.press("f5")
        assert driver.browser.has_class("-zoomed")


WRONG = [
    ('keys = "x"', "says keys, but not as a section: [keys]"),
    ("[app]\ntheme = 3", "has a wrong [app] theme: it must be a text"),
    ("[app", "is not valid TOML"),
    ("[notify]\nbell = 1\n", "has a wrong [notify] bell: it must be true or false"),
    *((f"[warn]\n{wrong}", "warn") for wrong in ("at = 90", "at = [0]", "at = []", "bell = 1")),
    *((wrong, "minutes") for wrong in ("[sync]\nminutes = -1", "[sync]\nminutes = true")),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
async def test_a_wrong_setting_is_named_with_its_file_and_the_app_opens(
    world: World, text: str, said: str
) -> None:
    path = world.configure(text)
    async with opened(world) as driver:
        assert path in driver.last_said and said in driver.last_said
        assert driver.app.theme == MEMTUI.name


async def test_a_chosen_theme_is_there_at_the_next_start(world: World) -> None:
    async with opened(world) as driver:
        assert driver.app.theme == MEMTUI.name
        driver.app.theme = "textual-light"
        await driver.until(lambda: load_settings(world.home).chosen == "textual-light", "the kept theme")
    assert make_app(world).theme == "textual-light"


async def test_the_palette_shows_a_theme_before_it_is_chosen(world: World) -> None:
    async with opened(world) as driver:

        def is_theme(name: str) -> bool:
            return driver.app.theme == name

        for last, kept in (("escape", MEMTUI.name), ("enter", "nord")):
            await driver.press("ctrl+p")
            await driver.type("theme")
            await driver.until(lambda: "Change the current theme" in driver.shown, "the command")
            await driver.pilot.press("down", "enter")
            await driver.until(lambda: isinstance(driver.screen, ThemePalette), "the palette")
            assert driver.app.theme == MEMTUI.name
            await driver.until(lambda: "atom-one-light · light" in driver.shown, "the marks")
            await driver.until(lambda: f"{MEMTUI.name} · in use" in driver.shown, "the current one")
            await driver.type("nord")
            await driver.until(lambda: driver.app.theme == "nord", "the preview")
            box = driver.screen.query_one("#--container").styles
            surface = Color.parse(BUILTIN_THEMES["nord"].surface or "")
            await driver.until(lambda: box.background == surface, "the palette in its colours")  # noqa: B023
            assert load_settings(world.home).chosen != "nord"
            await driver.press(last)
            await driver.until(lambda: driver.at_home(), "the browser")
            await driver.until(partial(is_theme, kept), f"the theme after {last}")
        await driver.until(lambda: load_settings(world.home).chosen == "nord", "the kept theme")


async def test_keys_typed_ahead_go_through_both_palettes_and_no_further(world: World) -> None:
    async with opened(world) as driver:
        for word in ("nord", "dracula"):
            for key in ("ctrl+p", *"theme", "enter", *word, "enter"):
                driver.app.post_message(Key(key, key if len(key) == 1 else None))
        await driver.until(lambda: load_settings(world.home).chosen == "dracula", "the second theme")
        await driver.until(driver.at_home, "the browser")
        assert not driver.app.said


def test_of_the_screen_and_config_toml_the_last_one_to_choose_a_theme_decides(world: World) -> None:
    world.home.state.mkdir(parents=True, exist_ok=True)
    save_theme(world.home, "textual-light", "")
    world.configure('[app]\ntheme = "nord"\n')
    assert make_app(world).theme == "nord"
    save_theme(world.home, "dracula", "nord")
    assert make_app(world).theme == "dracula"
    world.configure('[app]\ntheme = "gruvbox"\n')
    assert make_app(world).theme == "gruvbox"


def test_a_kept_theme_that_is_not_there_any_more_is_passed_over(world: World) -> None:
    (world.home.state).mkdir(parents=True, exist_ok=True)
    (world.home.state / "theme").write_text("gone\n")
    assert make_app(world).theme == MEMTUI.name


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
def test_on_ansi_themes_hints_have_the_colour_of_the_terminal(world: World, theme: str) -> None:
    world.configure(f'[app]\ntheme = "{theme}"\n')
    app = make_app(world)
    assert app.theme_variables["quiet"] == "ansi_default"
    assert not any(each.enabled for each in app._filters if isinstance(each, ANSIToTruecolor))


@pytest.fixture
def bells(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bells rung so far."""
    rung: list[int] = []
    monkeypatch.setattr(WatchedApp, "bell", lambda app: rung.append(1))
    return rung


async def arrive(driver: Driver, world: World) -> None:
    world.capture(1, "Just captured")
    driver.app.hint("compacts")
    await driver.until(lambda: "Just captured" in driver.shown, "the capture")


@pytest.mark.parametrize(("text", "rung"), [("", 0), ("[notify]\nbell = true\n", 1)])
async def test_the_bell_rings_for_a_capture_where_it_is_wanted(
    full: World, bells: list[int], text: str, rung: int
) -> None:
    full.configure(text)
    async with opened(full) as driver:
        assert not bells
        await arrive(driver, full)
        assert len(bells) == rung
        full.memory(1, "Just stored")
        driver.app.hint("memories")
        await driver.until(lambda: "Just stored" in driver.shown, "the memory")
        assert len(bells) == rung


GUIDE = Path(__file__).parents[2] / "GUIDE.md"


def test_every_setting_in_the_guide_can_be_used(tmp_path: Path) -> None:
    text = GUIDE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    home = Home(*(tmp_path / name for name in ("data", "cache", "state", "config")))
    home.config.mkdir()
    (home.config / "config.toml").write_text(text, encoding="utf-8")
    assert {name: set(section) for name, section in tomllib.loads(text).items()} == {
        "app": {"theme"},
        "keys": {"copy_id"},
        "notify": {"bell"},
        "warn": {"at", "bell"},
        "hooks": {"capture_manual", "session_states", "typed_commands"},
        "compaction": {"choice"},
        "sync": {"minutes"},
        "archive": {"keep", "private"},
    }
    assert load_settings(home) == Settings(
        theme="nord", keys={"copy_id": "f5"}, bell=True, warn_at=(80, 95), warn_bell=True, sync_seconds=300.0
    )
    assert way_of(home) == "small"
    report = Report()
    assert switched("capture_manual", home, report, default=False)
    assert not switched("session_states", home, report, default=True)
    assert not switched("typed_commands", home, report, default=True)
    kept = archive_settings(home)
    assert (kept.keep, len(kept.private)) == (False, 1)
