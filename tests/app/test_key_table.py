"""Every key works in its place, explains itself elsewhere, and is documented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.command import CommandPalette
from textual.containers import Vertical

from memtui.app.base import bindings_of, shown
from memtui.app.keys import _owners, identified, key_table, markdown_key_table
from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import HelpScreen, StoredScreen
from memtui.app.screens.search import SearchScreen
from memtui.app.widgets.document_view import DocumentView
from tests.app.harness import NARROW, SHORT, WIDE, Driver, opened
from tests.app.world import World

PANES = list(PaneId)
README = Path(__file__).parents[2] / "README.md"


async def test_in_the_wrong_pane_a_key_says_where_it_works_and_does_nothing(full: World) -> None:
    before = {path: path.read_bytes() for path in full.base.rglob("*") if path.is_file()}
    async with opened(full) as driver:
        own = {
            pane.pane_id: {b.key: b for b in bindings_of(type(pane))}
            for pane in driver.browser.panes.values()
        }
        for pane_id in PANES:
            await driver.press(str(PANES.index(pane_id) + 1))
            elsewhere = {key for other in own.values() for key in other} - own[pane_id].keys()
            for key in elsewhere - driver.screen.active_bindings.keys():
                await driver.press(key)
                assert driver.last_said.startswith(f"{shown(key)} does nothing here, but in "), (pane_id, key)
                for place in PANES:
                    assert (f"({PANES.index(place) + 1})" in driver.last_said) is (key in own[place])
                assert driver.at_home(), (pane_id, key)
                assert driver.browser.current_id is pane_id, key
    assert {path: path.read_bytes() for path in before} == before


EMPTY = [
    *[("1", key, "There is no compaction here yet.") for key in "rl"],
    *[(pane, "o", "Nothing is selected, so there is no transcript to open.") for pane in "123"],
    *[(pane, "e", "Nothing is selected.") for pane in "13"],
    *[("2", key, "Nothing is selected.") for key in "yYtDv"],
    *[(pane, "!", "There is no row to pin.") for pane in "124"],
    ("3", "x", "No active command and no pin is selected."),
    ("3", "X", "No command is active."),
    *[("4", key, "There is no session yet: start Claude Code in this folder.") for key in "voe"],
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


async def test_keys_of_a_pane_act_on_its_row_while_the_detail_is_read(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("2", "enter", "y")
        assert driver.reading()
        await driver.until_said("CMEM-")
        assert "y copy id" in driver.lines[-1] and "approve" not in driver.lines[-1]
        await driver.press("t")
        await driver.until(lambda: not driver.at_home(), "the question")


async def test_help_begins_with_the_signs_and_lists_every_key_once(full: World) -> None:
    async with opened(full) as driver:
        for pane_id in PANES:
            await driver.press(str(PANES.index(pane_id) + 1), "question_mark")
            assert isinstance(driver.screen, HelpScreen), pane_id
            text = driver.screen.query_one(DocumentView).document.text
            pane = driver.pane(pane_id)
            assert str(driver.screen.query_one("#help").border_title) == f"Help for {pane.title}"
            assert (
                "●  " in text and "\nenter         open the" in text and "\ntab           go to the" in text
            )
            lines = text.split("\n")
            for binding in bindings_of(type(pane)):
                of_claudes = binding.action == "store_claudes"  # what is selected is none
                assert sum(line.endswith(binding.tooltip) for line in lines) == 1 - of_claudes, binding
                assert binding.id is None or any(line.startswith(shown(binding.key)) for line in lines), (
                    binding
                )
            await driver.press("escape")


async def test_help_says_the_keys_of_a_question_and_what_they_do_on_a_screen(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("3", "X", "question_mark")
        text = driver.screen.query_one(DocumentView).document.text
        assert str(driver.screen.query_one("#help").border_title) == "Help for a question"
        assert "leave everything as it is" in text
        await driver.press("escape")
        assert "Clear all" in driver.shown
        await driver.press("escape", "S", "question_mark")
        text = driver.screen.query_one(DocumentView).document.text
        assert not any(each in text for each in ("trash", "every session", "quit from the browser"))


async def test_help_closes(full: World) -> None:
    async with opened(full) as driver:
        for key in ("escape", "question_mark", "q", "enter", "f1"):
            await driver.press("2", "f1")
            assert isinstance(driver.screen, HelpScreen), key
            await driver.press(key)
            assert driver.at_home(), key
            assert driver.at(PaneId.MEMORIES), key
            assert not driver.app.left, key


async def test_dialogs_close_by_a_click_beside_them_or_on_their_last_word(full: World) -> None:
    async with opened(full, WIDE) as driver:
        for key, offset in (("?", (1, 1)), ("?", (70, -1)), ("X", (1, 1)), ("exclamation_mark", (1, 1))):
            await driver.press("3", key)
            assert not driver.at_home(), key
            box = driver.screen.query_one(Vertical).region
            x, y = offset if offset[1] > 0 else (box.x + offset[0], box.bottom - 1)
            await driver.pilot.click(offset=(x, y))
            await driver.handled()
            assert driver.at_home(), key
        await driver.press("?")
        box = driver.screen.query_one(Vertical).region
        await driver.pilot.click(offset=(box.x + 9, box.y + 1))
        assert isinstance(driver.screen, HelpScreen)


async def test_s_searches_from_help_and_from_a_new_id(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("question_mark", "s")
        assert isinstance(driver.screen, SearchScreen)
        await driver.press("escape")
        assert driver.at_home()
        await driver.press("c")
        await driver.until(lambda: "Recovery text of session s-1" in driver.shown, "the draft")
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.screen, StoredScreen), "the id")
        await driver.press("s")
        assert isinstance(driver.screen, SearchScreen)


async def test_the_bottom_line_ends_with_a_whole_word(full: World) -> None:
    async with opened(full, NARROW) as driver:
        for keys in ((), ("S",), ("escape", "o")):
            await driver.press(*keys)
            words = set(driver.lines[-1].removesuffix("? help").split())
            known = {
                word
                for _, binding, _, _ in driver.screen.active_bindings.values()
                for word in (driver.app.get_key_display(binding), *binding.description.split())
            }
            assert words <= known, keys
            assert ("esc back" if keys else "s search  S sessions") in driver.lines[-1]


async def test_help_can_be_read_to_its_end_in_the_smallest_window(full: World) -> None:
    async with opened(full, SHORT) as driver:
        await driver.press("question_mark")
        last = driver.screen.query_one(DocumentView).document.lines[-1].text[-4:]
        assert last not in driver.shown
        await driver.press("G")
        assert last in driver.shown


PALETTE: list[tuple[str, str, Callable[[Driver], bool]]] = [
    ("zoom", "z", lambda driver: driver.browser.has_class("-zoomed")),
    ("commands (3)", "1", lambda driver: driver.browser.current_id is PaneId.COMMANDS),
    ("help (?)", "escape", lambda driver: isinstance(driver.screen, HelpScreen)),
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


def test_a_key_means_one_thing_everywhere() -> None:
    means = {name: (binding.key, binding.tooltip) for name, binding in identified().items()}
    for owner in _owners():
        for binding in bindings_of(owner):
            if binding.id in means:
                key, _ = means[binding.id]
                assert set(key.split(",")) & set(binding.key.split(",")), (owner, binding)


def test_each_key_is_bound_once_and_its_action_exists() -> None:
    for owner in _owners():
        # Two actions of one id take turns at its key.
        bound = {(each.id or each.action, key) for each in bindings_of(owner) for key in each.key.split(",")}
        assert len(bound) == len({key for _, key in bound}), owner
        for binding in bindings_of(owner):
            name = binding.action.partition("(")[0]
            assert name.startswith("app.") or hasattr(owner, f"action_{name}"), binding


def test_the_table_is_short() -> None:
    assert len(key_table()) <= 30, len(key_table())


def test_readme_has_exactly_the_keys_of_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    table = text.partition("<!-- keys -->")[2].partition("<!-- /keys -->")[0]
    assert table.strip() == markdown_key_table()


async def test_a_key_of_the_table_acts_or_says_where_it_works(full: World) -> None:
    keys = [key for binding in identified().values() for key in binding.key.split(",")]
    async with opened(full) as driver:
        for path in (
            (),
            ("enter",),
            ("escape", "l"),
            *(("escape", "1", *last) for last in ("S", "o", "?", "4v")),
        ):
            await driver.press(*path)
            # The reader takes digits as the number of a line.
            known = {*driver.screen.active_bindings, *(map(str, range(10)) if path[-1:] == ("o",) else ())}
            for key in [key for key in keys if key not in known]:
                before = len(driver.said)
                await driver.press(key)
                assert len(driver.said) > before, (path, key)
