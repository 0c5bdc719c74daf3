"""Going to memories and changing them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

from memtui.app.actions.filtering import Filtering
from memtui.app.actions.place import Place, Windows
from memtui.app.actions.undos import Undos
from memtui.app.browser import Browser
from memtui.app.commands import PaneId
from memtui.app.panes.memories import MemoriesPane
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.memory_edits import Edited
    from memtui.store.base import MemoryBackend

    Edit = Callable[[MemoryBackend, str], Edited]


class MemoryActions:
    """Archiving, tagging, pinning and deleting, each of which can be undone; and following links."""

    def __init__(
        self,
        place: Place,
        browser: Browser,
        pane: MemoriesPane,
        windows: Windows,
        undos: Undos,
        filtering: Filtering,
    ) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self.pane = pane
        self._windows = windows
        self._undos = undos
        self._filtering = filtering
        self._editing = asyncio.Lock()
        self._trail: list[tuple[str, str]] = []
        """From which memory to which one links were followed."""

    # -- going to memories ----------------------------------------------------------------------------------

    def follow(self, key: str) -> None:
        """Read a memory that the detail of another one links to."""
        self._trail.append((self.pane.selected or "", key))
        self.read(key)

    def read(self, key: str) -> None:
        """Go to a memory and read it, whatever has to be shown for that."""
        hidden = self.pane.everything
        self._place.make_current(PaneId.MEMORIES)
        if not self.pane.reveal(key):
            self._host.say(f"{clean_line(key.removesuffix('.md'))} is not there any more.", warn=True)
            return
        if self.pane.everything is not hidden:
            self._host.say("It is archived or of another project: A hides those again.")
        self._place.update_tabs()
        self._place.read_selected()

    def follow_back(self) -> bool:
        """Go back to the memory from which this one was reached; False when it was not reached so."""
        while self._trail:
            came_from, here = self._trail.pop()
            if here == self.pane.selected and self._place.pane is self.pane:
                self.read(came_from)
                return True
        return False

    def toggle_all(self) -> None:
        """Show the memories of all projects and archived ones, too, or hide them again."""
        self.pane.show_all(not self.pane.everything)
        self._place.update_tabs()
        self._filtering.refilter()
        self._place.show_detail()
        self._host.say(
            "Memories of all projects are shown, archived ones, too."
            if self.pane.everything
            else "Only this project's memories are shown; archived ones are left out."
        )

    def read_heads(self, keys: Iterable[str]) -> None:
        """Read the titles of memories, as far as they are not known."""
        if unread := self.pane.unread(keys):
            self._host.start(partial(self._read_heads, unread), group="heads", exclusive=True)

    async def _read_heads(self, keys: list[str]) -> None:
        await self._place.painted.wait()
        with self._host.reporting("reading memories"):
            if await asyncio.to_thread(self.pane.read_heads, keys):
                self.pane.refresh_rows()

    # -- changing them --------------------------------------------------------------------------------------

    def archive(self) -> None:
        """Archive the selected memory, or take it out of the archive."""
        from memtui.app.memory_edits import archive

        if memory_id := self._stored("archived"):
            self._edit("archiving", memory_id, archive, hides=("mine",))

    def pin(self) -> None:
        """Pin the selected memory, or unpin it."""
        from memtui.app.memory_edits import pin

        if memory_id := self._stored("pinned"):
            self._edit("pinning", memory_id, pin)

    def delete(self) -> None:
        """Move the selected memory to the trash."""
        from memtui.app.memory_edits import delete

        if memory_id := self._stored("deleted here"):
            self._edit("deleting", memory_id, delete, hides=("mine", "keys"))

    def tag(self) -> None:
        """Edit the tags of the selected memory, in one line."""
        self._host.start(self._tag, group="tags", exclusive=True)

    async def _tag(self) -> None:
        from memtui.app.memory_edits import retag
        from memtui.formats.tags import tags_of

        memory_id = self._stored("tagged")
        if not memory_id:
            return
        with self._host.reporting("reading the tags"):
            meta = (await asyncio.to_thread(self._browser.backend.get, memory_id)).meta
            answer = await self._windows.ask(
                f"Tags of {memory_id}",
                value=", ".join(clean_line(tag) for tag in meta.tags),
                hint="commas between · enter saves · esc leaves",
            )
            tags = meta.tags if answer is None else tags_of(answer)
            self._edit("tagging", memory_id, lambda backend, its_id: retag(backend, its_id, tags))

    def _stored(self, done: str) -> str:
        """The Recovery ID of the selected memory; "", once it is said that it has none."""
        subject = self.pane.subject(self.pane.selected)
        if not subject.recovery_id:
            why = (
                f"This is a review's memory file: only stored memories can be {done}."
                if subject.file is not None
                else subject.no_recovery_id
            )
            self._host.say(why, warn=True)
        return subject.recovery_id

    def _edit(self, doing: str, memory_id: str, edit: Edit, *, hides: Collection[str] = ()) -> None:
        """Change a memory; what hides it takes it off the list at once."""
        self.pane.drop(f"{memory_id}.md", hides)
        self._place.update_tabs()
        self._host.start(partial(self._make_edit, doing, memory_id, edit), group="edit")

    async def _make_edit(self, doing: str, memory_id: str, edit: Edit) -> None:
        """Change a memory, one change after the other, and remember how to take it back."""
        edited = None
        async with self._editing:
            with self._host.reporting(doing):
                edited = await asyncio.to_thread(edit, self._browser.backend, memory_id)
                if edited.undo is not None:
                    self._undos.remember(edited.undo)
                    self._host.hint("memories")
                self._host.say(edited.message)
        if edited is None:
            self.pane.resync()
            self._place.update_tabs()
