"""Active commands: session-state.json, which other programs also write, and the commands' own files.

The file is changed under the lock that AgileFlow's scripts use, only if it is still as it was read, and again
if a program that takes no lock, such as AgileFlow's hook at a compaction, writes what it had read before.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents import commands
from memtui.documents.commands import ActiveCommand, ActiveCommands
from memtui.ground import files
from memtui.ground.files import FileChanged, FileLocked, FileMissing, FileProblem
from memtui.ground.project import Project, claude_config
from memtui.ground.text import FormatError

LIMIT = 16 << 20  # size of the largest file that is read, in bytes

STILL_SECONDS = 0.25  # seconds for which a broken file may still be half written by another program

ABANDONED_SECONDS = 30.0
"""A lock whose file is older, or dated that far in the future, was left behind. Its process id does not tell:
it may belong to another container."""

PATIENCE = 2.0  # seconds to wait for programs that hold the lock; each needs milliseconds
HOOK_PATIENCE = 0.9  # A hook's: it gives up on any lock within a second

_LOOK_AGAIN = 0.03
"""Seconds after which a change must still be there: who has read the file before writes within them."""


@contextmanager
def lock_file(path: Path, *, timeout: float, within: Path) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block: the protocol of AgileFlow's ``file-lock.js``.

    The file is created exclusively and holds the process id. Those scripts take an empty lock for a broken
    one and remove it, so ours appears with its content in one step. `FileLocked` after `timeout` seconds.
    """
    where = path.with_name(path.name + ".lock")
    deadline = time.monotonic() + timeout
    while not files.create_exclusive(where, b"%d\n" % os.getpid(), mode=0o644, within=within, durable=False):
        with suppress(FileMissing), files.writing(where):  # released meanwhile
            status = where.lstat()
            age = time.time() - status.st_mtime
            if stat.S_ISREG(status.st_mode) and abs(age) > ABANDONED_SECONDS:
                where.unlink()
            elif time.monotonic() >= deadline:
                raise FileLocked(
                    where,
                    f"keeps {path.name} locked: it was made {max(0, age):.0f} s ago; "
                    f"try again, and delete it if no program is changing {path.name}",
                )
            else:
                files.pause()
    try:
        yield
    finally:
        with suppress(FileProblem):  # the work is done, and a lock that stays soon counts as abandoned
            files.remove(where, within=within)


_NAME = re.compile(r"[a-zA-Z0-9/_.-]+")


class NoCommandFile(FileProblem):
    """A command has no file."""


class CommandSummary(NamedTuple):
    """The compact summary of an active command, and its file."""

    path: Path
    text: str
    shown: str
    """The path for display: from the project's root, or with ``~``."""


