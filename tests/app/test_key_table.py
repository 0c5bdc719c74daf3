"""The table of keys: every key works in its place, explains itself elsewhere, and is documented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.command import CommandPalette

from memtui.app.keys.commands import (
    COMMANDS,
    PANE_TITLES,
    Command,
    PaneId,
    footer_commands,
    key_table,
    markdown_key_table,
)
from memtui.app.screens.help import HelpScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar, fitting
from tests.app.harness import NARROW, SHORT, Driver, opened
from tests.app.world import World

PANES = list(PaneId)
README = Path(__file__).parents[2] / "README.md"


def keys_of(command: Command) -> list[str]:
    return command.keys.split(",") if command.keys else []


async def test_the_help_says_how_a_command_without_a_key_is_reached(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("2", "?")
        text = driver.screen.query_one(DocumentView).document.text
        assert "Undelete: take a memory out" in text


async def test_in_the_wrong_pane_a_key_says_where_it_works_and_does_nothing(full: World) -> None:
    before = {path: path.read_bytes() for path in full.base.rglob("*") if path.is_file()}
    async with opened(full) as driver:
        for pane_id in PANES:
            await driver.press(str(PANES.index(pane_id) + 1))
            elsewhere = [command for command in COMMANDS if pane_id not in command.panes]
            assert elsewhere
            for command in elsewhere:
                for key in keys_of(command):
                    await driver.press(key)
                    means = f"{command.shown} means “{command.help}”: that works in "
                    assert driver.last_said.startswith(means), (pane_id, key)
                    for place in command.panes:
                        assert f"{PANE_TITLES[place]} ({PANES.index(place) + 1})" in driver.last_said
                    assert driver.at_home(), (pane_id, key)
                    assert driver.browser.current_id is pane_id, key
    assert {path: path.read_bytes() for path in before} == before


EMPTY = [
    ("1", "r", "No capture is selected."),
    ("1", "o", "Nothing is selected, so there is no transcript to open."),
    ("1", "e", "Nothing is selected."),
    ("2", "y", "Nothing is selected."),
    ("2", "Y", "Nothing is selected."),
    ("2", "t", "Nothing is selected."),
    ("2", "D", "Nothing is selected."),
    ("2", "o", "Nothing is selected, so there is no transcript to open."),
    ("2", "e", "Nothing is selected."),
    ("3", "x", "No active command and no pin is selected."),
    ("3", "J", "No pin is selected: active commands have no order."),
    ("3", "X", "No command is active."),
    ("3", "o", "Nothing is selected, so there is no transcript to open."),
    ("3", "e", "Nothing is selected."),
    ("4", "o", "The transcript of this session no longer exists."),
    ("4", "e", "This state is drafted from the transcript: there is no file of it to edit."),
    ("1", "u", "Nothing to undo: memtui undoes changes of this run."),
]


async def test_with_nothing_to_act_on_each_key_says_so(world: World) -> None:
    async with opened(world) as driver:
        for pane, key, _sentence in EMPTY:
            number = len(driver.said)
            await driver.press(pane, key)
            assert len(driver.said) == number + 1, f"{key} in {pane} said {driver.said[number:]}"
            assert driver.at_home()
        assert [*zip(EMPTY, driver.said, strict=True)] == [(row, row[2]) for row in EMPTY]


async def test_enter_with_nothing_selected_shows_what_to_do(world: World) -> None:
    async with opened(world, NARROW) as driver:
        for pane in "1234":
            await driver.press(pane, "enter")
            assert driver.reading()
            assert driver.has("#detail")


@pytest.mark.parametrize("pane_id", PANES)
def test_undo_shows_in_every_bottom_line_of_140_columns(pane_id: PaneId) -> None:
    offers = frozenset({"review", "lost", "backfill", "newer_session", "older_session"})
    entries = [command.in_key_bar for command in footer_commands(pane_id, offers=offers)]
    shown = [label for _, label, _ in fitting(entries, 140, KeyBar.KEEP)]
    assert {"undo", "sessions", "search"} <= set(shown)


# -- help ---------------------------------------------------------------------------------------------------


async def test_help_lists_every_key_that_works_in_the_pane(full: World) -> None:
    async with opened(full) as driver:
        for pane_id in PANES:
            await driver.press(str(PANES.index(pane_id) + 1), "question_mark")
            assert isinstance(driver.screen, HelpScreen), pane_id
            text = driver.screen.query_one(DocumentView).document.text
            box = driver.screen.query_one("#help")
            assert str(box.border_title) == f"Keys in {PANE_TITLES[pane_id]}"
            here = [command for command in COMMANDS if pane_id in command.panes]
            for shown, help_text in key_table(here):
                found = [line for line in text.split("\n") if line.startswith(f"{shown} ")]
                assert any(line.endswith(help_text) for line in found), (pane_id, shown)
            for command in COMMANDS:
                if pane_id not in command.panes:
                    assert command.help not in text, pane_id
            await driver.press("escape")


async def test_help_closes(full: World) -> None:
    async with opened(full) as driver:
        for key in ("escape", "question_mark", "q", "enter", "f1"):
            await driver.press("2", "f1")
            assert isinstance(driver.screen, HelpScreen), key
            await driver.press(key)
            assert driver.at_home(), key
            assert driver.at(PaneId.MEMORIES), key
            assert not driver.app.left, key


async def test_help_can_be_read_to_its_end_in_the_smallest_window(full: World) -> None:
    async with opened(full, SHORT) as driver:
        await driver.press("question_mark")
        assert not any(line.endswith("quit") for line in box_of(driver))
        await driver.press("G")
        assert any(line.endswith("quit") for line in box_of(driver))


def box_of(driver: Driver) -> list[str]:
    """The rows of the help box."""
    return [line.strip(" │") for line in driver.lines if line.strip().startswith("│")]


# -- palette ------------------------------------------------------------------------------------------------


async def test_the_palette_offers_every_command(full: World) -> None:
    async with opened(full) as driver:
        offered = {command.title: command for command in driver.app.get_system_commands(driver.screen)}
        for command in COMMANDS:
            assert (command.title in offered) == command.palette
            if command.palette:
                assert offered[command.title].help == command.help


PALETTE: list[tuple[str, str, Callable[[Driver], bool]]] = [
    ("zoom", "z", lambda driver: driver.browser.has_class("-zoomed")),
    ("commands (3)", "1", lambda driver: driver.browser.current_id is PaneId.COMMANDS),
    ("help (?)", "escape", lambda driver: isinstance(driver.screen, HelpScreen)),
    ("copy id", "1", lambda driver: "that works in Memories (2)" in driver.last_said),
]
"""The words typed, the key that goes back to the panes, and a check that the command ran."""


async def test_the_palette_runs_a_command(full: World) -> None:
    async with opened(full) as driver:
        for words, back, works in PALETTE:
            assert not works(driver), words
            await driver.press("ctrl+p")
            palette = driver.screen
            assert isinstance(palette, CommandPalette), words
            await driver.type(words)
            await driver.until(lambda: words.split()[0] in driver.shown.casefold(), "the command")  # noqa: B023
            await driver.pilot.press("down", "enter")
            await driver.until(lambda: works(driver), words)  # noqa: B023
            await driver.press(back)


# -- footer and README --------------------------------------------------------------------------------------


async def test_the_footer_is_made_from_the_table(full: World) -> None:
    async with opened(full, (200, 45)) as driver:
        for pane_id in PANES:
            await driver.press(str(PANES.index(pane_id) + 1))
            pinning = {"pin_line"} if pane_id is PaneId.STATE else set()
            offered = footer_commands(pane_id, offers=frozenset({"install", "review", "lost"} | pinning))
            expected = " ".join(f" {command.shown} {command.label}" for command in offered)
            assert driver.lines[-1].rstrip() == expected


def test_each_key_is_bound_once() -> None:
    keys = [key for command in COMMANDS for key in keys_of(command)]
    assert len(keys) == len(set(keys))


async def test_every_command_of_the_table_can_be_run(world: World) -> None:
    async with opened(world) as driver:
        for command in COMMANDS:
            place, _, call = command.action.rpartition(".")
            name = call.partition("(")[0]
            known = hasattr(driver.browser, f"action_{name}") if place else name in driver.browser.handlers
            assert known or place == "app", command
        assert len(driver.browser.handlers) == sum("." not in command.action for command in COMMANDS)


def test_readme_has_exactly_the_keys_of_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    table = text.partition("<!-- keys -->")[2].partition("<!-- /keys -->")[0]
    assert table.strip() == markdown_key_table()
