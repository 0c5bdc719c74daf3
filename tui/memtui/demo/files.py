"""Writing the demo's files, with the times of its story."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from memtui.ground.files import private_folder, write_atomic


def put(path: Path, data: bytes | str, moment: datetime, *, within: Path, private: bool = False) -> None:
    """Write a whole file as of `moment`; `private`: in a folder like memtui's own, out of repositories."""
    if private:
        private_folder(path.parent, within=within)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, data.encode() if isinstance(data, str) else data, within=within)
    stamp(path, moment)


def append(path: Path, text: str, moment: datetime) -> None:
    with path.open("ab") as file:
        file.write(text.encode())
    stamp(path, moment)


def stamp(path: Path, moment: datetime) -> None:
    seconds = moment.timestamp()
    os.utime(path, (seconds, seconds))
