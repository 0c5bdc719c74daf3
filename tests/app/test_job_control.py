"""ctrl+z stops the whole group of processes, as the terminal would, and says when no shell waits for it."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from typing import Any

import pytest

from tests.app.harness import opened
from tests.app.reviewing import start
from tests.app.world import World


@pytest.mark.parametrize("shell", [True, False])
async def test_ctrl_z_stops_the_group_until_fg(
    full: World, monkeypatch: pytest.MonkeyPatch, shell: bool
) -> None:
    stopped: list[tuple[int, int, Any]] = []

    def kill(process: int, number: int) -> None:
        stopped.append((process, number, signal.getsignal(signal.SIGTSTP)))
        go_on = signal.getsignal(signal.SIGCONT)
        if shell and callable(go_on):
            go_on(signal.SIGCONT, None)

    handlers = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    async with opened(full) as driver:
        monkeypatch.setattr(driver.app, "suspend", nullcontext)
        monkeypatch.setattr(os, "kill", kill)
        await driver.press("ctrl+z")
        monkeypatch.undo()
        assert stopped == [(0, signal.SIGTSTP, signal.SIG_DFL)]
        assert driver.app.said == (
            [] if shell else ["No shell waits below memtui: ctrl+z has nothing to go back to."]
        )
    assert (signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)) == handlers


async def test_ctrl_z_takes_back_what_was_typed_in_a_field(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(full) as driver:
        monkeypatch.setattr(driver.app, "action_suspend_process", lambda: pytest.fail("it stopped"))
        goal = (await start(driver)).field("goal")
        before = goal.text
        goal.focus()
        await driver.press("x")
        assert goal.text != before
        await driver.press("ctrl+z")
        assert goal.text == before
