"""Several files of one folder changed together, all or nothing, also when the process is killed in between.

The new contents are written to temporary files first, so that the disk can no longer be full. Then a journal
appears that says which of them goes where, and which content each file must have for that. From then on the
change is decided: whoever opens the folder next completes it. Last, the files are renamed and the journal
removed.

The order of the changes is kept, so a reader who looks in between sees the first ones done before the last.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from memtui.files.atomic import TEMP_NAME, is_abandoned, place_new, sweep, write_temp
from memtui.files.folder import READ, Folder, read_up_to
from memtui.files.locks import is_dead_lock, lock
from memtui.files.problems import FileChanged, FileMissing, FileProblem, FileUnwritable, why, writing
from memtui.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_PREFIX = ".memtui"
_LOCK_NAME = f"{_PREFIX}.lock"
_JOURNAL_NAME = re.compile(r"\.memtui-(\d{1,10})-[0-9a-f]{12}\.journal")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_FORMAT = 1
_MOST = 64 << 20
"""Bytes of the largest file that takes part in a change."""


class Change(NamedTuple):
    """One file's part in a change.

    `before` is the content it must have (None: there must be none), `after` the one it gets (None: it is
    removed).
    """

    name: str
    before: bytes | None
    after: bytes | None


class _Step(NamedTuple):
    name: str
    temp: str  # "" for a removal
    before: str  # hash; "" for no file
    after: str


def commit(
    folder: Path,
    changes: Sequence[Change],
    *,
    within: Path | None = None,
    mode: int = 0o600,
    timeout: float = 2.0,
) -> None:
    """Make all of `changes` in the order given, or none of them.

    Args:
        folder: the folder of all the files.
        changes: what to do; names are plain file names.
        within: a folder above, from which on down no symbolic link is followed.
        mode: of the files written.
        timeout: seconds to wait for another process that changes this folder.

    Raises:
        FileChanged: a file is not as its change says; nothing was changed.
        FileLocked: another process is changing the folder.
        FileUnwritable: the system refused; nothing was changed, unless the message says that the change
            will be completed later.
    """
    for change in changes:
        if not _PLAIN_NAME.fullmatch(change.name):
            raise ValueError(f"not a plain file name: {change.name!r}")
    with (
        lock(folder / _PREFIX, timeout=timeout, within=within),
        writing(folder),
        Folder(folder, within=within) as opened,
    ):
        _complete_all(opened)
        for change in changes:
            if _hash(_content(opened, change.name)) != _hash(change.before):
                raise FileChanged(folder / change.name, "has changed meanwhile; look at it again")
        _commit(opened, changes, mode)


def recover(folder: Path, *, within: Path | None = None, timeout: float = 0.0) -> bool:
    """Complete what processes that were killed in `folder` had decided, and remove what they left behind.

    Cheap where there is nothing to do, so it can be called whenever a folder is opened.

    Returns:
        True when the folder is clean, False when that has to wait (another process is at work, or the
        folder cannot be written).
    """
    try:
        with Folder(folder, within=within) as opened:
            if not any(_is_left_over(opened, name) for name in opened.names() if name.startswith(_PREFIX)):
                return True
        with lock(folder / _PREFIX, timeout=timeout, within=within), Folder(folder, within=within) as opened:
            _complete_all(opened)
            sweep(opened)
    except (FileNotFoundError, FileMissing):
        return True
    except (OSError, FileProblem):
        return False
    return True


def _is_left_over(folder: Folder, name: str) -> bool:
    if name == _LOCK_NAME:
        return is_dead_lock(folder, name)
    match = _JOURNAL_NAME.fullmatch(name) or TEMP_NAME.fullmatch(name)
    return match is not None and is_abandoned(folder, name, int(match[1]))


def _commit(folder: Folder, changes: Sequence[Change], mode: int) -> None:
    steps: list[_Step] = []
    journal = ""
    try:
        for change in changes:
            temp = "" if change.after is None else write_temp(folder, change.after, mode=mode)
            steps.append(_Step(change.name, temp, _hash(change.before), _hash(change.after)))
        journal = _write_journal(folder, steps)
    except BaseException:
        _discard_temps(folder, steps)
        raise
    try:
        _apply(folder, steps)
    except OSError as error:
        _roll_back(folder, changes, steps, journal, mode, error)
        if isinstance(error, FileExistsError):
            raise FileChanged(folder.path, f"has got another {error.filename} meanwhile") from error
        raise
    folder.discard(journal)


def _write_journal(folder: Folder, steps: Sequence[_Step]) -> str:
    import json

    data = json.dumps({"format": _FORMAT, "steps": [step._asdict() for step in steps]}).encode()
    temp = write_temp(folder, data)
    name = temp.removesuffix(".tmp") + ".journal"
    try:
        folder.replace(temp, name)
        folder.sync()
    except BaseException:
        folder.discard(temp)
        folder.discard(name)
        raise
    return name


def _apply(folder: Folder, steps: Sequence[_Step]) -> None:
    """Bring every file that is not yet `after` to it; raises bare `OSError`."""
    for step in steps:
        if _hash(_content(folder, step.name)) == step.after:
            continue
        if not step.after:
            folder.unlink(step.name)
        elif step.before:
            folder.replace(step.temp, step.name)
        elif not place_new(folder, step.temp, step.name):
            raise FileExistsError(errno.EEXIST, "it has appeared meanwhile", step.name)
    folder.sync()
    _discard_temps(folder, steps)


def _roll_back(
    folder: Folder, changes: Sequence[Change], steps: Sequence[_Step], journal: str, mode: int, error: OSError
) -> None:
    # Without its journal the change is undecided again; in reverse order no reader sees the last change
    # without the first.
    later = f"could not be changed now ({why(error)}); memtui completes this when it opens the folder again"
    try:
        folder.unlink(journal)
    except OSError:
        raise FileUnwritable(folder.path, later) from error
    for change in reversed(changes):
        if _hash(_content(folder, change.name)) != _hash(change.after):
            continue
        if change.before is None:
            folder.unlink(change.name)
        else:
            folder.replace(write_temp(folder, change.before, mode=mode), change.name)
    _discard_temps(folder, steps)
    folder.sync()


def _complete_all(folder: Folder) -> None:
    """Complete or drop every journal in `folder`; the caller holds the folder's lock."""
    for name in [name for name in folder.names() if _JOURNAL_NAME.fullmatch(name)]:
        steps = _read_journal(folder, name)
        if all(_can_apply(folder, step) for step in steps):
            _apply(folder, steps)
        # Otherwise somebody edited a file since: their work stays, and so does every file as it is.
        folder.discard(name)
        _discard_temps(folder, steps)


