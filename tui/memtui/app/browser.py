"""The main screen: four panes and the detail of the selected row, kept in step with the disk."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode

from memtui.app.base import StyledOnce, hidden, reported
from memtui.app.listings import CapturesView, ConfigView, StateView, View, first_views
from memtui.app.panes.commands import CommandsPane
from memtui.app.panes.detail import DetailView, selected_line
from memtui.app.panes.memories import MemoriesPane
from memtui.app.panes.pane import Pane, PaneId, PaneStack, TabStrip
from memtui.app.panes.pending import PendingPane
from memtui.app.panes.state import StatePane
from memtui.app.project import ProjectModel
from memtui.app.settings import Settings
from memtui.app.status import StatusBar
from memtui.app.watch import Live, Liveness, Mark, follow_sessions
from memtui.app.widgets.document import Document, from_markdown, line
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.row_list import RowList
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem
from memtui.transcript import ReadingCancelledError

if TYPE_CHECKING:
    from textual.widgets import Input

    from memtui.app.widgets.input_line import InputLine
    from memtui.ground.project import Places
    from memtui.plugin.installing import Plan
    from memtui.store.search import Result


_RARE = """transcript filter compact leave command_palette versions share delete give_claude store_claudes
ask_model copy_notes screen.pin_line switch(-1) switch(1)"""
_PIN = "pin this line: no compaction may lose it; among the pins, type one"
_INSTALLED = "Done. Sessions started from now on go by it; open ones once they are started again."


class _Body(Horizontal):
    BLANK = True  # as is the screen: what they hold covers them


class BrowserScreen(StyledOnce):
    """Composes the panes and the detail, passes views on, moves the focus; panes act on their rows."""

    BLANK = True
    AUTO_FOCUS = "#pending"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "transcript", "transcript", id="transcript", tooltip="the transcript of this row"),
        hidden("e", "edit", "edit", id="edit", tooltip="open in $EDITOR"),
        hidden("!", "pin_line", "pin", id="pin", tooltip=_PIN),
        Binding("/", "filter", "filter", id="filter", tooltip="filter here, or find, as you type"),
        Binding("c", "compact", "draft", id="memory", tooltip="draft a memory of this session, to store"),
        hidden("i", "install", "install", id="install", tooltip="install the plugin"),
        hidden("z", "zoom", "zoom", id="zoom", tooltip="give this pane the window, or back"),
        hidden("1", "pane('pending')", "Pending", id="pane_1", tooltip="go to Pending"),
        hidden("2", "pane('memories')", "Memories", id="pane_2", tooltip="go to Memories"),
        hidden("3", "pane('commands')", "Commands", id="pane_3", tooltip="go to Commands"),
        hidden("4", "pane('state')", "State", id="pane_4", tooltip="go to the session state"),
        hidden("enter", "open", "open"),
        hidden("tab", "next_pane(1)", "next", tooltip="go to the next pane"),
        hidden("shift+tab", "next_pane(-1)", "previous", tooltip="go to the pane before"),
        Binding("escape", "back", "back", id="back", tooltip="back: detail, ticks, filter, zoom"),
        Binding("q", "leave", "quit", id="quit", tooltip="quit from the browser; elsewhere back"),
    ]

    rare_keys = frozenset(_RARE.split())

    def __init__(self, model: ProjectModel, settings: Settings) -> None:
        super().__init__()
        self.model = model
        self._settings = settings
        self.pending, self.memories = PendingPane(model), MemoriesPane(model)
        self.commands, self.state = CommandsPane(model), StatePane(model)
        every: Sequence[Pane] = (self.pending, self.memories, self.commands, self.state)
        self.panes = {pane.pane_id: pane for pane in every}
        self.current_id = PaneId.PENDING
        self.pane.add_class("-current", update=False)
        self.bar = StatusBar(model, settings)
        self.tabs = TabStrip(self.bar, every)
        self.detail = DetailView()
        self._filter_line: InputLine | None = None
        self.live = Live(
            model.targets,
            lambda names: model.compare(names, partial(self._soon, self.publish)),
            lambda liveness: self._soon(self._listed, liveness),
            lambda error: self.app.explain("looking at the disk", error),
        )

    def compose(self) -> ComposeResult:
        """Few widgets on purpose: the first paint waits for each, and a restyle visits all of them."""
        yield self.bar
        yield self.tabs
        with _Body(id="body"):
            with PaneStack(id="panes"):
                yield from self.panes.values()
            yield self.detail
        yield KeyFooter()

    def on_mount(self) -> None:
        """Start watching the disk; everything after this comes as messages."""
        for pane in (self.commands, self.state):
            pane.show_rows()
        for view in (*first_views(self.model.places), self.model.claude_view()):
            self.publish(view)
        self.call_after_refresh(self._painted)
        self.set_interval(20.0, self._let_time_pass)

    def _painted(self) -> None:
        """After the first paint, models and stores may be imported."""
        self.app.painted.set()
        self.app.call_later(self.app.on_row_list_arrived)
        if not self.model.is_project():
            from memtui.app.screens.sessions import SessionsScreen

            self.app.push_screen(SessionsScreen(self.model, choosing=True))
            return
        self.live.start()
        told = (self.model, partial(self._soon, self.state.kept), self.app.explain)
        threading.Thread(target=follow_sessions, args=told, name="memtui-following", daemon=True).start()
        self.bar.refresh_remotes(self._settings.sync_seconds)

    def on_unmount(self) -> None:
        """Stop everything that could keep the program from ending."""
        self.state.question.cancel()
        self.model.stop()
        self.live.stop(timeout=0.5)

    def _soon(self, callback: Callable[..., object], *arguments: object) -> None:
        """Call from another thread; ignored if the screen has been closed."""
        if self.is_attached:
            self.call_later(callback, *arguments)

    def publish(self, view: View) -> None:
        """Show a newer view from the background wherever it is shown."""
        if isinstance(view, StateView) and view.chosen != self.state.view.chosen:
            return  # read before the user chose another session: a newer one follows
        self.bar.apply(view)
        if isinstance(view, ConfigView):
            self.app.reload_settings()
        for pane in self.panes.values():
            if isinstance(view, pane.views):
                pane.apply(view)
                if pane.filter_text:  # typed before its rows were read
                    pane.refilter()
                if self._settings.bell and isinstance(view, CapturesView) and self.pending.has_new_captures:
                    self.app.bell()
                pane.look_at(pane.in_sight)
                self._show_changes(Pane.Changed(pane))

    def _listed(self, liveness: Liveness) -> None:
        self.bar.show_liveness(liveness)
        for pane in self.panes.values():
            # What has not come with the first comparison cannot be read; a session's name may still come.
            if pane.unread and (pane is not self.state or liveness.mark is Mark.LOST):
                pane.give_up()

    def _let_time_pass(self) -> None:
        self.bar.show_anew()
        self.bar.refresh_remotes(self._settings.sync_seconds)
        for pane in self.panes.values():
            pane.let_time_pass()

    @on(Pane.Changed)
    def _show_changes(self, message: Pane.Changed) -> None:
        self.tabs.refresh()
        first = self.pending
        if self.focused is first and not (first.rows or first.unread or first.used):
            self.set_focus(max(self.panes.values(), key=lambda each: len(each.rows)))
        if message.row_list is self.pane or self.pane.selected is None:
            self.show_detail()
        if message.row_list is self.pane:
            self.refresh_bindings()

    @property
    def pane(self) -> Pane:
        """The pane that keys act on: the one focused last."""
        return self.panes[self.current_id]

    def make_current(self, pane_id: PaneId) -> None:
        self.current_id = pane_id
        self.pane.hold()
        for other in self.panes.values():
            other.set_class(other.pane_id is pane_id, "-current")
        self.tabs.refresh()
        self.show_detail()

    @property
    def reading(self) -> bool:
        """Whether the detail is read; where it does not share the window with the panes, it has all of it."""
        return self.has_class("-reading")

    @reading.setter
    def reading(self, reading: bool) -> None:
        if reading != self.reading:
            self.set_class(reading, "-reading", update=False)
            if self.has_class("-narrow") or self.has_class("-zoomed"):
                self.app.stylesheet.update_nodes(self.query_one("#body").children)  # not the whole screen

    def show_detail(self) -> None:
        pane = self.pane
        self.detail.signs = pane.detail_signs
        self.detail.show_detail(pane.detail)

    def read_selected(self) -> None:
        """Read the detail of the selected row: in a narrow window it replaces the panes."""
        self.show_detail()
        self.reading = True
        self.set_focus(self.detail)
        self.detail.seek(self.pane.words_in_detail)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make the focused pane the current one; focusing the detail means reading it."""
        if self._filter_line is not None:
            self._filter_line.focus_is_at(event.widget)
        if isinstance(event.widget, Pane):
            self.reading = False
            if event.widget is not self.pane:
                self.make_current(event.widget.pane_id)
        elif event.widget is self.detail:
            self.reading = True

    @on(RowList.Opened)
    def action_open(self) -> None:
        self.call_later(self.read_selected)

    def read_memory(self, key: str, *, by_link: bool = False) -> None:
        if self.memories.go_to(key, by_link=by_link):
            self.make_current(PaneId.MEMORIES)
            self.read_selected()

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted) -> None:
        if message.row_list is self.pane:
            self.show_detail()
            self.refresh_bindings()

    @property
    def idle_keys(self) -> frozenset[str]:
        """The actions that do nothing for what is selected, wherever the focus is."""
        pane, idle = self.pane, set[str]()
        if not (self.reading or pane.marked or pane.filter_text or self.has_class("-zoomed")):
            idle |= {"back"}
        if self.pane.selected is None:
            idle |= {"open", "transcript", *([] if self.state.view.session_id else ["compact"])}
        return pane.idle_keys | idle

    @on(DocumentView.Followed)
    def _followed_link(self, message: DocumentView.Followed) -> None:
        """Follow a link of the detail: to a fold, another memory or a transcript line."""
        kind, _, name = message.link.partition(":")
        if kind == "fold":
            self.pane.toggled ^= {name}
            self.show_detail()
        elif kind == "memory":
            self.read_memory(f"{name}.md", by_link=True)
        elif kind == "source":
            self.action_transcript(int(name))

    @property
    def _binding_chain(self) -> list[tuple[DOMNode, BindingsMap]]:
        """Textual's and, while the detail is read, after its keys those of the pane it belongs to."""
        chain = super()._binding_chain
        if self.focused is self.detail:
            keys = self.pane._bindings.copy()
            keys.apply_keymap(self.app.keymap)
            chain.insert(1, (self.pane, keys))
        return chain

    def action_pane(self, pane: str) -> None:
        self.reading = False
        self.make_current(PaneId(pane))
        self.set_focus(self.pane)

    def action_next_pane(self, step: int) -> None:
        order = list(self.panes)
        self.action_pane(order[(order.index(self.current_id) + step) % len(order)])

    def action_back(self) -> None:
        """Cancel a pending question, or leave what was entered last."""
        pane = self.pane
        if self.state.question.cancel():
            return
        if self.reading:
            if pane is self.memories and self.memories.go_back():
                self.read_selected()
            else:
                self.reading = False
                self.set_focus(pane)
        elif pane.marked:
            pane.mark(())
        elif pane.filter_text:
            pane.filter("")
        elif self.has_class("-zoomed"):
            self.action_zoom()
        else:
            self.app.say("Nothing to go back from. q quits.")

    async def action_leave(self) -> None:
        if self.reading:
            self.action_back()
        else:
            await self.app.run_action("quit")

    def action_zoom(self) -> None:
        alone = self.has_class("-short") or (self.has_class("-narrow") and self.reading)
        if alone and not self.has_class("-zoomed"):
            self.app.say("This has the window already.")
            return
        self.toggle_class("-zoomed")
        sign = self.state.at_rest = "zoomed · z goes back" if self.has_class("-zoomed") else ""
        for each in (*self.panes.values(), self.detail):
            each.border_subtitle = Content((each is self.state and self.state.doing) or sign)
        self.refresh_bindings()

    @work(group="transcript", exclusive=True, exit_on_error=False)
    async def action_transcript(self, line: int = 0) -> None:
        """Open the transcript of the selected row at a line (1-based), at its compaction, or at its end."""
        subject, screen = self.pane.subject, self.app.screen
        if isinstance(subject.transcript, str):
            self.app.warn(subject.transcript)
            return
        if not line and not isinstance(marked := selected_line(self.pane, self.detail, ""), str):
            line = marked[1]
        if subject.compacted and not line:
            with suppress(FileProblem, OSError, ReadingCancelledError):  # the transcript may not have it
                wanted = (subject.transcript, subject.compacted, lambda: self.model.stopped)
                found = await asyncio.to_thread(lambda: self.model.readings.aftermath(*wanted))
                line = found.compaction.source.line
        if self.app.screen is screen:  # another one may have been opened meanwhile
            self.app.open_transcript(subject.transcript, line)

    def action_edit(self) -> None:
        from memtui.app.terminal import edit_file
        from memtui.documents.memory import has_front_matter

        file, memory = self.pane.subject.file, self.pane.subject.recovery_id
        if isinstance(file, str):
            self.app.warn(file)
            return
        with self.app.reporting("editing"):
            with self.model.changes.of_files(f"edited {memory}", [file] if memory else []):
                edit_file(self.app, file)
            if memory and not has_front_matter(file.read_bytes()):
                self.app.warn(f"{memory} lacks front matter, so tags and source. u puts the old text back.")
        self.app.hint("compacts", "memories", "commands", "pins", "userpins", "states")

    def action_pin_line(self) -> None:
        found = selected_line(self.pane, self.detail, self.get_selected_text() or "")
        if isinstance(found, str):
            self.app.warn(found)
        else:
            transcript, (text, line) = self.pane.subject.transcript, found
            self.app.pin(text, transcript if isinstance(transcript, Path) else None, line)

    def action_waiting(self) -> None:
        entries = self.model.transcripts.entries()
        if path := next((each.path for each in entries if each.session_id in self.bar.waits), None):
            self.app.open_lost(path, None)
        else:
            self.app.warn("The transcript of the session that these lines wait for no longer exists.")

    def action_sync(self) -> None:
        self.memories.action_sync()

    def action_compact(self) -> None:
        """Make a memory of the session of the selected row, as drafted, else of the newest session."""
        from memtui.app.screens.compact import CompactScreen
        from memtui.app.screens.dialogs import StoredScreen

        def stored(memory_id: str | None) -> None:
            if memory_id:
                self.app.hint("memories")
                self.app.push_screen(StoredScreen(memory_id, self.model.backend.path(memory_id)))

        self.app.push_screen(CompactScreen(self.model, self.pane.subject.transcript), stored)

    @reported("installing the plugin", group="install", exclusive=True)
    async def action_install(self) -> None:
        """Install the plugin, and ask once whether transcripts are kept; each is shown and asked first."""
        from memtui.plugin.installing import plan_init
        from memtui.store.archive_settings import archive_settings

        home = self.model.places.home
        # A few small files, read here: a later question would take keys meant for another screen.
        asks = archive_settings(home).keep is None
        if asks and not self.model.lacks_hooks():
            await self._ask_to_keep()
            return
        question = "Install memtui's plugin into Claude Code?"
        done = await self._change_plugin(plan_init, question, "Install", "It is installed.")
        if done and asks:
            await self._ask_to_keep(done)

    @reported("taking the plugin out", group="install", exclusive=True)
    async def action_uninstall(self) -> None:
        from memtui.plugin.installing import plan_uninstall

        question = "Take memtui's plugin out of Claude Code?"
        await self._change_plugin(plan_uninstall, question, "Take it out", "It is not installed.")

    @reported("keeping transcripts", group="install", exclusive=True)
    async def action_keep(self) -> None:
        await self._ask_to_keep()

    async def _change_plugin(
        self, planned: Callable[[Places], Plan], question: str, yes: str, nothing: str
    ) -> str:
        """Show a plan, ask, and carry it out; returns what it said, "" if nothing was done."""
        from memtui.plugin.installing import apply, typed_lines

        places = self.model.places
        plan = planned(places)
        if not plan:
            self.app.say(nothing)
            return ""
        lines = [*map(line, plan.lines()), *(line(each, "dim") for each in plan.notes)]
        if typed := typed_lines(plan):
            question = "claude is not on the PATH: type these lines at Claude Code's prompt, one at a time."
            yes = "Write and copy" if plan.files else "Copy"
            own = lines[len(typed) :]
            heading = [line("memtui itself will:", "dim")] if own else []
            lines = [*map(line, typed), line(""), *heading, *own]
        if not await self.app.confirmed(question, yes=yes, no="Not now", document=Document(lines)):
            return ""
        said = await asyncio.to_thread(lambda: list(apply(plan, places)))
        self.model.health.expire()
        self.app.hint("branch")
        if typed:
            wrote = f"wrote {', '.join(path.name for path, _ in plan.files)}" if plan.files else ""
            # Pasted together they would be one message.
            then = f"then type {' and '.join(typed[1:])}" if typed[1:] else ""
            note = " · ".join(filter(None, (then, wrote)))
            self.app.copy_text(typed[0], name="the first line for Claude Code's prompt", note=note)
            return ""
        self.app.say(done := " ".join(said) or _INSTALLED)
        return done

    async def _ask_to_keep(self, done: str = "") -> None:
        from memtui.store.archive_settings import answer_keeping

        home = self.model.places.home
        told = (
            *((done, "") if done else ()),
            "Claude Code deletes a session's transcript after 30 days, unless its settings say otherwise.",
            f"memtui can keep compressed copies, readable by you alone, in {clean_line(str(home.archive))}.",
            "`memtui archive forget` removes one again.",
        )
        question, document = "Keep transcripts beyond 30 days?", Document([*map(line, told)])
        keep = await self.app.confirmed(question, yes="Keep", no="No", document=document, safe=True)
        await asyncio.to_thread(answer_keeping, home, keep)
        said = "Transcripts are kept from now on." if keep else "Transcripts are not kept."
        self.app.say(f"{said} {done}".strip())
        self.model.health.expire()
        self.app.hint("branch")

    async def action_filter(self) -> None:
        """Open the filter line. Awaited, so that the next keys go into it."""
        if self._filter_line is None:
            from memtui.app.widgets.input_line import FILTER_HINT, InputLine

            self._filter_line = InputLine("filter", FILTER_HINT)
            await self.mount(self._filter_line, before=self.query_one(KeyFooter))
        self._filter_line.open(self.pane.filter_text, self.pane)

    def on_input_changed(self, message: Input.Changed) -> None:
        self.pane.filter(message.value)

    def open_result(self, found: Result) -> None:
        from memtui.app.screens.dialogs import ReadingScreen
        from memtui.store.search_query import Kind

        if found.kind in (Kind.MEMORY, Kind.FILE, Kind.CLAUDE):
            own = {Kind.MEMORY: f"{found.name}.md", Kind.CLAUDE: f"claude:{found.name}"}
            self.read_memory(own.get(found.kind, found.name))
        elif found.kind is Kind.CAPTURE:
            self.make_current(PaneId.PENDING)
            if self.pending.reveal(found.name):
                self.read_selected()
            else:
                self.app.warn(f"{clean_line(found.name)} no longer exists.")
        elif self.state.view.session_id == found.name and not self.state.view.drafted:
            self.make_current(PaneId.STATE)
            self.read_selected()
        else:
            title = f"Session state of {clean_line(found.name)[:8]}, {clean_line(found.said)}"
            self.app.push_screen(ReadingScreen(title, from_markdown(found.text)))
