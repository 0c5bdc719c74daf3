"""Writing the captures that hooks have missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memtui.app.model.project_model import Browser

if TYPE_CHECKING:
    from memtui.store.backfill import Missing


class CaptureSetup:
    """Sets up captures for one project. Thread-safe."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._places = browser.places

    def missing(self) -> list[Missing]:
        """The auto-compactions that have no capture, those in archived transcripts included.

        Raises:
            FileProblem: captures or transcripts cannot be listed.
        """
        from memtui.store.backfill import find_missing

        return find_missing(self._places, self._browser.clock)

    def backfill(self, missing: Iterable[Missing]) -> int:
        """Capture compactions after the fact; returns how many captures were written.

        Raises:
            FileProblem: a capture cannot be written.
        """
        from memtui.store.backfill import write_missing

        with self._browser.changes.of_files("backfilled captures") as making:
            for each in missing:
                path = write_missing(self._places.project, each.compaction, each.message)
                making.files += [path] if path is not None else []
        return len(making.files)
