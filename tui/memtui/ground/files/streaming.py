"""Large files, written part by part: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from memtui.ground.files.atomic import place_new, temp_name
from memtui.ground.files.folder import CREATE, Folder, sync
from memtui.ground.files.problems import writing


def write_parts(path: Path, parts: Iterable[bytes], *, replace: bool = False) -> int | None:
    """Write a file part by part, for its owner alone.

    Args:
        path: the file.
        parts: its content; an exception of theirs ends the writing.
        replace: whether to replace an existing file.

    Returns:
        Its size in bytes; None when the name is taken and nothing was changed.

    Raises:
        FileProblem: it could not be written.
    """
    with writing(path), Folder(path.parent) as folder:
        name, size = temp_name(), 0
        fd = folder.open(name, CREATE)
        try:
            with os.fdopen(fd, "wb") as file:
                for part in parts:
                    size += file.write(part)
                file.flush()
                sync(fd)
            if replace:
                folder.replace(name, path.name)
            elif not place_new(folder, name, path.name):
                return None
        finally:
            folder.discard(name)
        folder.sync()
        return size
