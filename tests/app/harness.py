"""Opens the app on a world, presses its keys, and waits for what has to happen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path, PurePath
from typing import Any, ClassVar

from textual.css.query import NoMatches
from textual.events import Key
from textual.keys import _character_to_key, key_to_character
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from memtui.app import app as app_module
from memtui.app.app import MemtuiApp
from memtui.app.browser import BrowserScreen
from memtui.app.panes.pane import Pane, PaneId
from memtui.app.project import ProjectModel
from memtui.app.screens.review import ReviewScreen
from memtui.app.status import StatusBar
from memtui.app.watch import Mark
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.ground.logs import FailureLog
from memtui.ground.project import Home, Places, Project
from tests.app.idle import is_laid_out, wait_until
from tests.app.painting import held_back, painted
from tests.app.world import World, clock

WIDE, NARROW, SHORT = (140, 45), (80, 24), (40, 12)
SIZES = (WIDE, NARROW, SHORT)
_BRIEF = (
    "detail",
    "filter",
    "heads",
    "copy",
    "clear",
    "undo",
    "edit",
    "save",
    "default",
    "transcript",
    "session",
    "sessions",
    "transcript-index",
    "transcript-find",
    "transcript-count",
    "layout",
    "update",
    "changes",
    "aftermath",
    "losses",
    "watch",
    "remotes",
)
"""Groups of workers that end by themselves."""


class WatchedApp(MemtuiApp):
    """The app, with a record of its messages."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        Path(app_module.__file__).parent / path for path in MemtuiApp.CSS_PATH
    ]

    def __init__(self, model: ProjectModel, log: FailureLog, *, note: str = "") -> None:
        super().__init__(model, log, note=note)
        self.said: list[str] = []
        self.left = False

    def exit(self, *arguments: Any, **options: Any) -> None:
        self.left = True
        super().exit(*arguments, **options)

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        self.said.append(text)
        super().say(text, severity=severity)


