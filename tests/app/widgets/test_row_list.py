"""The virtual list on a screen: keys, mouse, changing and hostile rows, work bounded by rows in sight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.content import Content
from textual.events import Click, MouseScrollDown

from memtui.app.widgets.row_list import RowList, row
from tests.app.idle import settle
from tests.app.widgets.hosts import Host, hosted, hostile_texts, rows_of

SIZE = (30, 10)


class _List(RowList):
    windows: ClassVar[list[tuple[int, int]]] = []

    def look_at(self, keys: Sequence[str]) -> None:
        first = self.scroll_offset.y
        self.windows.append((first, first + len(keys)))


class ListHost(Host[RowList]):
    """A list whose drawn keys and messages are recorded."""

    def __init__(self, keys: Sequence[str] = (), *, is_header: Callable[[str], bool] | None = None) -> None:
        self.drawn: list[str] = []
        super().__init__(_List(self.draw, is_header=is_header, empty="nothing here\nyet"))
        self.widget.set_rows(keys)
        self.opened: list[str] = []
        self.highlighted: list[str | None] = []

    def draw(self, key: str, width: int) -> Content:
        self.drawn.append(key)
        return Content(f"<{key}>")

    def on_row_list_opened(self) -> None:
        self.opened.append(self.widget.selected or "")

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        self.highlighted.append(event.row_list.selected)

    @property
    def shown(self) -> list[str]:
        return [row.strip(" ▌<>") for row in rows_of(self.widget)]


def keys(count: int) -> list[str]:
    return [f"{number:06}" for number in range(count)]


@pytest.mark.parametrize(
    ("presses", "selected"),
    [
        (["j"], 1),
        (["down", "down", "k"], 1),
        (["up"], 0),
        (["G"], 99),
        (["end", "down"], 99),
        (["G", "g"], 0),
        (["end", "home"], 0),
        (["pagedown"], 9),
        (["pagedown", "pagedown", "pageup"], 9),
        (["ctrl+d"], 4),
        (["ctrl+d", "ctrl+d", "ctrl+u"], 4),
    ],
)
async def test_keys_move_the_selection_and_keep_it_in_sight(presses: list[str], selected: int) -> None:
    app = ListHost(keys(100))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*presses)
        await settle(pilot)
        assert app.widget.index == selected
        assert app.highlighted[-1] == app.widget.selected == f"{selected:06}"
        row = selected - app.widget.scroll_offset.y
        assert rows_of(app.widget)[row].startswith(f"▌<{selected:06}>")


async def test_the_mouse_selects_opens_and_scrolls() -> None:
    async with hosted(ListHost(keys(100)), SIZE) as (app, pilot):
        await pilot.click(RowList, offset=(3, 4))
        assert (app.widget.index, app.opened) == (4, [])
        await pilot.click(RowList, offset=(3, 6))
        await pilot.click(RowList, offset=(3, 2), times=2)
        await settle(pilot)
        assert app.opened == ["000002"]
        for _ in range(3):
            app.widget.post_message(MouseScrollDown(app.widget, 3, 3, 0, 1, 0, False, False, False))
        await settle(pilot)
        top = app.widget.scroll_offset.y
        assert (top > 2, app.widget.index) == (True, 2)
        await pilot.click(RowList, offset=(3, 2))
        assert app.widget.index == top + 2
        await pilot.click(RowList, offset=(3, 2))
        await settle(pilot)
        assert app.opened[-1] == f"{top + 2:06}"


async def test_a_double_click_on_the_selected_row_opens_it_once() -> None:
    async with hosted(ListHost(keys(5)), SIZE) as (app, pilot):
        await pilot.click(RowList, offset=(3, 0), times=2)
        await settle(pilot)
        assert app.opened == ["000000"]


async def test_rows_that_go_between_press_and_release() -> None:
    async with hosted(ListHost(keys(5)), SIZE) as (app, pilot):
        await pilot.mouse_down(RowList, offset=(3, 2))
        app.widget.set_rows(())
        app.widget.post_message(Click(app.widget, 3, 2, 0, 0, 1, False, False, False))
        await settle(pilot)
        assert app.opened == []


async def test_the_click_that_brings_the_focus_does_not_open() -> None:
    app = ListHost(keys(5))
    async with app.run_test(size=SIZE) as pilot:
        app.set_focus(None)
        await settle(pilot)
        await pilot.click(RowList, offset=(3, 0))
        await settle(pilot)
        assert app.widget.has_focus
        assert app.opened == []


async def test_headers_cannot_be_selected() -> None:
    rows = ["# a", "a1", "a2", "# b", "# c", "c1"]
    async with hosted(ListHost(rows, is_header=lambda key: key.startswith("#")), (30, 3)) as (app, pilot):
        assert app.widget.selected == "a1"
        await pilot.press("j", "j")
        assert app.widget.selected == "c1"
        await pilot.press("k", "k", "k")
        await settle(pilot)
        assert app.widget.selected == "a1"
        assert app.shown[0] == "# a"
        assert not app.widget.select("# c")
        await pilot.click(RowList, offset=(3, 0))
        await settle(pilot)
        assert app.widget.selected == "a1"
        app.widget.set_rows(["# only"])
        assert app.widget.selected is None


def test_a_cut_before_a_wide_letter_leaves_no_second_blank() -> None:
    assert row(["new — 日本"], "", 8).plain == "new — … "


async def test_an_untouched_list_follows_the_newest_row() -> None:
    async with hosted(ListHost(keys(100)), SIZE) as (app, pilot):
        app.widget.set_rows(["!new", *keys(100)])
        await settle(pilot)
        assert (app.widget.selected, app.shown[0]) == ("!new", "!new")
        await pilot.press("x")  # a key that acts on the row
        app.widget.set_rows(["!newer", "!new", *keys(100)])
        await settle(pilot)
        assert (app.widget.selected, app.shown[0]) == ("!new", "!newer")


async def test_a_list_without_rows_for_a_while_goes_back_to_the_selected_row() -> None:
    host = ListHost(keys(30))
    async with host.run_test(size=SIZE) as pilot:
        await settle(pilot)
        host.widget.select("000020")
        host.widget.set_rows(())
        host.widget.set_rows(keys(25))
        await settle(pilot)
        assert host.widget.selected == "000020"
        assert "000020" in host.shown


async def test_the_rows_in_sight_are_reported() -> None:
    async with hosted(ListHost(keys(100)), SIZE) as (app, pilot):
        assert _List.windows[-1] == (0, 10)
        before = len(_List.windows)
        app.widget.set_rows(keys(100))
        await pilot.press("j")
        await settle(pilot)
        assert len(_List.windows) == before
        await pilot.press("G")
        await settle(pilot)
        assert _List.windows[-1] == (90, 100)
        await pilot.resize_terminal(30, 6)
        await settle(pilot)
        assert _List.windows[-1] == (94, 100)
        app.widget.set_rows(keys(3))
        await settle(pilot)
        assert _List.windows[-1] == (0, 3)


@hostile_texts
async def test_hostile_rows_are_harmless(hostile: str) -> None:
    app = Host(RowList(lambda key, width: Content.assemble((hostile, "bold"), " ", hostile), empty=hostile))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        rows_of(app.widget)
        app.widget.set_rows([hostile, "b"])
        await settle(pilot)
        rows_of(app.widget)
        for width in (4, 3, 2, 1):
            await pilot.resize_terminal(width, 5)
            await settle(pilot)
            rows_of(app.widget)


async def test_the_cursor_shows_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with hosted(ListHost(keys(3)), SIZE) as (app, _pilot):
        cursor, other = app.widget.render_line(0), app.widget.render_line(1)
        assert all(segment.style and segment.style.reverse for segment in list(cursor)[1:])
        assert not any(segment.style and segment.style.reverse for segment in other)
        assert cursor.text.startswith("▌")


STEPS = st.lists(
    st.sampled_from(["j", "k", "g", "G", "pagedown", "ctrl+u"])
    | st.sets(st.integers(0, 30), max_size=31).map(lambda chosen: sorted(f"{each:02}" for each in chosen)),
    max_size=12,
)


@settings(max_examples=20)
@given(STEPS)
def test_no_sequence_of_keys_and_changes_loses_the_selection(steps: list[str | list[str]]) -> None:
    async def run() -> None:
        app = ListHost([f"{each:02}" for each in range(20)])
        async with app.run_test(size=(20, 6)) as pilot:
            await settle(pilot)
            for step in steps:
                if isinstance(step, str):
                    await pilot.press(step)
                else:
                    before, top = app.widget.selected, app.widget.scroll_offset.y
                    untouched = not app.widget.used and not top
                    app.widget.set_rows(step)
                    assert untouched or before not in step or app.widget.selected == before
                await pilot.pause()
                check(app)

    def check(app: ListHost) -> None:
        rows, index = app.widget.rows, app.widget.index
        assert (index < 0) == (not rows)
        if rows:
            top = app.widget.scroll_offset.y
            assert top <= index < top + 6
            assert app.shown[: len(rows)] == list(rows[top : top + 6])

    asyncio.run(run())


async def test_a_drag_selects_the_text_of_rows_as_they_are_drawn() -> None:
    async with hosted(ListHost(["one", "two", "three"]), SIZE) as (app, pilot):
        for end, text in (((4, 0), "one"), ((9, 1), "one>\n<two>")):
            await pilot.mouse_down(RowList, offset=(2, 0))
            await pilot.hover(RowList, offset=end)
            await pilot.mouse_up(RowList, offset=end)
            assert app.screen.get_selected_text() == text
            assert app.opened == []
        await pilot.mouse_down(RowList, offset=(9, 1))  # upwards, over the bar
        await pilot.hover(RowList, offset=(0, 0))
        await pilot.mouse_up(RowList, offset=(0, 0))
        assert app.screen.get_selected_text() == "<one>\n<two>"
        app.query_one(RowList).set_rows(["new", "one", "two"])
        assert not app.screen.get_selected_text()
