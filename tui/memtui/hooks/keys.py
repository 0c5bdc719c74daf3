"""File names under which the hooks keep notes on a session or a project between two runs."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.project import transcript_slug

_LONGEST = 100


def session_key(session_id: str) -> str:
    """A file name for a session; an id that is no plain word gets a checksum, so that two never share one."""
    if len(session_id) <= _LONGEST and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", session_id):
        return session_id
    return _keyed(session_id)


def project_key(root: Path) -> str:
    """A file name for a project."""
    return _keyed(str(root))


def _keyed(text: str) -> str:
    import zlib  # seldom needed

    return (
        f"{transcript_slug(Path(text))[-_LONGEST:]}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    )
