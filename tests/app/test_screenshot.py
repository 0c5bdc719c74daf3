"""A screenshot says where it is, or why there is none."""

from __future__ import annotations

from pathlib import Path

from tests.app.harness import opened
from tests.app.world import World


async def test_without_a_downloads_folder_it_is_in_the_home_folder(world: World) -> None:
    async with opened(world) as driver:
        saved = driver.app.deliver_screenshot()
        assert saved is not None
        assert Path(saved).parent == Path.home()
        assert Path(saved).read_text().startswith("<svg")
        assert driver.last_said == f"Screenshot: {saved}"


async def test_a_folder_that_is_missing_is_named(world: World, tmp_path: Path) -> None:
    async with opened(world) as driver:
        missing = tmp_path / "missing"
        assert driver.app.deliver_screenshot(path=str(missing)) is None
        assert driver.last_said == f"No screenshot: {missing} cannot be written (No such file or directory)."
