"""A project's active commands as records, and undoing changes of them (seed 002)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.formats.active_commands import ActiveCommands, parse_active_commands
from memtui.formats.active_commands_text import add_command, read_entries, remove_commands
from memtui.ground.files import FileMissing, sweep_temps
from memtui.ground.project import Project
from memtui.store.changes import unrecorded
from memtui.store.commands_file import CommandProblem, CommandsFile, present, problems_as
from memtui.store.shared_text import Edit

if TYPE_CHECKING:
    from memtui.store.changes import Wrote


class ActiveCommandStore(CommandsFile):
    """The active commands of one project."""

    def __init__(self, project: Project, wrote: Wrote = unrecorded) -> None:
        super().__init__(project, wrote=wrote)
        self._swept = False

    def read(self) -> ActiveCommands:
        """The active commands; none when there is no such file.

        A file that another program is writing is read again until it is complete.

        Raises:
            CommandProblem: it stays unreadable, or is outside the project; it never counts as empty.
        """
        if not self._swept:
            self.tidy()
        with problems_as(CommandProblem):
            try:
                return parse_active_commands(self.file.read())
            except FileMissing:
                return ActiveCommands()

    def tidy(self) -> None:
        """Remove temporary files of killed processes from the file's folder. Never raises."""
        self._swept = True
        sweep_temps(self.path.parent, within=self.project.root)

    def take_back(self, old: str, new: str) -> Edit:
        """Undo a change of the commands, even if other programs have written the file since.

        Args:
            old: the text before the change.
            new: the text after it.

        Returns:
            The text before and after the undo.

        Raises:
            FileProblem: the file is missing or broken, or stays locked.
        """
        were, are = read_entries(old)[0], read_entries(new)[0]
        added = {(entry.name, entry.activated_at) for entry in are} - {
            (entry.name, entry.activated_at) for entry in were
        }
        gone = [entry for entry in were if entry.name not in {each.name for each in are}]

        def back(text: str) -> str:
            if text == new:
                return old
            if names := present(text, added):
                text = remove_commands(text, names)
            for entry in gone:
                text = add_command(text, entry.raw, index=entry.place)
            return text

        def is_back(text: str) -> bool:
            there = {entry.name for entry in read_entries(text)[0]}
            return all(entry.name in there for entry in gone) and not present(text, added)

        return self.file.edit(back, is_back)
