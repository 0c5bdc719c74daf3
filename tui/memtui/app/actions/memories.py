"""Navigating to memories and changing them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.app.actions.filtering import Filtering
from memtui.app.actions.place import Place, Windows
from memtui.app.keys.commands import PaneId
from memtui.app.model.project_model import Browser
from memtui.app.panes.memories import MemoriesPane
from memtui.app.panes.pane import Subject
from memtui.ground.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.actions.memory_edits import Edited
    from memtui.store.memories import MemoryStore

    Edit = Callable[[MemoryStore], Edited]


class MemoryActions:
    """Tagging and deleting memories, which can be undone; and following links."""

    def __init__(
        self,
        place: Place,
        browser: Browser,
        pane: MemoriesPane,
        windows: Windows,
        filtering: Filtering,
    ) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self.pane = pane
        self._windows = windows
        self._filtering = filtering
        self._editing = asyncio.Lock()
        self._states_wanted = object()
        """Replaced with every request, which ends earlier ones."""
        self._trail: list[tuple[str, str]] = []
        """The memories from which links were followed, by target."""

    # -- navigation --------------------------------------------------------------------------------------

    def follow(self, key: str) -> None:
        """Read a memory that the detail of another one links to."""
        self._trail.append((self.pane.selected or "", key))
        self.read(key)

    def read(self, key: str) -> None:
        """Go to a memory and read it, showing those of all projects if necessary."""
        hidden = self.pane.everything
        self._place.make_current(PaneId.MEMORIES)
        if not self.pane.reveal(key):
            self._host.say(f"{clean_line(key.removesuffix('.md'))} no longer exists.", warn=True)
            return
        if self.pane.everything is not hidden:
            self._host.say("It is of another project: A hides those again.")
        self._place.update_tabs()
        self._place.read_selected()

    def follow_back(self) -> bool:
        """Return to the memory whose link led to this one; False if no link did."""
        while self._trail:
            came_from, here = self._trail.pop()
            if here == self.pane.selected and self._place.pane is self.pane:
                self.read(came_from)
                return True
        return False

    def toggle_all(self) -> None:
        """Show the memories of all projects, or only of this one again."""
        self.pane.show_all(not self.pane.everything)
        self._place.update_tabs()
        self._filtering.refilter()
        self._place.show_detail()
        self._host.say(
            "Memories of all projects are shown."
            if self.pane.everything
            else "Only this project's memories are shown."
        )

    def read_heads(self, keys: Iterable[str]) -> None:
        """Read the unknown titles of memories."""
        if unread := self.pane.unread(keys):
            self._host.start(partial(self._read_heads, unread), group="heads", exclusive=True)

    def read_states(self, keys: Iterable[str]) -> None:
        """Check the files named by memories for changes."""
        self._host.start(partial(self._read_states, tuple(keys)), group="states", exclusive=True)

    async def _read_states(self, keys: Sequence[str]) -> None:
        await self._place.painted.wait()
        wanted = self._states_wanted = object()
        with self._host.reporting("comparing the files of memories"):
            stopped = lambda: self._browser.stopped or self._states_wanted is not wanted  # noqa: E731
            if await asyncio.to_thread(self.pane.read_states, keys, stopped):
                self.pane.refresh_rows()

    async def _read_heads(self, keys: list[str]) -> None:
        await self._place.painted.wait()
        with self._host.reporting("reading memories"):
            if await asyncio.to_thread(self.pane.read_heads, keys):
                self.pane.refresh_rows()

    # -- changing them --------------------------------------------------------------------------------------

    def delete(self) -> None:
        """Move the chosen memories to the trash."""
        from memtui.app.actions.memory_edits import delete

        if ids := self.stored("deleted here"):
            self._edit("deleting", ids, lambda backend: delete(backend, ids), hides=("mine", "keys"))

    def undelete(self) -> None:
        """Take a memory out of the trash, chosen from a list."""
        self._host.start(self._undelete, group="undelete", exclusive=True)

    async def _undelete(self) -> None:
        from memtui.app.actions.memory_edits import undelete

        with self._host.reporting("reading the trash"):
            page = await asyncio.to_thread(self._browser.backend.deleted)
            if not page.items:
                self._host.say("The trash is empty: deleted memories stay in it for 30 days.")
                return

            def choice(memory_id: str) -> Callable[[], None]:
                return lambda: self._edit(
                    "undeleting", (memory_id,), lambda backend: undelete(backend, memory_id)
                )

            self._windows.choose(
                "Take a memory out of the trash",
                [(f"{each.meta.id} {clean_line(each.title)}", choice(each.meta.id)) for each in page.items],
            )

    def tag(self) -> None:
        """Edit the tags of the chosen memories, in one line."""
        self._host.start(self._tag, group="tags", exclusive=True)

    async def _tag(self) -> None:
        from memtui.app.actions.memory_edits import common_tags, retag
        from memtui.formats.tags import tags_of

        ids = self.stored("tagged")
        if not ids:
            return
        several = len(ids) > 1
        with self._host.reporting("reading the tags"):
            before = await asyncio.to_thread(common_tags, self._browser.backend, ids)
            answer = await self._windows.ask(
                f"Tags that {len(ids)} memories have in common" if several else f"Tags of {ids[0]}",
                value=", ".join(clean_line(tag) for tag in before),
                hint="commas between · enter saves · esc leaves",
            )
            after = before if answer is None else tags_of(answer)
            if answer is not None or len(ids) == 1:
                self._edit("tagging", ids, lambda backend: retag(backend, ids, before, after))

    def stored(self, done: str) -> list[str]:
        """The Recovery IDs of the chosen memories; empty, after a message, without any."""
        subjects = [self.pane.subject(key) for key in self.pane.chosen] or [Subject()]
        ids = [subject.recovery_id for subject in subjects if subject.recovery_id]
        if not ids:
            why = (
                f"This is a review's memory file: only stored memories can be {done}."
                if subjects[0].file is not None
                else subjects[0].no_recovery_id
            )
            self._host.say(why, warn=True)
        return ids

    def _edit(self, doing: str, ids: Sequence[str], edit: Edit, *, hides: Collection[str] = ()) -> None:
        """Change memories and unmark them; `hides` removes them from the list at once."""
        self.unmark(ids)
        self.pane.drop({f"{memory_id}.md" for memory_id in ids}, hides)
        self._place.update_tabs()
        self._host.start(partial(self._make_edit, doing, edit), group="edit")

    def unmark(self, ids: Iterable[str]) -> None:
        """Unmark memories after an action."""
        self.pane.mark(self.pane.marked - {f"{memory_id}.md" for memory_id in ids})

    async def _make_edit(self, doing: str, edit: Edit) -> None:
        """Change memories, one edit at a time."""
        edited = None
        async with self._editing:
            with self._host.reporting(doing):
                edited = await asyncio.to_thread(edit, self._browser.backend)
                if edited.change is not None:
                    self._browser.changes.add(edited.change)
                    self._host.hint("memories")
                self._host.say(edited.message)
        if edited is None:
            self.pane.resync()
            self._place.update_tabs()
