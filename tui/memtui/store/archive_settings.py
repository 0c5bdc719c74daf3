"""The settings ``[archive]`` in config.toml: whether sessions are kept, private folders, size limit."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from memtui.ground.files import FileMissing, FileProblem, read_within
from memtui.ground.project import Home, expanded

_LIMIT = 64 << 10
_GIGABYTE = 10**9


@dataclass(frozen=True)
class ArchiveSettings:
    """The settings; by default everything is kept."""

    keep: bool = True
    private: tuple[Path, ...] = ()
    """Folders whose sessions are never kept."""
    budget: int = 5 * _GIGABYTE
    """Size in bytes above which a warning is shown; nothing is deleted automatically."""

    def is_private(self, folder: Path) -> bool:
        """Whether sessions started in a folder must not be kept."""
        # Claude Code records the resolved folder; the setting may name a link.
        names = {folder, Path(os.path.realpath(folder))}
        private = {each for named in self.private for each in (named, Path(os.path.realpath(named)))}
        return any(name.is_relative_to(each) for name in names for each in private)


def archive_settings(home: Home) -> ArchiveSettings:
    """Read the settings.

    Raises:
        FileProblem: config.toml cannot be read; then nothing may be kept, as it might forbid it.
    """
    path = home.config / "config.toml"
    try:
        section = tomllib.loads(read_within(path, home.config, limit=_LIMIT).decode()).get("archive", {})
    except FileMissing:
        return ArchiveSettings()
    except (ValueError, RecursionError) as problem:
        raise FileProblem(path, f"is not valid TOML: {problem}") from problem
    if not isinstance(section, dict):
        raise FileProblem(path, "says archive, but not as a section: [archive]")
    keep, private, budget = section.get("keep", True), section.get("private", []), section.get("budget_gb", 5)
    listed = isinstance(private, list) and all(isinstance(each, str) for each in private)
    number = type(budget) in (int, float) and math.isfinite(budget)
    if type(keep) is not bool or not listed or not number:
        raise FileProblem(
            path, "[archive] wants keep = true or false, private = [folders], budget_gb = a number"
        )
    folders = tuple(expanded(each) for each in private)
    return ArchiveSettings(keep, folders, int(budget * _GIGABYTE))
