"""The active commands in ``docs/09-agents/session-state.json`` (seed 002), which other programs write, too.

Some of them take its lock, most do not, and some write it in place. So: the lock is taken, only our own part
of the text is edited, the result is looked at again until it stays, and a half-written file is read again.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from memtui.clock import Clock, system_clock
from memtui.files import (
    Content,
    FileChanged,
    FileMissing,
    FileOutside,
    FileProblem,
    is_within,
    load_within,
    lock,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.files.problems import reading
from memtui.formats.active_commands import (
    ActiveCommand,
    ActiveCommands,
    add_command,
    parse_active_commands,
    remove_commands,
)
from memtui.formats.command_file import compact_summary
from memtui.formats.model import FormatError
from memtui.project import Project
from memtui.store.undo import Undo, UndoProblem

LIMIT = 16 << 20
"""Bytes of the largest session-state.json that is read."""

COMMAND_LIMIT = 1 << 20
"""Bytes of the largest command file that is read."""

LOCK_SECONDS = 5.0
"""How long to wait for a program that holds the lock; AgileFlow waits as long."""

VERIFY_SECONDS = 1.0
"""How long to put a change back that programs without the lock write over."""

STILL_SECONDS = 0.25
"""How long an unreadable file must stay as it is to count as broken, not as being written."""

BUSY_SECONDS = 2.0
"""How long to wait for a whole text while the file keeps changing."""

_PAUSE = (0.001, 0.006)
"""Seconds between two reads, at random, so as not to keep step with the one who writes."""

LOOK_AGAIN = (0.0, 0.005, 0.02, 0.04)
"""Seconds after which a change has to be there still: one who read before us writes within them."""

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

    def __init__(self, project: Project, clock: Clock = system_clock) -> None:
        self.project = project
        self.path = project.session_state_json
        self._clock = clock
        self._swept = False

    def read(self) -> ActiveCommands:
        """The active commands; none when there is no such file.

        A file that another program is just writing is read again until it is whole.

        Raises:
            CommandProblem: it stays unreadable, or lies outside the project; it is never taken for empty.
        """
        if not self._swept:
            self.tidy()
        try:
            return parse_active_commands(self._read_whole())
        except FileMissing:
            return ActiveCommands(commands=(), broken=())

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

        old, new = self._settle(CommandProblem, away, lambda text: not _present(text, gone))
        return Undo(_label(gone), lambda: self._restore(old, new, gone))

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

    def _read_whole(self) -> str:
        """The file's text, as soon as it is whole."""
        started = since = time.monotonic()
        last: Content | None = None
        while True:
            try:
                content = load_within(self.path, self.project.root, limit=LIMIT)
            except FileMissing:
                raise
            except FileProblem as problem:
                raise CommandProblem(self.path, problem.reason) from problem
            try:
                return _whole(content.data)
            except FormatError as error:
                now = time.monotonic()
                if content != last:
                    last, since = content, now
                if now - since > STILL_SECONDS or now - started > BUSY_SECONDS:
                    raise CommandProblem(self.path, f"is broken: {error}") from error
            time.sleep(random.uniform(*_PAUSE))  # noqa: S311 - no secret

    def _settle(
        self, kind: type[FileProblem], change: Callable[[str], str], holds: Callable[[str], bool]
    ) -> tuple[str, str]:
        """Write `change` until it `holds`, whoever writes over it; returns the texts before and after.

        The lock is held only while writing. Every problem comes out as one of `kind`.
        """
        deadline = time.monotonic() + VERIFY_SECONDS
        try:
            while True:
                texts = self._write(change)
                if texts is not None and self._stays(holds):
                    return texts
                if time.monotonic() > deadline:
                    raise kind(self.path, "is being written over by another program; try again in a moment")
        except kind:
            raise
        except FileProblem as problem:
            raise kind(problem.path, problem.reason) from problem

    def _write(self, change: Callable[[str], str]) -> tuple[str, str] | None:
        """Change the file once; None when another program wrote it at the same time."""
        target = self._target()
        lockable = Path(os.path.realpath(self.path.parent)) / self.path.name
        with lock(lockable, timeout=LOCK_SECONDS, within=self._root()):
            old = self._read_whole()
            new = change(old)
            try:
                if new != old:
                    write_atomic(target, new.encode(), mode=None, within=self._root(), expected=old.encode())
            except FileChanged:
                return None
            return old, new

    def _stays(self, holds: Callable[[str], bool]) -> bool:
        for pause in LOOK_AGAIN:
            time.sleep(pause)
            if not holds(self._read_whole()):
                return False
        return True

    def _restore(self, old: str, new: str, gone: tuple[ActiveCommand, ...]) -> None:
        def back(text: str) -> str:
            if text == new:
                return old
            for command in gone:
                text = add_command(text, command.raw, index=command.index)
            return text

        def is_back(text: str) -> bool:
            return names <= {command.name for command in parse_active_commands(text).commands}

        names = {command.name for command in gone}
        self._settle(UndoProblem, back, is_back)

    def _root(self) -> Path:
        return Path(os.path.realpath(self.project.root))

    def _target(self) -> Path:
        """The file itself, when its path leads through links of the project. It is never made."""
        with reading(self.path):
            self.path.stat()
        if not is_within(self.path, self.project.root):
            raise FileOutside(self.path, "leads out of the project through a symbolic link")
        return Path(os.path.realpath(self.path))


def normalised(name: str) -> str:
    """The name of a command's file, without ``.md``: ``/agileflow:research:ask`` is ``research/ask``."""
    name = name.strip().removeprefix("/")
    return name.removeprefix("agileflow:").removeprefix("agileflow/").replace(":", "/")


def _whole(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("it is not valid UTF-8") from error
    parse_active_commands(text)
    return text


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
