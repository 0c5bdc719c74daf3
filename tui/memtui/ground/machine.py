"""Programs and file systems of this machine. Standard library only."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_SILENT_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "drvfs", "fuse", "vboxsf", "prl_fs", "virtiofs")
"""Prefixes of file system types (in /proc/mounts) without events for changes made elsewhere."""


def find_program(name: str, path: str | None) -> str | None:
    """The absolute path of a program on a search path, or None.

    Relative folders on the path (``.``, ``node_modules/.bin``) are ignored: programs of a project must not be
    started.
    """
    folders = [folder for folder in (path or "").split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH117
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def silent_file_system(folder: str, mounts: Path = Path("/proc/mounts")) -> str:
    """The name of the folder's file system if it reports no events, else "".

    Linux only: elsewhere, or if the table of mounts cannot be read, nothing is known.
    """
    if not sys.platform.startswith("linux"):
        return ""
    try:
        table = mounts.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    best, kind = "", ""
    for line in table.splitlines():
        _, _, rest = line.partition(" ")
        point, _, rest = rest.partition(" ")
        point = point.replace("\\040", " ")
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, rest.partition(" ")[0]
    return kind if kind.startswith(_SILENT_FILE_SYSTEMS) else ""
