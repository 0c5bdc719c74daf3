"""A project with nothing, one with ten thousand captures, and one with times at the ends of the calendar."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from textual.widgets import Input

from memtui.app import project as comparison
from memtui.app.panes.pane import PaneId
from memtui.app.readings import Indexer
from memtui.cli.main import cli
from memtui.store.search_index import SearchIndex
from tests.app.harness import NARROW, SIZES, WIDE, opened
from tests.app.world import FIRST, NOW, World, captured_session

ADVICE = {
    PaneId.PENDING: ("Nothing waits for a review.", "What a compaction took away arrives here"),
    PaneId.MEMORIES: ("No memories yet.", "c makes one of the session, r in Pending one of a capture."),
    PaneId.COMMANDS: ("No command is active; ! types a pin.", "Commands that register themselves show here"),
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
                assert sentences[0] in flat(driver.shown), f"{size}:\n{driver.shown}"
                await driver.press("enter")
                assert all(each in flat(driver.shown) for each in sentences), f"{size}:\n{driver.shown}"
                await driver.press("escape")
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


async def test_the_focus_goes_from_an_empty_first_pane_to_what_there_is(world: World) -> None:
    """With a session and no capture, to the session's state, unless a key was pressed."""
    async with opened(world, WIDE) as driver:
        assert "o transcript" not in driver.lines[-1] and "c draft" not in driver.lines[-1]
        captured_session(world)
        driver.app.hint("transcripts")
        await driver.until(lambda: FIRST in driver.detail, "the draft")
        assert driver.at(PaneId.STATE) and "r review" not in driver.lines[-1]
        await driver.press("o")
        await driver.until_transcript()
        await driver.press("escape", "4", "enter")
        assert driver.reading() and "v versions" in driver.lines[-1]
        await driver.resize(NARROW)
        await driver.press("escape", "1")
        assert "enter open" not in driver.lines[-1]  # where no detail stands beside it


EDGES = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00")


@pytest.fixture(params=("NZST-12NZDT,M9.5.0,M4.1.0/3", "HST10"))
def edge(world: World, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    for minutes, moment in enumerate(EDGES, 1):
        path = world.capture(minutes, f"far {minutes}")
        path.write_text(
            path.read_text().replace((world.capture_of(minutes, "").timestamp).isoformat(), moment)
        )
        assert moment in path.read_text()
    commands = world.commands("early", "late")
    text = commands.read_text()
    for moment in EDGES:
        text = text.replace((NOW.replace(hour=NOW.hour - 1)).isoformat(), moment, 1)
    commands.write_text(text)
    return world


async def test_every_view_shows_them(edge: World) -> None:
    async with opened(edge, WIDE) as driver:
        for pane_id in (PaneId.PENDING, PaneId.COMMANDS):
            await driver.press("1" if pane_id is PaneId.PENDING else "3")
            for key in driver.pane(pane_id).rows:
                driver.pane(pane_id).select(key)
                await driver.settled()
                await driver.pilot.pause()
        rows = "\n".join(driver.drawn(PaneId.PENDING))
        assert "far 1" in rows
        assert "far 2" in rows


def test_the_command_line_lists_them(edge: World) -> None:
    done = CliRunner().invoke(cli, ["captures", "--root", str(edge.root)])
    assert done.exit_code == 0, done.output
    assert "far 1" in done.output


async def test_many_memories_are_indexed_in_a_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_MANY", 3)
    for number in range(3):
        world.memory(number, f"Memory {number}")
    async with opened(world) as driver:
        indexer = driver.app.model.indexer
        await driver.until(lambda: world.home.cache.joinpath("index.db").exists(), "the index")
        await driver.until(lambda: indexer.process and indexer.process.poll() is not None, "its end")
        with SearchIndex(driver.app.model.places).reading() as connection:
            assert connection.execute("SELECT count(*) FROM files").fetchone() == (3,)


def test_it_ends_on_request_and_does_not_begin_again(world: World) -> None:
    indexer = Indexer(world.places)
    indexer.start()
    indexer.stop()
    indexer.start()
    assert indexer.process is not None and indexer.process.poll() is not None
