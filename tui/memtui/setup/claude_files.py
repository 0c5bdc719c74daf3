"""The files of Claude Code that memtui changes, by scope."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path

from memtui.ground.files import FileOutside, existing_above
from memtui.ground.named import NamedTuple
from memtui.ground.project import Places


class Scope(StrEnum):
    """The scope of an installation."""

    PROJECT = "project"
    """This project on this machine: ``.claude/settings.local.json``, which is not committed."""
    SHARED = "shared"
    """The project's whole team: ``.claude/settings.json``."""
    USER = "user"
    """All projects of this user: ``settings.json`` in Claude Code's own folder."""


class ClaudeFile(NamedTuple):
    """One of these files."""

    path: Path
    """The path for display."""
    real: Path
    """The resolved path, which is read and replaced, so that a link stays a link."""
    root: Path
    """The folder below which no link is followed."""


def settings_file(places: Places, scope: Scope) -> ClaudeFile:
    """The settings file of a scope.

    Since 2.1.211 Claude Code looks for the local one at the repository's root, too (Claude Code fact).

    Raises:
        FileOutside: it is a link that leads out of the project, or in a circle.
    """
    if scope is Scope.USER:
        return _file(places.claude / "settings.json", None)
    name = "settings.local.json" if scope is Scope.PROJECT else "settings.json"
    return _file(places.project.root / ".claude" / name, places.project.root)


def command_file(places: Places, scope: Scope, name: str) -> ClaudeFile:
    """A slash command's file, the same for `PROJECT` and `SHARED`.

    Raises:
        FileOutside: see `settings_file`.
    """
    if scope is Scope.USER:
        return _file(places.claude / "commands" / name, None)
    return _file(places.project.root / ".claude" / "commands" / name, places.project.root)


def servers_file(places: Places) -> ClaudeFile:
    """The file of a project's MCP servers, the same for `PROJECT` and `SHARED`.

    Raises:
        FileOutside: see `settings_file`.
    """
    return _file(places.project.root / ".mcp.json", places.project.root)


def _file(path: Path, root: Path | None) -> ClaudeFile:
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise FileOutside(path, "is a symbolic link that leads in a circle; remove it")
    if root is None:  # the user's own: links may lead anywhere
        return ClaudeFile(path, real, existing_above(real.parent))
    top = Path(os.path.realpath(root))
    if not real.is_relative_to(top):
        raise FileOutside(
            path, "leads out of the project through a symbolic link, which memtui does not follow"
        )
    return ClaudeFile(path, real, top)
