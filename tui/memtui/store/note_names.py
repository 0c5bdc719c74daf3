"""File names for notes on a session or a project."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.project import transcript_slug

_LONGEST = 100


def session_key(session_id: str) -> str:
    """A file name for a session; an unusual id gets a checksum, so that no two share a name."""
    return session_id if len(session_id) <= _LONGEST and _is_plain(session_id) else _keyed(session_id)


def project_key(root: Path) -> str:
    """A file name for a project."""
    return _keyed(str(root))


def _is_plain(name: str) -> bool:
    """Whether it is ASCII letters, digits, ``-`` and ``_``, and begins with a letter or digit."""
    return name.isascii() and name[:1].isalnum() and name.replace("-", "").replace("_", "").isalnum()


def _keyed(text: str) -> str:
    import zlib  # rarely needed

    return (
        f"{transcript_slug(Path(text))[-_LONGEST:]}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    )
