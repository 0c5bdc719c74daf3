"""A project's active commands, in ``docs/09-agents/session-state.json``, and their summaries (seed 002)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtui.files import FileMissing, FileOutside, FileProblem, is_within, read_within, sweep_temps
from memtui.formats.active_commands import (
    ActiveCommand,
    ActiveCommands,
    add_command,
    parse_active_commands,
    remove_commands,
)
from memtui.formats.command_file import compact_summary
from memtui.project import Project
from memtui.store.shared_text import Edit, SharedText
from memtui.store.undo import Undo, UndoProblem

COMMAND_LIMIT = 1 << 20
"""Bytes of the largest command file that is read."""

_NAME = re.compile(r"[a-zA-Z0-9/_.-]+")


class CommandProblem(FileProblem):
    """Active commands that cannot be read or changed, or a command without a summary; with the reason."""


@dataclass(frozen=True, slots=True)
class CommandSummary:
    """The compact summary of an active command, and where it was found."""

    path: Path
    text: str
    folder: Path
    """Which of the project's command folders the file is in."""


class ActiveCommandStore:
    """The active commands of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.path = project.session_state_json
        self._swept = False
        self._file = SharedText(self.path, project.root, parse_active_commands)

    def read(self) -> ActiveCommands:
        """The active commands; none when there is no such file.

        A file that another program is just writing is read again until it is whole.

        Raises:
            CommandProblem: it stays unreadable, or lies outside the project; it is never taken for empty.
        """
        if not self._swept:
            self.tidy()
        with _said_as(CommandProblem):
            try:
                return parse_active_commands(self._file.read())
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
            CommandProblem: none of them is active, the file is broken, missing or outside the project, or
                another program holds its lock or keeps writing its own old text back.
        """
        wanted = None if names is None else frozenset((names,) if isinstance(names, str) else names)
        gone: tuple[ActiveCommand, ...] = ()

        def away(text: str) -> str:
            nonlocal gone
            gone = gone or _select(text, wanted)
            if not gone:
                raise CommandProblem(self.path, f"has {_listed(wanted)} active any more")
            return _without(text, gone)

        with _said_as(CommandProblem):
            edit = self._file.edit(away, lambda text: not _present(text, gone))
        return Undo(_label(gone), lambda: self._restore(edit, gone))

    def summary(self, name: str) -> CommandSummary:
        """Find what of a command survives a compaction: its file's part between the two markers.

        Args:
            name: as it stands in session-state.json: ``babysit``, ``research/ask``, ``/agileflow:babysit``.

        Raises:
            CommandProblem: there is no file, it has no such part, or the name leads elsewhere.
        """
        plain = normalised(name)
        parts = plain.split("/")
        if not _NAME.fullmatch(plain) or any(part in ("", ".", "..") for part in parts):
            raise CommandProblem(name, "is no name of a command file, so none is looked for")
        for folder in self.project.command_folders:
            path = folder.joinpath(*parts[:-1], f"{parts[-1]}.md")
            try:
                data = self._read_command(path, folder)
            except FileMissing:
                continue
            except FileProblem as problem:
                raise CommandProblem(path, problem.reason) from problem
            text = compact_summary(data.decode("utf-8", "replace"))
            if text is None:
                raise CommandProblem(
                    path, "has no COMPACT_SUMMARY markers, so nothing of it outlives a compaction"
                )
            return CommandSummary(path, text, folder)
        places = ", ".join(self._shown(folder) for folder in self.project.command_folders[:-1])
        last = self._shown(self.project.command_folders[-1])
        raise CommandProblem(f"{plain}.md", f"is neither in {places} nor in {last}")

    def _read_command(self, path: Path, folder: Path) -> bytes:
        if not is_within(folder, self.project.root):
            raise FileOutside(folder, "leads out of the project through a symbolic link")
        return read_within(path, folder, limit=COMMAND_LIMIT)

    def _shown(self, folder: Path) -> str:
        return str(folder.relative_to(self.project.root))

    def _restore(self, edit: Edit, gone: tuple[ActiveCommand, ...]) -> None:
        def back(text: str) -> str:
            if text == edit.new:
                return edit.old
            for command in gone:
                text = add_command(text, command.raw, index=command.index)
            return text

        def is_back(text: str) -> bool:
            return names <= {command.name for command in parse_active_commands(text).commands}

        names = {command.name for command in gone}
        with _said_as(UndoProblem):
            self._file.edit(back, is_back)


@contextmanager
def _said_as(kind: type[FileProblem]) -> Iterator[None]:
    """Let every problem come out as one of `kind`."""
    try:
        yield
    except kind:
        raise
    except FileProblem as problem:
        raise kind(problem.path, problem.reason) from problem


def normalised(name: str) -> str:
    """The name of a command's file, without ``.md``: ``/agileflow:research:ask`` is ``research/ask``."""
    name = name.strip().removeprefix("/")
    return name.removeprefix("agileflow:").removeprefix("agileflow/").replace(":", "/")


def _select(text: str, wanted: Collection[str] | None) -> tuple[ActiveCommand, ...]:
    commands = parse_active_commands(text).commands
    return tuple(command for command in commands if wanted is None or command.name in wanted)


def _present(text: str, gone: tuple[ActiveCommand, ...]) -> set[str]:
    """Which of the removed entries are there again. The same command activated anew is another entry."""
    removed = {(command.name, command.activated_at) for command in gone}
    commands = parse_active_commands(text).commands
    return {command.name for command in commands if (command.name, command.activated_at) in removed}


def _without(text: str, gone: tuple[ActiveCommand, ...]) -> str:
    names = _present(text, gone)
    return remove_commands(text, names) if names else text


def _listed(wanted: Collection[str] | None) -> str:
    if wanted is None:
        return "no command"
    return f"no command {' or '.join(sorted(wanted))}"


def _label(gone: tuple[ActiveCommand, ...]) -> str:
    if len(gone) == 1:
        return f"clear of /{gone[0].name.removeprefix('/')}"
    return f"clear of {len(gone)} commands"
