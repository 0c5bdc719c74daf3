"""Whether sessions are kept in the archive, and private folders: ``[archive]`` in config.toml.

Whether to keep them is also asked, once; the answer is a file beside the logs, and config.toml overrides it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files import FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home, config_path, config_sections, expanded

_ANSWER = "keep-sessions"


class ArchiveSettings(NamedTuple):
    """The settings; nothing is kept without being asked for until the person has said yes."""

    keep: bool | None = None
    """Whether every session is kept; None if the person has not said yet, False if not even on demand."""
    private: tuple[Path, ...] = ()
    """Folders whose sessions are never kept."""

    def is_private(self, folder: Path) -> bool:
        """Whether sessions started in a folder must not be kept."""
        # Claude Code records the resolved folder; the setting may name a link.
        private = {each for named in self.private for each in (named, Path(os.path.realpath(named)))}
        names = {folder, Path(os.path.realpath(folder))} if private else ()
        return any(name.is_relative_to(each) for name in names for each in private)


def archive_settings(home: Home) -> ArchiveSettings:
    """Read the settings. If that fails nothing may be kept, as they might forbid it."""
    section = config_sections(home).get("archive", {})
    said = b""
    with suppress(FileProblem):
        said = read_within(home.state / _ANSWER, home.state, limit=64 << 10).strip()
    keep, private = section.get("keep", {b"yes": True, b"no": False}.get(said)), section.get("private", [])
    listed = isinstance(private, list) and all(isinstance(each, str) for each in private)
    if not (keep is None or type(keep) is bool) or not listed:
        reason = "has a wrong [archive]: it wants keep = true or false, and private = [folders]"
        raise FileProblem(config_path(home), reason)
    return ArchiveSettings(keep, tuple(map(expanded, private)))


def answer_keeping(home: Home, keep: bool) -> None:
    """Store whether every session is to be kept; may raise `OSError`, too."""
    private_parents(home.state)
    write_atomic(home.state / _ANSWER, b"yes\n" if keep else b"no\n")
