"""Asking git about a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from memtui.machine import find_program

_SECONDS = 10.0
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")
"""Variables that select another repository, which git sets for its hooks."""

# The configuration of a repository from elsewhere (an unpacked archive) may name programs: a monitor, hooks,
# and a remote from which a missing .gitignore would be fetched.
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_NO_FETCHING = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False when in doubt."""
    return _git(root, "check-ignore", "-q", str(path)) == 1


def git_tracks(root: Path, path: Path) -> bool:
    """Whether git tracks a file; False when in doubt."""
    return _git(root, "ls-files", "--error-unmatch", "--", str(path)) == 0


def _git(root: Path, *words: str) -> int | None:
    """The exit code of git; None without a repository or an answer."""
    if not (root / ".git").exists():
        return None
    git = find_program("git", os.environ.get("PATH"))
    if git is None:
        return None
    command = [git, *_NO_PROGRAMS, "-C", str(root), *words]
    env = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE} | _NO_FETCHING
    try:
        return subprocess.run(command, env=env, timeout=_SECONDS, capture_output=True, check=False).returncode
    except (OSError, subprocess.SubprocessError):
        return None
