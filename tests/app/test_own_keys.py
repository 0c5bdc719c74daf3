"""The user's own keys work and are shown everywhere; an invalid one is reported with its file."""

from __future__ import annotations

import pytest

from memtui.app.app import run_app
from memtui.app.keys.commands import COMMANDS, PaneId
from memtui.app.screens.help import HelpScreen
from memtui.app.settings import SettingsError, commands_of
from memtui.app.widgets.document_view import DocumentView
from tests.app.harness import opened
from tests.app.world import World


def configure(world: World, text: str) -> str:
    path = world.home.config / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


async def test_an_own_key_acts_and_shows_at_the_bottom_in_help_and_palette(full: World) -> None:
    configure(full, '[keys]\nreviewed_too = "f5"\nzoom = ","\n')
    async with opened(full) as driver:
        assert " f5 reviewed too" in driver.lines[-1]
        offered = {command.title for command in driver.app.get_system_commands(driver.screen)}
        assert {"Reviewed too (f5)", "Zoom (,)"} <= offered
        await driver.press("comma")
        assert driver.browser.has_class("-zoomed")
        await driver.press("z")
        assert driver.browser.has_class("-zoomed")
        await driver.press("comma", "question_mark")
        assert isinstance(driver.screen, HelpScreen)
        rows = driver.screen.query_one(DocumentView).document.text.split("\n")
        assert any(row.startswith("f5 ") and "reviewed captures" in row for row in rows)


async def test_two_panes_may_share_a_key(full: World) -> None:
    configure(full, '[keys]\ncopy_id = "x"\n')
    async with opened(full) as driver:
        await driver.press("1", "x")
        assert "that works in" in driver.last_said
        await driver.press("2", "x")
        await driver.until(lambda: "CMEM" in driver.last_said, "the copied id")
        await driver.press("3", "x")
        await driver.until(lambda: "leared" in driver.last_said, "what was cleared")


def test_without_a_section_the_keys_are_those_of_the_table(world: World) -> None:
    assert commands_of(world.home) == COMMANDS
    configure(world, "[app]\n")
    assert commands_of(world.home) == COMMANDS


def test_each_command_that_can_be_changed_has_a_name_of_its_own() -> None:
    names = [command.name for command in COMMANDS if command.action != "app.command_palette"]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[keys]\nrewiev = "v"', "[keys] 'rewiev' is not a command. Commands: "),
        ('[keys]\nreview = "ctrl+nothing"', "[keys] review: 'ctrl+nothing' is not a key"),
        ('[keys]\nreview = ""', "[keys] review: '' is not a key"),
        ("[keys]\nreview = 3", "[keys] review: 3 is not a key"),
        ('[keys]\nreview = "j"', "[keys] review: j moves in lists"),
        ('[keys]\nreview = "b"', "[keys] review: b is the key of backfill in the same pane."),
        ('[keys]\nreview = "v"\nundo = "v"', "is the key of"),
        ('[keys]\npending = "2"', "[keys] pending: 2 is the key of memories in the same pane."),
        ("keys = 3", "keys must be a section"),
        ("[keys", "is not valid TOML"),
    ],
)
def test_a_wrong_key_ends_the_start_with_one_sentence(world: World, text: str, said: str) -> None:
    path = configure(world, text)
    with pytest.raises(SettingsError) as caught:
        commands_of(world.home)
    assert str(caught.value).startswith(path)
    assert said in str(caught.value)
    with pytest.raises(SystemExit) as ended:
        run_app(world.project, world.home, world.claude)
    assert ended.value.code == f"memtui: {caught.value}"


def test_keys_may_be_swapped(world: World) -> None:
    configure(world, '[keys]\nreview = "R"\nreviewed_too = "r"\n')
    shown = {command.name: command.shown for command in commands_of(world.home)}
    assert (shown["review"], shown["reviewed_too"]) == ("R", "r")
    assert PaneId.PENDING in next(each for each in COMMANDS if each.name == "review").panes
