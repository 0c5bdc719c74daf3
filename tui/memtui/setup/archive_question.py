"""The question of `memtui init` about the archive, and turning it off."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileMissing,
    FileProblem,
    existing_above,
    private_folder,
    read_within,
    write_atomic,
)
from memtui.ground.project import Home, Places
from memtui.store.archive import Archive, sessions_text
from memtui.store.archive_settings import archive_settings
from memtui.store.retention import cleanup_days
from memtui.store.session_list import SessionList, size_text

if TYPE_CHECKING:
    from memtui.store.changes import Wrote

_LIMIT = 64 << 10
_SECTION = re.compile(r"^[ \t]*\[[ \t]*archive[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE)
_PACKED = 7
"""Compression ratio of transcripts: 53 MB of recorded ones took 7.6 MB."""


def about_archive(places: Places, clock: Clock) -> str:
    """The archive's folder, Claude Code's own time limit, and the size of this project's sessions.

    Raises:
        FileProblem: something cannot be listed, or config.toml cannot be read.
    """
    archive, settings = Archive(places.home, clock), archive_settings(places.home)
    days = cleanup_days(places.claude, places.project.root)
    beyond = f"beyond the {days} days after which Claude Code deletes them"
    if not settings.keep:
        return f"Sessions are not kept {beyond}: [archive] keep = false in {_config(places.home)}."
    sessions = SessionList(places.project, places.home, places.claude, clock).entries()
    size = sum(each.size for each in sessions)
    here = "this project has none yet"
    if sessions:
        number, take = sessions_text(len(sessions)), "takes" if len(sessions) == 1 else "take"
        here = f"this project's {number} ({size_text(size)}) {take} about {size_text(size // _PACKED)}"
    total = sum(each.packed for each in archive.entries())
    there = f"; {size_text(total)} are there" if total else ""
    return f"Sessions are kept, compressed, {beyond}, in {archive.root}: {here}{there}."


def is_decided(home: Home) -> bool:
    """Whether config.toml enables or disables the archive.

    Raises:
        FileProblem: it cannot be read.
    """
    archive_settings(home)  # the archive's settings name the problem with the file
    return "keep" in tomllib.loads(_read(home)).get("archive", {})


def turn_archive_off(home: Home, wrote: Wrote) -> Path:
    """Write ``keep = false`` into config.toml, and nothing else; returns the file.

    Raises:
        FileProblem: it cannot be read or written, or has a contrary setting.
    """
    path, text = _config(home), _read(home)
    section = _SECTION.search(text)
    if section is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text}{gap}[archive]\nkeep = false\n"
    else:
        head = section[0] if section[0].endswith("\n") else f"{section[0]}\n"
        new = f"{text[: section.start()]}{head}keep = false\n{text[section.end() :]}"
    if not _says_only_that(text, new):
        raise FileProblem(path, "is not changed: write keep = false below [archive] yourself")
    private_folder(path.parent, within=existing_above(home.config))
    write_atomic(path, new.encode(), mode=None)
    wrote("turned the archive off", path, text.encode() if text else None, new.encode())
    return path


def _says_only_that(before: str, after: str) -> bool:
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
    except ValueError:
        return False
    return new == {**old, "archive": {**old.get("archive", {}), "keep": False}}


def _config(home: Home) -> Path:
    return home.config / "config.toml"


def _read(home: Home) -> str:
    try:
        return read_within(_config(home), home.config, limit=_LIMIT).decode("utf-8", "strict")
    except FileMissing:
        return ""
    except ValueError as error:
        raise FileProblem(_config(home), "is not valid UTF-8") from error
