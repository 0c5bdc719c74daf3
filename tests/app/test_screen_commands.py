"""The tables of the other screens: help, palette and bottom line; and one meaning for ctrl+c everywhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.color import Color

from memtui.app.keys import form_commands, list_commands, reader_commands
from memtui.app.keys.question_commands import QUESTIONS
from memtui.app.keys.screen_table import CommandTable
from memtui.app.screens.confirm import ConfirmScreen
from memtui.app.screens.help import HelpScreen
from memtui.app.screens.line_prompt import AskScreen
from memtui.app.screens.new_recovery_id import StoredScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar, fitting
from memtui.ground import clipboard
from tests.app.harness import NARROW, Driver, opened
from tests.app.world import World

TABLES = [
    value
    for module in (form_commands, list_commands, reader_commands)
    for value in vars(module).values()
    if isinstance(value, CommandTable)
]


async def review(driver: Driver) -> None:
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.field("title").text, "the draft")
    await driver.press("f2")


async def transcript(driver: Driver) -> None:
    await driver.press("1", "g", "o")
    await driver.until_transcript()


async def versions(driver: Driver) -> None:
    await driver.press("4", "v")


async def search(driver: Driver) -> None:
    await driver.press("s", "shift+tab")


async def compact(driver: Driver) -> None:
    await driver.press("4", "c")
    await driver.press("f2")


async def question(driver: Driver) -> None:
    await driver.press("3", "X")
    await driver.until(lambda: isinstance(driver.screen, ConfirmScreen), "the question")


async def line(driver: Driver) -> None:
    await driver.press("2", "t")
    await driver.until(lambda: isinstance(driver.screen, AskScreen), "the line")


async def stored(driver: Driver) -> None:
    await driver.app.push_screen(StoredScreen("CMEM-20260305-135007"))
    await driver.handled()


WAYS: dict[str, Callable[[Driver], Awaitable[None]]] = {
    "Review": review,
    "Transcript": transcript,
    "Versions": versions,
    "Search": search,
    "Compact": compact,
    "Question": question,
    "Line": line,
    "Recovery ID": stored,
}
TABLE = {table.title: table for table in (*TABLES, *QUESTIONS)}


async def test_help_and_palette_of_a_screen_list_its_commands(full: World) -> None:
    async with opened(full) as driver:
        for title, way in WAYS.items():
            table: CommandTable = TABLE[title]
            await way(driver)
            screen = driver.screen
            offered = {command.title: command.help for command in driver.app.get_system_commands(screen)}
            for command in table.commands:
                assert offered[f"{command.label.capitalize()} ({command.shown})"] == command.help, title
            # In the compact screen the description has the focus, where a question mark is typed.
            await driver.press("f1" if title in ("Compact", "Line") else "?")
            assert isinstance(driver.screen, HelpScreen), title
            text = driver.screen.query_one(DocumentView).document.text
            for shown, help_text in table.rows():
                found = [line for line in text.split("\n") if line.startswith(f"{shown} ")]
                assert any(line.endswith(help_text) for line in found), (title, shown)
            await driver.press("escape")
            assert driver.screen is screen, title
            for _ in range(3):
                if not driver.at_home():
                    await driver.press("escape")
            assert driver.at_home(), title


@pytest.mark.parametrize("part", ["form", "facts"])
def test_the_help_fits_the_bottom_line_of_the_review_in_80_columns(part: str) -> None:
    shown = [key for key, _, _ in fitting(TABLE["Review"].bar(part), 80, KeyBar.KEEP)]
    assert {"?", "f1"} & set(shown)


@pytest.mark.parametrize("table", TABLE.values(), ids=lambda table: table.title)
def test_the_keys_of_a_table_are_bound_once(table: CommandTable) -> None:
    keys = [key for command in table.commands if command.bound for key in command.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []

    def copy(text: str, send: object, *, name: str = "") -> clipboard.Copied:
        texts.append(text)
        return clipboard.Copied(f"Copied {name}.", sure=True)

    monkeypatch.setattr(clipboard, "copy", copy)
    return texts


async def test_ctrl_c_copies_a_selection_and_never_quits(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        await driver.press("ctrl+c")
        assert "q quits" in driver.last_said
        await transcript(driver)
        await driver.press("ctrl+c")
        assert "esc goes back" in driver.last_said
        view = driver.screen.query_one(DocumentView)
        await driver.pilot.mouse_down(view, offset=(3, 1))
        await driver.pilot.hover(view, offset=(30, 8))
        await driver.pilot.mouse_up(view, offset=(30, 8))
        selected = driver.screen.get_selected_text()
        assert selected
        await driver.press("ctrl+c")
        await driver.until_said("Copied the selection.")
        assert copied == [selected]
        assert not driver.app.left


async def test_ctrl_c_copies_what_is_selected_in_a_field(full: World, copied: list[str]) -> None:
    async with opened(full) as driver:
        await driver.press("1", "g", "r")
        await driver.until(lambda: driver.review.field("title").text, "the draft")
        driver.review.field("title").select_all()
        await driver.press("ctrl+c")
        await driver.until_said("Copied the selection.")
        assert copied == [driver.review.field("title").text]


async def confirm(driver: Driver, *, safe: bool) -> list[bool | None]:
    answers: list[bool | None] = []
    question = ConfirmScreen("Really?", yes="Do", no="Not now", safe=safe)
    await driver.app.push_screen(question, answers.append)
    await driver.pilot.pause()
    return answers


async def test_one_button_is_highlighted_and_enter_presses_it(full: World) -> None:
    async with opened(full, NARROW) as driver:
        for safe in (True, False):
            answers = await confirm(driver, safe=safe)
            yes, no = (driver.screen.query_one(f"#{name}") for name in ("yes", "no"))
            lit = Color.parse(driver.app.theme_variables["accent"])
            assert [yes.styles.background == lit, no.styles.background == lit] == [safe, not safe]
            assert driver.screen.focused is (yes if safe else no)
            await driver.press("enter")
            await driver.until(driver.at_home, "the answer")
            assert answers == [safe]
