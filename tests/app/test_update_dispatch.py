"""New captures and memories: their row is highlighted for a moment, and the bell rings if configured."""

from __future__ import annotations

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.settings import SettingsError, load_settings
from memtui.app.widgets import row_list
from tests.app.harness import Driver, WatchedApp, opened
from tests.app.world import World


@pytest.fixture
def bells(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bells rung so far."""
    rung: list[int] = []
    monkeypatch.setattr(WatchedApp, "bell", lambda app: rung.append(1))
    return rung


def configure(world: World, text: str) -> None:
    world.write(world.home.config / "config.toml", text)


async def arrive(driver: Driver, world: World) -> None:
    world.capture(1, "Just captured")
    driver.app.hint("compacts")
    await driver.until(lambda: "Just captured" in driver.shown, "the capture")


async def test_new_rows_stand_out_once(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_list, "_FLASH", 3600.0)
    async with opened(full) as driver:
        assert not any(pane._new for pane in driver.browser.panes.values())  # never at the start
        await arrive(driver, full)
        pane = driver.pane(PaneId.PENDING)
        assert pane._new == {full.capture_path(1).name}
        plain = pane.render_line(1)
        assert {part.style.bgcolor for part in pane.render_line(0) if part.style} != {
            part.style.bgcolor for part in plain if part.style
        }
        pane._end_flash(pane._new)
        assert not pane._new
        await driver.press("R", "R")  # other rows, but nothing new
        assert not pane._new


@pytest.mark.parametrize(("text", "rung"), [("", 0), ("[notify]\nbell = true\n", 1)])
async def test_the_bell_rings_for_a_capture_where_it_is_wanted(
    full: World, bells: list[int], text: str, rung: int
) -> None:
    configure(full, text)
    async with opened(full) as driver:
        assert not bells
        await arrive(driver, full)
        assert len(bells) == rung
        full.memory(1, "Just stored")
        driver.app.hint("memories")
        await driver.until(lambda: "Just stored" in driver.shown, "the memory")
        assert len(bells) == rung


@pytest.mark.parametrize("text", ["[notify]\nbell = 1\n", "notify = true\n"])
def test_another_value_is_refused(world: World, text: str) -> None:
    configure(world, text)
    with pytest.raises(SettingsError, match=r"config\.toml: \[notify\] bell must be true or false\."):
        load_settings(world.home)
