"""Running the user's git on a bare repository of memtui's, so that nothing in it can be executed.

No file is ever checked out, so links, filters and attributes of a remote have no effect; hooks, helpers and
submodules are turned off. The user's own configuration of hosts (ssh, credential helpers) is respected.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from memtui.ground.clean import clean_line
from memtui.ground.files import private_parents
from memtui.ground.machine import find_program
from memtui.share.remote import SECONDS, RemoteProblemError, Trouble

_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.alternateRefsCommand": "",
    "protocol.ext.allow": "never",
    "transfer.fsckObjects": "true",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgSign": "false",
    "init.defaultBranch": "main",
    "init.templateDir": "",
}
_MOST_BLOCKS = 1 << 20
"""Maximum size of a file written by a fetch, in blocks of 512 or 1,024 bytes: a remote may be hostile."""
_BOUNDED = 'ulimit -f "$1" && shift && exec "$@"'
_KEPT_VARIABLES = (
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_NO_VERIFY",
)
"""Variables that configure access to a host; git's others select or configure repositories."""
_HINTS = ("fatal: ", "error: ", "remote: ", "ssh: ")
_PROGRESS = re.compile(
    r"(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Total) "
)
_PROGRESS_FACTOR = 60
"""A command that shows progress may take this many times `SECONDS`."""
_LOCKED = re.compile(rb"Unable to create '([^']+\.lock)': File exists")
_LOCKS = 8
"""The most lock files that a killed git may leave."""
_HELD_SECONDS = 2.0
"""Seconds after which a lock counts as left behind in memtui's own repository, where git's work is short."""
_LOOK_SECONDS = 0.02


class GitFailedError(Exception):
    """Git failed; the message is the line of its output that gives the reason."""

    def __init__(self, reason: str, printed: bytes = b"") -> None:
        super().__init__(reason)
        self.printed = printed
        """Its standard error; b"" when it could not be run to its end."""


