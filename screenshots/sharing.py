"""The picture of two apps on two machines that share a memory through a bare repository."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from textual.pilot import Pilot

from memtui.app.app import MemtuiApp
from memtui.app.project import ProjectModel
from memtui.demo.build import DemoProject, build_demo
from memtui.ground.logs import FailureLog
from memtui.ground.project import Places
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.sync import open_sharing

_SIZE = (80, 30)
_GAP = 20
_VIEW = re.compile(r'<svg class="rich-terminal" viewBox="0 0 ([\d.]+) ([\d.]+)"')

Until = Callable[[Pilot[None], str], Awaitable[None]]


async def side_by_side(folder: Path, now: datetime, until: Until) -> str:
    """Ann shares a memory on her laptop, and it stands in the pane on Bob's desk.

    Args:
        folder: an empty one.
        now: the time that stands still.
        until: waits until a text is on the screen.
    """
    hub = folder / "memories.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(hub)], check=True, timeout=60)
    os.environ["LOGNAME"] = "ann"
    laptop, desk = (_machine(folder / name, name, str(hub), now) for name in ("laptop", "desk"))
    sharing = open_sharing(laptop.home, lambda: now, "team")
    sharing.share(max(path.stem for path in laptop.home.memories.rglob("CMEM-*.md")))
    left = _app(laptop, now)
    async with left.run_test(size=_SIZE) as pilot:
        await until(pilot, "not synced yet")
        await pilot.press("2", "ctrl+s")
        await until(pilot, "team now")
        shared = left.export_screenshot(title="ann: laptop")
    right = _app(desk, now)
    async with right.run_test(size=_SIZE) as pilot:
        await until(pilot, "not synced yet")
        await pilot.press("2", "ctrl+s")
        await until(pilot, "⇅ ann")
        return joined(shared, right.export_screenshot(title="bob: desk"))


def _machine(folder: Path, name: str, url: str, now: datetime) -> DemoProject:
    folder.mkdir()
    demo = build_demo(folder, lambda: now)
    (demo.home.data / "machine").write_text(f"{name}\n")
    Remotes(demo.home).add("team", NamedRemote(url=url))
    open_sharing(demo.home, lambda: now, "team").remote.set_up()
    return demo


def _app(demo: DemoProject, now: datetime) -> MemtuiApp:
    browser = ProjectModel(Places(demo.project, demo.home, demo.claude_config), lambda: now)
    return MemtuiApp(browser, FailureLog(demo.home.failure_log, lambda: now))


def joined(*pictures: str) -> str:
    """Pictures beside each other, as one."""
    parts, left, height = [], 0.0, 0.0
    for each in pictures:
        found = _VIEW.search(each)
        assert found is not None
        wide, high = float(found[1]), float(found[2])
        parts.append(each.replace("<svg ", f'<svg x="{left}" y="0" width="{wide}" height="{high}" ', 1))
        left, height = left + wide + _GAP, max(height, high)
    whole = f'<svg viewBox="0 0 {left - _GAP} {height}" xmlns="http://www.w3.org/2000/svg">'
    return "\n".join((whole, *parts, "</svg>\n"))
