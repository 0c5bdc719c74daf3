"""Moving a file into another folder, never over an existing one."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.files.folder import Folder
from memtui.ground.files.problems import writing


def move_new(old: Path, new: Path, *, old_root: Path, new_root: Path) -> bool:
    """Move a file on the same file system.

    Another program could make a file between the check of the new name and the move; memtui's own processes
    hold a lock for that time.

    Args:
        old: the file.
        new: its new path; the folder exists.
        old_root: a folder above `old`; below it no symbolic link is followed.
        new_root: the same for `new`.

    Returns:
        False when the new name is taken, by anything; nothing is changed then.

    Raises:
        FileMissing: there is no such file.
        FileProblem: the system refuses; the file is where it was.
    """
    with writing(old), Folder(old.parent, within=old_root) as source:
        source.status(old.name)
        with writing(new), Folder(new.parent, within=new_root) as target:
            if _is_taken(target, new.name):
                return False
            source.move(old.name, target, new.name)
            try:
                target.sync()
                source.sync()
            except OSError:
                target.move(new.name, source, old.name)
                raise
    return True


def _is_taken(folder: Folder, name: str) -> bool:
    try:
        folder.status(name)
    except FileNotFoundError:
        return False
    return True
