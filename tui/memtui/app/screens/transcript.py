"""A transcript to read: opened at its end or at a line, with everything that a pager can do."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.content import Content

from memtui.app.editor import page_text
from memtui.app.host import AftermathWanted, PinWanted, ResumeWanted
from memtui.app.keys.reader_commands import TRANSCRIPT
from memtui.app.screens.exporting import export_sessions
from memtui.app.screens.single_layout import StyledOnce, add_size_classes
from memtui.app.screens.transcript_places import Offsets, go_to_next
from memtui.app.screens.transcript_title import place, title
from memtui.app.stylesheets import stylesheet
from memtui.app.widgets.input_line import FIND_HINT, InputLine
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.transcript_finder import Finder
from memtui.app.widgets.transcript_pages import Shows
from memtui.app.widgets.transcript_source import Wanted
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.documents.transcript_markdown import transcript_markdown
from memtui.ground.clock import parse_iso
from memtui.secrets.secrets import masked
from memtui.transcript.blocks import Block
from memtui.transcript.events import Boundary
from memtui.transcript.subagents import agent_transcripts

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_FOLLOW = 0.5
"""Seconds between checks whether the transcript has grown."""


def read_transcript(app: App[Any], path: Path, line: int = 0, *, find: str = "") -> None:
    """Open a session for reading, from anywhere in the app.

    Args:
        app: the app.
        path: the session's transcript, or one of its subagents'.
        line: the line to open it at (1-based), which is unfolded; its end when 0.
        find: text to mark, which `n` searches for.
    """
    screen = TranscriptScreen(path, line, find=find)
    add_size_classes(screen, app)
    app.push_screen(screen)


class TranscriptScreen(StyledOnce):
    """The conversation in Claude Code's file."""

    if TYPE_CHECKING:
        app: HostApp

    DEFAULT_CSS = stylesheet("transcript")
    SCOPED_CSS = False
    TABLE = TRANSCRIPT
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, path: Path, line: int = 0, *, find: str = "") -> None:
        """Use `read_transcript`."""
        super().__init__()
        self._path = path
        self.view = TranscriptView(path, line, id="transcript")
        self._query = find
        self._sought = find
        self._typed = ""

    def compose(self) -> ComposeResult:
        """The view, the line to type in, and the keys."""
        yield self.view
        yield InputLine("find", FIND_HINT)
        yield KeyBar()

    def on_mount(self) -> None:
        """Follow the file while the screen is open."""
        self.finder = Finder(self.view)
        self.query_one(KeyBar).keys = self.TABLE.bar()
        if self._query:
            self.finder.look_for(self._query)
        self.view.focus()
        self.set_interval(_FOLLOW, self.view.poll)

    @on(TranscriptView.Moved)
    def show_place(self) -> None:
        """Show the current position in the frame."""
        if self._sought and self.view.current is not None:
            sought, self._sought = self._sought, ""
            self.finder.show_here(sought)
        found = self.finder.place
        self.view.border_title = Content(title(self.view, self.view.outer_size.width))
        self.view.border_subtitle = Content(place(self.view, found, self._typed))
        self.query_one(InputLine).show_status(found)

    async def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """Run the key that was clicked."""
        await self.run_action(message.action)

    def on_key(self, event: events.Key) -> None:
        """A digit extends the number typed before G or %."""
        if self.focused is self.view and event.character and event.character in "0123456789":
            self._typed = (self._typed + event.character)[-9:].lstrip("0")
            event.stop()
            self.show_place()

    def _number(self) -> int:
        """The typed number, which is then cleared."""
        typed, self._typed = self._typed, ""
        return int(typed or "0")

    # -- finding --------------------------------------------------------------------------------------------

    def action_find(self) -> None:
        """Open the search line."""
        self.finder.begin()
        self.query_one(InputLine).open(self.finder.text, select=True)

    @on(InputLine.Changed)
    def _find(self, event: InputLine.Changed) -> None:
        self.finder.type(event.text)

    @on(InputLine.Dropped)
    def _dropped(self) -> None:
        self.finder.drop()
        self._close_line()

    @on(InputLine.Kept)
    def _close_line(self) -> None:
        self.view.focus()
        self.query_one(InputLine).close()
        self.show_place()

    def action_again(self, step: int) -> None:
        """Go to the next hit, or to the previous one."""
        if self.finder.text:
            self.view.when_there(lambda: self.finder.again(step))
        else:
            self.app.say("There is no search yet: / starts one.")

    # -- navigation ----------------------------------------------------------------------------------------

    def action_first(self) -> None:
        """Go to the start."""
        self._number()
        self.view.action_first()

    def action_last(self) -> None:
        """Go to the end, or to the line with the typed number."""
        number = self._number()
        if number:
            self.view.go(Wanted("line", number, unfold=True))
        else:
            self.view.action_last()

    def action_percent(self) -> None:
        """Go to a percentage of the file."""
        if self._typed:
            self.view.go(Wanted("percent", min(100, self._number())))
        else:
            self.app.say("Type a number before %.")

    def action_turn(self, step: int) -> None:
        """Go to another turn."""
        self._go_when_known(lambda index: index.asks, step, "turn")

    def action_compaction(self, step: int) -> None:
        """Go to another compaction."""
        self._go_when_known(lambda index: index.boundaries, step, "compaction")

    def _go_when_known(self, places: Offsets, step: int, name: str) -> None:
        self.view.when_indexed(lambda: self.view.when_there(lambda: self._go_to(places, step, name)))

    def _go_to(self, places: Offsets, step: int, name: str) -> None:
        if problem := go_to_next(self.view, places, step, name):
            self.app.say(problem)

    def action_lost(self) -> None:
        """Show the losses of the compaction at the current position."""
        self.view.when_there(self._show_lost)

    def _show_lost(self) -> None:
        block = self.view.current
        if block is not None and isinstance(block.event, Boundary):
            self.app.post_message(AftermathWanted(self._path, parse_iso(block.stamp)))
        else:
            self.app.say("This is not a compaction: } and { go to one.")

    def action_resume(self, fork: bool = False) -> None:
        """Resume this session in Claude Code, or a copy of it."""
        self.app.post_message(ResumeWanted(self._path, fork=fork))

    # -- blocks ---------------------------------------------------------------------------------------------

    def action_unfold(self) -> None:
        """Unfold or fold the current block; after a number, go to that line."""
        if self._typed:
            self.action_last()
        else:
            self.view.when_there(self._unfold)

    def _unfold(self) -> None:
        if not self.view.follow():
            self.app.say("There is nothing to unfold here.")

    @on(TranscriptView.AgentWanted)
    def _open_agent(self, event: TranscriptView.AgentWanted) -> None:
        for agent, path in agent_transcripts(self._path, [event.agent]):
            if agent == event.agent:
                read_transcript(self.app, path)
                return
        self.app.say("The transcript of this subagent no longer exists.", severity="warning")

    def action_mark(self) -> None:
        """Mark the current block, or unmark it, and go to the next."""
        self.view.when_there(self._mark)

    def _mark(self) -> None:
        self.view.mark()
        self.show_place()

    def _chosen(self) -> list[Block]:
        """The marked blocks, else the current one with its result."""
        marked = sorted(chain(*self.view.marks.values()), key=lambda block: block.key)
        return marked or self.view.window.with_result(self.view.current)

    def action_copy(self) -> None:
        """Copy the selection, the marked blocks or the current one as Markdown."""
        self.view.when_there(self._copy)

    def _copy(self) -> None:
        if selected := self.get_selected_text():
            self.app.copy_text(masked(selected), name="the selection")
        elif chosen := self._chosen():
            name = f"{len(self.view.marks)} blocks" if len(self.view.marks) > 1 else "this block"
            self.app.copy_text(transcript_markdown(chosen), name=name)

    def action_pin(self) -> None:
        """Pin the selection, or the current line."""
        self.view.when_there(self._pin_here)

    def _pin_here(self) -> None:
        words = self.get_selected_text() or self.view.window.words_at(self.view.cursor_line)
        if text := " ".join(words.split()):
            self.view.when_indexed(lambda: self._pin(text))
        else:
            self.app.say("Nothing to pin here: ! pins what was said, run or read.", severity="warning")

    def _pin(self, text: str) -> None:
        block = self.view.current
        line = self.view.source.index.number_at(block.key[0]) if block else 0
        self.app.post_message(PinWanted(text, self._path, line))

    def action_pager(self) -> None:
        """Show the chosen blocks in a pager, with secrets masked, as always outside the screen."""
        self.view.when_there(self._page)

    def _page(self) -> None:
        chosen = self._chosen()
        problem = page_text(self.app, transcript_markdown(chosen)) if chosen else ""
        if problem:
            self.app.say(problem, severity="warning")

    @work(group="export", exclusive=True, exit_on_error=False)
    async def action_export(self) -> None:
        """Write the session to a file."""
        await export_sessions(self.app, [self._path])

    def action_cycle(self) -> None:
        """Cycle through all blocks, no tools, and only asks with closing messages."""
        kinds = list(Shows)
        shows = kinds[(kinds.index(self.view.source.shows) + 1) % len(kinds)]
        self.view.when_indexed(lambda: self.view.show_only(shows))
        self.app.say(f"Shown: {shows}.")

    def action_back(self) -> None:
        """Clear the number, the marks, and the search; then leave."""
        if self._typed:
            self._typed = ""
        elif self.view.marks:
            self.view.unmark()
        elif self.finder.text not in ("", self._query):
            self.finder.look_for("")
        else:
            self.dismiss()
            return
        self.show_place()
