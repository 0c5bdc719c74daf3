"""Queries to git that run nothing configured by the project. Standard library only."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from memtui.ground.machine import find_program

_SECONDS = 10.0

# The configuration of a repository from elsewhere (an unpacked archive) may name programs: a monitor, hooks,
# a checker of signatures, and a remote from which missing files would be fetched.
_NO_PROGRAMS = (
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false"),
    "--no-pager",
)
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False if unknown."""
    answer = ask(root, "check-ignore", "-q", "--", str(path))
    return answer is not None and answer.returncode == 1


def ask(root: Path, *words: str) -> subprocess.CompletedProcess[bytes] | None:
    """Run a git command that only reads; None without a repository or git, or if it takes too long.

    Commands that read the content of working files (``status``, ``diff``) would run filters that the
    repository configures; they must not be asked for.
    """
    program = find_program("git", os.environ.get("PATH")) if (root / ".git").exists() else None
    if program is None:
        return None
    # Git's environment variables, set for its hooks, may select another repository.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    command = [program, *_NO_PROGRAMS, "-C", str(root), *words]
    try:
        return subprocess.run(
            command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
