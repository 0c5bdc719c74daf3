"""Snapshots of each screen at three sizes, all of the demo at one moment.

After a change that is meant, look at the pictures of the report that a failing run writes, then accept them:
`make test ARGS="tests/app/test_snapshots.py --snapshot-update"`. They are made with the versions that
constraints.txt pins.
"""

from __future__ import annotations

import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from textual.app import App

from memtui.app.panes.pane import PaneId
from memtui.app.screens import compact, dialogs, review, sessions
from memtui.app.screens.compact import CompactScreen
from memtui.app.screens.dialogs import legend
from memtui.app.screens.lost import LostScreen
from memtui.app.screens.review import ReviewScreen
from memtui.app.screens.search import SearchScreen
from memtui.app.screens.sessions import SessionsScreen
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.screens.versions import VersionsScreen
from memtui.app.widgets import document, transcript_lines
from memtui.app.widgets.document_view import DocumentView
from memtui.demo.build import DemoProject, build_demo
from memtui.ground.clean import clean
from memtui.store import search as searching
from tests.app.harness import NARROW, SHORT, SIZES, WIDE, Driver, WatchedApp, app_on, make_app
from tests.app.painting import held_back
from tests.app.world import World, clock

Compare = Callable[..., bool]
Size = tuple[int, int]

SCREENS = {
    "pending": ((), SIZES),
    "memories": (("2", "j"), (WIDE,)),
    "state": (("4",), (WIDE,)),
    "detail": (("enter",), (NARROW, SHORT)),
    "help": (("question_mark",), (WIDE, SHORT)),
    "confirm": (("3", "X"), (NARROW,)),
    "lost": (("l",), (WIDE,)),
    "review": (("r",), (WIDE, NARROW)),
    "evidence": (("r", "j"), (SHORT,)),
    "transcript": (("o",), (WIDE, SHORT)),
    "search": (("s", *"twice"), (WIDE, SHORT)),
    "compact": (("c",), (WIDE,)),
    "stored": (("c", "ctrl+s"), (SHORT,)),  # larger ones show the list behind it, which is being read anew
    "versions": (("4", "v"), (WIDE,)),
    "sessions": (("S",), (WIDE, SHORT)),
}
CASES = [
    pytest.param(name, size, id=f"{name}-{size[0]}x{size[1]}")
    for name, (_, sizes) in SCREENS.items()
    for size in sizes
]
_LENGTH = 70


@pytest.fixture(scope="module")
def built() -> Iterator[tuple[DemoProject, Path]]:
    """The demo and a copy of it, as it was built.

    The path of its folder is as long everywhere: it counts among the tokens, and lines are cut by it.
    """
    base = Path("/tmp").resolve()
    name = "memtui-".ljust(_LENGTH - len(f"{base}/RANDOM12/tmp"), "-")
    with tempfile.TemporaryDirectory(prefix=name, dir=base) as made:
        inside = Path(made, "tmp")
        inside.mkdir()
        demo = build_demo(inside, clock)
        yield demo, shutil.copytree(inside, Path(made, "copy"), symlinks=True)


def _open_demo(built: tuple[DemoProject, Path]) -> WatchedApp:
    """An app on the demo with nothing that an earlier app has changed."""
    demo, copy = built
    shutil.rmtree(demo.folder)
    shutil.copytree(copy, demo.folder, symlinks=True)
    return app_on(demo.project, demo.home, demo.claude_config)


@pytest.fixture(autouse=True)
def _anywhere(built: tuple[DemoProject, Path], monkeypatch: pytest.MonkeyPatch, unwatched: None) -> None:
    """Wherever the demo is built, it shows the same folder."""
    folder = str(built[0].folder)

    def cleaned(text: str) -> str:
        return clean(text.replace(folder, "/home/ada"))

    def cleaned_line(text: str) -> str:
        return " ".join(cleaned(text).split())

    monkeypatch.setattr(document, "clean", cleaned)
    monkeypatch.setattr(transcript_lines, "clean", cleaned)
    monkeypatch.setattr(transcript_lines, "clean_line", cleaned_line)
    monkeypatch.setattr(review, "clean", cleaned)
    monkeypatch.setattr(review, "clean_line", cleaned_line)
    monkeypatch.setattr(compact, "clean", cleaned)
    monkeypatch.setattr(compact, "_PAUSE", 0.0)
    monkeypatch.setattr(searching, "clean", cleaned)
    monkeypatch.setattr(sessions, "clean_line", cleaned_line)
    monkeypatch.setattr(dialogs, "clean_line", cleaned_line)


