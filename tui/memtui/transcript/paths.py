"""Paths as transcripts hold them: of any machine, so never touched on disk here."""

from __future__ import annotations

import ntpath
import posixpath
import re
from pathlib import Path

from memtui.ground.clean import clean_line

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_RELATIVE_PART = re.compile(r"[\\/]\.{1,2}(?:[\\/]|$)|(?<=[^\\/:])[\\/]{2,}")


def is_absolute(path: str) -> bool:
    """Whether a path is absolute on Unix or Windows."""
    return path.startswith("/") or bool(_DRIVE.match(path))


def absolute(path: str, cwd: str) -> str:
    """`path` made absolute against the folder its line was written in, without ``.`` and ``..`` parts."""
    if not is_absolute(path) and is_absolute(cwd):
        path = ntpath.join(cwd, path) if _DRIVE.match(cwd) else posixpath.join(cwd, path)
    if ("/." in path or "//" in path or "\\" in path) and _RELATIVE_PART.search(path):
        path = ntpath.normpath(path) if _DRIVE.match(path) else posixpath.normpath(path)
    return path


def path_identity(path: str) -> str:
    """The form by which two spellings of a path are compared."""
    return path if path.startswith("/") or not _DRIVE.match(path) else ntpath.normcase(path)


def is_inside(path: str, root: str) -> bool:
    """Whether a path is a folder or in it."""
    path, root = path_identity(path), path_identity(root.rstrip("\\/"))
    return bool(root) and path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/", "\\")


def shown_path(path: str, root: Path | None) -> str:
    """A path for display: relative to the project if it is inside, and one line whatever it holds."""
    top = str(root).rstrip("\\/") if root is not None else ""
    shown = path[len(top) + 1 :] if path != top and is_inside(path, top) else path
    return shown if shown.isprintable() else clean_line(shown)
