"""Makes the README's screenshots from the demo project: `make screenshots`.

The first of them shows a real Claude Code, and is made anew only where CLAUDE_CODE names one that loads mods.

SVG needs nothing; for PNG the machine should have DejaVu Sans Mono, and a font with CJK for the memories in
Chinese and Japanese.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import resvg_py
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.app.app import MemtuiApp
from memtui.app.project import ProjectModel
from memtui.demo.build import DemoProject, build_demo
from memtui.ground.logs import FailureLog
from memtui.ground.project import Places
from recording import answer, picture
from sharing import side_by_side

HERE = Path(__file__).parent
NOW = datetime(2026, 1, 2, 10, 15, tzinfo=timezone(timedelta(hours=1)))
FONT = "DejaVu Sans Mono"
_CELL = 12.2
"""Pixels of a cell in Textual's SVG."""
_ZONE = "XST-1"
"""One hour before UTC, as `NOW` is."""
_TURNS = 200
_RECORDED = 100
"""Columns of the recorded terminal."""


@dataclass(frozen=True)
class Shot:
    """One picture: its name, the size of the terminal and the keys that lead there."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    waits_for: str = "●"
    """Text that must show before the picture is taken."""


SHOTS = (
    Shot("browser", (140, 45), waits_for="✗ "),
    Shot("lost", (140, 45), ("l",), waits_for="Primary Request"),
    Shot("sessions", (140, 45), ("S",), waits_for="RESULTS"),
    Shot("memory", (140, 45), ("2", "j"), waits_for="related 1 memory"),
    Shot("command", (140, 45), ("3",), waits_for="Compact summary"),
    Shot("state", (140, 45), ("4",), waits_for="TASK TREE"),
    Shot("search", (140, 45), ("s", *"twice"), waits_for="Session states"),
    Shot("compact", (140, 45), ("c",), waits_for="checklist"),
    Shot("versions", (140, 45), ("4", "v"), waits_for="v5 → v6"),
    Shot("review", (140, 45), ("r",), waits_for="Files modified"),
    Shot("transcript", (140, 45), ("o",), waits_for="100 %"),
    Shot("help", (140, 45), ("?",), waits_for="Keys of this screen"),
    Shot("narrow", (80, 24), waits_for="✗ "),
    Shot("narrow-detail", (80, 24), ("enter",), waits_for="LOST"),
    Shot("small", (40, 12)),
)


async def take(shot: Shot, demo: DemoProject) -> str:
    """The picture as SVG."""
    browser = ProjectModel(Places(demo.project, demo.home, demo.claude_config), lambda: NOW)
    app = MemtuiApp(browser, FailureLog(demo.home.failure_log, lambda: NOW))
    async with app.run_test(size=shot.size) as pilot:
        for text in (
            "live",
            "✗ ",
            "help",
        ):  # live, and the losses are counted: help explains the signs that show
            await until(pilot, text)
        for key in shot.keys:
            await pilot.press(key)
        await until(pilot, shot.waits_for)
        return app.export_screenshot(title="memtui")


async def until(pilot: Pilot[None], text: str) -> None:
    """Wait until a text is on the screen, and all is searched."""
    for _ in range(_TURNS):
        await pilot.pause(0.02)
        seen = visible(pilot.app.export_screenshot())
        if text in seen and "not all searched" not in seen:
            await pilot.pause(0.1)
            return
    raise SystemExit(f"{text!r} did not show")


def visible(svg: str) -> str:
    """The text of a picture."""
    return html.unescape("".join(re.findall(r">([^<]*)</text>", svg))).replace("\xa0", " ")


def self_contained(svg: str) -> str:
    """Without fonts from the network, and with the width of wide characters put right."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family:[^;]+;", f"font-family: '{FONT}', monospace;", svg)

    def fitted(match: re.Match[str]) -> str:
        width = cell_len(html.unescape(match[3])) * _CELL
        return f'{match[1]}textLength="{width:.1f}"{match[2]}>{match[3]}</text>'

    return re.sub(r'(<text [^>]*?)textLength="[^"]*"([^>]*)>([^<]*)</text>', fitted, svg)


def record(demo: DemoProject) -> str:
    """The way from a session to an id and back, on the command line."""
    recovery_id = f"CMEM-{NOW:%Y%m%d-%H%M%S}"
    env = {**os.environ, **demo.env, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    turns = []
    for command in ("memtui compact --force", f"memtui restore --id {recovery_id} --print"):
        words = command.split()[1:]
        printed = answer(words, folder=demo.project.root, env=env, now=NOW, width=_RECORDED)
        turns.append((command, printed))
    return picture(turns, width=_RECORDED, most=26, title="a session, its Recovery ID, and back")


def main() -> None:
    """Take them all, in the zone of the story."""
    os.environ["TZ"] = _ZONE
    time.tzset()
    for shot in SHOTS:
        with built() as demo:
            keep(shot.name, asyncio.run(take(shot, demo)))
    with built() as demo:
        keep("compact-restore", record(demo))
    with emptied() as folder:
        keep("sharing", asyncio.run(side_by_side(folder, NOW, until)))
    if client := os.environ.get("CLAUDE_CODE"):
        from inside import inside

        with emptied() as folder:
            keep("inside", inside(client, folder))


@contextmanager
def built() -> Iterator[DemoProject]:
    """A demo project at a place whose name does not change from picture to picture."""
    with emptied() as folder:
        yield build_demo(folder, lambda: NOW)


@contextmanager
def emptied() -> Iterator[Path]:
    """An empty folder of the same name each time."""
    folder = Path(tempfile.gettempdir()) / "shop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep(name: str, picture_of: str) -> None:
    """Write a picture as SVG and as PNG."""
    svg = self_contained(picture_of)
    (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")
    png = resvg_py.svg_to_bytes(svg_string=svg, font_family=FONT, monospace_family=FONT, width=1400)
    (HERE / f"{name}.png").write_bytes(bytes(png))


if __name__ == "__main__":
    main()
