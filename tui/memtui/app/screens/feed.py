"""What comes from the background to the browser screen: listings, the live mark, sessions kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from memtui.app.model.browser import Browser
from memtui.app.model.following import Keeper
from memtui.app.model.live import Live, Liveness, Mark
from memtui.app.model.views import BranchView, HealthView, View
from memtui.app.screens.screen_host import ScreenHost
from memtui.app.widgets.status_bar import StatusBar, live_mark
from memtui.app.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from memtui.flows.follow import Followed


class Published(Message):
    """The background made a newer view of something."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


class Kept(Message):
    """A session was brought up to date in the background, or could not be."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Feed:
    """Looks at the disk in threads, and posts to the screen what has changed."""

    def __init__(self, screen: Screen[None], browser: Browser) -> None:
        self._screen = screen
        self._browser = browser
        self.live = Live(
            browser.targets,
            self._compare,
            lambda liveness: self.host.soon(self._show_liveness, liveness),
            lambda error: self.host.explain("looking at the disk", error),
            lambda: browser.unfinished,
        )
        self.host = ScreenHost(screen, self.live.hint)
        self._keeper = Keeper(browser, self._kept, self._not_kept)
        self.health: HealthView | None = None
        """Whether captures arrive; None until that was looked at."""

    def start(self) -> None:
        """Begin to look."""
        self.live.start()
        self._keeper.start()

    def stop(self) -> None:
        """Stop looking, and wait a bounded time."""
        self._browser.stop()
        self._keeper.stop(timeout=0.2)
        self.live.stop(timeout=0.5)

    def show_project(self, note: str) -> None:
        """Name the project in the status line; `note` says what is special about this run."""
        bar = self._screen.query_one(StatusBar)
        bar.project = self._browser.project.name
        bar.note = note

    def show_in_bar(self, view: BranchView | HealthView) -> None:
        """Show a newer view in the status line."""
        if isinstance(view, BranchView):
            self._screen.query_one(StatusBar).branch = view.branch
        else:
            self.health = view
            self.show_health()

    def show_health(self) -> None:
        """Say how captures fare; ages in it move on."""
        from memtui.app.model.health import told

        if self.health is not None:
            self._screen.query_one(StatusBar).health = told(self.health, self._browser.clock())

    def _show_liveness(self, liveness: Liveness) -> None:
        self._screen.query_one(StatusBar).liveness = liveness
        self._screen.query_one(TabStrip).mark = live_mark(liveness).truncate(12, ellipsis=True)
        if liveness.mark is Mark.LOST and self._screen.has_class("-short"):
            # There is no room for the reason in the strip of tabs.
            self.host.say(f"Not up to date: {liveness.reason}", warn=True)

    def _compare(self, names: frozenset[str]) -> None:
        self._browser.compare(names, lambda view: self._post(Published(view)))

    def _kept(self, followed: Followed) -> None:
        if followed.problem or followed.stored is not None:
            self._post(Kept(followed.problem and f"{followed.problem}."))

    def _not_kept(self, error: Exception) -> None:
        self._post(Kept(self.host.explain("following the sessions", error)))

    def _post(self, message: Message) -> None:
        """Post from another thread; the screen may be gone by now, and then nobody needs to know."""
        if self._screen.is_attached:
            self._screen.post_message(message)
