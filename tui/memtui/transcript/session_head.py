"""When a session began and last spoke, and with which model: read from the two ends of its transcript."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from memtui.transcript.lines import read_lines

_ENDS = 64 * 1024
_FIRST_LINES = 50
_FAMILY = re.compile(r"\b(opus|sonnet|haiku)\b")


class SessionHead(NamedTuple):
    """The values for a session's title; "" for those found at neither end of the file."""

    model: str = ""
    """Short name: ``opus``; the whole name for models of other makers."""
    started: str = ""
    ended: str = ""


def session_head(path: Path, end: int) -> SessionHead:
    """Read both ends of a transcript.

    Args:
        path: the transcript.
        end: byte offset of a line near its end, from which on the last time and the model are searched for.

    Raises:
        OSError: the file cannot be read.
    """
    model = started = ended = ""
    for line in islice(read_lines(path, stop=_ENDS), _FIRST_LINES):
        for record in line.records:
            stamp = record.get("timestamp")
            if not started and isinstance(stamp, str):
                started = stamp
    for line in read_lines(path, start=end):
        for record in line.records:
            stamp, message = record.get("timestamp"), record.get("message")
            ended = stamp if isinstance(stamp, str) and stamp > ended else ended
            name = message.get("model") if isinstance(message, dict) else None
            if isinstance(name, str) and name != "<synthetic>" and record.get("isSidechain") is not True:
                model = name
    family = _FAMILY.search(model)
    return SessionHead(family[1] if family else model, started or ended, ended or started)
