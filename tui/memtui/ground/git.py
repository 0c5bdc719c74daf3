"""Queries to git that run nothing configured by the project. Standard library only."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path
from typing import NamedTuple

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


class Answer(NamedTuple):
    """The result of a run of git."""

    code: int
    output: bytes


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False if unknown."""
    answer = ask(root, "check-ignore", "-q", "--", str(path))
    return answer is not None and answer.code == 1


def ask(root: Path, *words: str, seconds: float = _SECONDS, most: int = 128 << 20) -> Answer | None:
    """Run a git command that only reads; None without a repository or git, or if a limit is exceeded.

    Commands that read the content of working files (``status``, ``diff``) would run filters that the
    repository configures; they must not be asked for.
    """
    program = find_program("git", os.environ.get("PATH")) if (root / ".git").exists() else None
    if program is None:
        return None
    # Git's environment variables, set for its hooks, may select another repository.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    try:
        with subprocess.Popen(
            [program, *_NO_PROGRAMS, "-C", str(root), *words],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            limit = threading.Timer(seconds, process.kill)
            limit.start()
            try:
                output = process.stdout.read(most + 1)
                if len(output) > most:
                    process.kill()
                code = process.wait()
            finally:
                limit.cancel()
    except OSError:
        return None
    return Answer(code, output) if code >= 0 else None
