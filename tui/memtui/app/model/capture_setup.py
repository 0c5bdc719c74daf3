"""Installing the hooks that write captures, and writing the captures that they missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memtui.app.model.project_model import Browser
from memtui.ground.files import FileProblem

if TYPE_CHECKING:
    from memtui.flows.backfilling import Missing
    from memtui.setup.install import Plan


class CaptureSetup:
    """Sets up captures for one project. Thread-safe."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._places = browser.places

    def plan(self) -> Plan:
        """The changes for installing the hooks for this project.

        Raises:
            FileProblem: the settings cannot be edited as they are.
        """
        from memtui.setup.claude_files import Scope
        from memtui.setup.install import plan_init

        return plan_init(self._places, Scope.PROJECT)

    def about_archive(self) -> str:
        """The archive's folder and size, or why it is off, and how to change that."""
        from memtui.setup.archive_question import about_archive

        try:
            about = about_archive(self._places, self._browser.clock)
        except FileProblem as problem:
            return f"No sessions are kept: {problem}."
        return f"{about} [archive] keep in config.toml changes that."

    def install(self, plan: Plan) -> None:
        """Install the hooks as planned.

        Raises:
            FileProblem: a file has changed since, or cannot be written.
        """
        from memtui.setup.install import apply

        changes = self._browser.changes
        with changes.together(plan.what):
            apply(plan, self._places, self._browser.clock, changes.wrote)

    def missing(self) -> list[Missing]:
        """The auto-compactions that have no capture, those in archived transcripts included.

        Raises:
            FileProblem: captures or transcripts cannot be listed.
        """
        from memtui.flows.backfilling import find_missing

        return find_missing(self._places, self._browser.clock)

    def backfill(self, missing: Iterable[Missing]) -> int:
        """Capture compactions after the fact; returns how many captures were written.

        Raises:
            FileProblem: a capture cannot be written.
        """
        from memtui.store.backfill import write_missing

        changes = self._browser.changes
        with changes.together() as together:
            written = [
                write_missing(self._places.project, each.compaction, each.message, changes.wrote)
                for each in missing
            ]
            number = sum(path is not None for path in written)
            together.what = f"backfilled {number} capture{'' if number == 1 else 's'}"
        return number
