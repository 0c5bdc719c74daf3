"""Reviewing, backfilling and enabling captures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place, Windows
from memtui.app.model.capture_setup import CaptureSetup
from memtui.app.model.project_model import Browser
from memtui.app.model.views import CaptureRow, HealthView
from memtui.app.panes.pending import PendingPane
from memtui.app.widgets.document import Document, line

if TYPE_CHECKING:
    from memtui.flows.review import Reviewed
    from memtui.ground.project import Places
    from memtui.plugin.installing import Plan
    from memtui.store.backfill import Missing


class CaptureActions:
    """Reviews captures, backfills missing ones, and installs the hooks that capture."""

    def __init__(
        self,
        place: Place,
        browser: Browser,
        pane: PendingPane,
        windows: Windows,
        health: Callable[[], HealthView | None],
    ) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self._setup = CaptureSetup(browser)
        self._pane = pane
        self._windows = windows
        self._health = health

    @property
    def offers(self) -> frozenset[str]:
        """The actions that are possible now, out of those that are not always."""
        view = self._health()
        backfill = view is not None and bool(view.missing)
        install = view is not None and not view.installed
        rows = bool(self._pane.all_keys())
        has = {"backfill": backfill, "install": install, "review": rows, "lost": rows}
        return frozenset(name for name, offered in has.items() if offered)

    def toggle_reviewed(self) -> None:
        """Show reviewed captures among the pending ones, or hide them again."""
        pane = self._pane
        pane.reviewed_too = not pane.reviewed_too
        pane.show_rows()
        self._place.show_detail()
        self._host.say(
            "Reviewed captures are shown, too." if pane.reviewed_too else "Only pending captures are shown."
        )

    def review(self) -> None:
        """Review the selected capture, or the marked ones, one after the other."""
        chosen = self._pane.chosen
        for key in chosen:
            row = self._pane.capture_row(key)
            if row is not None and not _why_not(row):
                self._windows.review(row, partial(self._reviewed, key))
                return
        row = self._pane.capture_row(chosen[0] if chosen else None)
        self._host.say(
            "No capture is selected." if row is None else _why_not(row),
            warn=row is None or row.capture is None,
        )

    def _reviewed(self, key: str, review: Reviewed | None) -> None:
        """Continue with the next marked capture; one left unreviewed stays marked, and ends the round."""
        if review is None:
            return
        self._host.hint("compacts", "memories")
        self._host.say(f"Reviewed: {review.recovery_id} is in Memories (2); u takes it back.")
        if key in self._pane.marked:
            self._pane.mark(self._pane.marked - {key})
            self._place.update_tabs()
            if self._pane.marked:
                self.review()

    def backfill(self) -> None:
        """Write captures for compactions without one, after confirmation."""
        self._host.start(self._backfill, group="backfill", exclusive=True)

    async def _backfill(self) -> None:
        with self._host.reporting("looking for compactions"):
            await self._backfill_missing(await asyncio.to_thread(self._setup.missing))

    async def _backfill_missing(self, missing: Sequence[Missing]) -> None:
        if not missing:
            self._host.say("Nothing to backfill: every auto-compaction in the transcripts has its capture.")
            return
        number = len(missing)
        what = "1 capture" if number == 1 else f"{number} captures"
        question = f"Write {what} for compactions that nothing captured?"
        if not await self._windows.confirm(question, yes="Write", no="Not now", safe=True):
            return
        with self._host.reporting("backfilling"):
            written = await asyncio.to_thread(self._setup.backfill, missing)
            self._host.hint("compacts")
            self._host.say(f"Wrote {written} of {number}; they wait for a review.")

    def install(self) -> None:
        """Install the plugin, after showing what is done and asking."""
        from memtui.plugin.installing import plan_init

        self._change_plugin(
            plan_init,
            "Install memtui's plugin into Claude Code?",
            "Install",
            "It is installed.",
        )

    def uninstall(self) -> None:
        """Take the plugin away again, after showing what is done and asking."""
        from memtui.plugin.installing import plan_uninstall

        self._change_plugin(
            plan_uninstall, "Take memtui's plugin out of Claude Code?", "Take it out", "It is not installed."
        )

    def _change_plugin(
        self, planned: Callable[[Places], Plan], question: str, yes: str, nothing: str
    ) -> None:
        async def change() -> None:
            from memtui.plugin.installing import apply

            places = self._browser.places
            with self._host.reporting("changing the plugin"):
                plan = await asyncio.to_thread(planned, places)
                if not plan:
                    self._host.say(nothing)
                    return
                document = Document([*map(line, plan.lines()), *(line(each, "dim") for each in plan.notes)])
                if not await self._windows.confirm(question, yes=yes, no="Not now", document=document):
                    return
                said = await asyncio.to_thread(lambda: list(apply(plan, places)))
                self._host.hint("branch")
                self._host.say(" ".join(said) or "Done. Sessions started from now on go by it.")

        self._host.start(change, group="install", exclusive=True)


def _why_not(row: CaptureRow) -> str:
    """Why a capture cannot be reviewed; "" if it can."""
    if row.capture is None:
        why = f"cannot be reviewed: it {row.problem}" if row.problem else "is still being read"
        return f"This capture {why}."
    if row.capture.status == "reviewed":
        return f"This capture is already reviewed: its memory is {row.capture.memory}. e edits the file."
    return ""