class Git:
    """Git in a bare repository."""

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        """Make the object; nothing is run.

        Args:
            folder: the repository; `make` creates it.
            seconds: time limit of one run.

        Raises:
            RemoteProblemError: git is not installed.
        """
        program = find_program("git", os.environ.get("PATH"))
        if program is None:
            reason = "is not installed; a remote that is a repository needs it"
            raise RemoteProblemError("git", reason, Trouble.NOT_INSTALLED)
        settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
        self._folder = folder
        self._command = [program, "--git-dir", str(folder), *settings]
        self._seconds = seconds
        kept = {
            key: value for key, value in os.environ.items() if key in _KEPT_VARIABLES or key[:4] != "GIT_"
        }
        self._env = {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}

    def make(self) -> None:
        """Create the repository if it is missing."""
        if (self._folder / "HEAD").is_file():
            return
        new = self._folder.with_name(f"{self._folder.name}.new")
        for half in (new, self._folder):  # a killed process may have left it behind
            shutil.rmtree(half, ignore_errors=True)
        try:
            private_parents(new)
            self.run("init", "--quiet", "--bare", str(new))
            new.rename(self._folder)
        except OSError as error:
            raise GitFailedError(f"{self._folder} cannot be made: {error.strerror}") from error

    def run(self, *arguments: str, data: bytes = b"", bounded: bool = False, patient: bool = False) -> bytes:
        """Run a git command to its end and return its output.

        Args:
            arguments: those of ``git``.
            data: its input.
            bounded: limit the size of the files that it writes.
            patient: allow more time as long as it shows progress.

        Raises:
            GitFailedError: it failed, or took too long.
        """
        for _ in range(_LOCKS):
            try:
                return self._run(arguments, data, bounded=bounded, patient=patient)
            except GitFailedError as error:
                if not release(error.printed, self._folder, _HELD_SECONDS):
                    raise
        return self._run(arguments, data, bounded=bounded, patient=patient)

    def _run(self, arguments: Sequence[str], data: bytes, *, bounded: bool, patient: bool) -> bytes:
        command = [*self._command, *arguments]
        if bounded:
            command = ["sh", "-c", _BOUNDED, "sh", str(_MOST_BLOCKS), *command]
        try:
            # In a session of its own: without a terminal ssh fails instead of asking for a password.
            process = subprocess.Popen(
                command,
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._env,
            )
        except OSError as error:
            raise GitFailedError(f"git cannot be run: {error.strerror}") from error
        with process:
            try:
                printed, errors = self._communicate(process, data, _PROGRESS_FACTOR if patient else 1)
            except BaseException:
                # Including ssh and other children, which keep its output open.
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        if process.returncode:
            raise GitFailedError(_reason(errors) or f"git ended with {process.returncode}", errors)
        return printed

    def _communicate(self, process: subprocess.Popen[bytes], data: bytes, times: int) -> tuple[bytes, bytes]:
        """Wait for its end; it may exceed the limit `times` times as long as it shows progress."""
        shown = 0
        for _ in range(times):
            try:
                return process.communicate(data, self._seconds)
            except subprocess.TimeoutExpired as late:
                before, shown = shown, len(late.stderr or b"")
                if shown == before:
                    break
        raise self._late()

    def _late(self) -> GitFailedError:
        return GitFailedError(f"it did not answer within {self._seconds:.0f} s")

    @contextmanager
    def reading(self, *arguments: str, data: bytes = b"") -> Iterator[IO[bytes]]:
        """Run a git command with long output, read as a stream; the rest may be left unread.

        Args:
            arguments: those of ``git``.
            data: its input.

        Raises:
            GitFailedError: it cannot be run, failed, or did not end.
        """
        with ExitStack() as files:
            try:
                given, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
                given.write(data)
                given.seek(0)
                process = subprocess.Popen(
                    [*self._command, *arguments],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=self._env,
                )
            except OSError as error:
                raise GitFailedError(f"git cannot be run: {error.strerror}") from error
            assert process.stdout is not None
            try:
                yield process.stdout
            finally:
                process.stdout.close()  # ends a command that was not read to its end
                code = self._end_of(process)
            if code not in (0, -signal.SIGPIPE):
                errors.seek(0)
                printed = errors.read(1 << 16)
                raise GitFailedError(_reason(printed) or f"git ended with {code}", printed)

    def _end_of(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise self._late() from None

    def has(self, *commits: str) -> bool:
        """Whether these commits are in the repository."""
        try:
            for each in commits:
                self.run("cat-file", "-e", f"{each}^{{commit}}")
        except GitFailedError:
            return False
        return True


def release(printed: bytes, folder: Path, seconds: float) -> bool:
    """Remove a lock left in a folder by a killed process, or wait for its release.

    Args:
        printed: standard error of the git command that was blocked.
        folder: files elsewhere are left alone.
        seconds: time without a change after which a lock counts as left behind.

    Returns:
        Whether a retry makes sense.
    """
    found = _LOCKED.search(printed)
    path = Path(os.path.realpath(os.fsdecode(found[1]))) if found else folder
    if path == folder or not path.is_relative_to(os.path.realpath(folder)):
        return False
    until, first = time.monotonic() + seconds, _identity(path)
    while _identity(path) == first is not None:
        if time.monotonic() >= until:
            try:
                path.unlink(missing_ok=True)
            except OSError:
                return False
            break
        time.sleep(_LOOK_SECONDS)
    return True


def _identity(path: Path) -> tuple[int, ...] | None:
    with suppress(OSError):
        status = path.lstat()
        return status.st_ino, status.st_mtime_ns, status.st_size
    return None


def _reason(errors: bytes) -> str:
    lines = [clean_line(line) for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = [line for line in lines if not _PROGRESS.match(line)]
    telling = [line for line in lines if line.startswith(_HINTS)]
    return (telling or lines or [""])[0][:300]
