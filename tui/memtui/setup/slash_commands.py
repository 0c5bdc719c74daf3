"""The slash commands that memtui installs, and recognising their files.

Their texts are in `slash/`, with ``{memtui}`` for the command that starts memtui. ``/review-compact`` reviews
a capture (seed 001), ``/memory:compact`` stores a session under a Recovery ID (seed 000), ``/pin`` keeps a
line, ``/rescue`` gets lost ones back.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

REVIEW_COMPACT = "review-compact.md"
MEMORY_COMPACT = "memory/compact.md"
PIN = "pin.md"
RESCUE = "rescue.md"

COMMANDS = (REVIEW_COMPACT, PIN, RESCUE, MEMORY_COMPACT)
"""The commands' files in a `commands` folder; Claude Code names a command after its file, with a colon behind
the name of a subfolder (Claude Code fact)."""

_TEXTS = Path(__file__).parent / "slash"
_SEAL = re.compile(rb"\n<!-- written by memtui ([0-9a-f]{16}) -->\n\Z")


def slash_command(name: str, memtui: str = "memtui") -> bytes:
    """The file of a slash command.

    Args:
        name: one of `COMMANDS`.
        memtui: the shell command that starts memtui, quoted as needed.
    """
    text = (_TEXTS / name).read_text("utf-8").replace("{memtui}", memtui).encode()
    return text + b"\n<!-- written by memtui %s -->\n" % _hash(text)


def is_sealed(data: bytes) -> bool:
    """Whether memtui wrote this file, in any version, even if it was edited since."""
    return _SEAL.search(_unix(data)) is not None


def is_untouched(data: bytes) -> bool:
    """Whether memtui wrote this file and it is unchanged; line ends do not count (git)."""
    data = _unix(data)
    seal = _SEAL.search(data)
    return seal is not None and _hash(data[: seal.start()]) == seal[1]


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _hash(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()