class Driver:
    """A person in front of the app."""

    def __init__(self, app: WatchedApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys one after the other and wait for what follows at once.

        `Pilot.press` waits twice 20 ms for every key, and again until the process has little to do.
        """
        for key in keys:
            character = key if len(key) == 1 else "/" if key == "slash" else key_to_character(key)
            name = _character_to_key(key) if len(key) == 1 else key
            self.app.post_message(Key(name, character))
            await self.handled()
        await self.settled()

    async def handled(self) -> None:
        """Wait until every message and every callback has been handled, and everything is laid out."""
        await self._waited_for(self._laid_out, "the end of all messages")

    def _laid_out(self) -> bool:
        return self.app.left or is_laid_out(self.app)

    def _lay_out(self) -> None:
        """Lay out now, not with the next sixtieth of a second."""
        if self.app.screen_stack:
            self.app.screen._on_timer_update()

    def paint(self) -> list[Strip]:
        """The lines of the screen in front, painted anew if anything has changed."""
        return painted(self.app.screen) if self.app.screen_stack else []

    async def _waited_for(self, condition: Callable[[], object], what: str) -> None:
        await wait_until(condition, lambda: f"{what} did not happen; said {self.said}; shown:\n{self.shown}")

    async def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size, and wait for what follows."""
        await self.pilot.resize_terminal(*size)
        await self.settled()
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*text)

    async def until(self, condition: Callable[[], object], what: str = "", *, paints: bool = True) -> None:
        """Wait until `condition` holds; `paints` now and then, as what is painted may start to read."""
        turns = count()

        def holds() -> object:
            turn = next(turns)
            if turn % 10 != 9 and not is_laid_out(self.app):
                return False
            # It costs too much to be done each time.
            if paints and turn % 60 == 59:
                self.paint()
            else:
                self._lay_out()
            return condition()

        await self._waited_for(holds, what or "it")

    async def settled(self) -> None:
        """Wait until no worker has anything to do."""
        while not self._resting():
            await self._waited_for(self._resting, "rest")
            await self.handled()

    def _resting(self) -> bool:
        return all(worker.is_finished or worker.group not in _BRIEF for worker in self.app.workers)

    async def until_said(self, part: str) -> str:
        """Wait until the last message contains `part`; returns the message."""
        await self.until(lambda: part in self.last_said, f"“{part}”")
        return self.last_said

    async def until_live(self) -> None:
        """Wait until the first listing is shown."""
        bar = self.browser.query_one(StatusBar)
        await self.until(lambda: bar.liveness is not None, "the listing", paints=False)
        await self.handled()
        await self.settled()

    async def until_transcript(self) -> TranscriptView:
        """Wait until the end of a transcript shows."""
        await self.until(lambda: self.app.screen.query(TranscriptView), "the reader")
        view = self.app.screen.query_one(TranscriptView)
        await self.until(lambda: view.window.at_end and len(view.document) > 0, "the transcript")
        await self.handled()
        return view

    @property
    def said(self) -> list[str]:
        return self.app.said

    @property
    def last_said(self) -> str:
        return self.said[-1] if self.said else ""

    @property
    def browser(self) -> BrowserScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, BrowserScreen)
        return screen

    @property
    def screen(self) -> Screen[object]:
        return self.app.screen

    @property
    def review(self) -> ReviewScreen:
        assert isinstance(self.app.screen, ReviewScreen)
        return self.app.screen

    def pane(self, pane_id: PaneId) -> Pane:
        return self.browser.panes[pane_id]

    @property
    def mark(self) -> Mark | None:
        liveness = self.browser.query_one(StatusBar).liveness
        return liveness.mark if liveness else None

    @property
    def detail(self) -> str:
        """The whole text of the detail, title first."""
        view = self.browser.query_one("#detail", DocumentView)
        return f"{view.border_title}\n{view.document.text}"

    def reading(self) -> bool:
        return self.browser.focused is self.browser.detail

    def at(self, pane_id: PaneId) -> bool:
        return self.browser.current_id is pane_id and self.browser.focused is self.pane(pane_id)

    def at_home(self) -> bool:
        return self.app.screen is self.browser

    def drawn(self, pane_id: PaneId, width: int = 70) -> list[str]:
        pane = self.pane(pane_id)
        return [pane.draw_row(key, width).plain.strip() for key in pane.rows]

    @property
    def lines(self) -> list[str]:
        return [strip.text for strip in self.paint()]

    @property
    def shown(self) -> str:
        return "\n".join(self.lines)

    def line_of(self, part: str) -> int:
        found = [number for number, line in enumerate(self.lines) if part in line]
        assert found, f"{part!r} is not shown:\n{self.shown}"
        return found[0]

    def has(self, selector: str) -> bool:
        """Whether a widget is on the front screen and visible."""
        try:
            return bool(self.app.screen.query_one(selector).region)
        except NoMatches:
            return False


def app_on(project: Project, home: Home, claude: Path) -> WatchedApp:
    """The app on a project, at the time of the tests."""
    model = ProjectModel(Places(project, home, claude), clock)
    return WatchedApp(model, FailureLog(home.failure_log, clock))


def make_app(world: World) -> WatchedApp:
    return app_on(world.project, world.home, world.claude)


@asynccontextmanager
async def opened(
    world: World, size: tuple[int, int] = WIDE, *, hook: Callable[[Message], None] | None = None
) -> AsyncIterator[Driver]:
    """Open the app and wait for its first listing.

    It paints when the test looks and when it has ended; leaving closes it and checks that it did not fail.
    """
    app = make_app(world)
    with held_back():
        async with app.run_test(size=size, notifications=True, message_hook=hook) as pilot:
            driver = Driver(app, pilot)
            await driver.until_live()
            yield driver
            driver.paint()
    failures = world.home.failure_log
    assert not failures.exists(), failures.read_text()
