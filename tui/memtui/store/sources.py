"""The transcripts to index: those of sessions and subagents, and archived ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui.ground.clean import without_surrogates
from memtui.ground.files import FileProblem, head_within
from memtui.ground.project import Home
from memtui.store.listing import ANY_NAME, Entry, scan

_TRANSCRIPT = re.compile(r"[^.].*\.jsonl")
_AGENT = re.compile(r"agent-.*\.jsonl")
_KEPT = re.compile(r"(?P<name>[^.].*)\.(?P<number>\d{1,6})\.index")
_SUBAGENTS = "subagents"
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([\w-]{1,100})"')
_HEAD = 8 << 10  # bytes that hold the first line of an archive's index, or name a transcript's session


class Sources:
    """Lists transcripts by their paths. Archived ones have the entry of the archive's index file."""

    def __init__(self, home: Home, config: Path) -> None:
        self._archive = home.archive
        self._config = config
        self._kept: dict[Entry, str] = {}
        """Archived copies already examined, with their original paths."""

    def entries(self) -> dict[str, Entry]:
        """All live transcripts, and the newest copies of deleted ones."""
        found: dict[str, Entry] = {}
        for folder in scan(self._config / "projects", ANY_NAME):
            top = os.fspath(folder.path)
            for each in _below(top, _TRANSCRIPT):
                path = f"{each.folder}{os.sep}{each.name}"
                of_agent = f"{os.sep}{_SUBAGENTS}" in each.folder and _AGENT.fullmatch(each.name)
                # SQLite cannot hold other names than UTF-8, and Claude Code gives none.
                if (each.folder == top or of_agent) and is_text(path):
                    found[path] = each
        for path, entry in self._archived().items():
            found.setdefault(path, entry)
        return found

    def _archived(self) -> dict[str, Entry]:
        """The newest copies in the archive."""
        newest: dict[str, tuple[int, Entry]] = {}
        for entry in _below(self._archive, _KEPT):
            match = _KEPT.fullmatch(entry.name)
            assert match is not None
            place = f"{entry.folder}{os.sep}{match['name']}"
            newest[place] = max(newest.get(place, (0, entry)), (int(match["number"]), entry))
        known, self._kept = self._kept, {}
        found: dict[str, Entry] = {}
        for _, entry in newest.values():
            source = self._kept[entry] = known[entry] if entry in known else _copied(entry.path)
            if source:
                found[source] = entry
        return found


def is_archived(entry: Entry) -> bool:
    return _KEPT.fullmatch(entry.name) is not None


def is_agent(path: Path) -> bool:
    return _AGENT.fullmatch(path.name) is not None


def session_of(path: Path, entry: Entry) -> str:
    """The session that a transcript belongs to; `entry` is its file, or the archive's index file."""
    if not is_agent(path):
        return path.stem
    above = Path(entry.folder).parts[::-1]
    if _SUBAGENTS in above[:-1]:
        return above[above.index(_SUBAGENTS) + 1]
    with suppress(FileProblem):
        if named := _SESSION_ID.search(head_within(path, path.parent, size=_HEAD)):
            return named[1].decode()
    return path.stem


def _copied(index: Path) -> str:
    """The original path of an archived copy; "" if its index does not contain it."""
    try:
        with index.open("rb") as file:
            head: Any = json.loads(file.readline(_HEAD))
        return str(head["source"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ""


def is_text(path: str) -> bool:
    """Whether a path is UTF-8 throughout; other bytes of a name are lone surrogates in Python."""
    return path.isascii() or without_surrogates(path) == path


def _below(folder: Path | str, pattern: re.Pattern[str]) -> Iterator[Entry]:
    """The files in a folder and the folders in it that match, without following links."""
    for where, _, names in os.walk(folder):
        if any(map(pattern.fullmatch, names)):
            with suppress(FileProblem):  # unreadable
                yield from scan(where, pattern)
