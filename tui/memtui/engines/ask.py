"""Asking the program ``claude`` one question: limited in time and size, without tools, with its hooks off."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import IO, TypeVar

from memtui.ground.files.problems import os_error_reason
from memtui.ground.machine import find_program
from memtui.ground.project import HOOKS_OFF

PATIENCE = 180.0
"""Maximum seconds for an answer."""
MOST = 256 << 10
"""Maximum size of an answer in bytes; a good one has some 20 KB."""

_BEAT = 0.05
_LAST_WISH = 1.0
"""Seconds between terminating the process and killing it."""
_COMMAND = (
    # Without tools there is a single answer, and no text in the prompt can trigger an action.
    *("-p", "--output-format", "text", "--tools", "", "--strict-mcp-config"),
    # No hooks run in that call; memtui's own check HOOKS_OFF as well.
    *("--settings", json.dumps({"disableAllHooks": True}), "--no-session-persistence"),
)
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""The variables by which Claude Code recognises a nested session, which it refuses."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")

T = TypeVar("T")


class Engine(StrEnum):
    """The values of ``--engine``."""

    FACTS = "facts"
    """Facts of the transcript alone."""
    CLAUDE = "claude"
    """Facts, improved by ``claude -p``."""


class EngineError(Exception):
    """The model gave no usable answer; the text is the reason in one clause."""


def improved(draft: T, asking: Callable[[], T]) -> tuple[T, str]:
    """A draft improved by the model, and ""; or the draft itself, and the reason in one clause."""
    try:
        return asking(), ""
    except EngineError as error:
        return draft, str(error)


def ask(
    prompt: str, cancelled: Callable[[], bool] = lambda: False, env: Mapping[str, str] = os.environ
) -> str:
    """Ask ``claude -p`` and return its answer.

    It runs in an empty folder of its own, away from the project's settings and transcripts.

    Args:
        prompt: the whole question, passed on standard input.
        cancelled: polled twenty times a second; True ends the process.
        env: the environment.

    Raises:
        EngineError: it is missing, too slow, too long, empty, or ended with an error; it was cancelled; or
            there is no room on the disk for the question.
    """
    program = find_program("claude", env.get("PATH"))
    if program is None:
        raise EngineError("the program claude is not on PATH")
    own = {name: value for name, value in env.items() if name not in _NESTED} | {HOOKS_OFF: "off"}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="memtui-claude-", ignore_cleanup_errors=True) as folder,
            tempfile.TemporaryFile() as question,
            tempfile.TemporaryFile() as answer,
            tempfile.TemporaryFile() as errors,
        ):
            question.write(prompt.encode("utf-8", "replace"))
            question.seek(0)
            process = subprocess.Popen(
                [program, *_COMMAND], stdin=question, stdout=answer, stderr=errors, cwd=folder, env=own,
                start_new_session=True,
            )  # fmt: skip
            try:
                _wait(process, answer, cancelled)
            finally:
                _end(process)
            said = _read(answer)
            if process.returncode:
                lines = [line for line in map(_plain, (_read(errors) or said).split("\n")) if line]
                reason = f": {lines[-1][:200]}" if lines else ""
                raise EngineError(f"claude ended with exit code {process.returncode}{reason}")
    except OSError as error:  # a full disk, no folder for temporary files, a program that cannot be started
        raise EngineError(f"claude cannot be asked: {os_error_reason(error)}") from error
    if not said.strip():
        raise EngineError("claude answered nothing")
    return said


def _wait(process: subprocess.Popen[bytes], answer: IO[bytes], cancelled: Callable[[], bool]) -> None:
    """Wait until the process has ended.

    Raises:
        EngineError: it was cancelled, or takes too long or says too much.
    """
    until = time.monotonic() + PATIENCE
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_BEAT)
        if os.fstat(answer.fileno()).st_size > MOST:
            raise EngineError(f"claude answered more than {MOST >> 10} KB")
        if process.returncode is not None:
            return
        if cancelled():
            raise EngineError("cancelled")
        if time.monotonic() > until:
            raise EngineError(f"claude gave no answer in {PATIENCE:g} seconds")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children, even if it ignores the first signal."""
    for sign in (signal.SIGTERM, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM):
        with suppress(OSError):
            if sys.platform == "win32":
                process.terminate()
            else:
                os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WISH)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST).decode("utf-8", "replace")


def _plain(line: str) -> str:
    return _CONTROL.sub(" ", line).strip()
