"""Compacting the current session from the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.app.screens.search_actions import SearchActions

if TYPE_CHECKING:
    from memtui.app.memory_edits import Edited


class CompactActions(SearchActions):
    """The key that makes a memory of the session that goes on."""

    def do_compact(self) -> None:
        """Draft the recovery text of the newest session, to be read, changed and stored."""
        from memtui.app.screens.compact import CompactScreen

        self.app.push_screen(CompactScreen(self.browser), self._compacted)

    def _compacted(self, edited: Edited | None) -> None:
        from memtui.app.screens.stored import StoredScreen

        if edited is not None:
            if edited.undo is not None:
                self.undos.append(edited.undo)
            self.live.hint("memories")
            self.app.push_screen(StoredScreen(edited.memory_id))
