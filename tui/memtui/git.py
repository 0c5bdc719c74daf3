"""Asking git about a project without running anything that the project configures. Standard library only."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

from memtui.machine import find_program
from memtui.named import NamedTuple

_SECONDS = 10.0
_MOST = 128 << 20
"""Bytes of output that are read."""

# The configuration of a repository from elsewhere (an unpacked archive) may name programs: a monitor, hooks,
# a checker of signatures, and a remote from which missing files would be fetched.
_NO_PROGRAMS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "log.showSignature=false",
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
    """The end of a run of git."""

    code: int
    output: bytes


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False when in doubt."""
    return _code(root, "check-ignore", "-q", "--", str(path)) == 1


def git_ignores(root: Path, path: Path) -> bool:
    """Whether git would not commit a file; False when in doubt."""
    return _code(root, "check-ignore", "-q", "--", str(path)) == 0


def git_tracks(root: Path, path: Path) -> bool:
    """Whether git tracks a file; False when in doubt."""
    return _code(root, "ls-files", "--error-unmatch", "--", str(path)) == 0


def _code(root: Path, *words: str) -> int | None:
    answer = ask(root, *words)
    return answer.code if answer is not None else None


def ask(root: Path, *words: str, seconds: float = _SECONDS, most: int = _MOST) -> Answer | None:
    """Run a command of git that only reads.

    Commands that read the content of working files (``status``, ``diff``) would run filters that the
    repository configures; they must not be asked for.

    Args:
        root: the folder with the repository.
        words: behind ``git``.
        seconds: how long it may take.
        most: how many bytes it may print.

    Returns:
        None without a repository, without git, or if it takes too long or prints too much.
    """
    program = find_program("git", os.environ.get("PATH")) if (root / ".git").exists() else None
    if program is None:
        return None
    # Variables of git may select another repository; git sets them for its hooks.
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
