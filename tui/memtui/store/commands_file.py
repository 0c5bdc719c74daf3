"""Active commands: session-state.json, which other programs also write, and the commands' own files.

The file is read only when complete. It is changed under the lock that AgileFlow's scripts use, only if it is
still as it was read, and checked again until the change stays.
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
    FileChanged,
    FileLocked,
    FileMissing,
    FileOutside,
    FileProblem,
    FileUnreadable,
    Folder,
    Signature,
    create_exclusive,
    load_within,
    read_within,
    reading,
    resolved,
    shared_folder,
    signature_of,
    sweep_temps,
    write_atomic,
    writing,
)
from memtui.ground.files.atomic import flock, pause, place_new, write_temp
from memtui.ground.files.folder import KINDS, READ
from memtui.ground.project import Project, claude_config
from memtui.ground.text import FormatError

LIMIT = 16 << 20
"""Size of the largest file that is read, in bytes."""

STILL_SECONDS = 0.25
"""Seconds without a change after which an unreadable file counts as broken."""

ABANDONED_SECONDS = 30.0
"""A lock whose file is older, or dated that far in the future, was left behind. Its process id does not tell:
it may belong to another container."""


class Patience(NamedTuple):
    """Waiting times for other programs, in seconds."""

    whole: float = 2.0
    """For a complete text while the file keeps changing."""
    lock: float = 2.0
    """For programs that hold the lock; each needs milliseconds."""
    settle: float = 3.0
    """For a program that keeps overwriting the change."""
    look_again: tuple[float, ...] = (0.0, 0.005, 0.02, 0.04)
    """Pauses after each of which a change must still be there: programs that read the file before write
    within them."""


PATIENCE = Patience()
HOOK_PATIENCE = Patience(whole=0.3, lock=0.9, settle=0.4)
"""A hook's: it gives up on any lock within a second."""


class SharedText:
    """A shared file."""

    def __init__(
        self, path: Path, root: Path, check: Callable[[str], object], patience: Patience | None = None
    ) -> None:
        """Make the object; nothing is opened.

        Args:
            path: the file, which is never created. A link within `root` stays a link.
            root: the folder that it has to be in, every link resolved.
            check: raises `FormatError` for an incomplete text.
            patience: how long to wait for others; by default, as long as suits interactive use.
        """
        self.path = path
        self._root = root
        self._check = check
        self._given = patience

    @property
    def _patience(self) -> Patience:
        return self._given or PATIENCE

    def read(self) -> str:
        """The file's text, as soon as it is complete.

        Raises:
            FileMissing: there is no file.
            FileUnreadable: it stays broken.
            FileProblem: it is outside, too large, not a regular file or unreadable.
        """
        started = since = time.monotonic()
        last = None
        while True:
            content = load_within(self.path, self._root, limit=LIMIT)
            try:
                return self._whole(content.data)
            except FormatError as error:
                now = time.monotonic()
                if content != last:
                    last, since = content, now
                if now - since > STILL_SECONDS or now - started > self._patience.whole:
                    raise FileUnreadable(self.path, f"is broken: {error}") from error
            pause()

    def edit(self, change: Callable[[str], str], holds: Callable[[str], bool]) -> None:
        """Apply `change` to the text until it `holds`. The lock is held only while writing.

        Args:
            change: makes the new text from the old one; may be called several times, and may raise.
            holds: whether a text has the change.

        Raises:
            FileLocked: another program holds the lock, or writes over the change all the time.
            FileProblem: see `read`; or the system refuses to write.
        """
        deadline = time.monotonic() + self._patience.settle
        while True:
            with suppress(FileChanged):
                self._write(change)
                if self._stays(holds):
                    return
            if time.monotonic() > deadline:
                raise FileLocked(self.path, "is being overwritten by another program; try again in a moment")

    def _write(self, change: Callable[[str], str]) -> None:
        root = resolved(self._root)
        with reading(self.path):
            self.path.stat()
        target = resolved(self.path)  # the file itself, when its path leads through links of the project
        if not target.is_relative_to(root):
            raise FileOutside(self.path, "leads out of the project through a symbolic link")
        lockable = resolved(self.path.parent) / self.path.name
        with lock_file(lockable, timeout=self._patience.lock, within=root):
            old = self.read()
            new = change(old)
            if new != old:
                write_atomic(target, new.encode(), mode=None, within=root, expected=old.encode())

    def _stays(self, holds: Callable[[str], bool]) -> bool:
        """Whether the change is still there after programs that take no lock have had time to write."""
        for seconds in self._patience.look_again:
            time.sleep(seconds)
            if not holds(self.read()):
                return False
        return True

    def _whole(self, data: bytes) -> str:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise FormatError("it is not valid UTF-8") from error
        self._check(text)
        return text


@contextmanager
def lock_file(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block: the protocol of AgileFlow's ``file-lock.js``.

    The file is created exclusively and holds the process id. Those scripts take an empty lock for a broken
    one and remove it, so ours appears with its content in one step. It is removed only if it is still ours.

    Raises:
        FileLocked: others hold it for longer than `timeout` seconds, or something else has its name.
        FileProblem: the lock cannot be written.
    """
    where = path.with_name(path.name + ".lock")
    with writing(where):
        folder = Folder(where.parent, within=within)
    with folder:
        with writing(where):
            mine = _acquire(folder, where, path.name, time.monotonic() + timeout)
        try:
            yield
        finally:
            with suppress(OSError):  # the work is done, and a lock that stays soon counts as abandoned
                if signature_of(folder.status(where.name)) == mine:
                    folder.unlink(where.name)


def _acquire(folder: Folder, where: Path, locked: str, deadline: float) -> Signature:
    while True:
        if not folder.has(where.name):
            temp = write_temp(folder, b"%d\n" % os.getpid(), mode=0o644, durable=False)
            try:
                mine = signature_of(folder.status(temp))
                if place_new(folder, temp, where.name):
                    return mine
            finally:
                folder.discard(temp)
        with suppress(FileNotFoundError):  # released meanwhile
            status = folder.status(where.name)
            if _broken(folder, where.name, status):
                continue
            if time.monotonic() >= deadline:
                raise FileLocked(where, _described(folder, where.name, status, locked))
            pause()


def _broken(folder: Folder, name: str, seen: os.stat_result) -> bool:
    """Remove an abandoned lock.

    Two processes may find the same one, and the slower must not remove the lock that the faster has made
    since. So the abandoned file itself is locked, and removed only while the name still means it.
    """
    if not stat.S_ISREG(seen.st_mode) or abs(time.time() - seen.st_mtime) <= ABANDONED_SECONDS:
        return False
    fd = folder.open(name, READ)
    try:
        if not flock(fd):
            return False
        if signature_of(os.fstat(fd)) == signature_of(seen) and folder.is_open(name, fd):
            folder.unlink(name)
        return True
    finally:
        os.close(fd)


def _described(folder: Folder, name: str, status: os.stat_result, locked: str) -> str:
    """A clause on the lock in the way, and what to do about it."""
    if not stat.S_ISREG(status.st_mode):
        what = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        return f"is {what}, and keeps {locked} locked; move it away"
    holder = "another program"
    with suppress(OSError, ValueError):
        fd = folder.open(name, READ)
        try:
            holder = f"process {int(os.read(fd, 12))}"
        finally:
            os.close(fd)
    age = max(0, round(time.time() - status.st_mtime))
    return (
        f"keeps {locked} locked: {holder} made it {age} s ago; "
        f"try again, and delete it if no program is changing {locked}"
    )


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
