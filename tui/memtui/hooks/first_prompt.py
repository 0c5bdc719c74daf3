"""The first words of the user in a transcript, without reading the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.transcript.words import user_words

_BYTES = 16 << 20
"""Bytes of a transcript searched: the first words are near its beginning."""
_LINE = 2 << 20
"""Longer lines hold images, not words."""
_REAL = ("typed", "command", "plan")


def first_prompt(transcript: Path) -> str:
    """The first real words of the user, or "".

    Raises:
        OSError: the transcript cannot be read.
    """
    held = ""
    for record in _user_lines(transcript):
        kind, text = user_words(record)
        if held and kind != "output":
            return held
        held = ""
        if kind in _REAL and text:
            return text
        if kind == "local command":
            held = text  # the user's, unless Claude Code's own output follows
    return held


def _user_lines(transcript: Path) -> Iterator[dict[str, Any]]:
    left = _BYTES
    with transcript.open("rb") as file:
        while left > 0 and (line := file.readline(_LINE)):
            left -= len(line)
            if not line.endswith(b"\n") and len(line) == _LINE:
                left -= _skip_line(file)
            elif b'"user"' in line and (record := _record(line)) is not None:
                yield record


def _skip_line(file: Any) -> int:
    skipped = 0
    while part := file.readline(_LINE):
        skipped += len(part)
        if part.endswith(b"\n") or skipped > _BYTES:
            break
    return skipped


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("type") != "user":
        return None
    if not _is_plain(line):
        # Imported here: compiling its patterns takes longer than the rest of the hook.
        from memtui.secrets.private import line_may_hold_private, without_private_in

        if line_may_hold_private(line):
            record = without_private_in(record)
    foreign = record.get("isSidechain") or record.get("isCompactSummary")
    return None if foreign or not isinstance(record.get("message"), dict) else record


def _is_plain(line: bytes) -> bool:
    """Whether a line certainly has no private part: ASCII, without the word or an escape of it."""
    return line.isascii() and not any(
        mark in line.lower() for mark in (b"private", b"&", b"\\u", b"\\x", b"%")
    )
