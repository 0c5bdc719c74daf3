"""Mapping paths in a text from another machine to this project's root."""

from __future__ import annotations

import re
from pathlib import Path, PureWindowsPath

_END = r"(?=[\\/]|[\s\"'`)\],;:]|$)"


def is_elsewhere(root: str, here: Path) -> bool:
    """Whether a root in a text is this project's on another machine: same folder name, missing here."""
    if not root.strip() or root == str(here):
        return False
    name = PureWindowsPath(root).name  # splits at both kinds of slashes
    return name == here.name and not Path(root).exists()


def mapped(text: str, root: str, here: Path) -> str:
    r"""The text with every path below `root` moved below `here`; ``\`` in those paths becomes ``/``."""
    stem = root.rstrip("\\/")
    windows = "\\" in stem or re.match(r"[A-Za-z]:", stem) is not None
    pattern = re.compile(
        rf"(?<![\w/\\.-]){re.escape(stem)}{_END}([\\/][^\s\"'`)\],;:]*)?", re.IGNORECASE if windows else 0
    )

    def there(match: re.Match[str]) -> str:
        rest = match[1] or ""
        return str(here) + (rest.replace("\\", "/") if windows else rest)

    return pattern.sub(there, text)
