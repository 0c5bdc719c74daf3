"""Updates from the background for the browser screen: listings, the live mark, sessions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from memtui.app.model.live_updates import Live, Liveness, Mark
from memtui.app.model.project_model import Browser
from memtui.app.model.sharing import RemoteState, sync_status
from memtui.app.model.state_writer import StateWriter
from memtui.app.model.views import (
    BranchView,
    DraftWanted,
    HealthView,
    LightsView,
    StateView,
    View,
)
from memtui.app.screens.screen_host import ScreenHost
from memtui.app.settings import Warn
from memtui.app.widgets.status_bar import StatusBar, live_mark
from memtui.app.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from memtui.app.model.session_context import ContextState
    from memtui.lost.receipts import Receipt
    from memtui.store.follow import Followed


_RECEIPT = timedelta(hours=1)
"""Seconds for which the status line confirms the arrival of a hand-over."""


class Published(Message):
    """A newer view from the background."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


class Kept(Message):
    """A session was updated in the background, or could not be."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Feed:
    """Checks the disk in threads, and posts changes to the screen."""

    def __init__(self, screen: Screen[None], browser: Browser, warn: Warn) -> None:
        self._screen = screen
        self._browser = browser
        self._warn = warn
        self._transcript: Path | None = None
        """The current session's."""
        self._lights = LightsView()
        self._warned: set[tuple[str, str]] = set()
        """Sessions with the levels they were warned of."""
        self.live = Live(
            browser.targets,
            self._compare,
            lambda liveness: self.host.soon(self._show_liveness, liveness),
            lambda error: self.host.explain("looking at the disk", error),
            lambda: browser.has_more_work,
        )
        self.host = ScreenHost(screen, self.live.hint)
        self._keeper = StateWriter(browser, self._kept, self._not_kept)
        self.health: HealthView | None = None
        """The health of the captures; None before the first check."""

    def start(self) -> None:
        """Start checking."""
        self.live.start()
        self._keeper.start()

    def stop(self) -> None:
        """Stop checking, and wait a limited time."""
        self._browser.stop()
        self._keeper.stop(timeout=0.2)
        self.live.stop(timeout=0.5)

    def show_project(self, note: str) -> None:
        """Show the project in the status line; `note` is a remark about this run."""
        bar = self._screen.query_one(StatusBar)
        bar.project = self._browser.project.name
        bar.note = note

    def show_in_bar(self, view: BranchView | HealthView) -> None:
        """Update the status line from a newer view."""
        if isinstance(view, BranchView):
            self._screen.query_one(StatusBar).branch = view.branch
        else:
            learned = self.health is None or self.health.sizes != view.sizes
            self.health = view
            self.show_health()
            if learned:  # the limit may have changed
                self.look_again()

    def show_health(self) -> None:
        """Show the health of captures; its ages change."""
        from memtui.app.model.health import status_line

        if self.health is not None:
            self._screen.query_one(StatusBar).health = status_line(self.health, self._browser.clock())

    def show_remotes(self, states: Sequence[RemoteState]) -> None:
        """Show the states of the remotes."""
        self._screen.query_one(StatusBar).remotes = sync_status(states, self._browser.clock())
        self._show_marks()

    def watch(self, view: StateView | DraftWanted) -> None:
        """Check the context of the current session, in the background."""
        self._transcript = view.transcript
        if view.transcript is None:
            self._screen.query_one(StatusBar).context = None
            self._show_lights(LightsView())
            self._show_receipt(None)
            self._show_marks()
        else:
            self._look_at(view.transcript)

    def look_again(self) -> None:
        """Check the same session again, after changes to pins or rules."""
        if self._transcript is not None:
            self._look_at(self._transcript)

    def _look_at(self, transcript: Path) -> None:
        self.host.start(partial(self._watch, transcript), group="watch", exclusive=True)

    async def _watch(self, transcript: Path) -> None:
        limits = tuple(self.health.sizes.values()) if self.health else ()
        with self.host.reporting("looking at the context", wanted=lambda: False):
            watched = await asyncio.to_thread(
                lambda: self._browser.watch.check(transcript, limits, lambda: self._browser.stopped)
            )
            self._show_watched(transcript.stem, watched)

    def _show_watched(self, session: str, watched: ContextState) -> None:
        bar, percent = self._screen.query_one(StatusBar), watched.gauge.percent
        passed = [each for each in self._warn.at if percent >= each]
        colour = "$accent" if not passed else "$error" if len(passed) == len(self._warn.at) else "$warning"
        bar.context, bar.alarm = (watched.gauge, colour), "  ".join(watched.alarms)
        self._show_marks()
        self._show_receipt(watched.receipt)
        self._show_lights(watched.lights)
        warned = {(session, str(each)) for each in passed} | {(session, each) for each in watched.alarms}
        if warned - self._warned and self._warn.sends_bell(in_tmux="TMUX" in os.environ):
            self._screen.app.bell()
        for alarm in watched.alarms:
            if (session, alarm) not in self._warned and self._screen.has_class("-short"):
                self.host.say(f"{alarm[:1].upper()}{alarm[1:]}", warn=True)  # no status line
        # After a compaction, the context may warn again.
        self._warned = {each for each in self._warned if each[0] != session} | warned

    def _show_receipt(self, receipt: Receipt | None) -> None:
        """Show a good receipt for a while, any other one as long as its session is shown."""
        if receipt is None or receipt.arrival == "unknown":
            shown = ("", "")
        elif receipt.arrival == "whole":
            fresh = self._browser.clock() - receipt.at < _RECEIPT
            shown = (receipt.label, "$success") if fresh else ("", "")
        else:
            shown = (receipt.label, "$error")
        bar = self._screen.query_one(StatusBar)
        if shown != bar.receipt:
            bar.receipt = shown
            if shown[1] == "$error" and self._screen.has_class("-short"):  # no bar there
                self.host.say(f"{shown[0][:1].upper()}{shown[0][1:]}", warn=True)

    def _show_lights(self, lights: LightsView) -> None:
        if lights != self._lights:
            self._lights = lights
            self._post(Published(lights))

    def _show_marks(self) -> None:
        """Show the live mark and the context in the strip of tabs, if it replaces the bar."""
        bar = self._screen.query_one(StatusBar)
        strip = self._screen.query_one(TabStrip)
        mark = live_mark(bar.liveness).truncate(12, ellipsis=True)
        strip.mark = Content.assemble((bar.remotes.sign, bar.remotes.colour), mark)
        known = bar.context if bar.context and bar.context[0].limit else None
        strip.context = Content.styled(f"{known[0].percent}% ", known[1]) if known else Content("")
        strip.warns = known is not None and known[0].percent >= min(self._warn.at)

    def _show_liveness(self, liveness: Liveness) -> None:
        self._screen.query_one(StatusBar).liveness = liveness
        self._show_marks()
        if liveness.mark is Mark.LOST and self._screen.has_class("-short"):
            # The strip of tabs has no room for the reason.
            self.host.say(f"Not up to date: {liveness.reason}", warn=True)

    def _compare(self, names: frozenset[str]) -> None:
        self._browser.compare(names, lambda view: self._post(Published(view)))

    def _kept(self, followed: Followed) -> None:
        if followed.problem or followed.stored is not None:
            self._post(Kept(followed.problem and f"{followed.problem}."))

    def _not_kept(self, error: Exception) -> None:
        self._post(Kept(self.host.explain("following the sessions", error)))

    def _post(self, message: Message) -> None:
        """Post from another thread; ignored if the screen has been closed."""
        if self._screen.is_attached:
            self._screen.post_message(message)
