"""One file that is to be changed: shown as a diff, written whole, and looked at again."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.files import (
    FileChanged,
    FileMissing,
    FileProblem,
    FileUnreadable,
    create_exclusive,
    read_within,
    replace_expected,
)
from memtui.files.folder import Folder
from memtui.files.problems import writing
from memtui.setup.claude_files import ClaudeFile
from memtui.setup.records import Record

LIMIT = 4 << 20
"""Bytes of the largest settings file that is read."""

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
    """None: it goes."""
    record: Record | None
    """What to remember of it afterwards; None: nothing."""
    mode: int = 0o600
    """Of a file that is made; an existing one keeps its own."""
    again: Callable[[bytes], bytes] | None = None
    """The same edit on another content, for the case that somebody writes the file in the same moment."""
    folders: tuple[str, ...] = ()
    """Folders to remove with it, if they are empty then; the outermost first."""
    without: Callable[[bytes], bytes] | None = None
    """A content as it would be without us."""


def diff(change: Change, name: str = "") -> str:
    """A change as a unified diff, "" for none."""
    name = name or str(change.target.path)
    old_name, new_name = ("/dev/null" if data is None else name for data in (change.before, change.after))
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old_name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n" for line in lines)


def read(target: ClaudeFile) -> bytes | None:
    """A file's content; None when there is none.

    Raises:
        FileProblem: it cannot be read, or is no regular file of a sensible size.
    """
    try:
        return read_within(target.real, target.root, limit=LIMIT, follow=False)
    except FileMissing:
        return None
    except FileProblem as problem:
        raise type(problem)(target.path, problem.reason) from problem


def text_of(data: bytes | None, path: Path) -> str:
    """The text of a settings file; "" when there is none.

    Raises:
        FileUnreadable: it is not UTF-8.
    """
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise FileUnreadable(path, "is not edited: it is not valid UTF-8") from error


def write(change: Change) -> Change:
    """Write a file, and look again; returns the change as it came about.

    Raises:
        FileChanged: the file is not as the change has seen it, or does not come to rest.
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
        if late is None and wanted == now:  # another program has written since, and kept what we did
            return change
        change = replace(change, before=change.after if late is not None else now, after=wanted)
    raise FileChanged(target.path, "is being written by another program; try again in a moment")


def _replace(change: Change) -> bytes | None:
    """Replace a file; returns what another program wrote into the old one in that moment, and so lost."""
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
    """Whether the change can be made to this content, too; not to half a file."""
    assert change.again is not None
    try:
        change.again(content)
    except ValueError:
        return False
    return True


def delete(change: Change) -> None:
    """Remove a file, and the folders that were made for it unless something else is in them.

    Raises:
        FileChanged: the file is not as the change has seen it.
        FileProblem: the system refuses.
    """
    target = change.target
    with writing(target.path), Folder(target.real.parent, within=target.root) as folder:
        if read(target) != change.before:
            raise FileChanged(target.path, "has changed meanwhile; try again")
        folder.unlink(target.real.name)
    remove_folders(change.folders)


def remove_folders(folders: Sequence[str]) -> None:
    """Remove folders that are empty; the outermost is named first."""
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
    """Make the folders that a file lies in, as its owner would."""
    for name in missing_folders(target):
        with writing(name):
            Path(name).mkdir()


def _lines(data: bytes | None) -> list[str]:
    return _LINE.findall((data or b"").decode("utf-8", "replace"))
