"""The lines of projects' pins files that count. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from memtui.ground.clock import parse_iso, system_clock
from memtui.ground.files import private_folder, reading, writing
from memtui.ground.logs import append_line, read_lines
from memtui.ground.project import Home

_LIMIT = 1 << 20  # size in bytes from which the older half of the lines is kept in a second file


class Confirmed:
    """Digests of lines of projects' pins files that this user has written or confirmed, with the time."""

    def __init__(self, home: Home) -> None:
        self._path = home.confirmed_pins
        with reading(self._path):
            lines = read_lines(self._path, limit=2 * _LIMIT)
        self._since = {digest: parse_iso(at) for digest, _, at in (each.partition(" ") for each in lines)}

    def __contains__(self, text: str) -> bool:
        return _digest(text) in self._since

    def since(self, text: str) -> datetime | None:
        return self._since.get(_digest(text))

    def add(self, texts: Iterable[str], at: datetime | None = None) -> None:
        at = at or system_clock()
        private_folder(self._path.parent)
        for digest in (_digest(each) for each in texts if each not in self):
            with writing(self._path):
                append_line(self._path, f"{digest} {at.isoformat(timespec='seconds')}", limit=_LIMIT)
            self._since[digest] = at


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
