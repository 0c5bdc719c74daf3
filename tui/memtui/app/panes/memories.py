"""Pane 2: memory files of reviews and stored memories, newest first."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from textual.cache import LRUCache
from textual.content import Content

from memtui.app.keys.commands import PaneId
from memtui.app.model.browser import Browser
from memtui.app.model.views import MemoriesView, View
from memtui.app.panes.pane import Detail, Pane, Progress, Subject, row, when_of
from memtui.app.widgets.document import Document, Line, concat, line, plain, styled
from memtui.clean import clean_line
from memtui.clock import day_and_minute
from memtui.files import FileProblem
from memtui.store.concerning import ProjectTest
from memtui.store.listing import is_stored

if TYPE_CHECKING:
    from memtui.flows.freshness import Freshness, Repositories
    from memtui.flows.relations import Related
    from memtui.store.listing import Entry
    from memtui.store.memories import MemoryHead

_NONE = "No memories yet.\n\nReview a capture (r in Pending), or compact the session now (c)."
_READING = "…"
_ID_WIDTH = 22
_WHOLE_ID = 70
"""Width in columns from which a row shows the whole Recovery ID; narrower ones show its time."""
_REST = 0.4
"""Seconds without a change of selection before related memories are searched for."""
_RELATED = 8
"""Number of related memories in the detail."""
_STATES = 2_000
"""The most memories whose files' states are kept."""
_RECHECK = 15.0
"""Seconds after which a memory's files are checked again."""
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
        """Whether memories of other projects and archived ones are shown."""
        self._concerns = ProjectTest(browser.project.root)
        self._unfolded: set[str] = set()
        self._relations: LRUCache[Entry, list[Related]] = LRUCache(32)
        self._states: dict[str, tuple[Entry, float, Freshness]] = {}
        self._repositories: Repositories | None = None
        self._known_heads: dict[str, tuple[Entry, MemoryHead]] = {}
        self._titles: Counter[str] = Counter()
        """Number of heads with a title."""
        self._lock = threading.Lock()
        self._filter_lock = threading.Lock()

    def apply(self, view: View) -> None:
        """Show a newer listing."""
        if isinstance(view, MemoriesView):
            if view.keys is not self._listed.keys:
                self._relations.clear()
            self._listed = view
            self._show_view(view)
            self.welcome(view.entries, whole=not view.more)

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
            return f"No memory of this project.\n\nA shows {memories} of other projects, or archived."
        return _NONE

    def show_all(self, everything: bool) -> None:
        """Show the memories of all projects and archived ones, too, or hide them."""
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
        known = self._known_heads.get(key)
        return known[1] if known else None

    def unread(self, keys: Iterable[str]) -> list[str]:
        """Keys whose heads are unread or outdated."""
        entries, known = self.view.entries, self._known_heads
        return [key for key in keys if key not in known or known[key][0] != entries.get(key)]

    def read_heads(self, keys: Iterable[str]) -> bool:
        """Read heads, in a thread; returns whether anything new was read."""
        entries = self.view.entries
        read = {
            key: (entry, self.browser.memories.head(entry)) for key in keys if (entry := entries.get(key))
        }
        with self._lock:
            before = (self._known_heads.get(key) for key in read)
            self._titles.subtract(known[1].title for known in before if known)
            self._titles.update(head.title for _, head in read.values())
            self._known_heads.update(read)
        return bool(read)

    def state_of(self, key: str) -> Freshness | None:
        """The last read state of a memory's files; None before."""
        known = self._states.get(key)
        return known[2] if known else None

    def read_states(self, keys: Iterable[str], cancelled: Callable[[], bool]) -> bool:
        """Compare the files named by memories with the project, unless that was just done.

        For a thread; returns whether anything new was read.
        """
        now, known, entries = time.monotonic(), self._states, self.view.entries
        stored = [(key, entry) for key in keys if (entry := entries.get(key)) and is_stored(entry)]
        none = (None, 0.0, None)
        unread = [
            (key, entry)
            for key, entry in stored
            if known.get(key, none)[0] != entry or now - known.get(key, none)[1] > _RECHECK
        ]
        if unread:
            self._projects.refresh()
        if len(known) > _STATES:
            known.clear()
        changed = False
        for key, entry in unread:
            if cancelled():
                break
            state = self._read_state(key)
            changed |= self.state_of(key) != state
            known[key] = (entry, now, state)
        return changed

    def _read_state(self, key: str) -> Freshness:
        from memtui.flows.freshness import Freshness

        try:
            return self._projects.freshness(self.browser.backend.get(key.removesuffix(".md")))
        except FileProblem:
            return Freshness()

    @property
    def _projects(self) -> Repositories:
        from memtui.flows.freshness import Repositories

        with self._lock:
            if self._repositories is None:
                self._repositories = Repositories(self.browser.project.root)
            return self._repositories

    def count(self) -> str:
        """Number of rows."""
        return f"{len(self.all_keys()) or ''}{'…' if self.view.more else ''}"

    def count_in_border(self) -> str:
        """The same, and the number of hidden ones: those of other projects, and archived ones."""
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
        head, entry = self.head(key), self.view.entries.get(key)
        if entry is None:
            return Content("")
        name = clean_line(key.removesuffix(".md").partition("@")[0])  # the author is shown beside it
        if head is None:
            return row([(name, "$quiet")], "", width)
        if head.problem:
            return row([(name, "$quiet"), " ", (clean_line(head.problem), "$error")], "", width)
        now = self.clock()
        title = clean_line(head.title)
        lead = when_of(entry.time or head.time, now, width, exact=self._titles[head.title] > 1)
        if not _is_stored(head):
            column = _ID_WIDTH if width >= _WHOLE_ID else 0
            return row([(f"{lead:<{column}}✎ ", "$quiet"), title], "", width)
        if width >= _WHOLE_ID:
            lead = f"{name:<{_ID_WIDTH}}"
        state = self.state_of(key)
        badges = [
            ("★ " if head.pinned else "", "$warning"),
            ("archived " if head.archived else "", "$secondary"),
            (_from(head.author), "$secondary"),
            (f"△{len(state.stale)}/{len(state.files)} " if state and state.is_stale else "", "$warning"),
            ("superseded " if head.superseded_by else "", "$secondary"),
            (self._elsewhere(head.project), "$quiet"),
        ]
        tags = "".join(f" #{clean_line(tag)}" for tag in head.tags)
        past = head.archived or head.superseded_by
        lead_colour, colour = ("$quiet", "$quiet") if past else ("$accent", "")
        said = [(lead, lead_colour), *badges, (title, colour), (f" {tags}" if tags else "", "$quiet")]
        return row(said, "", width)

    def _note(self, key: str) -> str:
        """A note that a memory is superseded, or stale."""
        head, state = self.head(key), self.state_of(key)
        notes = [f"superseded by {clean_line(head.superseded_by)}" if head and head.superseded_by else ""]
        notes.append(state.summary if state else "")
        return ", ".join(filter(None, notes))

    def _elsewhere(self, project: str) -> str:
        """The name of another project's folder, before the title; "" for this one."""
        return "" if self._concerns(project) else f"{clean_line(project).rstrip('/').rpartition('/')[2]}: "

    def detail(self, key: str | None) -> Detail:
        """The detail of a row."""
        entry = self.view.entries.get(key) if key is not None else None
        if entry is None or key is None:
            return Detail("", "Memory", plain(self._nothing(), "dim"))

        def work(progress: Progress) -> Document:
            return self._document(entry, progress)

        return Detail(key, f"Memory {clean_line(key.removesuffix('.md'))}", None, work)

    def unfold(self, name: str) -> None:
        """Toggle a fold of the detail."""
        self._unfolded ^= {name}

    def _document(self, entry: Entry, progress: Progress) -> Document:
        from memtui.app.details.memory_detail import memory_file_document, stored_document
        from memtui.flows.relations import entities_of, related_memories

        now = self.clock()
        try:
            memory = self.browser.memories.load(entry)
            if not _is_stored(memory.head) or memory.head.problem:
                return memory_file_document(memory, now)
            backend, memory_id = self.browser.backend, memory.head.id
            named = entities_of(backend.get(memory_id))
            file = self._file_of(entry.name)
            self.read_states([entry.name], progress.cancelled)
            state = self.state_of(entry.name)
            found = self._relations.get(entry)
            if found is None:
                document = stored_document(memory, now, named, None, self._unfolded, file, state)
                progress.show(document)
                if not self._rests(progress):
                    return document
                found = related_memories(backend, memory_id, limit=_RELATED, cancelled=progress.cancelled)
        except FileProblem as problem:
            return concat(line(entry.name, "title"), Line(""), styled(("Broken: ", "bad"), problem.reason))
        if not progress.cancelled():
            self._relations[entry] = found
        return stored_document(memory, now, named, found, self._unfolded, file, state)

    def _rests(self, progress: Progress) -> bool:
        """Whether the selection rests and the index is ready: finding relations needs both."""
        until = time.monotonic() + _REST
        while time.monotonic() < until or self.browser.indexer.running:
            if progress.cancelled():
                return False
            time.sleep(0.05)
        return not progress.cancelled()

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


def _from(author: str) -> str:
    """The author before a memory's title: ``⇅ann ``."""
    return f"⇅{clean_line(author).rpartition(' (')[0] or clean_line(author)} " if author else ""


def _is_stored(head: MemoryHead) -> bool:
    from memtui.store.memories import MemoryKind

    return head.kind is MemoryKind.STORED
