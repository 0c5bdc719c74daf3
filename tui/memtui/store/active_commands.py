"""A project's active commands as records, and undoing changes of them (seed 002)."""

from __future__ import annotations

from collections.abc import Collection

from memtui.formats.active_commands import ActiveCommands, parse_active_commands
from memtui.formats.active_commands_text import CommandEntry, add_command, read_entries
from memtui.ground.files import FileMissing, sweep_temps
from memtui.ground.project import Project
from memtui.store.commands_file import CommandProblem, CommandsFile, problems_as


class ActiveCommandStore(CommandsFile):
    """The active commands of one project."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
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

    def put_back(self, gone: Collection[CommandEntry]) -> None:
        """Make removed commands active again, as they were; those that are active by now stay.

        Raises:
            CommandProblem: the file is missing or broken, or stays locked.
        """

        def missing(text: str) -> list[CommandEntry]:
            there = {entry.name for entry in read_entries(text)[0]}
            return [entry for entry in gone if entry.name not in there]

        def back(text: str) -> str:
            for entry in missing(text):
                text = add_command(text, entry.raw, index=entry.place)
            return text

        with problems_as(CommandProblem):
            self.file.edit(back, lambda text: not missing(text))
