"""Pane 2: memory files of reviews and stored memories, newest first."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.app.keys.commands import PaneId
from memtui.app.model.memory_heads import MemoryHeads
from memtui.app.model.memory_states import MemoryStates
from memtui.app.model.project_model import Browser
from memtui.app.model.views import MemoriesView, View
from memtui.app.panes.memory_reader import MemoryReader
from memtui.app.panes.memory_row import Known, memory_row
from memtui.app.panes.pane import Detail, Pane, Progress, Subject
from memtui.app.widgets.document import Document, plain
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.ground.files import FileProblem
from memtui.store.project_test import ProjectTest

if TYPE_CHECKING:
    from memtui.app.model.sharing import RemoteState
    from memtui.store.listing import Entry
    from memtui.store.memory_heads import MemoryHead

_NONE = "No memories yet.\n\nReview a capture (r in Pending), or compact the session now (c)."
_READING = "…"
_SLICE, _BATCH = 0.5, 100
"""Seconds of reading for a filter before its results are shown, and number of heads read at a time."""


class MemoriesPane(Pane):
    """Rows show id or time at once; titles are read for visible rows."""

    pane_id = PaneId.MEMORIES
    number = 2

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser, empty=_NONE)
        self.view = self._listed = MemoriesView()
        self.everything = False
        """Whether memories of other projects are shown."""
        self._concerns = ProjectTest(browser.project.root)
        self._known_heads = MemoryHeads(lambda entry: browser.memories.head(entry))
        self._file_states = MemoryStates(
            browser.project.root, lambda memory_id: browser.backend.get(memory_id)
        )
        self._reader = MemoryReader(browser, self._file_states)
        self._filter_lock = threading.Lock()
        self.held_by: dict[str, str] = {}
        """The remotes that have a memory, by its Recovery ID."""

    def show_held(self, states: Sequence[RemoteState]) -> None:
        """Show in each row which remotes have the memory."""
        held: dict[str, str] = {}
        for state in states:
            held |= {each: ",".join(filter(None, (held.get(each), state.name))) for each in state.shared}
        if held != self.held_by:
            self.held_by = held
            self.show_rows()

    def apply(self, view: View) -> None:
        """Show a newer listing."""
        if isinstance(view, MemoriesView):
            if view.keys is not self._listed.keys:
                self._reader.forget_relations()
            self._listed = view
            self._show_view(view)
            self.highlight_new(view.entries, whole=not view.more)

    def resync(self) -> None:
        """Show the last listing, dropping changes made in advance."""
        if self.view is not self._listed:
            self._show_view(self._listed)

    def _show_view(self, view: MemoriesView) -> None:
        self.view = view
        self.say_when_empty(self._nothing())
        self.show_rows()

    def _nothing(self) -> str:
        if self.view.more:
            return _READING
        if others := len(self.view.keys):
            memories = "1 memory" if others == 1 else f"{others} memories"
            return f"No memory of this project.\n\nA shows {memories} of other projects."
        return _NONE

    def show_all(self, everything: bool) -> None:
        """Show the memories of all projects, or only of this one."""
        self.everything = everything
        self.show_rows()

    def drop(self, keys: Collection[str], lists: Collection[str]) -> None:
        """Remove memories from `mine` or `keys` of the view at once, ahead of the next listing.

        Pressing a key again before that acts on the next memory, not on the same one.
        """
        view = self.view
        if "keys" in lists:
            view = view._replace(keys=[each for each in view.keys if each not in keys])
        if "mine" in lists and any(key in view.mine for key in keys):
            view = view._replace(mine=[each for each in view.mine if each not in keys])
        if view is not self.view:
            self._show_view(view)

    def _file_of(self, key: str) -> str:
        """The memory file represented by a stored memory; "" for none."""
        return next((name for name, stored in self.view.doubled.items() if stored == key), "")

    def reveal(self, key: str) -> bool:
        """Select a memory and show it if hidden; False if there is none."""
        key = self.view.doubled.get(key, key)
        if key not in self.view.entries:
            return False
        if not self.select(key):
            self.filter_text = ""
            self.everything = self.everything or key not in self.view.mine
            self.show_rows()
            return self.select(key)
        return True

    def head(self, key: str) -> MemoryHead | None:
        """The last read head of a memory; None before."""
        return self._known_heads.get(key)

    def unread(self, keys: Iterable[str]) -> list[str]:
        """Keys whose heads are unread or outdated."""
        entries = self.view.entries
        return [key for key in keys if not self._known_heads.is_read(key, entries.get(key))]

    def read_heads(self, keys: Iterable[str]) -> bool:
        """Read heads, in a thread; returns whether anything new was read."""
        return self._known_heads.read(self._entries(keys))

    def read_states(self, keys: Iterable[str], cancelled: Callable[[], bool]) -> bool:
        """Compare the files named by memories with the project, in a thread; see `MemoryStates.read`."""
        return self._file_states.read(self._entries(keys), cancelled)

    def _entries(self, keys: Iterable[str]) -> list[Entry]:
        entries = self.view.entries
        return [entry for key in keys if (entry := entries.get(key))]

    def count(self) -> str:
        """Number of rows."""
        return f"{len(self.all_keys()) or ''}{'…' if self.view.more else ''}"

    def count_in_border(self) -> str:
        """The same, and the number of hidden ones: those of other projects."""
        left_out = len(self.view.keys) - len(self.all_keys())
        return " · ".join(part for part in (self.count(), f"{left_out} hidden" if left_out else "") if part)

    def prepare_filter(self) -> bool:
        """Read all titles once, newest first, as the filter searches them."""
        until = time.monotonic() + _SLICE
        with self._filter_lock:  # the next letter waits for the reading started by the previous one
            unread = self.unread(self.all_keys())
            for start in range(0, len(unread), _BATCH):
                if self.browser.stopped:
                    break
                self.read_heads(unread[start : start + _BATCH])
                if time.monotonic() > until:
                    return True
        return False

    def all_keys(self) -> Sequence[str]:
        """Every key, in the order shown."""
        return self.view.keys if self.everything else self.view.mine

    def text_of(self, key: str) -> str:
        """The text that the filter searches."""
        head = self.head(key)
        entry = self.view.entries.get(key)
        made = entry.time if entry else None
        when = day_and_minute(made) if made else ""
        tags = " ".join(f"#{tag}" for tag in head.tags) if head else ""
        return (
            f"{key} {when} {head.title} {tags} {head.project} {head.author} {head.problem}"
            if head
            else f"{key} {when}"
        )

    def draw_row(self, key: str, width: int) -> Content:
        """One row."""
        entry = self.view.entries.get(key)
        if entry is None:
            return Content("")
        head = self.head(key)
        known = Known(
            entry,
            head,
            self._file_states.get(key),
            unique=head is None or self._known_heads.is_unique(head.title),
            elsewhere=self._elsewhere(head.project) if head else "",
            held_by=self.held_by.get(head.id, "") if head else "",
        )
        return memory_row(known, self.clock(), width)

    def _note(self, key: str) -> str:
        """A note that a memory is stale."""
        state = self._file_states.get(key)
        return state.summary if state else ""

    def _elsewhere(self, project: str) -> str:
        """The name of another project's folder; "" for this one."""
        return "" if self._concerns(project) else project.rstrip("/").rpartition("/")[2]

    def detail(self, key: str | None) -> Detail:
        """The detail of a row."""
        entry = self.view.entries.get(key) if key is not None else None
        if entry is None or key is None:
            return Detail("", "Memory", plain(self.empty, "dim"))

        def work(progress: Progress) -> Document:
            return self._reader.document(entry, self._file_of(entry.name), progress)

        return Detail(key, f"Memory {clean_line(key.removesuffix('.md'))}", None, work)

    def unfold(self, name: str) -> None:
        """Toggle a fold of the detail."""
        self._reader.toggle(name)

    def subject(self, key: str | None) -> Subject:
        """The subject for keys."""
        from memtui.formats.stored_memory import RECOVERY_ID
        from memtui.store.transcripts import TranscriptProblem

        entry = self.view.entries.get(key) if key is not None else None
        if entry is None:
            return Subject()
        stem = entry.name.removesuffix(".md")
        recovery_id = stem if RECOVERY_ID.fullmatch(stem) else ""
        transcript, why_not = None, "This memory does not say which transcript it was made from."
        if file := self._file_of(entry.name) if recovery_id else entry.name:
            capture = file.partition("-memory")[0] + "-autocompact.md"
            try:
                found = self.browser.captures.load(self.browser.captures.resolve(capture))
                transcript = self.browser.check_transcript(found.transcript)
            except TranscriptProblem as problem:
                why_not = f"{problem}."
            except FileProblem as problem:
                why_not = f"The capture of this memory cannot be read: {problem}."
        return Subject(
            recovery_id=recovery_id,
            no_recovery_id="This is a review's memory file: it has no Recovery ID.",
            recovery_note=self._note(entry.name),
            file=entry.path,
            transcript=transcript,
            no_transcript=why_not,
        )
