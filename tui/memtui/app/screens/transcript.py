"""A transcript to read: opened at its end or at a line, with everything that a pager can do."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input
from textual.worker import get_current_worker

from memtui.app.base import FOLD_SIGNS, PINS, StyledOnce, hidden
from memtui.app.screens.session_files import export_sessions, resume
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import FIND_HINT, InputLine
from memtui.app.widgets.transcript_lines import AGENT, render
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.app.widgets.wrap import cut
from memtui.documents.session_page import transcript_markdown
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute, parse_iso, to_local
from memtui.secrets.secrets import masked
from memtui.transcript.blocks import Block
from memtui.transcript.events import Boundary
from memtui.transcript.line_index import Hit, Query, best_hit, find
from memtui.transcript.session import SessionHead, agent_transcripts

_MOST = 50_000
"""Hits after which a search ends: 10 MB of memory."""


def rows_of(block: Block) -> list[str]:
    return [line.text for line in render(block, unfolded=True)]


class Finder:
    """Finds text in the transcript of a view, in a thread, and moves the view to hits."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._origin: Block | None = None
        self._reset()

    def _reset(self) -> None:
        self._hits: list[Hit] = []
        """Those in the lines before `_end`, which is as far as was looked; they come in order."""
        self._end = 0
        self._complete = False
        self._hit: Hit | None = None
        self._wanted: tuple[tuple[tuple[int, int], float], int] | None = None
        """The place from which a hit is awaited: the next (1), the previous (-1) or the nearest (0)."""

    @property
    def text(self) -> str:
        return self._view.window.query.text

    @property
    def place(self) -> str:
        """``3 of 17``, as far as known."""
        if not self.text or not self._end:  # only the line that was opened is marked
            return ""
        hits = self._hits
        if not self._complete:
            return f"{len(hits):,}…" if hits else "…"
        if not hits:
            return "not found"
        more = "+" if len(hits) >= _MOST else ""
        at = f"{bisect_left(hits, self._hit) + 1:,} of " if self._hit is not None else ""
        return f"{at}{len(hits):,}{more}"

    def begin(self) -> None:
        self._origin = self._view.current

    def type(self, text: str) -> None:
        """Find the text typed so far: next from where the search began, else the last one before."""
        self.look_for(text)
        if text and self._origin is not None:
            self._go((self._origin.key, -1), 0)
        elif self._origin is not None:
            self._view.go(self._view.window.index.at(self._origin.key[0]), self._origin.key)

    def show_here(self, query: Query) -> None:
        """Mark words in the current line alone, and show the row with most of them; `again` looks further."""
        current, window = self._view.current, self._view.window
        here = [each for each in window.blocks if current and each.key[0] == current.key[0]]
        if best := best_hit(here, query, rows_of):
            self._view.look_for(query, here[0].key[0])
            self._show(best)

    def look_for(self, text: str) -> None:
        if text == self.text:  # the line was opened on it
            return
        self._reset()
        self._view.workers.cancel_group(self._view, "transcript-find")
        self._view.look_for(Query(text))
        if text:
            self._search()

    def again(self, step: int) -> None:
        block, line, window = self._view.current, self._view.cursor.line, self._view.window
        if self.text and block is not None:
            if not self._end:  # a question has common words: one of them stands in every message
                self._look_for_lines_with(len(window.query.words) // 2 + 1)
            elif self._complete and self._end < len(window.index):
                self._search()
            on_hit = window.query.is_in(window.document.lines[line].text)
            self._go((block.key, window.hits_before(line) - (0 if on_hit else 0.5)), step)

    def _look_for_lines_with(self, words: int) -> None:
        self._view.look_for(replace(self._view.window.query, least=words))
        self._search()

    def _search(self) -> None:
        view, window, query, first = self._view, self._view.window, self._view.window.query, self._end
        self._complete, self._end = False, len(window.index)
        stop, number = self._end, len(self._hits)

        def rows(block: Block) -> list[str]:
            return rows_of(block) if window.is_shown(block) else []

        def work() -> None:
            worker, left = get_current_worker(), _MOST - number
            with suppress(OSError):
                for hits in find(view.path, window.index, query, first, stop, rows):
                    if worker.is_cancelled:
                        return
                    if hits:
                        view.call_later(self._found, query, hits)
                    left -= len(hits)
                    if left <= 0:
                        break
            view.call_later(self._found, query, [], complete=True)

        view.run_worker(work, thread=True, exclusive=True, group="transcript-find", exit_on_error=False)

    def _found(self, query: Query, hits: list[Hit], *, complete: bool = False) -> None:
        if query is self._view.window.query:
            self._hits += hits
            self._complete = complete
            if complete and not self._hits and query.least > 1:
                self._end = 0
                self._look_for_lines_with(1)
            else:
                self._proceed()

    def _go(self, here: tuple[tuple[int, int], float], step: int) -> None:
        self._wanted = (here, step)
        self._proceed()

    def _proceed(self) -> None:
        if self._wanted is not None:
            here, step = self._wanted
            hits = self._hits
            at = bisect_left(hits, here) - 1 if step < 0 else bisect_right(hits, here)
            known = (self._complete and bool(hits)) or (step >= 0 and at < len(hits))
            if known:
                if step and not 0 <= at < len(hits):
                    self._view.app.say(f"No hit {'after' if step > 0 else 'before'} this one: round again.")
                self._show(hits[at % len(hits) if step else min(at, len(hits) - 1)])
            if known or self._complete:
                self._wanted = None
        self._view.post_message(self._view.Moved())

    def _show(self, hit: Hit) -> None:
        self._hit = hit
        self._view.go(self._view.window.index.at(hit.key[0]), hit.key, unfold=True, hit=hit.number)
        self._view.post_message(self._view.Moved())


_UNFOLD = "unfold what is folded here, or fold it; go to a typed line"


class TranscriptScreen(StyledOnce):
    """The conversation in Claude Code's file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "again(1)", "next", tooltip="go to the next hit"),
        Binding("N", "again(-1)", "before", tooltip="go to the previous hit"),
        Binding("/", "find", "find", id="filter", tooltip="filter here, or find, as you type"),
        hidden("[", "next('turn', -1)", "turn before", tooltip="the previous turn"),
        Binding("]", "next('turn', 1)", "next turn", tooltip="the next turn"),
        hidden("{", "next('compaction', -1)", "before", tooltip="the previous compaction"),
        Binding("}", "next('compaction', 1)", "compaction", tooltip="the next compaction"),
        hidden("l", "lost", "lost", id="lost", tooltip="what this compaction lost, to give it back"),
        Binding("enter", "unfold", "unfold", key_display="enter", tooltip=_UNFOLD),
        Binding("y", "copy", "copy", tooltip="copy the selection, or this block; masks secrets"),
        Binding("R", "resume", "resume", id="resume", tooltip="resume this session in Claude Code"),
        hidden("F", "resume(True)", "fork", tooltip="resume a copy of it in Claude Code"),
        Binding("!", "pin", "pin", id="pin", tooltip=PINS),
        Binding("t", "talk", "tools", tooltip="leave out tools and thinking, or show them again"),
        Binding("E", "export", "export", id="export", tooltip="export as a page, secrets masked"),
        hidden("g", "first", "start", tooltip="go to the start"),
        hidden("G", "last", "end", tooltip="go to the end, or to the typed line"),
        Binding("escape,o,q", "back", "back", tooltip="leave; first drop a number, hits"),
    ]
    signs: ClassVar[Mapping[str, str]] = {
        "❯": "what you asked",
        "!": "a shell command of yours",
        "●": "a tool that Claude used",
        "└": "what the tool said",
        "✗": "it failed, or was stopped",
        "▼": "a compaction",
        **FOLD_SIGNS,
        "┆": "done by a subagent",
        "▣": "an attachment",
        "⏎": "the end of a line",
    }
    about = (
        "The conversation as it stands in Claude Code's file; it follows the session. "
        "A number goes before G: to that line."
    )

    def __init__(self, path: Path, line: int = 0, *, find: Query | None = None) -> None:
        super().__init__()
        self._path = path
        self.view = TranscriptView(path, line, id="transcript")
        self.finder = Finder(self.view)
        self._query = find.text if find else ""
        self._sought = find
        self._typed = ""

    def compose(self) -> ComposeResult:
        yield self.view
        yield InputLine("find", FIND_HINT)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.border_title = "Reading …"
        self.view.focus()
        self.set_interval(0.5, self.view.poll)

    @on(TranscriptView.Moved)
    def show_place(self) -> None:
        if self._sought and self.view.current is not None:
            sought, self._sought = self._sought, None
            self.finder.show_here(sought)
        found = self.finder.place
        self.view.border_title = Content(title(self.view, self.view.outer_size.width))
        self.view.border_subtitle = Content(place(self.view, found, self._typed))
        self.refresh_bindings()

    @property
    def idle_keys(self) -> frozenset[str]:
        return frozenset() if self.finder.text else frozenset(["again(1)", "again(-1)"])

    def on_key(self, event: events.Key) -> None:
        """A digit extends the number typed before G."""
        if self.focused is self.view and event.character and event.character in "0123456789":
            self._typed = (self._typed + event.character)[-9:].lstrip("0")
            event.stop()
            self.show_place()

    def _number(self) -> int:
        typed, self._typed = self._typed, ""
        return int(typed or "0")

    def action_find(self) -> None:
        self.finder.begin()
        self.query_one(InputLine).open(self.finder.text, self.view, select=True)

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self.finder.type(event.value)
        self.show_place()

    def action_again(self, step: int) -> None:
        if self.finder.text:
            self.finder.again(step)
        else:
            self.app.say("There is no search yet: / starts one.")

    def action_first(self) -> None:
        self._number()
        self.view.action_first()

    def action_last(self) -> None:
        if number := self._number():
            self.view.go(number - 1, unfold=True)
        else:
            self.view.action_last()

    def action_next(self, name: str, step: int) -> None:
        def go() -> None:
            index = self.view.window.index
            lines = index.asks if name == "turn" else index.boundaries
            if not lines:
                self.app.say(f"There is no {name} in this session.")
            elif not self.view.go_to_next(lines, step):
                self.app.say(f"This is the {'last' if step > 0 else 'first'} {name}.")

        self.view.when_indexed(go)

    def action_lost(self) -> None:
        block = self.view.current
        if block is not None and isinstance(block.event, Boundary):
            self.app.open_lost(self._path, parse_iso(block.stamp))
        else:
            self.app.say("This is not a compaction: } and { go to one.")

    def action_resume(self, fork: bool = False) -> None:
        resume(self, self._path, fork=fork)

    def action_unfold(self) -> None:
        if self._typed:
            self.action_last()
        elif not self.view.follow():
            self.app.say("There is nothing to unfold here.")

    @on(TranscriptView.Followed)
    def _open_agent(self, event: TranscriptView.Followed) -> None:
        agent = event.link.removeprefix(AGENT)
        if path := dict(agent_transcripts(self._path, [agent])).get(agent):
            self.app.open_transcript(path)
        else:
            self.app.warn("The transcript of this subagent no longer exists.")

    def action_copy(self) -> None:
        if selected := self.get_selected_text():
            self.app.copy_text(masked(selected), name="the selection")
        elif blocks := self.view.window.with_result(self.view.current):
            self.app.copy_text(transcript_markdown(blocks), name="this block")

    def action_pin(self) -> None:
        words = self.get_selected_text() or self.view.window.words_at(self.view.cursor.line)
        if text := " ".join(words.split()):
            self.app.pin(text, self._path, self.view.current_number)
        else:
            self.app.warn("Nothing to pin here: ! pins what was said, run or read.")

    @work(group="export", exclusive=True, exit_on_error=False)
    async def action_export(self) -> None:
        await export_sessions(self, [self._path])

    def action_talk(self) -> None:
        self.view.show_only(talk=not self.view.window.talk_only)
        self.show_place()

    def action_back(self) -> None:
        if self._typed:
            self._typed = ""
        elif self.finder.text not in ("", self._query):
            self.finder.look_for("")
        else:
            self.dismiss()
            return
        self.show_place()


def title(view: TranscriptView, width: int) -> str:
    """The upper line of the frame: the session at the left, the position at the right."""
    index, number = view.window.index, view.current_number
    turn = ""
    if index.complete and index.asks and number:
        turn = f"turn {index.turn_at(number - 1)} of {len(index.asks)}"
    name = clean_line(view.path.stem.removeprefix("agent-"))[:8]
    percent = f" {view.bar.percent} %"
    room = max(1, width - 6 - cell_len(percent))  # the frame's corners take six cells
    parts = [name, turn, times(view.head), clean_line(view.head.model)]
    spare = room - 4 - cell_len(" · ".join(filter(None, parts)))
    if spare > 11:  # else a name says little
        parts.insert(1, cut(clean_line(view.head.name), spare))
    left = cut(" · ".join(filter(None, parts)), room - 1) + " "
    return left + "─" * max(0, room - cell_len(left)) + percent


def times(head: SessionHead) -> str:
    """The times of start and end: ``23 Feb 12:53–15:40``."""
    start, end = parse_iso(head.started), parse_iso(head.ended)
    if start is None or end is None:
        return ""
    same = to_local(start).date() == to_local(end).date()
    return f"{day_and_minute(start)}–{f'{to_local(end):%H:%M}' if same else day_and_minute(end)}"


def place(view: TranscriptView, found: str, typed: str) -> str:
    query = clean_line(view.window.query.text)
    if not view.current_number:
        return ""
    parts = [
        typed,
        f"/{query}  {found}" if query else "",
        "without tools" if view.window.talk_only else "",
        f"L{view.current_number}",
    ]
    return " · ".join(filter(None, parts))
