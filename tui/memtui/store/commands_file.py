"""The active commands in a project's session-state.json, and their compact summaries (seed 002).

Standard library only, for the hook.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents.commands import (
    ActiveCommand,
    ActiveCommands,
    add_command,
    compact_summary,
    new_entry,
    parse_active_commands,
    remove_commands,
)
from memtui.ground.files import (
    FileMissing,
    FileOutside,
    FileProblem,
    create_exclusive,
    read_within,
    resolved,
    shared_folder,
    sweep_temps,
)
from memtui.ground.project import Project, claude_config
from memtui.ground.text import FormatError
from memtui.store.shared_text import Patience, SharedText

COMMAND_LIMIT = 1 << 20
"""Maximum size of command files, in bytes."""

_NAME = re.compile(r"[a-zA-Z0-9/_.-]+")


class CommandProblem(FileProblem):
    """Active commands cannot be read or changed, or a command has no summary."""


class NoCommandFile(CommandProblem):
    """A command has no file."""


class CommandSummary(NamedTuple):
    """The compact summary of an active command, and its file."""

    path: Path
    text: str
    shown: str
    """The path for display: from the project's root, or with ``~``."""


class CommandsFile:
    """The active commands of one project."""

    def __init__(self, project: Project, patience: Patience | None = None) -> None:
        """Make the object; nothing is opened.

        Args:
            project: the project.
            patience: how long to wait for other programs; see `SharedText`.
        """
        self.project = project
        self._personal = claude_config() / "commands"
        self.path = project.session_state_json
        self.file = SharedText(self.path, project.root, parse_active_commands, patience)

    def read(self) -> ActiveCommands:
        """The active commands; none when there is no such file.

        Raises:
            CommandProblem: it stays unreadable, or is outside the project; it never counts as empty.
        """
        with problems_as(CommandProblem):
            try:
                return parse_active_commands(self.file.read())
            except FileMissing:
                return ActiveCommands()

    def entries(self) -> list[ActiveCommand]:
        """The usable entries; see `read`."""
        return list(self.read().commands)

    def remove(self, names: Collection[str] | None) -> tuple[ActiveCommand, ...]:
        """Make commands inactive and return them; the rest of the file stays as it is.

        Args:
            names: the commands, or None for all.

        Raises:
            CommandProblem: none of them is active, the file is broken, missing or outside the project, or
            another program keeps it locked or keeps overwriting the change.
        """
        gone: tuple[ActiveCommand, ...] = ()

        def away(text: str) -> str:
            nonlocal gone
            gone = gone or _select(text, names)
            if not gone:
                raise CommandProblem(self.path, f"has {_listed(names)} active any more")
            return _without(text, gone)

        self.tidy()
        with problems_as(CommandProblem):
            self.file.edit(away, lambda text: not _present(text, gone))
        return gone

    def activate(self, name: str, moment: datetime, state: dict[str, Any] | None = None) -> bool:
        """Make a command active, as its STEP 0 does; a missing file is created.

        Args:
            name: as typed: ``babysit``, ``/agileflow:babysit``, ``research/ask``.
            moment: now; aware.
            state: the command's own data.

        Returns:
            False if it is already active; its entry stays as it is.

        Raises:
            CommandProblem: the name is invalid, or the file cannot be changed; see `remove`.
        """
        plain = command_name(name)
        added = False

        def there(text: str) -> bool:
            return any(entry.name == plain for entry in parse_active_commands(text).commands)

        def add(text: str) -> str:
            nonlocal added
            if text and there(text):
                return text
            added = True
            return add_command(text, new_entry(plain, moment, state or {}))

        with problems_as(CommandProblem):
            try:
                self._create(add)
                self.file.edit(add, there)
            except FormatError as error:
                raise CommandProblem(self.path, f"cannot take this command: {error}") from error
        return added

    def put_back(self, gone: Collection[ActiveCommand]) -> None:
        """Make removed commands active again, as they were; those that are active by now stay.

        Raises:
            CommandProblem: the file is missing or broken, or stays locked.
        """

        def missing(text: str) -> list[ActiveCommand]:
            there = {command.name for command in parse_active_commands(text).commands}
            return [command for command in gone if command.name not in there]

        def back(text: str) -> str:
            for command in missing(text):
                text = add_command(text, command.entry, index=command.place)
            return text

        with problems_as(CommandProblem):
            self.file.edit(back, lambda text: not missing(text))

    def tidy(self) -> None:
        """Remove temporary files of killed processes from the file's folder. Never raises."""
        sweep_temps(self.path.parent, within=self.project.root)

    def summary(self, name: str) -> CommandSummary:
        """The compact summary of a command: the part of its file between the two markers.

        Args:
            name: as in session-state.json: ``babysit``, ``research/ask``, ``/agileflow:babysit``.

        Raises:
            CommandProblem: there is no file, it has no such part, or the name leads out of the folders.
        """
        plain = command_name(name)
        parts = plain.split("/")
        folders = (*self.project.command_folders, self._personal)
        for folder in folders:
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
            if b"\0" in data:
                raise CommandProblem(path, "is not a text file")
            return CommandSummary(path, text, self._shown(path))
        *places, last = map(self._shown, folders)
        raise NoCommandFile(f"{plain}.md", f"is neither in {', '.join(places)} nor in {last}")

    def _read_command(self, path: Path, folder: Path) -> bytes:
        if folder != self._personal:
            return read_within(path, self.project.root, limit=COMMAND_LIMIT, inside=folder)
        real = resolved(path)  # the user's own folder: its links are followed
        return read_within(real, real.parent, limit=COMMAND_LIMIT)

    def _shown(self, path: Path) -> str:
        if path.is_relative_to(self.project.root):
            return str(path.relative_to(self.project.root))
        home = Path.home()
        return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)

    def _create(self, add: Callable[[str], str]) -> bool:
        """Make the file with its first command; False if it exists, unchanged."""
        if os.path.lexists(self.path):
            return False
        folder, root = resolved(self.path.parent), resolved(self.project.root)
        if not folder.is_relative_to(root):
            raise FileOutside(self.path, "leads out of the project through a symbolic link")
        shared_folder(folder, within=root)
        return create_exclusive(folder / self.path.name, add("").encode(), mode=_usual_mode(), within=root)


