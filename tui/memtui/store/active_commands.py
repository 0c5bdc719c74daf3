"""A project's active commands as records, and clearing them so that it can be taken back (seed 002)."""

from __future__ import annotations

from collections.abc import Collection

from memtui.files import FileLocked, FileMissing, FileProblem, FileUnwritable, sweep_temps
from memtui.formats.active_commands import ActiveCommands, parse_active_commands
from memtui.formats.active_commands_text import CommandEntry, add_command, read_entries
from memtui.project import Project
from memtui.store.commands_file import Cleared, CommandProblem, CommandsFile, said_as
from memtui.store.undo import Undo, UndoProblem


class ActiveCommandStore(CommandsFile):
    """The active commands of one project."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._swept = False

    def read(self) -> ActiveCommands:
        """The active commands; none when there is no such file.

        A file that another program is just writing is read again until it is whole.

        Raises:
            CommandProblem: it stays unreadable, or lies outside the project; it is never taken for empty.
        """
        if not self._swept:
            self.tidy()
        with said_as(CommandProblem):
            try:
                return parse_active_commands(self.file.read())
            except FileMissing:
                return ActiveCommands()

    def tidy(self) -> None:
        """Remove temporary files of killed processes from the file's folder. Never raises."""
        self._swept = True
        sweep_temps(self.path.parent, within=self.project.root)

    def clear(self, names: Collection[str] | str | None) -> Undo:
        """Make commands inactive; everything else in the file stays as it is, byte for byte.

        Args:
            names: a name, several, or None for all.

        Raises:
            CommandProblem: see `CommandsFile.remove`.
        """
        cleared = self.remove(frozenset((names,)) if isinstance(names, str) else names)
        return Undo(_label(cleared.entries), lambda: self._restore(cleared))

    def _restore(self, cleared: Cleared) -> None:
        edit = cleared.edit
        names = {entry.name for entry in cleared.entries}

        def back(text: str) -> str:
            if text == edit.new:
                return edit.old
            for entry in cleared.entries:
                text = add_command(text, entry.raw, index=entry.place)
            return text

        def is_back(text: str) -> bool:
            return names <= {entry.name for entry in read_entries(text)[0]}

        try:
            self.file.edit(back, is_back)
        except (FileLocked, FileUnwritable):
            raise  # later it may be possible
        except FileProblem as problem:
            raise UndoProblem(problem.path, problem.reason) from problem


def _label(gone: tuple[CommandEntry, ...]) -> str:
    if len(gone) == 1:
        return f"clear of /{gone[0].name.removeprefix('/')}"
    return f"clear of {len(gone)} commands"
