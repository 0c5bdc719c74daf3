"""What the keys of the memories pane do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from textual import on, work

from memtui.app.browser import Browser
from memtui.app.commands import PROMPT, PaneId
from memtui.app.panes.memories import MemoriesPane
from memtui.app.screens.filtering import Filtering
from memtui.app.widgets.document_view import DocumentView
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.memory_edits import Edited
    from memtui.store.base import MemoryBackend

    Edit = Callable[[MemoryBackend, str], Edited]


class MemoryActions(Filtering):
    """Copying, archiving, tagging, pinning and deleting; each is said, and u takes it back."""

    def __init__(self, browser: Browser, *, note: str = "") -> None:
        super().__init__(browser, note=note)
        self._editing = asyncio.Lock()
        self._trail: list[tuple[str, str]] = []
        """From which memory to which one links were followed."""

    @property
    def memories(self) -> MemoriesPane:
        """The memories pane."""
        pane = self.panes[PaneId.MEMORIES]
        assert isinstance(pane, MemoriesPane)
        return pane

    @on(DocumentView.Followed, "#detail")
    def _followed(self, message: DocumentView.Followed) -> None:
        kind, _, name = message.link.partition(":")
        if kind == "fold":
            self.pane.unfold(name)
            self.show_detail()
        elif kind == "memory":
            self._trail.append((self.memories.selected or "", f"{name}.md"))
            self.read_memory(f"{name}.md")

    def read_memory(self, key: str) -> None:
        """Go to a memory and read it, whatever has to be shown for that."""
        hidden = self.memories.everything
        self.make_current(PaneId.MEMORIES)
        if not self.memories.reveal(key):
            self.say(f"{clean_line(key.removesuffix('.md'))} is not there any more.", warn=True)
            return
        if self.memories.everything is not hidden:
            self.say("It is archived or of another project: A hides those again.")
        self.update_tabs()
        self.read_selected()

    def follow_back(self) -> bool:
        """Go back to the memory from which this one was reached; False when it was not reached so."""
        while self._trail:
            came_from, here = self._trail.pop()
            if here == self.memories.selected and self.pane is self.memories:
                self.read_memory(came_from)
                return True
        return False

    def do_copy_id(self) -> None:
        """Copy the Recovery ID."""
        self._copy("{id}")

    def do_copy_prompt(self) -> None:
        """Copy the words that restore the memory."""
        self._copy(PROMPT)

    def _copy(self, form: str) -> None:
        subject = self.subject
        if subject.recovery_id:
            self.app.copy_text(form.format(id=subject.recovery_id))
        else:
            self.say(subject.no_recovery_id, warn=True)

    def do_toggle_all(self) -> None:
        """Show the memories of all projects and archived ones, too, or hide them again."""
        pane = self.memories
        pane.show_all(not pane.everything)
        self.update_tabs()
        self.refilter()
        self.show_detail()
        self.say(
            "Memories of all projects are shown, archived ones, too."
            if pane.everything
            else "Only this project's memories are shown; archived ones are left out."
        )

    def do_archive(self) -> None:
        """Archive the selected memory, or take it out of the archive."""
        from memtui.app.memory_edits import archive

        if memory_id := self._stored("archived"):
            self._edit("archiving", memory_id, archive, hides=("mine",))

    def do_pin(self) -> None:
        """Pin the selected memory, or unpin it."""
        from memtui.app.memory_edits import pin

        if memory_id := self._stored("pinned"):
            self._edit("pinning", memory_id, pin)

    def do_delete(self) -> None:
        """Move the selected memory to the trash."""
        from memtui.app.memory_edits import delete

        if memory_id := self._stored("deleted here"):
            self._edit("deleting", memory_id, delete, hides=("mine", "keys"))

    @work(group="tags", exclusive=True, exit_on_error=False)
    async def do_tags(self) -> None:
        """Edit the tags of the selected memory, in one line."""
        from memtui.app.memory_edits import retag
        from memtui.app.screens.ask import AskScreen
        from memtui.formats.tags import tags_of

        memory_id = self._stored("tagged")
        if not memory_id:
            return
        with self.app.reporting("reading the tags"):
            meta = (await asyncio.to_thread(self.browser.backend.get, memory_id)).meta
            asked = AskScreen(
                f"Tags of {memory_id}",
                value=", ".join(clean_line(tag) for tag in meta.tags),
                hint="commas between · enter saves · esc leaves",
            )
            answer = await self.app.push_screen_wait(asked)
            tags = meta.tags if answer is None else tags_of(answer)
            self._edit("tagging", memory_id, lambda backend, its_id: retag(backend, its_id, tags))

    def _stored(self, done: str) -> str:
        """The Recovery ID of the selected memory; "", once it is said that it has none."""
        subject = self.subject
        if not subject.recovery_id:
            why = (
                f"This is a review's memory file: only stored memories can be {done}."
                if subject.file is not None
                else subject.no_recovery_id
            )
            self.say(why, warn=True)
        return subject.recovery_id

    def _edit(self, doing: str, memory_id: str, edit: Edit, *, hides: Collection[str] = ()) -> None:
        """Change a memory; what hides it takes it off the list at once."""
        self.memories.drop(f"{memory_id}.md", hides)
        self.update_tabs()
        self._make_edit(doing, memory_id, edit)

    @work(group="edit", exit_on_error=False)
    async def _make_edit(self, doing: str, memory_id: str, edit: Edit) -> None:
        """Change a memory, one change after the other, and remember how to take it back."""
        edited = None
        async with self._editing:
            with self.app.reporting(doing):
                edited = await asyncio.to_thread(edit, self.browser.backend, memory_id)
                if edited.undo is not None:
                    self.undos.append(edited.undo)
                    self.live.hint("memories")
                self.say(edited.message)
        if edited is None:
            self.memories.resync()
            self.update_tabs()
