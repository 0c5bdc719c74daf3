"""A project with nothing in it, and one with ten thousand captures."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from tests.app.harness import SIZES, WIDE, opened
from tests.app.world import World

ADVICE = {
    PaneId.PENDING: ("Nothing waits for a review.", "What an auto-compaction took away arrives here."),
    PaneId.MEMORIES: ("No memories yet.", "Review a capture (r in Pending), or compact the session now (c)."),
    PaneId.COMMANDS: ("No command is active.", "Commands that register themselves show here"),
    PaneId.STATE: ("No session yet.", "Start Claude Code in this folder: the state of its session shows"),
}


def flat(text: str) -> str:
    """Words without the breaks and frames between them."""
    return " ".join(text.replace("│", " ").split())


async def test_an_empty_project_says_in_each_pane_what_to_do(world: World) -> None:
    async with opened(world) as driver:
        for size in SIZES:
            await driver.resize(size)
            for number, (pane_id, sentences) in enumerate(ADVICE.items(), 1):
                await driver.press(str(number))
                assert driver.at(pane_id), size
                shown = flat(driver.shown)
                for sentence in sentences:
                    assert sentence in shown, f"{sentence!r} is not shown at {size}:\n{driver.shown}"
    assert not world.project.compacts.exists()
    assert not world.home.data.exists()


async def test_nothing_but_the_cache_is_written_by_looking(full: World) -> None:
    full.home.cache.mkdir(parents=True, exist_ok=True)
    before = _times(full)
    async with opened(full) as driver:
        await driver.press(*"1234", "enter", "escape", "R", "question_mark", "escape")
    assert _times(full) == before


def _times(world: World) -> dict[Path, int]:
    cache = world.home.cache
    paths = (path for path in world.base.rglob("*") if not path.is_relative_to(cache))
    return {path: path.stat().st_mtime_ns for path in paths}


async def test_ten_thousand_captures(world: World) -> None:
    text = world.capture(0.5, "Capture").read_text()
    for number in range(1, 10_000):
        (world.project.compacts / world.capture_path(number).name).write_text(text)
    async with opened(world, WIDE) as driver:
        pane = driver.pane(PaneId.PENDING)
        assert len(pane.rows) == 10_000
        await driver.until(lambda: "1 Pending 10000" in driver.shown, "the count")
        await driver.press("G")
        assert pane.index == 9_999
        await driver.press("g", "slash")
        driver.browser.query_one("#filter", Input).value = "20260305_10"
        await driver.until(lambda: 0 < len(pane.rows) <= 60, "the filter")
