"""Programs and file systems of this machine; queries to git. Standard library only."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

_SILENT_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "drvfs", "fuse", "vboxsf", "prl_fs", "virtiofs")
"""Prefixes of file system types (in /proc/mounts) without events for changes made elsewhere."""


def find_program(name: str, path: str | None) -> str | None:
    """The absolute path of a program on a search path, or None.

    Relative folders on the path (``.``, ``node_modules/.bin``) are ignored: programs of a project must not be
    started.
    """
    folders = [folder for folder in (path or "").split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH117
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def run(
    command: Sequence[str],
    data: bytes = b"",
    *,
    seconds: float,
    cancelled: Callable[[], bool] = lambda: False,
    **options: Any,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program without a terminal, with `data` as its input; its output and errors.

    It is killed with its children after `seconds`, or once `cancelled`, which is polled twenty times a
    second: `subprocess.TimeoutExpired`. `OSError` if it cannot be started.
    """
    pipe, until = subprocess.PIPE, time.monotonic() + seconds
    # Not through a pipe: after its first timeout `communicate` writes nothing more of the input.
    with _file_with(data) as given:
        process = subprocess.Popen(
            command, stdin=given, stdout=pipe, stderr=pipe, start_new_session=True, **options
        )
    with process:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=0.05)
                    return subprocess.CompletedProcess(command, process.returncode, output, errors)
                if process.poll() is not None:  # a child that it left behind holds its output open
                    _kill(process)
                if cancelled() or time.monotonic() > until:
                    raise subprocess.TimeoutExpired(command, seconds)
        except BaseException:
            _kill(process)
            raise


def _file_with(data: bytes) -> IO[bytes]:
    if not data:
        return Path(os.devnull).open("rb")
    from tempfile import TemporaryFile  # a hook that asks git a question does without

    file = TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(data)
    file.seek(0)
    return file


@contextmanager
def handling(handler: Callable[[int, FrameType | None], object], *numbers: signal.Signals) -> Iterator[None]:
    """Let `handler` have these signals during the block."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):  # it has ended, and so have its children
        os.killpg(process.pid, signal.SIGKILL)


# The configuration of a repository from elsewhere (an unpacked archive) may name programs: a monitor, hooks,
# a checker of signatures, and a remote from which missing files would be fetched.
_NO_PROGRAMS = (
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false"),
    "--no-pager",
)
_READ_ONLY = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}


def git_environment(*kept: str) -> dict[str, str]:
    """The environment for git, without its variables, which may select or configure another repository.

    Those whose names begin with one of `kept` stay.
    """
    env = {key: value for key, value in os.environ.items() if key[:4] != "GIT_" or key.startswith(kept)}
    return env | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False if unknown."""
    answer = ask_git(root, "check-ignore", "-q", "--", str(path))
    return answer is not None and answer.returncode == 1


def ask_git(root: Path, *words: str) -> subprocess.CompletedProcess[bytes] | None:
    """Run a git command that only reads; None without a repository or git, or if it takes too long.

    Nothing that the project configures is run. Commands that read the content of working files (``status``,
    ``diff``) would run filters that the repository configures; they must not be asked for.
    """
    program = find_program("git", os.environ.get("PATH")) if (root / ".git").exists() else None
    if program is None:
        return None
    command = [program, *_NO_PROGRAMS, "-C", str(root), *words]
    with suppress(OSError, subprocess.TimeoutExpired):
        return run(command, seconds=10.0, env=git_environment() | _READ_ONLY)
    return None


def silent_file_system(folder: str, mounts: Path = Path("/proc/mounts")) -> str:
    """The name of the folder's file system if it reports no events, else ""; only known on Linux."""
    with suppress(OSError):
        rows = [line.split(" ") for line in mounts.read_text("utf-8", "replace").splitlines()]
        kinds = {row[1].replace("\\040", " "): row[2] for row in rows if len(row) > 2}
        above = (point for point in kinds if f"{folder}/".startswith(f"{point.rstrip('/')}/"))
        kind = kinds.get(max(above, key=len, default=""), "")
        return kind if kind.startswith(_SILENT_FILE_SYSTEMS) else ""
    return ""
