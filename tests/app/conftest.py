"""Fixtures for the app: a world without clocks and timers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from textual import constants
from textual.widgets import Input, TextArea

from memtui.app import watch
from memtui.app.listings import Target
from memtui.app.panes import detail, memory_reading
from tests.app import idle, painting, styling
from tests.app.world import World, furnished
from tests.engines.stand_in import StandIn, stand_in


@pytest.fixture(scope="session", autouse=True)
def _cheaper() -> Iterator[None]:
    """Let all apps share what is found out about style rules, and keep no parts of lines."""
    with pytest.MonkeyPatch.context() as patch:
        styling.share_rules(patch)
        styling.share_styles(patch)
        painting.without_caches(patch)
        yield


class Unwatched:
    """Takes the place of the watcher: no event ever comes, so a change shows only when the app looks."""

    def __init__(self, hint: object) -> None:
        pass

    def look_at(self, targets: Iterable[Target]) -> str:
        return ""

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _still(_isolated: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No blinking cursor, no animations and no pauses."""
    # The environment was asked when Textual was imported.
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(Input.cursor_blink, "_default", False)
    monkeypatch.setattr(TextArea.cursor_blink, "_default", False)
    monkeypatch.setattr(detail, "_PAUSE", 0.0)
    monkeypatch.setattr(watch, "BEGIN", 3600.0)  # no versions are written that no test waits for
    monkeypatch.setattr(memory_reading, "_REST", 0.0)
    idle.use(monkeypatch)


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> None:
    """File events come, and are relied upon whatever file system the tests run on."""
    monkeypatch.setattr(watch, "silent_file_system", lambda folder: "")


@pytest.fixture
def unwatched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app lists files once, and on request; unless the test is about `watching`."""
    if "watching" not in request.fixturenames:
        monkeypatch.setattr(watch, "Watcher", Unwatched)
        monkeypatch.setattr(watch, "INTERVAL", 3600.0)


@pytest.fixture
def world(tmp_path: Path, unwatched: None) -> World:
    """A project with nothing in it."""
    return World(tmp_path)


@pytest.fixture
def full(world: World) -> World:
    """A project with something in every pane."""
    return furnished(world)


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A stand-in for the program claude."""
    made = stand_in(tmp_path / "claude-program")
    monkeypatch.setenv("PATH", f"{made.folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return made


@pytest.fixture
def tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in tmux that keeps what it is given; returns where."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tmux").write_text(f'#!/bin/sh\n/bin/cat > "{folder}/buffer"\n')
    (folder / "tmux").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TMUX", "/tmp/tmux-1/default,1,0")
    return folder / "buffer"
