"""x, X and u: active commands are cleared and come back, and nothing else in the file is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import ConfirmScreen
from memtui.documents.commands import remove_commands
from memtui.store import commands_file
from tests.app.harness import Driver, opened
from tests.app.world import World

NAMES = ["babysit", "research/ask", "nofile"]


def rows(driver: Driver) -> list[str]:
    return list(driver.pane(PaneId.COMMANDS).rows)


def data(world: World) -> dict[str, Any]:
    loaded = json.loads(world.project.session_state_json.read_text())
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture
def file(full: World) -> Path:
    return full.project.session_state_json


async def test_the_cursor_goes_to_what_an_undo_brings_back(full: World) -> None:
    full.write(full.project.pins, "- never push\n")
    async with opened(full) as driver:
        await driver.press("3")
        pane = driver.pane(PaneId.COMMANDS)
        await driver.until(lambda: len(pane.rows) == 4, "the pin")
        gone = list(pane.rows[:3])
        for name in gone:
            await driver.press("x")
            await driver.until(lambda name=name: name not in pane.rows, name)  # type: ignore[misc]
        for name in reversed(gone):
            await driver.press("u")
            await driver.until(lambda name=name: pane.selected == name, name)  # type: ignore[misc]


async def test_x_clears_the_selected_command_and_u_brings_it_back_to_the_byte(
    full: World, file: Path
) -> None:
    before = file.read_bytes()
    async with opened(full) as driver:
        assert rows(driver) == NAMES
        await driver.press("3", "j", "x")
        assert await driver.until_said("Cleared") == "Cleared /research/ask. u brings it back."
        assert file.read_text() == remove_commands(before.decode(), {"research/ask"})
        await driver.until(lambda: rows(driver) == ["babysit", "nofile"])
        assert driver.pane(PaneId.COMMANDS).selected == "nofile"
        await driver.press("u")
        assert (
            await driver.until_said("Undone")
            == "Undone: cleared /research/ask, so it is active again. ctrl+r does it again."
        )
        assert file.read_bytes() == before
        await driver.until(lambda: rows(driver) == NAMES)
        assert driver.pane(PaneId.COMMANDS).selected == "research/ask"
        # Several are undone from the last one on.
        await driver.press("g", "x")
        await driver.until(lambda: len(rows(driver)) == 2)
        between = file.read_bytes()
        await driver.press("x")
        await driver.until(lambda: len(rows(driver)) == 1)
        await driver.press("u")
        await driver.until_said("Undone: cleared /research/ask")
        assert file.read_bytes() == between
        await driver.press("1", "u")  # from any pane
        await driver.until_said("Undone: cleared /babysit")
        assert file.read_bytes() == before
        await driver.press("u")  # and each only once
        await driver.until_said("Nothing to undo")
        assert file.read_bytes() == before


async def test_capital_x_asks_no_keeps_everything_and_yes_clears_all(full: World, file: Path) -> None:
    before = file.read_bytes()
    async with opened(full) as driver:
        for no in ("n", "escape", "enter", "q"):
            await driver.press("3", "X")
            assert isinstance(driver.screen, ConfirmScreen), no
            assert "Clear all 3 active commands?" in driver.shown, no
            await driver.press(no)
            await driver.until(driver.at_home)
            assert file.read_bytes() == before, no
            assert driver.said == [], no
            assert not driver.app.left, no
        await driver.press("3", "X", "y")
        assert await driver.until_said("Cleared") == "Cleared all commands. u brings it back."
        assert data(full)["active_commands"] == []
        assert data(full)["last_session"] == {"id": "a-1", "ratio": 0.1}
        await driver.until(lambda: rows(driver) == [])
        await driver.press("u")
        assert (
            await driver.until_said("Undone")
            == "Undone: cleared all commands, so they are active again. ctrl+r does it again."
        )
        assert file.read_bytes() == before


async def test_what_another_program_wrote_meanwhile_stays(full: World, file: Path) -> None:
    async with opened(full) as driver:
        await driver.press("3", "x")
        await driver.until_said("Cleared")
        theirs = data(full)
        theirs["last_session"]["id"] = "b-2"
        theirs["batch"] = {"size": 10}
        theirs["active_commands"].append({"name": "epic", "activated_at": None, "state": {"n": 1}})
        full.write(file, json.dumps(theirs, indent=2) + "\n")
        await driver.press("u")
        await driver.until_said("Undone")
        after = data(full)
        assert [entry["name"] for entry in after.pop("active_commands")] == [
            "babysit",
            "research/ask",
            "nofile",
            "epic",
        ]
        assert after == {"last_session": {"id": "b-2", "ratio": 0.1}, "batch": {"size": 10}}


async def test_an_undo_that_had_to_wait_can_be_tried_again(
    full: World, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands_file, "PATIENCE", 0.05)
    before = file.read_bytes()
    async with opened(full) as driver:
        await driver.press("3", "x")
        await driver.until_said("Cleared")
        lock = full.write(file.with_name("session-state.json.lock"), f"{os.getppid()}\n")
        os.utime(lock)
        await driver.press("u")
        await driver.until_said("try again")
        lock.unlink()
        await driver.press("u")
        await driver.until_said("Undone")
    assert file.read_bytes() == before


async def test_an_old_change_is_named_before_it_is_undone(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.app.app._OLD", 0)
    async with opened(full) as driver:
        await driver.press("3", "x")
        await driver.until_said("Cleared")
        driver.app.action_undo()  # a key would be waited for, and the worker waits for the answer
        await driver.until(lambda: "Undo what was done 0 minutes ago: cleared /babysit?" in driver.shown)
        await driver.press("n")
        assert driver.app.model.changes.last() is not None
        driver.app.action_undo()
        await driver.until(lambda: "Undo what was done 0" in driver.shown)
        await driver.press("y")
        await driver.until_said("Undone: cleared /babysit")
