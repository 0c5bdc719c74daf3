"""Pane 2: memory files of reviews and stored memories, newest first; their tags, trash, versions, sharing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.worker import get_current_worker

from memtui.app.base import FOLD_SIGNS, RESTORES, hidden, reported
from memtui.app.changes import common_tags, delete_memories, retag_memories, stays_shared, undelete_memory
from memtui.app.listings import ClaudeView, MemoriesView, RemotesView, View
from memtui.app.panes.claude_memories import CLAUDE_SIGNS, ClaudeRows, as_claudes, as_stored
from memtui.app.panes.memory_reading import MemoryReader
from memtui.app.panes.pane import Detail, Pane, PaneId, Progress, Subject
from memtui.app.project import ProjectModel
from memtui.app.sharing import NO_REMOTE
from memtui.app.widgets.document import BLANK, Document, concat, from_markdown, line, styled
from memtui.app.widgets.row_list import row, when_of
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import day_and_minute
from memtui.ground.files import FileProblem
from memtui.ground.text import counted
from memtui.store.claude_memory import INDEX
from memtui.store.listing import Entry, is_stored, project_test

if TYPE_CHECKING:
    from memtui.app.screens.versions import Version


_NONE = "No memories yet.\n\nc makes one of the session, r in Pending one of a capture."


class MemoriesPane(Pane):
    """Rows show id or time at once; titles are read for visible rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy(False)", "copy id", id="copy_id", tooltip="copy the Recovery ID"),
        Binding("Y", "copy(True)", "copy text", id="copy_prompt", tooltip=RESTORES),
        Binding("c", "give_claude", "give Claude", id="memory", tooltip="give this memory to Claude (asks)"),
        Binding("c", "store_claudes", "store", id="memory", tooltip="store this memory of Claude's (asks)"),
        Binding("a", "approve", "approve", id="approve", tooltip="approve a memory of Claude's"),
        Binding("t", "tags", "tags", id="tags", tooltip="edit the tags"),
        Binding("v", "versions", "versions", id="versions", tooltip="versions, and their differences"),
        Binding("D", "delete", "trash", id="trash", tooltip="move this memory to the trash"),
        Binding("+", "share", "share", id="share", tooltip="share this memory with a remote (asks)"),
        hidden("ctrl+s", "sync", "sync", tooltip="exchange shared memories with the remotes"),
        hidden("space", "mark", "tick", id="tick", tooltip="tick this row, or untick it"),
        hidden("A", "all", "all", id="all", tooltip="show everything, or the usual part"),
    ]
    pane_id = PaneId.MEMORIES
    number = 2
    title = "Memories"
    views = (MemoriesView, ClaudeView, RemotesView)
    changed = ("memories", "claude")
    signs: ClassVar[Mapping[str, str]] = {
        "✎": "a review's memory file, without a Recovery ID",
        "△": "names files that have changed or are gone, or something else is wrong with it",
        "⇅": "shared by somebody",
        **CLAUDE_SIGNS,
    }
    detail_signs: ClassVar[Mapping[str, str]] = {"△": signs["△"], **FOLD_SIGNS}
    about = "What reviews have kept, and memories stored under a Recovery ID."

    def __init__(self, model: ProjectModel) -> None:
        super().__init__(model)
        self.view = self._listed = MemoriesView()
        self.everything = False
        self._concerns = project_test(str(model.project.root))
        self._reader = MemoryReader(model)
        self._filter_lock = threading.Lock()
        self.held_by: dict[str, str] = {}
        """The remotes that have a memory, by its Recovery ID."""
        self.claudes = ClaudeRows(model)
        self._trail: list[tuple[str, str]] = []
        """The memories from which links were followed, by target."""

    def apply(self, view: View) -> None:
        if isinstance(view, ClaudeView):
            self.about = type(self).about
            if view.folder is not None and not view.memories:
                folder = clean_line(str(view.folder))
                self.about += f" Claude keeps no memories of its own here; it would in {folder}."
            self.claudes.apply(view)
            self.show_rows()
            self.post_message(self.Changed(self))
        elif isinstance(view, RemotesView):
            held: dict[str, str] = {}
            for state in view.states:
                held |= {each: ",".join(filter(None, (held.get(each), state.name))) for each in state.shared}
            if held != self.held_by:
                self.held_by = held
                self.show_rows()
        elif isinstance(view, MemoriesView):
            self._listed, self.unread = view, view.more
            self._show_view(view)

    def resync(self) -> None:
        if self.view is not self._listed:
            self._show_view(self._listed)

    def _show_view(self, view: MemoriesView) -> None:
        self.view = view
        self.show_rows()

    @property
    def nothing(self) -> str:
        if self.view.more:
            return "Reading …"
        if others := len(self.view.keys):
            return f"No memory of this project: A shows {counted(others, 'memory', 'memories')} of others."
        return _NONE

    def drop(self, names: Collection[str]) -> None:
        """Remove memories at once, ahead of the next listing.

        Pressing a key again before that acts on the next memory, not on the same one.
        """
        keys = [each for each in self.view.keys if each not in names]
        mine = [each for each in self.view.mine if each not in names]
        self._show_view(self.view._replace(keys=keys, mine=mine))

    def _file_of(self, key: str) -> str:
        """The memory file represented by a stored memory; "" for none."""
        return next((name for name, stored in self.view.doubled.items() if stored == key), "")

    def reveal(self, key: str) -> bool:
        key = self.view.doubled.get(key, key)
        if key not in self.view.entries:
            return False
        self.everything |= key not in self.view.mine
        return super().reveal(key)

    def _entries(self, keys: Iterable[str]) -> list[Entry]:
        entries = self.view.entries
        return [entry for key in keys if (entry := entries.get(key))]

    def count(self) -> str:
        return f"{len(self._stored_keys()) or ''}{'…' if self.view.more else ''}"

    def count_in_border(self) -> str:
        """The same, and the number of hidden ones: those of other projects."""
        left_out = len(self.view.keys) - len(self._stored_keys())
        hidden = f"{left_out} elsewhere" if left_out else ""
        return " · ".join(filter(None, (self.count(), hidden, self.claudes.count())))

    def prepare_filter(self) -> bool:
        """Read all titles once, as the filter searches them."""
        with self._filter_lock:  # the next letter waits for the reading started by the previous one
            self._reader.read_heads(self._reader.unread(self._entries(self._stored_keys())))
        return True

    def all_keys(self) -> Sequence[str]:
        stored = self._stored_keys()
        return [*stored, *self.claudes.keys] if self.claudes.keys else stored

    def _stored_keys(self) -> Sequence[str]:
        return self.view.keys if self.everything else self.view.mine

    def text_of(self, key: str) -> str:
        if self.claudes.get(key):
            return self.claudes.text_of(key)
        head = self._reader.head(key)
        made = self.view.entries[key].time
        when = day_and_minute(made) if made else ""
        if head is None:
            return f"{key} {when}"
        tags = " ".join(f"#{tag}" for tag in head.meta.tags)
        return f"{key} {when} {head.title} {tags} {head.meta.project} {head.meta.author} {head.problem}"

    def draw_row(self, key: str, width: int) -> Content:
        if self.claudes.get(key):
            return self.claudes.draw(key, width)
        entry, head = self.view.entries[key], self._reader.head(key)
        name = clean_line(entry.name.removesuffix(".md").partition("@")[0])  # the author is shown beside it
        if head is None:
            return row([(name, "$quiet")], "", width)
        if head.problem:
            return row([(name, "$quiet"), " ", (clean_line(head.problem), "$error")], "", width)
        title = clean_line(head.title)
        exact = self._reader.titles[head.title] > 1
        lead = when_of(entry.time or head.time, self.clock(), width, exact=exact)
        if not is_stored(entry):
            return row([(f"{lead}✎ ", "$quiet"), title], "", width)
        state = self._reader.states.get(key)
        tags = "".join(f" #{clean_line(tag)}" for tag in head.meta.tags)
        folder = head.meta.project.rstrip("/").rpartition("/")[2]
        elsewhere = "" if self._concerns(head.meta.project) else clean_line(folder)
        author = clean_line(head.meta.author or self.held_by.get(head.id, ""))
        left: list[tuple[str, str] | str] = [
            (lead, "$accent"),
            (f"⇅ {author.rpartition(' (')[0] or author} " if author else "", "$secondary"),
            ("△ " if state and state.is_stale else "", "$warning"),
            (f"{elsewhere}: " if elsewhere else "", "$quiet"),
            title,
            (f" {tags}" if tags else "", "$quiet"),
        ]
        return row(left, "", width)

    def detail_of(self, key: str) -> Detail:
        if memory := self.claudes.get(key):
            title = f"Claude's memory {clean_line(memory.name)}"
            return Detail(key, title, None, lambda progress: self.claudes.document(key, progress.show))
        entry = self.view.entries[key]

        def work(progress: Progress) -> Document:
            try:
                return self._reader.document(entry, self._file_of(entry.name), self.toggled, progress)
            except FileProblem as problem:
                return concat(line(entry.name, "title"), BLANK, styled(("Broken: ", "bad"), problem.reason))

        return Detail(key, f"Memory {clean_line(key.removesuffix('.md'))}", None, work)

    def subject_of(self, key: str) -> Subject:
        from memtui.documents.memory import RECOVERY_ID
        from memtui.store.transcripts import TranscriptProblem

        if memory := self.claudes.get(key):
            source = self.claudes.sources.get(key)
            unknown = "No transcript here shows where this memory of Claude's comes from."
            return Subject(
                no_recovery_id="This is a memory of Claude's own: it has no Recovery ID.",
                file=memory.path,
                transcript=(source and source.transcript) or unknown,
            )
        entry = self.view.entries[key]
        stem = entry.name.removesuffix(".md")
        recovery_id = stem if RECOVERY_ID.fullmatch(stem) else ""
        transcript: Path | str = "This memory does not say which transcript it was made from."
        compacted = None
        if file := self._file_of(entry.name) if recovery_id else entry.name:
            capture = file.partition("-memory")[0] + "-autocompact.md"
            try:
                found = self.model.captures.load(self.model.captures.resolve(capture))
                transcript, compacted = self.model.check_transcript(found.transcript), found.timestamp
            except TranscriptProblem as problem:
                transcript = f"{problem}."
            except FileProblem as problem:
                transcript = f"The capture of this memory cannot be read: {problem}."
        state = self._reader.states.get(entry.name)
        return Subject(
            recovery_id=recovery_id,
            no_recovery_id="This is a review's memory file: it has no Recovery ID.",
            recovery_note=state.summary if state else "",
            file=entry.path,
            transcript=transcript,
            compacted=compacted,
        )

    def look_at(self, keys: Sequence[str]) -> None:
        entries = self._entries(keys)
        if unread := self._reader.unread(entries):
            self._read_heads(unread)
        self._read_states(entries)

    def let_time_pass(self) -> None:
        super().let_time_pass()
        self._read_states(self._entries(self.in_sight))

    @reported("reading memories", group="heads", exclusive=True)
    async def _read_heads(self, entries: Sequence[Entry]) -> None:
        await self.app.painted.wait()
        await asyncio.to_thread(self._reader.read_heads, entries)
        self.refresh_rows()

    @reported("comparing the files of memories", group="states", exclusive=True)
    async def _read_states(self, entries: Sequence[Entry]) -> None:
        await self.app.painted.wait()
        worker = get_current_worker()
        stopped = lambda: self.model.stopped or worker.is_cancelled  # noqa: E731
        if await asyncio.to_thread(self._reader.read_states, entries, stopped):
            self.refresh_rows()

    def go_to(self, key: str, *, by_link: bool = False) -> bool:
        if by_link:
            self._trail.append((self.selected or "", key))
        hidden = self.everything
        if not self.reveal(key):
            self.app.warn(f"{clean_line(key.removesuffix('.md'))} no longer exists.")
            return False
        if self.everything is not hidden:
            self.app.say("It belongs to another project: A hides those again.")
        return True

    def go_back(self) -> bool:
        """Return to the memory whose link led to this one; False if no link did."""
        while self._trail:
            came_from, here = self._trail.pop()
            if here == self.selected:
                return self.go_to(came_from)
        return False

    def action_all(self) -> None:
        self.everything = not self.everything
        self.refilter()
        self.show_rows()
        self.post_message(self.Changed(self))
        every = "Memories of all projects are shown."
        self.app.say(every if self.everything else "Only this project's memories are shown.")

    @property
    def _has_recovery_id(self) -> bool:
        from memtui.documents.memory import RECOVERY_ID

        return bool(RECOVERY_ID.fullmatch((self.selected or "").removesuffix(".md")))

    @property
    def idle_keys(self) -> frozenset[str]:
        idle = [] if self._has_recovery_id else ["copy(False)", "copy(True)", "tags", "share"]
        idle += [] if self.selected else ["versions", "delete"]
        return frozenset([*idle, *([] if self.claudes.get(self.selected) else ["approve"])])

    def action_copy(self, restoring: bool) -> None:
        subject = self.subject
        if not subject.recovery_id:
            self.app.warn(subject.no_recovery_id)
        elif restoring:
            self.app.copy_restoring(subject.recovery_id, note=subject.recovery_note)
        else:
            self.app.copy_text(subject.recovery_id)

    @reported("deleting", group="edit")
    async def action_delete(self) -> None:
        if (memory := self.claudes.get(self.selected)) and not self.marked:
            question = f"Move {clean_line(memory.name)} to the trash? Claude will not know of it any more."
            if await self.app.confirmed(question, yes="Delete", no="Keep it"):
                self._change("deleting", lambda: self.claudes.delete(memory))
        elif ids := self.stored("deleted here"):
            warning = self.gone_for_all(ids)
            question = f"Move {_in_words(ids)} to the trash? {warning}"
            if not warning or await self.app.confirmed(question, yes="Delete", no="Keep"):
                self._delete(ids)

    def gone_for_all(self, ids: Iterable[str]) -> str:
        """The warning before shared memories are deleted; "" if none of these is shared."""
        remotes = sorted({name for each in ids for name in self.held_by.get(each, "").split(",") if name})
        return f"Shared with {', '.join(remotes)}: the next sync deletes it for all." if remotes else ""

    def _unmark(self, ids: Iterable[str]) -> None:
        self.mark(self.marked - {f"{each}.md" for each in ids})

    def _delete(self, ids: Sequence[str]) -> None:
        self._unmark(ids)
        files = any(self._file_of(f"{each}.md") for each in ids)
        stays = " Its review's file stays in the project (✎)." if files else ""
        self.drop({f"{each}.md" for each in ids})
        changes, backend = self.model.changes, self.model.backend
        self._change("deleting", lambda: delete_memories(changes, backend, ids) + stays)

    @reported("reading the trash", group="undelete", exclusive=True)
    async def action_undelete(self) -> None:
        backend = self.model.backend
        page = await asyncio.to_thread(backend.deleted)
        if not page.items:
            self.app.say("The trash is empty: deleted memories stay in it for 30 days.")
            return

        def take(memory_id: str) -> None:
            self._change("undeleting", lambda: undelete_memory(self.model.changes, backend, memory_id))

        names = [(each.id, clean_line(each.title)) for each in page.items]
        choices = [(f"{name} {title}", partial(take, name)) for name, title in names]
        self.app.search_commands(choices, placeholder="Take a memory out of the trash")

    def action_tags(self) -> None:
        from memtui.app.screens.dialogs import AskScreen
        from memtui.documents.memory import tags_of

        ids, changes, backend = self.stored("tagged"), self.model.changes, self.model.backend
        if not ids:
            return
        with self.app.reporting("reading the tags"):
            before = common_tags(backend, ids)
            several = f"Tags that {len(ids)} memories have in common"
            question = several if ids[1:] else f"Tags of {ids[0]}"
            value = ", ".join(map(clean_line, before))
            asked = AskScreen(question, value=value, yes="Save", hint="commas between")

            def answered(answer: str | None) -> None:
                if answer is not None or len(ids) == 1:
                    after = before if answer is None else tags_of(answer)
                    self._unmark(ids)
                    self._change("tagging", lambda: retag_memories(changes, backend, ids, before, after))

            self.app.push_screen(asked, answered)

    @reported("reading the versions", group="sharing", exclusive=True)
    async def action_versions(self) -> None:
        from memtui.app.screens.versions import VersionsScreen, memory_versions

        subject, memory = self.subject, self.claudes.get(self.selected)
        read: Callable[[], dict[str, Version]]
        if memory:
            name, read = clean_line(memory.name), partial(self.claudes.listed_versions, memory)
            none = f"No transcript here shows a version of {name}."
        elif name := subject.recovery_id:
            read = partial(memory_versions, self.model, name)
            none = f"{name} has one text only: no machine has written another."
        else:
            self.app.warn(subject.no_recovery_id)
            return
        found = await asyncio.to_thread(read)
        if len(found) < (1 if memory else 2):
            self.app.say(none)
            return
        screen = VersionsScreen(name, lambda: found, self.clock, brings_back=memory is not None)
        chosen = await self.app.push_screen_wait(screen)
        wanted = found.get(chosen or "")
        if memory is None or wanted is None or wanted.text == memory.text:
            return
        text = wanted.text
        question = f"Bring {chosen} of {name} back?" if text else f"Remove {name}, as it was then?"
        if await self.app.confirmed(question, yes="Bring it back", no="Leave it"):
            self._change("bringing a version back", lambda: self.claudes.bring_back(memory, text))

    def action_approve(self) -> None:
        memory = self.claudes.get(self.selected)
        if memory is None:
            self.app.warn("Only memories that Claude keeps for itself are approved.")
        else:
            self._change("approving", lambda: self.claudes.set_seen(memory, "approved"))

    def on_row_list_opened(self) -> None:
        memory = self.claudes.get(self.selected)
        if memory is not None and memory.seen in ("new", "changed"):
            self._change("marking as seen", lambda: self.claudes.set_seen(memory, "seen"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Each kind of memory is made into the other by the same key, which else drafts one."""
        if action in ("give_claude", "store_claudes"):
            return self._has_recovery_id if action == "give_claude" else bool(self.claudes.get(self.selected))
        return super().check_action(action, parameters)

    @reported("making a memory", group="convert", exclusive=True)
    async def action_store_claudes(self) -> None:
        memory = self.claudes.get(self.selected)
        if memory is None or memory.kind == "index":
            self.app.warn(f"{INDEX} lists memories and is none itself.")
            return
        new = as_stored(memory, self.model.project)
        question = f"Store this under a Recovery ID, as “{clean_line(new['description'])}”?"
        text = from_markdown(clean(new["body"].decode()))
        if await self.app.confirmed(question, yes="Store", no="leave it", document=text, safe=True):
            self._change("storing", lambda: self.claudes.store(new))

    @reported("reading the memory", group="convert", exclusive=True)
    async def action_give_claude(self) -> None:
        model, recovery_id = self.model, (self.selected or "").removesuffix(".md")
        head = self._reader.head(f"{recovery_id}.md")
        stored = await asyncio.to_thread(model.backend.get, recovery_id)
        title = head.title if head else stored.meta.description
        path, text = as_claudes(stored, title, model.claude_memories.folder)
        name, shown = clean_line(path.name), from_markdown(clean(text))
        question = f"Give Claude this memory as {name}? It is listed in every conversation."
        if await self.app.confirmed(question, yes="Give it", no="leave it", document=shown):
            self._change("writing", lambda: self.claudes.write(path, text))

    @reported("sharing", group="share", exclusive=True)
    async def action_share(self) -> None:
        ids, exchange = self.stored("shared"), self.model.exchange
        if not ids or not (names := await self._remotes()):
            return
        which = _in_words(ids)
        if all({*names} <= {*self.held_by.get(each, "").split(",")} for each in ids):
            has = f"{', '.join(names)} has {which} already, and gets its changes with each sync."
            self.app.say(
                f"{has} In a shell `memtui remote forget ID` removes it there, and here to the trash."
            )
            return
        if name := await self._remote(which, names):
            shared = await asyncio.to_thread(exchange.share, ids, name)
            self._unmark(shared.ids)
            if shared.ids:
                self.model.changes.add(stays_shared(shared.ids, name))
            outcome = shared.outcome(name, soon=self.model.syncs)
            self.app.say(outcome, severity="warning" if shared.problems else "information")
            if shared.ids and self.model.syncs:
                await asyncio.to_thread(exchange.sync, name)
                self.app.hint("memories")

    @reported("syncing", group="sync")
    async def action_sync(self) -> None:
        exchange = self.model.exchange
        said, failed = [], False
        for name in await self._remotes():
            try:
                done = await asyncio.to_thread(exchange.sync, name)
            except FileProblem as problem:
                failed = True
                said.append(f"{name}: {problem}.")
            else:
                failed = failed or bool(done.notes)
                said.append(f"{name}: {done.summary}. {done.news}".rstrip())
        if said:
            self.app.hint("memories")
            self.app.browser.bar.refresh_remotes()
            self.app.say(" ".join(said), severity="warning" if failed else "information")

    async def _remotes(self) -> list[str]:
        names = await asyncio.to_thread(self.model.exchange.names)
        if not names:
            self.app.warn(NO_REMOTE)
        return names

    async def _remote(self, which: str, names: Sequence[str]) -> str:
        """The remote to share with; "" if cancelled."""
        from memtui.app.screens.dialogs import AskScreen

        if len(names) == 1:
            when = "at once" if self.model.syncs else "from the next sync on (ctrl+s)"
            question = f"Share {which} with {names[0]}? Others may read it {when}."
            sure = await self.app.confirmed(question, yes="Share", no="Keep here", safe=True)
            return names[0] if sure else ""
        text, value = f"Share {which} with which remote?", ""
        hint = ", ".join(names)
        while True:
            answer = await self.app.push_screen_wait(AskScreen(text, yes="Share", value=value, hint=hint))
            if answer is None or answer.strip() in names:
                return (answer or "").strip()
            text, value = f"There is no remote {clean_line(answer)!r}. Share {which} with which one?", ""

    def stored(self, done: str) -> list[str]:
        """The Recovery IDs of the chosen memories; empty, after a message, without any."""
        subjects = [self.subject_of(key) for key in self.chosen] or [Subject()]
        ids = [subject.recovery_id for subject in subjects if subject.recovery_id]
        if not ids:
            file = f"This is a review's memory file: only stored memories can be {done}."
            self.app.warn(file if isinstance(subjects[0].file, Path) else subjects[0].no_recovery_id)
        return ids


def _in_words(ids: Sequence[str]) -> str:
    return clean_line(ids[0]) if len(ids) == 1 else f"{len(ids)} memories"