def _read_journal(folder: Folder, name: str) -> list[_Step]:
    """The steps of a journal; none if it is not one that this program has written."""
    import json

    try:
        content: Any = json.loads(_content(folder, name) or b"")
        steps = [_Step(**step) for step in content["steps"]] if content["format"] == _FORMAT else []
        return steps if all(_is_sound(step) for step in steps) else []
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def _is_sound(step: _Step) -> bool:
    # The folder may have come with a cloned repository: a journal names nothing but files beside it.
    return (
        all(isinstance(field, str) for field in step)
        and _PLAIN_NAME.fullmatch(step.name) is not None
        and (TEMP_NAME.fullmatch(step.temp) is not None) == bool(step.after)
    )


def _can_apply(folder: Folder, step: _Step) -> bool:
    now = _hash(_content(folder, step.name))
    if now == step.after:
        return True
    return now == step.before and (not step.after or _hash(_content(folder, step.temp)) == step.after)


def _discard_temps(folder: Folder, steps: Sequence[_Step]) -> None:
    for step in steps:
        if step.temp:
            folder.discard(step.temp)


def _content(folder: Folder, name: str) -> bytes | None:
    """The content of a file, None when there is none; what is no file gets a content that nothing equals."""
    try:
        fd = folder.open(name, READ)
    except FileNotFoundError:
        return None
    except OSError:
        return _unequalled()
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return _unequalled()
        return read_up_to(fd, _MOST)
    finally:
        os.close(fd)


def _unequalled() -> bytes:
    return b"\0no file\0" + os.urandom(16)


def _hash(content: bytes | None) -> str:
    if content is None:
        return ""
    import hashlib

    return hashlib.sha256(content).hexdigest()
