"""The document view on a screen: keys, places that stay, selection, long documents, hostile text."""

from __future__ import annotations

import pytest
from textual.geometry import Offset, Size
from textual.selection import SELECT_ALL, Selection

from memtui.app.widgets.document import Document, concat, from_markdown, line, plain, rule, styled
from memtui.app.widgets.document_view import DocumentView
from tests.app.idle import settle
from tests.app.widgets.hosts import Host, hosted, hostile_texts, rows_of

SIZE = (30, 10)


def numbered(count: int, words: int = 1) -> Document:
    return plain("\n".join(f"line {number}" + " word" * (words - 1) for number in range(count)))


def texts(view: DocumentView) -> list[str]:
    return [row.rstrip() for row in rows_of(view)]


@pytest.mark.parametrize(
    ("presses", "top"),
    [
        (["j"], 1),
        (["down", "down", "up"], 1),
        (["k"], 0),
        (["G"], 90),
        (["end", "j"], 90),
        (["G", "g"], 0),
        (["end", "home"], 0),
        (["pagedown"], 9),
        (["space", "space", "pageup"], 9),
        (["ctrl+d"], 4),
        (["ctrl+d", "ctrl+d", "ctrl+u"], 4),
    ],
)
async def test_keys_scroll(presses: list[str], top: int) -> None:
    app = Host(DocumentView(numbered(100)))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*presses)
        await settle(pilot)
        assert texts(app.widget) == [f"line {number}" for number in range(top, top + 10)]


async def test_a_view_of_automatic_height_is_as_high_as_its_text_at_once() -> None:
    view = DocumentView(numbered(3, words=9))
    assert view.get_content_height(Size(30, 10), Size(30, 10), 30) == 6


async def test_a_newer_version_keeps_the_place_and_another_document_begins_at_its_top() -> None:
    async with hosted(Host(DocumentView(numbered(100))), SIZE) as (app, pilot):
        app.widget.scroll_to(y=40, animate=False)
        await settle(pilot)
        app.widget.show(concat(numbered(100), plain("more")), keep_scroll=True)
        await settle(pilot)
        assert texts(app.widget)[0] == "line 40"
        app.widget.show(concat(plain("a\nb\nc"), numbered(100)), keep_scroll=True, shift=3)
        await settle(pilot)
        assert texts(app.widget)[0] == "line 40"
        app.widget.show(numbered(10), keep_scroll=True)
        await settle(pilot)
        assert texts(app.widget)[-1] == "line 9"
        app.widget.show(numbered(50))
        await settle(pilot)
        assert texts(app.widget)[0] == "line 0"


async def test_the_mouse_selects_text_without_the_breaks_of_the_width() -> None:
    document = concat(line("• one two three four", hang=2), line("漢字漢字 end"), line(""), line("last"))
    async with hosted(Host(DocumentView(document)), (13, 10)) as (app, pilot):
        # Rows: "• one two", "  three four", "漢字漢字 end", "", "last".
        await pilot.mouse_down(DocumentView, offset=(2, 0))
        await pilot.hover(DocumentView, offset=(2, 2))
        await pilot.mouse_up(DocumentView, offset=(2, 2))
        await settle(pilot)
        assert app.screen.get_selected_text() == "one two three four\n漢字"
        marked = [segment for segment in app.widget.render_line(2) if segment.text == "漢字"]
        plain_row = app.widget.render_line(4)
        assert marked[0].style is not None
        assert marked[0].style.bgcolor != next(iter(plain_row)).style.bgcolor  # type: ignore[union-attr]


async def test_a_press_on_the_indent_is_one_on_the_first_character() -> None:
    item = line("    • one two three four", hang=6)
    async with hosted(Host(DocumentView(concat(item))), (16, 10)) as (app, _pilot):
        assert texts(app.widget)[1] == "      three"
        for x in range(7):
            _, offset = app.screen.get_widget_and_offset_at(x, 1)
            assert offset == Offset("    • one two three four".index("three"), 0)


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (SELECT_ALL, "a\nbcd\nef"),
        (Selection(Offset(1, 1), None), "cd\nef"),
        (Selection(None, Offset(2, 1)), "a\nbc"),
        (Selection(Offset(1, 1), Offset(2, 1)), "c"),
        (Selection(Offset(1, 1), Offset(5, 9)), "cd\nef"),
    ],
)
async def test_selections_give_logical_lines(selection: Selection, text: str) -> None:
    async with hosted(Host(DocumentView(plain("a\nbcd\nef"))), SIZE) as (app, _pilot):
        assert app.widget.get_selection(selection) == (text, "\n")
        assert DocumentView().get_selection(selection) is None


async def test_a_selection_stays_on_its_text_when_lines_come_before_it() -> None:
    async with hosted(Host(DocumentView(numbered(50))), SIZE) as (app, pilot):
        await pilot.mouse_down(DocumentView, offset=(0, 2))
        await pilot.hover(DocumentView, offset=(6, 3))
        await pilot.mouse_up(DocumentView, offset=(6, 3))
        app.widget.show(concat(plain("x\ny"), numbered(50)), keep_scroll=True, shift=2)
        await settle(pilot)
        assert app.screen.get_selected_text() == "line 2\nline 3"
        app.widget.show(numbered(3))
        await settle(pilot)
        assert app.screen.get_selected_text() is None


async def test_a_drag_over_rows_without_text_selects_none() -> None:
    async with hosted(Host(DocumentView(plain("a\n\nb"))), SIZE) as (app, pilot):
        for row in (1, 6):
            await pilot.mouse_down(DocumentView, offset=(1, row))
            await pilot.hover(DocumentView, offset=(9, row))
            await pilot.mouse_up(DocumentView, offset=(9, row))
            assert app.screen.get_selected_text() == ""


@hostile_texts
async def test_hostile_documents_are_harmless(hostile: str) -> None:
    document = concat(
        from_markdown(hostile),
        plain(hostile),
        line(hostile),
        styled((hostile, "bad"), hostile),
        rule(hostile),
    )
    raw = Document([document.lines[0]._replace(text=hostile.replace("\n", " "))])
    app = Host(DocumentView(document))
    async with app.run_test(size=SIZE) as pilot:
        for width in (30, 5, 4, 2, 1):
            await pilot.resize_terminal(width, 10)
            await settle(pilot)
            rows_of(app.widget)
        app.widget.show(raw)
        await settle(pilot)
        assert not any(char < " " for row in rows_of_any(app.widget) for char in row)


def rows_of_any(view: DocumentView) -> list[str]:
    return [view.render_line(y).text for y in range(view.size.height)]
