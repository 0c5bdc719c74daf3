"""Programs, clipboard tools and file systems of this machine. Standard library only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_SILENT_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "drvfs", "fuse", "vboxsf", "prl_fs", "virtiofs")
"""Prefixes of file system types (in /proc/mounts) without events for changes made elsewhere."""


class Tool(NamedTuple):
    """A native clipboard tool: its command line reads the text from standard input."""

    name: str
    argv: tuple[str, ...]


_X11 = (Tool("xclip", ("xclip", "-selection", "clipboard")), Tool("xsel", ("xsel", "--clipboard", "--input")))


def find_program(name: str, path: str | None) -> str | None:
    """The absolute path of a program on a search path, or None.

    Relative folders on the path (``.``, ``node_modules/.bin``) are ignored: programs of a project must not be
    started.
    """
    folders = [folder for folder in (path or "").split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH117
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def native_tools(env: Mapping[str, str], platform: str) -> tuple[Tool, ...]:
    """The native tools that reach the user's own clipboard: none over SSH."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return ()
    if platform == "darwin":
        return (Tool("pbcopy", ("pbcopy",)),)
    if platform == "win32" or env.get("WSL_DISTRO_NAME"):
        return (Tool("clip.exe", ("clip.exe",)),)
    tools: tuple[Tool, ...] = ()
    if env.get("WAYLAND_DISPLAY"):
        tools += (Tool("wl-copy", ("wl-copy",)),)
    if env.get("DISPLAY"):
        tools += _X11
    return tools


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
