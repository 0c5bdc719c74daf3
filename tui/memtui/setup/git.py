"""What git would do with a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SECONDS = 10.0


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; in doubt it is not said."""
    if not (root / ".git").exists():
        return False
    # A repository from elsewhere may name programs to be started.
    words = ["git", "-c", "core.fsmonitor=false", "-C", str(root), "check-ignore", "-q", str(path)]
    try:
        done = subprocess.run(words, timeout=_SECONDS, capture_output=True, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 1
