"""Shared by the widget tests: an app around one widget, and hostile texts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from memtui.app.base import OwnScreen
from memtui.app.themes import legible
from tests.app.idle import settle

WidgetT = TypeVar("WidgetT", bound=Widget)
HostT = TypeVar("HostT", bound="Host[Any]")

HOSTILE = (
    "[/] [/foo] [bold]x[/bold] [@click=app.quit]q[/] [link=file:///etc]l",
    "\x1b[2J\x1b]0;title\x07 \x1b[6n",
    "\x1b]52;c;QUFBQQ==\x07",
    "\x9b2J \x9d52;c;QQ==\x9c",
    "user\u202egnp.exe \u2066x\u2069 \u200fה",
    "tag \U000e0041\U000e007f end",
    "lone \ud83d surrogate",
    "bell\x07 back\x08 feed\x0c return\r tab\t null\x00 delete\x7f",
    "two\nlines\u2028three\x85four",
    "a\u0301\u0302" * 50,
    "👨‍👩‍👧‍👦🇩🇪❤️👍🏽" * 20,
)

hostile_texts = pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))


class Host(App[None], Generic[WidgetT]):
    """An app that holds one widget and remembers the messages that come out of it."""

    def __init__(self, widget: WidgetT) -> None:
        super().__init__()
        self.widget = widget
        self.heard: list[Message] = []

    def get_css_variables(self) -> dict[str, str]:
        return legible(self.current_theme, super().get_css_variables())

    def get_default_screen(self) -> Screen[None]:
        return OwnScreen()

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        self.widget.focus()


@asynccontextmanager
async def hosted(app: HostT, size: tuple[int, int]) -> AsyncIterator[tuple[HostT, Pilot[None]]]:
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield app, pilot


def rows_of(widget: Widget) -> list[str]:
    """The widget's rows, checked to be harmless and exactly as wide as the widget."""
    rows = []
    for y in range(widget.size.height):
        strip = widget.render_line(y)
        text = strip.text
        assert strip.cell_length == cell_len(text) == widget.size.width
        text.encode("utf-8")
        assert not [char for char in text if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0]
        assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
        rows.append(text)
    return rows