_DOCUMENTS: dict[type[object], tuple[str, str]] = {
    CompactScreen: ("#compact-checks", ""),
    LostScreen: ("#summary", "Request"),
    SessionsScreen: ("#session", "ASKS"),
    VersionsScreen: ("#changes", ""),
}
"""The document of a screen that is read in the background, and a text in it."""


async def _shown(driver: Driver, view: str, text: str) -> None:
    document = driver.screen.query_one(view, DocumentView)
    await driver.until(lambda: document.document.text and text in document.document.text, view)


async def _press(driver: Driver, keys: tuple[str, ...]) -> None:
    await driver.until_live()
    for key in keys:
        if key == "tab" and driver.browser.current_id is PaneId.MEMORIES:
            await driver.until(lambda: "related …" not in driver.detail, "what can be gone to")
        await driver.settled()
        await driver.press(key)
        if isinstance(driver.screen, ReviewScreen):
            await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
        elif isinstance(driver.screen, TranscriptScreen):
            await driver.until_transcript()
            await driver.until(lambda: "turn" in driver.lines[0], "the turns")
            await driver.handled()
        elif isinstance(driver.screen, SearchScreen):
            workers = [worker for worker in driver.app.workers if worker.group == "search"]
            await driver.until(lambda: all(each.is_finished for each in workers), "the hits")  # noqa: B023
            await driver.until(lambda: "not all searched" not in driver.shown, "the index")
        elif type(driver.screen) in _DOCUMENTS:
            await _shown(driver, *_DOCUMENTS[type(driver.screen)])
        elif driver.browser.current_id is PaneId.STATE:
            await driver.until(lambda: driver.pane(PaneId.STATE).count(), "the state")
            await driver.until(lambda: "Context size" in driver.detail, "the chart")
    if driver.browser.current_id is PaneId.MEMORIES:
        await driver.until(lambda: "related …" not in driver.detail, "the relations")


def _unexplained(driver: Driver) -> set[str]:
    """The symbols on the screen that the legend of help lacks; arrows, rules and charts need none."""
    text = "✓" if isinstance(driver.screen, TranscriptScreen) else ""  # a tool of the story prints it
    drawn = {each for each in driver.shown if unicodedata.category(each) == "So" and each not in text}
    drawn -= {chr(code) for code in (*range(0x2500, 0x25A0), *range(0x2800, 0x2900))}
    return drawn - {each for signs in legend(driver.screen).values() for each in "".join(signs)}


async def _picture(driver: Driver) -> str:
    await driver.settled()
    driver.paint()  # what comes into view may be read only now
    await driver.handled()
    await driver.settled()
    if not driver.screen.is_modal:
        assert _unexplained(driver) == set()
    driver.app.clear_notifications()
    await driver.handled()
    return driver.app.export_screenshot(title=driver.app.title, simplify=True)


async def _picture_of(app: WatchedApp, keys: tuple[str, ...], size: Size) -> str:
    """A picture of what keys show."""
    # The fields of the review wrap their text when it is painted, others may as well wait for the picture.
    with nullcontext() if "r" in keys[:1] else held_back():
        async with app.run_test(size=size, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await _press(driver, keys)
            return await _picture(driver)


class Taken(App[str]):
    """An app of which a picture was taken before; `snap_compare` takes one of any app that it gets."""

    def __init__(self, picture: str) -> None:
        super().__init__()
        self._picture = picture

    def run(self, *_: object, **__: object) -> str:
        return self._picture


@pytest.mark.parametrize(("name", "size"), CASES)
async def test_screen(built: tuple[DemoProject, Path], snap_compare: Compare, name: str, size: Size) -> None:
    picture = await _picture_of(_open_demo(built), SCREENS[name][0], size)
    assert snap_compare(Taken(picture))


async def test_empty_project(world: World, snap_compare: Compare) -> None:
    assert snap_compare(Taken(await _picture_of(make_app(world), (), SHORT)))
