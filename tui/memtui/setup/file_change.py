"""Changing one settings file: its diff, an atomic write, and a check afterwards."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.ground.files import (
    FileChanged,
    FileMissing,
    FileProblem,
    FileUnreadable,
    create_exclusive,
    read_within,
    replace_expected,
)
from memtui.ground.files.folder import Folder
from memtui.ground.files.problems import writing
from memtui.setup.change_records import Record
from memtui.setup.claude_files import ClaudeFile

LIMIT = 4 << 20
"""Maximum size of settings files, in bytes."""

_TRIES = 3
_NO_NEWLINE = "\\ No newline at end of file"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """One file's part in a plan."""

    target: ClaudeFile
    before: bytes | None
    """None: there is no file."""
    after: bytes | None
    """None: the file is removed."""
    record: Record | None
    """The record to keep; None for no record."""
    mode: int = 0o600
    """Mode of a new file; an existing one keeps its own."""
    again: Callable[[bytes], bytes] | None = None
    """The same edit for another content, if the file is written concurrently."""
    folders: tuple[str, ...] = ()
    """Folders to remove with it if they are empty, the outermost first."""
    without: Callable[[bytes], bytes] | None = None
    """Removes our part from a content."""


def diff(change: Change, name: str = "") -> str:
    """A change as a unified diff, or ""."""
    name = name or str(change.target.path)
    old_name, new_name = ("/dev/null" if data is None else name for data in (change.before, change.after))
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old_name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n" for line in lines)


def read(target: ClaudeFile) -> bytes | None:
    """A file's content; None if it is missing.

    Raises:
        FileProblem: it cannot be read, is not a regular file, or is too large.
    """
    try:
        return read_within(target.real, target.root, limit=LIMIT, follow=False)
    except FileMissing:
        return None
    except FileProblem as problem:
        raise type(problem)(target.path, problem.reason) from problem


def text_of(data: bytes | None, path: Path) -> str:
    """The text of a settings file; "" if it is missing.

    Raises:
        FileUnreadable: it is not UTF-8.
    """
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise FileUnreadable(path, "is not edited: it is not valid UTF-8") from error


def write(change: Change) -> Change:
    """Write a file and check it; returns the change as made.

    Raises:
        FileChanged: the file differs from `before`, or keeps changing.
        FileProblem: the system refuses.
    """
    assert change.after is not None
    target = change.target
    if change.before is None:
        if not create_exclusive(target.real, change.after, mode=change.mode, within=target.root):
            raise FileChanged(target.path, "has been made by another program meanwhile; try again")
        return change
    for _ in range(_TRIES):
        late = _replace(change)
        now = late if late is not None else read(target)
        if now is None or now == change.after or change.again is None:
            return change
        try:
            wanted = change.again(now)
        except ValueError:
            break
        if late is None and wanted == now:  # another program has written since, and kept our part
            return change
        change = replace(change, before=change.after if late is not None else now, after=wanted)
    raise FileChanged(target.path, "is being written by another program; try again in a moment")


def _replace(change: Change) -> bytes | None:
    """Replace a file; returns a concurrent write into the old one, which would be lost."""
    target = change.target
    assert change.before is not None and change.after is not None
    with replace_expected(target.real, change.after, expected=change.before, within=target.root) as old:
        if change.again is None:
            return None
        late = old.settled((0.0,), lambda content: _can_apply(change, content))
    if late is None or _can_apply(change, late):
        return late
    raise FileChanged(target.path, "was being written by another program in this moment; compare its backup")


def _can_apply(change: Change, content: bytes) -> bool:
    """Whether the change can be applied to this content, too; not if it is incomplete."""
    assert change.again is not None
    try:
        change.again(content)
    except ValueError:
        return False
    return True


def delete(change: Change) -> None:
    """Remove a file, and the folders made for it if they are empty.

    Raises:
        FileChanged: the file differs from `before`.
        FileProblem: the system refuses.
    """
    target = change.target
    with writing(target.path), Folder(target.real.parent, within=target.root) as folder:
        if read(target) != change.before:
            raise FileChanged(target.path, "has changed meanwhile; try again")
        folder.unlink(target.real.name)
    remove_folders(change.folders)


def remove_folders(folders: Sequence[str]) -> None:
    """Remove empty folders, given with the outermost first."""
    for name in reversed(folders):
        try:
            Path(name).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return


def missing_folders(target: ClaudeFile) -> tuple[str, ...]:
    """The folders above a file that do not exist, the outermost first."""
    above = reversed([target.real.parent, *target.real.parent.parents])
    return tuple(str(each) for each in above if each.is_relative_to(target.root) and not each.is_dir())


def make_folders(target: ClaudeFile) -> None:
    """Make the folders above a file, with the usual modes."""
    for name in missing_folders(target):
        with writing(name):
            Path(name).mkdir()


def _lines(data: bytes | None) -> list[str]:
    return _LINE.findall((data or b"").decode("utf-8", "replace"))