@contextmanager
def problems_as(kind: type[FileProblem]) -> Iterator[None]:
    """Turn every `FileProblem` of the block into one of `kind`."""
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


def command_name(name: str) -> str:
    """`normalised` and checked: letters, digits and ``_.-``, perhaps in folders, never leading out of them.

    Raises:
        CommandProblem: the name is invalid.
    """
    plain = normalised(name)
    if not _NAME.fullmatch(plain) or any(part in ("", ".", "..") for part in plain.split("/")):
        raise CommandProblem(name, "is no name of a command file, so none is looked for")
    return plain


def _usual_mode() -> int:
    """The usual mode of new files: this file is shared with other programs."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _select(text: str, wanted: Collection[str] | None) -> tuple[ActiveCommand, ...]:
    return tuple(
        entry for entry in parse_active_commands(text).commands if wanted is None or entry.name in wanted
    )


def present(text: str, entries: Collection[tuple[str, datetime | None]]) -> set[str]:
    """Names of the given entries (name and time) in a text. A reactivated command is a new entry."""
    return {
        entry.name
        for entry in parse_active_commands(text).commands
        if (entry.name, entry.activated_at) in entries
    }


def _present(text: str, gone: tuple[ActiveCommand, ...]) -> set[str]:
    return present(text, {(entry.name, entry.activated_at) for entry in gone})


def _without(text: str, gone: tuple[ActiveCommand, ...]) -> str:
    names = _present(text, gone)
    return remove_commands(text, names) if names else text


def _listed(wanted: Collection[str] | None) -> str:
    if wanted is None:
        return "no command"
    return f"no command {' or '.join(sorted(wanted))}"
