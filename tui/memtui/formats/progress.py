"""The part of a transcript covered by its state document: the file next to the versions.

It only saves time: without it, or if it is for another format or transcript, reading restarts at line 1.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import Field, ValidationError

from memtui.formats.model import FormatError, Line, Record

__all__ = ["HEAD", "TAIL", "FormatError", "Progress", "fingerprint", "parse_progress", "render_progress"]

_FORMAT = 1
HEAD, TAIL = 1 << 10, 256
"""Number of bytes at the beginning of a transcript, and before the offset, that identify it."""


class Progress(Record):
    """The part of the transcript that a version covers."""

    version: int = Field(ge=1)
    """The version that was current when the transcript was last read."""
    transcript: Line
    offset: int = Field(ge=0, lt=1 << 62)
    """Bytes of the transcript that were read."""
    head: Line
    """The fingerprint of its first bytes."""
    tail: Line
    """The fingerprint of the last bytes before `offset`."""
    read: Line = ""
    """When it was last read: ISO 8601."""
    carried: dict[str, Any] = Field(default_factory=dict)
    """The reader's saved state; see `memtui.transcript.checkpoint`."""


def fingerprint(data: bytes) -> str:
    """A short hash that identifies bytes."""
    return hashlib.sha256(data).hexdigest()[:32]


def render_progress(progress: Progress) -> str:
    """The file's text: one JSON object."""
    return json.dumps({"format": _FORMAT, **progress.model_dump()}, ensure_ascii=False) + "\n"


def parse_progress(text: str) -> Progress:
    """Read the file's text.

    Raises:
        FormatError: it is not JSON, of another format, or lacks something.
    """
    try:
        value = json.loads(text)
        if not isinstance(value, dict) or value.pop("format", None) != _FORMAT:
            raise FormatError("it is of another format")
        return Progress.model_validate(value)
    except (ValueError, ValidationError, RecursionError) as error:
        raise FormatError("it is not the progress of a session state") from error
