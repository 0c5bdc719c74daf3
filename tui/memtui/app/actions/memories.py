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
    from memtui.store.base import MemoryBackend

    Edit = Callable[[MemoryBackend], Edited]
    EditOne = Callable[[MemoryBackend, str], Edited]
    EditSeveral = Callable[[MemoryBackend, Sequence[str]], Edited]


class MemoryActions:
    """Archiving, tagging, pinning and deleting, each of which can be undone; and following links."""

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
        """Go to a memory and read it, showing hidden memories if necessary."""
        hidden = self.pane.everything
        self._place.make_current(PaneId.MEMORIES)
        if not self.pane.reveal(key):
            self._host.say(f"{clean_line(key.removesuffix('.md'))} no longer exists.", warn=True)
            return
        if self.pane.everything is not hidden:
            self._host.say("It is archived or of another project: A hides those again.")
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

    def archive(self) -> None:
        """Archive the chosen memories, or unarchive them."""
        from memtui.app.actions.batch_edits import archive_all
        from memtui.app.actions.memory_edits import archive

        self._change("archiving", "archived", archive, archive_all, hides=("mine",))

    def pin(self) -> None:
        """Pin the chosen memories, or unpin them."""
        from memtui.app.actions.batch_edits import pin_all
        from memtui.app.actions.memory_edits import pin

        self._change("pinning", "pinned", pin, pin_all)

    def delete(self) -> None:
        """Move the chosen memories to the trash."""
        from memtui.app.actions.batch_edits import delete_all
        from memtui.app.actions.memory_edits import delete

        self._change("deleting", "deleted here", delete, delete_all, hides=("mine", "keys"))

    def supersede(self) -> None:
        """Mark the older of two chosen memories as superseded by the newer; undo that for a single one."""
        from memtui.app.actions.memory_edits import reinstate, supersede

        ids = sorted(self.stored("superseded"))
        if len(ids) == 2:
            self._edit("superseding", ids, lambda backend: supersede(backend, *ids))
        elif len(ids) == 1 and self._is_superseded(ids[0]):
            self._edit("superseding", ids, lambda backend: reinstate(backend, ids[0]))
        elif ids:
            self._host.say("Mark two memories (space): the newer one supersedes the older.", warn=True)

    def _is_superseded(self, memory_id: str) -> bool:
        head = self.pane.head(f"{memory_id}.md")
        return head is not None and bool(head.superseded_by)

    def tag(self) -> None:
        """Edit the tags of the chosen memories, in one line."""
        self._host.start(self._tag, group="tags", exclusive=True)

    async def _tag(self) -> None:
        from memtui.app.actions.batch_edits import common_tags, retag_all
        from memtui.app.actions.memory_edits import retag
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
            if not several:
                self._edit("tagging", ids, lambda backend: retag(backend, ids[0], after))
            elif answer is not None:
                self._edit("tagging", ids, lambda backend: retag_all(backend, ids, before, after))

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

    def _change(
        self, doing: str, done: str, one: EditOne, several: EditSeveral, *, hides: Collection[str] = ()
    ) -> None:
        ids = self.stored(done)
        if len(ids) > 1:
            self._edit(doing, ids, lambda backend: several(backend, ids), hides=hides)
        elif ids:
            self._edit(doing, ids, lambda backend: one(backend, ids[0]), hides=hides)

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
                edited = await asyncio.to_thread(self._change_together, edit)
                if edited.changed:
                    self._host.hint("memories")
                back = f" {self._browser.way_back(edited.back)}" if edited.back else ""
                self._host.say(edited.message + back)
        if edited is None:
            self.pane.resync()
            self._place.update_tabs()

    def _change_together(self, edit: Edit) -> Edited:
        with self._browser.changes.together() as together:
            edited = edit(self._browser.backend)
            together.what = edited.what
        return edited
