"""Asking the program ``claude`` one question: limited in time and size, with its own hooks off."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

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
    "-p",
    "--output-format",
    "text",
    # Without tools there is a single answer, and no text in the prompt can trigger an action.
    "--tools",
    "",
    "--strict-mcp-config",
    # No hooks run in that call; memtui's own check HOOKS_OFF as well.
    "--settings",
    json.dumps({"disableAllHooks": True}),
    "--no-session-persistence",
)
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""The variable by which Claude Code recognises a nested session, which it refuses."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class EngineError(Exception):
    """The model gave no usable answer; the text is the reason in one clause."""


class EngineCancelledError(EngineError):
    """The call was cancelled."""


def find_claude(env: Mapping[str, str] = os.environ) -> Path:
    """The program, found on PATH.

    Raises:
        EngineError: there is no such program.
    """
    found = find_program("claude", env.get("PATH"))
    if found is None:
        raise EngineError("the program claude is not on PATH")
    return Path(found)


def ask(
    prompt: str,
    *,
    patience: float = PATIENCE,
    cancelled: Callable[[], bool] = lambda: False,
    env: Mapping[str, str] = os.environ,
) -> str:
    """Ask ``claude -p`` and return its answer.

    It runs in an empty folder of its own, away from the project's settings and transcripts.

    Args:
        prompt: the whole question, passed on standard input.
        patience: seconds after which the process is ended.
        cancelled: polled twenty times a second; True ends the process.
        env: the environment.

    Raises:
        EngineCancelledError: `cancelled` answered True.
        EngineError: it is missing, too slow, too long, empty, or ended with an error; or there is no room on
            the disk for the question.
    """
    program = find_claude(env)
    try:
        with tempfile.TemporaryDirectory(prefix="memtui-claude-", ignore_cleanup_errors=True) as folder:
            answer = _run_claude(program, prompt, Path(folder), patience, cancelled, env)
    except OSError as error:  # a full disk, or no folder for temporary files at all
        raise EngineError(f"the question cannot be written: {os_error_reason(error)}") from error
    if not answer.strip():
        raise EngineError("claude answered nothing")
    return answer.decode("utf-8", "replace")


def _run_claude(
    program: Path,
    prompt: str,
    folder: Path,
    patience: float,
    cancelled: Callable[[], bool],
    env: Mapping[str, str],
) -> bytes:
    question = folder / "question"
    question.write_bytes(prompt.encode("utf-8", "replace"))
    empty = folder / "empty"
    empty.mkdir()
    with question.open("rb") as stdin, (folder / "errors").open("w+b") as errors:
        try:
            process = subprocess.Popen(
                [str(program), *_COMMAND],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=empty,
                env=_environment(env),
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"{program} cannot be started: {error.strerror}") from error
        answer = _answer(process, patience, cancelled)
        if process.returncode:
            reason = _last_line(errors, answer)
            raise EngineError(f"claude ended with exit code {process.returncode}{reason}")
    return answer


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in env.items() if name not in _NESTED}
    return {**own, HOOKS_OFF: "off"}


def _answer(process: subprocess.Popen[bytes], patience: float, cancelled: Callable[[], bool]) -> bytes:
    answer = bytearray()
    assert process.stdout is not None
    reader = threading.Thread(target=_read, args=(process.stdout, answer), daemon=True)
    reader.start()
    until = time.monotonic() + patience
    try:
        while reader.is_alive() or process.poll() is None:
            if cancelled():
                raise EngineCancelledError("cancelled")
            if len(answer) > MOST:
                raise EngineError(f"claude answered more than {MOST >> 10} KB")
            if time.monotonic() > until:
                raise EngineError(f"claude gave no answer in {patience:g} seconds")
            reader.join(_BEAT) if reader.is_alive() else _wait(process)
    finally:
        _end(process)
        reader.join(_LAST_WISH)
        process.stdout.close()
    return bytes(answer)


def _read(stream: IO[bytes], answer: bytearray) -> None:
    with suppress(OSError, ValueError):  # closed because the wait is over
        while len(answer) <= MOST and (block := os.read(stream.fileno(), 64 << 10)):
            answer += block


def _wait(process: subprocess.Popen[bytes]) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_BEAT)


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


def _last_line(errors: IO[bytes], answer: bytes) -> str:
    """The last line of its error output, or else of its answer."""
    errors.seek(0)
    text = (errors.read(64 << 10) or answer[:4096]).decode("utf-8", "replace")
    lines = [line for line in (_CONTROL.sub(" ", line).strip() for line in text.split("\n")) if line]
    return f": {lines[-1][:200]}" if lines else ""
