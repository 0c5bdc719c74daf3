"""The status line, with what it watches, and the strip of panes that replaces it in a short window."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import work
from textual.content import Content
from textual.widget import Widget

from memtui.app import listings
from memtui.app.base import own_app, reported
from memtui.app.listings import RemoteState
from memtui.app.project import ProjectModel
from memtui.app.settings import Settings
from memtui.app.sharing import SyncStatus, sync_status
from memtui.app.watch import Liveness, Mark
from memtui.app.widgets.wrap import short_tokens
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.text import counted

if TYPE_CHECKING:
    from memtui.app.readings import ContextState
    from memtui.lost.context_gauge import Gauge

_CELLS = 8
_NAME = 8
"""Cells that a long name of a project keeps."""
_TELLS = 10
"""The fewest cells in which what is cut at the end still says something."""
_WIDE, _ROOMY = 100, 60
"""Widths in columns from which on the bar, and the pace, are shown."""
_MARKS = {
    Mark.LIVE: ("● live", "$success"),
    Mark.POLLING: ("◐ polling", "$warning"),
    Mark.LOST: ("○ lost", "$error"),
}
_INSTALLS = "underline @click=screen.install"  # as its key, which is offered in words
_SYNCS = "underline @click=screen.sync"
_WAITS = "$warning underline @click=screen.waiting"
_SHOWS = "underline @click=screen.pane('state')"


class StatusBar(Widget):
    """One line: ` my-app  main                ● live`, of what it was last told."""

    app = own_app
    auto_links = False  # what a click acts on is underlined, in its own colour
    title = "the first line"
    signs: ClassVar[Mapping[str, str]] = {
        "ctx": "tokens in the newest context (k: thousand), and where it compacts; a click shows that",
        "▮▯": "how full the context is",
        "⏳": "lines that wait for the next prompt; a click shows them",
        "✓": "the hooks run",
        "⇅": "when memories were last exchanged with the remotes",
        "●": "live: a change on the disk shows at once",
        "◐": "the disk is looked at every two seconds: no events come",
        "○": "not live; the reason stands beside it",
        "◌": "the disk is being read",
    }

    def __init__(self, model: ProjectModel, settings: Settings) -> None:
        super().__init__()
        self._model = model
        self._settings = settings
        self._branch = ""
        self._transcript: Path | None = None
        self._is_over = False
        self._named = ""
        """Says whose context it is while another session is looked at."""
        self._watched: ContextState | None = None
        self.waits, self._rows_waiting = listings.WaitsView().rows, 0
        self._states: Sequence[RemoteState] = ()
        self._warned: set[tuple[str, str]] = set()
        self._exchanged: set[str] = set()
        self.captures: listings.HealthView | None = None
        self.liveness: Liveness | None = None

    @property
    def context(self) -> tuple[Gauge, str] | None:
        if self._watched is None:
            return None
        gauge, at = self._watched.gauge, self._settings.warn_at
        gauge, percent = replace(gauge, turns=None) if self._is_over else gauge, gauge.percent
        passed = sum(percent >= each for each in at)
        return gauge, "$accent" if not passed else "$error" if passed == len(at) else "$warning"

    @property
    def receipt(self) -> tuple[str, str]:
        """Whether Claude received the facts after the last compaction; a good one for a while only."""
        receipt = self._watched.receipt if self._watched else None
        if receipt is None or receipt.arrival == "unknown":
            return "", ""
        if receipt.arrival != "whole":
            return receipt.label, "$error"
        fresh = self._model.clock() - receipt.at < timedelta(hours=1)
        return (receipt.label, "$success") if fresh else ("", "")

    def waiting(self, lines: int) -> str:
        """``⏳ 2 lines wait for the next prompt``, or for a hook; "" if none do."""
        if not lines:
            return ""
        from memtui.lost.outbox import lines_wait  # not needed for the first paint

        return f"⏳ {lines_wait(lines, hooks=self.captures is None or self.captures.installed)}"

    @property
    def remotes(self) -> SyncStatus:
        return sync_status(self._states, self._model.clock())

    def render(self) -> Content:
        """Shortens the name first, then what waits, then drops “live”; the mark of a stale screen stays."""
        width = self.size.width
        mark = self._mark(width)
        lost = self.captures.problem if self.captures else ""
        name = Content(clean_line(self._model.project.name))
        waiting = Content(self.waiting(self._rows_waiting))
        before = (
            _apart(clean_line(self._branch), "$quiet"),
            _apart(clean_line(f"captures are lost: {lost}") if lost else "", "$error"),
            _apart("  ".join(self._watched.alarms) if self._watched else "", "$error"),
            Content.assemble(*context_line(*self.context, width, self._named))
            if self.context
            else Content(""),
        )
        health = health_line(self.captures, self._model.clock())
        after = (_apart(*self.receipt), _apart(self.app.note, "$accent"), _apart(*health))
        whole = Content.assemble("   ", name, *before, _apart(waiting.plain, ""), *after, mark)
        over = whole.cell_length - width
        if over > 0:
            short = max(min(_NAME, name.cell_length), name.cell_length - over)
            over -= name.cell_length - short
            name = name.truncate(short, ellipsis=True)
        for shorter in (waiting.plain.partition(" for ")[0], f"⏳ {self._rows_waiting}"):
            if over > 0 and waiting:
                over -= waiting.cell_length - cell_len(shorter)
                waiting = Content(shorter)
        # Kept with remotes or a reason, and where dropping it is not enough.
        if 0 < over <= mark.cell_length and mark.plain == _MARKS[Mark.LIVE][0]:
            mark = Content("")
        wait = _apart(waiting.plain, _WAITS)
        left = Content.assemble(" ", name.stylize("bold"), *before, wait, *after)
        room = max(0, width - mark.cell_length - 2)
        if 0 < room - left.cell_length + after[-1].cell_length < min(_TELLS, after[-1].cell_length):
            left = left[: -len(after[-1])]
        left = left.truncate(room, ellipsis=True, pad=True)
        return Content.assemble(left, " ", mark, " ")

    def _mark(self, width: int) -> Content:
        mark, remotes = live_mark(self.liveness), self.remotes
        text = remotes.long if width >= 80 else remotes.short
        room = width // 2 - mark.cell_length - 2
        if text and room >= 5:
            said = Content.styled(text, f"{remotes.colour} {_SYNCS}").truncate(room, ellipsis=True)
            return Content.assemble(" ", said, "  ", mark)
        return mark.truncate(max(10, width // 2), ellipsis=True)

    def strip_marks(self) -> tuple[Content, Content, bool]:
        """For the strip of tabs: the live mark, the context, and whether that must show."""
        remotes, context = self.remotes, self.context
        mark = live_mark(self.liveness).truncate(12, ellipsis=True)
        known = context if context and context[0].limit else None
        waiting = (" ", (f"⏳{self._rows_waiting}", _WAITS), " ") if self._rows_waiting else ()
        name = "ctx " if self.app.size.width >= _ROOMY else ""
        return (
            Content.assemble(*waiting, (remotes.sign, f"{remotes.colour} {_SYNCS}"), mark),
            Content.assemble((f"{name}{known[0].percent}%", f"{known[1]} {_SHOWS}"), " ")
            if known
            else Content(""),
            known is not None and known[0].percent >= min(self._settings.warn_at),
        )

    def show_anew(self) -> None:
        """Draw it, or the strip of tabs in its place; ages change."""
        self.refresh()
        self.screen.query_one("#tabs").refresh()

    def _say_if_short(self, text: str) -> None:
        """Say what a short window has no status line for."""
        if self.screen.has_class("-short"):
            self.app.warn(f"{text[:1].upper()}{text[1:]}")

    def apply(self, view: listings.View) -> None:
        if isinstance(view, listings.BranchView):
            self._branch = view.branch
        elif isinstance(view, listings.HealthView):
            learned = self.captures is None or self.captures.sizes != view.sizes
            self.captures = view
            if learned:  # the limit may have changed
                self._watch()
        elif isinstance(view, listings.PinsView):
            self._watch()
        elif isinstance(view, listings.WaitsView):
            self.waits, self._rows_waiting = view.rows, sum(view.rows.values())
        elif isinstance(view, listings.StateView) and view.chosen:  # older ones have no context to fill
            self._named = "session 1 "
        elif isinstance(view, listings.StateView):
            self._named = ""
            self._transcript = view.transcript
            self._is_over = bool(view.active and self._model.clock() - view.active > timedelta(days=1))
            self._watch()
        else:
            return
        self.show_anew()

    def show_liveness(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self.show_anew()
        if liveness.mark is Mark.LOST:
            self._say_if_short(f"Not up to date: {liveness.reason}")

    def _watch(self) -> None:
        if self._transcript is not None:
            self._watch_session(self._transcript)
        elif self._watched is not None:
            self._watched = None
            self.call_later(self.app.browser.publish, listings.LightsView())

    @work(group="watch", exclusive=True, exit_on_error=False)
    async def _watch_session(self, transcript: Path) -> None:
        limits = tuple(self.captures.sizes.values()) if self.captures else ()
        model = self._model
        with self.app.reporting("looking at the context", wanted=lambda: False):
            read = lambda: model.readings.context(transcript, limits, lambda: model.stopped)  # noqa: E731
            self._show_watched(transcript.stem, await asyncio.to_thread(read))

    def _show_watched(self, session: str, watched: ContextState) -> None:
        receipt, lights = self.receipt, self._watched.lights if self._watched else listings.LightsView()
        self._watched = watched
        self.show_anew()
        if self.receipt != receipt and self.receipt[1] == "$error":
            self._say_if_short(self.receipt[0])
        if watched.lights != lights:
            self.call_later(self.app.browser.publish, watched.lights)
        passed = [each for each in self._settings.warn_at if watched.gauge.percent >= each]
        warned = {(session, str(each)) for each in passed} | {(session, each) for each in watched.alarms}
        if warned - self._warned and self._settings.warn_bell:
            self.app.bell()
        for alarm in watched.alarms:
            if (session, alarm) not in self._warned:
                self._say_if_short(alarm)
        # After a compaction, the context may warn again.
        self._warned = {each for each in self._warned if each[0] != session} | warned

    @reported("looking at the remotes", group="remotes", exclusive=True)
    async def refresh_remotes(self, seconds: float = 0.0) -> None:
        """Check the remotes; with `seconds`, exchange with each at least that often from now on."""
        self._states = await asyncio.to_thread(self._model.exchange.states)
        self.show_anew()
        self.call_later(self.app.browser.publish, listings.RemotesView(self._states))
        for name in (state.name for state in self._states if seconds):
            if name not in self._exchanged:
                self._exchanged.add(name)
                keep = partial(self._keep_syncing, name, seconds)
                threading.Thread(target=keep, name=f"memtui-sync-{name}", daemon=True).start()

    def _keep_syncing(self, name: str, seconds: float) -> None:
        try:
            told = partial(self.call_later, self.app.warn)
            self._model.exchange.keep_syncing(name, seconds, self._synced, told)
        except FileProblem:  # the list of remotes is broken: the status line says so until it is fixed
            self.call_later(self._exchanged.discard, name)
        except Exception as error:  # a worker's boundary; logged, and not retried
            self.call_later(self.app.warn, self.app.explain(f"syncing with {name}", error))

    def _synced(self) -> None:
        """Look again after an exchange, which may be in any thread."""
        if self.is_attached:
            self.call_later(self.refresh_remotes)
            self.app.hint("memories")


def _apart(text: str, style: str) -> Content:
    return Content.assemble("  ", (text, style)) if text else Content("")


def context_line(gauge: Gauge, colour: str, width: int, of: str = "") -> tuple[tuple[str, str], ...]:
    """``  ctx ▮▮▮▮▮▯▯▯ 104k · compacts at 155-177k · ~9 turns left``, shorter if room is short.

    Where only one size is known, ``137k/200k``; ``?`` means that nothing is.
    """
    if not gauge.tokens:
        return ((f"  {of}ctx ?", "$quiet"),)
    limit = short_tokens(gauge.limit)
    full = min(_CELLS, round(_CELLS * gauge.percent / 100))
    bar = f"{'▮' * full}{'▯' * (_CELLS - full)} " if gauge.limit and width >= _WIDE else ""
    pace = "" if gauge.turns is None or width < _ROOMY else f" · ~{counted(gauge.turns, 'turn')} left"
    size = f"{bar}{short_tokens(gauge.tokens)}"
    if gauge.most > gauge.limit and width >= _WIDE:
        size += f" · compacts at {limit.removesuffix('k')}-{short_tokens(gauge.most)}"
    elif gauge.limit:
        size += f"/{limit}"
    return ("  ", ""), (f"{of}ctx", f"$quiet {_SHOWS}"), (f" {size}", colour), (pace, "$quiet")


def health_line(view: listings.HealthView | None, now: datetime) -> tuple[str, str]:
    if view is None:
        return "", ""
    if not view.installed:
        return "no hooks: i installs them", f"$quiet {_INSTALLS}"
    if view.undecided:
        return "keep sessions? i", f"$quiet {_INSTALLS}"
    if view.last is None:
        return "hooks installed", "$quiet"
    if view.last.outcome != "ok":
        return "last hook failed: see memtui doctor", "$error"
    at = parse_iso(view.last.at)
    return f"hooks ✓{f' last ran {age(at, now)}' if at else ''}", "$quiet"


def live_mark(liveness: Liveness | None) -> Content:
    """The live mark with its reason; None means that the first listing is not finished."""
    if liveness is None:
        return Content.styled("◌ reading", "$quiet")
    text, colour = _MARKS[liveness.mark]
    reason = f": {clean_line(liveness.reason)}" if liveness.reason else ""
    return Content.styled(text + reason, colour)
