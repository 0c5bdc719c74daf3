"""What the tests of the app share: a world, and nothing that moves by itself."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from memtui.app import watcher
from memtui.app.live import Target
from tests.app.world import World, furnished


class Unwatched:
    """Takes the place of the watcher: no event ever comes, so a change shows only when the app looks."""

    def __init__(self, hint: object) -> None:
        pass

    def look_at(self, targets: Iterable[Target]) -> str:
        return ""

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _still(_isolated: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No blinking cursor, no other time zone; and no file events unless the test is marked `watching`."""
    time.tzset()
    monkeypatch.setattr(Input.cursor_blink, "_default", False)
    monkeypatch.setattr(TextArea.cursor_blink, "_default", False)
    if "watching" in request.fixturenames or request.node.get_closest_marker("watching"):
        return
    monkeypatch.setattr(watcher, "Watcher", Unwatched)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with nothing in it."""
    return World(tmp_path)


@pytest.fixture
def full(world: World) -> World:
    """A project with something in every pane."""
    return furnished(world)
