"""What the keys of the browser do: each key acts, or says why it cannot.

The other screens are imported when they are opened: the first paint does not wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.binding import BindingType

from memtui.app.commands import COMMANDS, PANE_TITLES, Command, PaneId, bindings
from memtui.app.editor import edit_file
from memtui.app.panes.commands import CommandsPane
from memtui.app.panes.pending import PendingPane
from memtui.app.screens.state_actions import StateActions
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.flows.review import Reviewed

_BY_ACTION = {command.action: command for command in COMMANDS}


class BrowserScreen(StateActions):
    """The main screen: the view, and what its keys do."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    async def action_run(self, action: str) -> None:
        """Run a command of the table, or say in which pane it works."""
        command = _BY_ACTION[action]
        if self.current_id not in command.panes:
            self.say(_elsewhere(command), warn=True)
            return
        method: Callable[[], Any] = getattr(self, f"do_{action}")
        doing = method()
        if isawaitable(doing):
            await doing

    def action_pane(self, pane: str) -> None:
        """Go to a pane by its name."""
        self.focus_pane(PaneId(pane))

    def action_next_pane(self, step: int) -> None:
        """Go to the next pane, or the one before."""
        order = list(self.panes)
        self.focus_pane(order[(order.index(self.current_id) + step) % len(order)])

    def do_open(self) -> None:
        """Read the detail."""
        self.read_selected()

    def do_back(self) -> None:
        """Call off what is waited for, or leave what was entered last: the detail, the filter, the zoom."""
        if self.cancel_model():
            return
        reading = self.has_class("-reading") or self.focused is self.detail_view
        if reading and self.follow_back():
            return
        if reading:
            self.remove_class("-reading")
            self.set_focus(self.pane)
        elif self.pane.filter_text:
            self._set_filter("")
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        else:
            self.say("Nothing to go back from. q quits.")

    def do_zoom(self) -> None:
        """Give the pane, or the detail when it has the focus, the whole window; or give it back."""
        if self.focused is self.detail_view and not self.has_class("-zoomed"):
            self.add_class("-reading")
        self.toggle_class("-zoomed")

    def do_help(self) -> None:
        """Show the keys of this pane."""
        from memtui.app.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.current_id))

    def do_toggle_reviewed(self) -> None:
        """Show reviewed captures among the pending ones, or hide them again."""
        pane = self.panes[PaneId.PENDING]
        assert isinstance(pane, PendingPane)
        pane.reviewed_too = not pane.reviewed_too
        pane.show_rows()
        self.show_detail()
        self.say(
            "Reviewed captures are shown, too." if pane.reviewed_too else "Only pending captures are shown."
        )

    def do_clear_command(self) -> None:
        """Make the selected command inactive."""
        pane = self.panes[PaneId.COMMANDS]
        assert isinstance(pane, CommandsPane)
        command = pane.command(pane.selected)
        if command is None:
            self.say("No active command is selected.", warn=True)
        else:
            self._clear(command.name)

    @work(group="clear-all", exclusive=True, exit_on_error=False)
    async def do_clear_all(self) -> None:
        """Make all commands inactive, once confirmed."""
        number = len(self.panes[PaneId.COMMANDS].all_keys())
        if not number:
            self.say("No command is active.", warn=True)
            return
        question = "Clear the active command?" if number == 1 else f"Clear all {number} active commands?"
        from memtui.app.screens.confirm import ConfirmScreen

        if await self.app.push_screen_wait(ConfirmScreen(question, yes="Clear", no="Keep")):
            self._clear(None)

    @work(group="clear", exit_on_error=False)
    async def _clear(self, name: str | None) -> None:
        with self.app.reporting("clearing"):
            undo = await asyncio.to_thread(self.browser.commands.clear, name)
            self.undos.append(undo)
            self.live.hint("commands")
            what = "all commands" if name is None else f"/{clean_line(name).removeprefix('/')}"
            self.say(f"Cleared {what}. u brings it back.")

    def do_review(self) -> None:
        """Review the selected capture."""
        pane = self.panes[PaneId.PENDING]
        assert isinstance(pane, PendingPane)
        row = pane.capture_row(pane.selected)
        if row is None:
            self.say("No capture is selected.", warn=True)
        elif row.capture is None:
            why = f"cannot be reviewed: it {row.problem}" if row.problem else "is still being read"
            self.say(f"This capture {why}.", warn=True)
        elif row.capture.status == "reviewed":
            self.say(
                f"This capture is reviewed already: its memory is {row.capture.memory}. e edits the file."
            )
        else:
            from memtui.app.screens.review import ReviewScreen

            self.app.push_screen(ReviewScreen(self.browser, row), self._reviewed)

    def _reviewed(self, review: Reviewed | None) -> None:
        if review is not None:
            self.undos.append(review.undo)
            self.live.hint("compacts")
            self.live.hint("memories")
            name = review.memory_path.name
            self.say(f"Reviewed as {review.recovery_id}. {name} is in Memories (2), too; u takes it back.")

    @work(group="backfill", exclusive=True, exit_on_error=False)
    async def do_backfill(self) -> None:
        """Write captures for compactions that have none, once confirmed."""
        from memtui.app.screens.confirm import ConfirmScreen

        missing = self.health.missing if self.health else ()
        if not missing:
            self.say("Nothing to backfill: every auto-compaction in the transcripts has its capture.")
            return
        number = len(missing)
        what = "1 capture" if number == 1 else f"{number} captures"
        question = f"Write {what} for compactions that nothing captured?"
        if not await self.app.push_screen_wait(ConfirmScreen(question, yes="Write", no="Not now")):
            return
        with self.app.reporting("backfilling"):
            written = await asyncio.to_thread(self.browser.backfill, missing)
            self.live.hint("compacts")
            self.say(f"Wrote {written} of {number}; they wait for a review.")

    @work(group="install", exclusive=True, exit_on_error=False)
    async def do_install(self) -> None:
        """Install the hooks for this project, once the changes were seen and confirmed."""
        from memtui.app.plan_text import plan_document
        from memtui.app.screens.confirm import ConfirmScreen

        with self.app.reporting("installing"):
            plan = await asyncio.to_thread(self.browser.plan_install)
            if not plan.changes:
                self.say("The hooks are installed: memtui doctor checks them, memtui uninstall removes them.")
                return
            question = "Install the hooks for this project?"
            document = plan_document(plan, self.browser.project.root)
            shown = ConfirmScreen(question, yes="Install", no="Not now", document=document)
            if not await self.app.push_screen_wait(shown):
                return
            await asyncio.to_thread(self.browser.install, plan)
            self.live.hint("branch")
            self.say("Installed. Sessions started from now on feed this browser.")

    def do_transcript(self) -> None:
        """Open the transcript of the selected item."""
        subject = self.subject
        if subject.transcript is None:
            self.say(subject.no_transcript, warn=True)
        else:
            from memtui.app.screens.transcript import TranscriptScreen

            self.app.push_screen(TranscriptScreen(subject.transcript))

    def do_edit(self) -> None:
        """Open the selected item's file in the editor."""
        subject = self.subject
        if subject.file is None:
            self.say(subject.no_file, warn=True)
            return
        if problem := edit_file(self.app, Path(subject.file)):
            self.say(problem, warn=True)
        for name in ("compacts", "memories", "commands", "states"):
            self.live.hint(name)


def _elsewhere(command: Command) -> str:
    places = " or ".join(
        f"{PANE_TITLES[pane]} ({number})" for number, pane in enumerate(PaneId, 1) if pane in command.panes
    )
    return f"{command.shown} means “{command.help}”: that works in {places}."
