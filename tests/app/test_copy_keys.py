"""y and Y: the copied text, the way it is copied, and the message."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.app.panes.pane import PaneId
from tests.app.harness import NARROW, WIDE, opened
from tests.app.world import World

PROMPT = "Please import memory {}"


@pytest.fixture
def tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in tmux that keeps what it is given; returns where."""
    folder = tmp_path / "bin"
    folder.mkdir()
    log = folder / "buffer"
    script = folder / "tmux"
    script.write_text(f'#!/bin/sh\n/bin/cat > "{log}"\necho "$*" >> "{log}.how"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TMUX", "/tmp/tmux-1/default,1,0")
    return log


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_y_puts_the_id_into_the_tmux_buffer_and_says_so(
    full: World, tmux: Path, size: tuple[int, int]
) -> None:
    name = full.memory(1, "The newest")
    async with opened(full, size) as driver:
        await driver.press("2", "y")
        await driver.until_said("buffer")
        assert driver.last_said == f"Copied {name} into the tmux buffer: paste with prefix ]"
        assert tmux.read_text() == name
        assert driver.app.clipboard == name  # sent to the terminal as well, which need not be tmux's own
        assert name in driver.shown
        driver.app.clear_notifications()
        await driver.pilot.pause()
        assert name in driver.shown


async def test_capital_y_says_first_that_the_memory_is_stale(full: World, tmux: Path) -> None:
    full.write(full.root / "a.py", "x", minutes=-1)
    text = f"## Project Root\n{full.root}\n\n## Working Files (Modified)\n- {full.root}/a.py\n"
    name = full.memory(1, "The newest", body=text)
    async with opened(full) as driver:
        await driver.press("2")
        await driver.until(lambda: "△ The newest" in driver.drawn(PaneId.MEMORIES)[0], "the mark")
        await driver.press("Y")
        said = await driver.until_said("buffer")
        assert said.startswith("1 of 1 file changed since. Copied Please import")
        assert tmux.read_text() == PROMPT.format(name)


async def test_without_a_tool_it_claims_no_more_than_it_knows(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = full.memory(1, "The newest")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    async with opened(full) as driver:
        await driver.press("2", "y")
        await driver.until_said("Sent")
        assert driver.last_said == f"Sent {name} to the terminal (it cannot confirm)"
        assert driver.app.clipboard == name
