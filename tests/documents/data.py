"""The golden files of the formats."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "data" / "formats"


def golden(name: str) -> str:
    """The text of a golden file, line ends untouched."""
    return (_FOLDER / name).read_bytes().decode()
