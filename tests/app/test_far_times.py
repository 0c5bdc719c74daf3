"""Times at the ends of the calendar, outside every local zone, which files may contain."""

from __future__ import annotations

import time

import pytest
from click.testing import CliRunner

from memtui.app.panes.pane import PaneId
from memtui.cli.main import cli
from tests.app.harness import WIDE, opened
from tests.app.world import NOW, World

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