class CommandsFile:
    """The active commands of one project; it waits `patience` seconds for other programs."""

    def __init__(self, project: Project, patience: float = PATIENCE) -> None:
        self.project = project
        self._personal = claude_config() / "commands"
        self.path = project.session_state_json
        self._patience = patience

    def read(self) -> ActiveCommands:
        """The active commands; none without a file. One that stays unreadable never counts as empty."""
        with suppress(FileMissing):
            return commands.parse_active_commands(self._text())
        return ActiveCommands()

    def _text(self) -> str:
        """The file's text, as soon as it is complete."""
        deadline = time.monotonic() + STILL_SECONDS
        while True:
            data = files.read_within(self.path, self.project.root, limit=LIMIT)
            try:
                text = data.decode()
                commands.parse_active_commands(text)
            except (FormatError, UnicodeDecodeError) as error:
                if time.monotonic() >= deadline:
                    reason = "it is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else error
                    raise FileProblem(self.path, f"is broken: {reason}") from error
                files.pause()
            else:
                return text

    def _edit(self, change: Callable[[str], str]) -> None:
        """Apply `change`, which may be called several times and may raise, to the text until it stays."""
        root, target = files.resolved(self.project.root), files.resolved_within(self.path, self.project.root)
        with files.reading(self.path):
            self.path.stat()
        lockable = files.resolved(self.path.parent) / self.path.name
        for _ in range(20):  # another program may write it each time, without looking at the lock
            with lock_file(lockable, timeout=self._patience, within=root):
                old = self._text()
                if (new := change(old)) == old:
                    return
                with suppress(FileChanged):
                    files.write_atomic(target, new.encode(), mode=None, within=root, expected=old.encode())
            time.sleep(_LOOK_AGAIN)
            if change(text := self._text()) == text:
                return
        raise FileLocked(self.path, "is being overwritten by another program; try again in a moment")

    def remove(self, names: Collection[str] | None) -> tuple[ActiveCommand, ...]:
        """Make these commands inactive, None for all, and return them; the rest of the file stays."""
        gone: tuple[ActiveCommand, ...] = ()

        def away(text: str) -> str:
            nonlocal gone
            active = commands.parse_active_commands(text).commands
            gone = gone or tuple(entry for entry in active if names is None or entry.name in names)
            if not gone:
                wanted = "" if names is None else f" {' or '.join(sorted(names))}"
                raise FileProblem(self.path, f"has no command{wanted} active any more")
            known = {(entry.name, entry.activated_at) for entry in gone}  # not one that was activated anew
            back = {entry.name for entry in active if (entry.name, entry.activated_at) in known}
            return commands.remove_commands(text, back) if back else text

        files.sweep_temps(self.path.parent, within=self.project.root)
        self._edit(away)
        return gone

    def activate(self, name: str, moment: datetime, state: dict[str, Any] | None = None) -> bool:
        """Make a command active with its own `state`, as its STEP 0 does; False if it is already."""
        plain = command_name(name)
        added = False

        def add(text: str) -> str:
            nonlocal added
            if text and any(entry.name == plain for entry in commands.parse_active_commands(text).commands):
                return text
            added = True
            return commands.add_command(text, commands.new_entry(plain, moment, state or {}))

        try:
            if os.path.lexists(self.path) or not self._create(add("")):
                added = False
                self._edit(add)
        except FormatError as error:
            raise FileProblem(self.path, f"cannot take this command: {error}") from error
        return added

    def _create(self, text: str) -> bool:
        """Make the file, with the usual mode as it is shared; False if it exists, unchanged."""
        root, target = files.resolved(self.project.root), files.resolved_within(self.path, self.project.root)
        files.shared_folder(target.parent, within=root)
        mask = os.umask(0o077)
        os.umask(mask)
        return files.create_exclusive(target, text.encode(), mode=0o666 & ~mask, within=root)

    def put_back(self, gone: Collection[ActiveCommand]) -> None:
        """Make removed commands active again, as they were; those that are active by now stay."""

        def back(text: str) -> str:
            for command in gone:
                text = commands.add_command(text, command.entry, index=command.place)
            return text

        self._edit(back)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where a command's file is looked for, in order."""
        return (*self.project.command_folders, self._personal)

    def summary(self, name: str) -> CommandSummary:
        """The compact summary of a command: the part of its file between the two markers."""
        plain, folders = command_name(name), self.folders
        for folder in folders:
            path = folder / f"{plain}.md"
            try:
                data = self._read_command(path, folder)
            except FileMissing:
                continue
            text = commands.compact_summary(data.decode("utf-8", "replace"))
            if text is None:
                reason = "has no line <!-- COMPACT_SUMMARY_START -->, so nothing of it outlives a compaction"
                raise FileProblem(path, reason)
            if b"\0" in data:
                raise FileProblem(path, "is not a text file")
            return CommandSummary(path, text, self._shown(path))
        *places, last = (self._shown(each) for each in folders if each in folders[-2:] or each.is_dir())
        raise NoCommandFile(f"{plain}.md", f"is neither in {', '.join(places)} nor in {last}")

    def _read_command(self, path: Path, folder: Path) -> bytes:
        if folder != self._personal:
            within = files.resolved_within(folder, self.project.root)
        else:  # the user's own folder: its links are followed
            within = (path := files.resolved(path)).parent
        return files.read_within(path, within, limit=1 << 20)

    def _shown(self, path: Path) -> str:
        if path.is_relative_to(self.project.root):
            return str(path.relative_to(self.project.root))
        home = Path.home()
        return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def normalised(name: str) -> str:
    """The name of a command's file, without ``.md``: ``/agileflow:research:ask`` is ``research/ask``."""
    name = name.strip().removeprefix("/")
    return name.removeprefix("agileflow:").removeprefix("agileflow/").replace(":", "/")


def command_name(name: str) -> str:
    """`normalised` and checked: letters, digits and ``_.-``, perhaps in folders, never out of them."""
    plain = normalised(name)
    if not _NAME.fullmatch(plain) or any(part in ("", ".", "..") for part in plain.split("/")):
        raise FileProblem(name, "is no name of a command file, so none is looked for")
    return plain
