"""The PreCompact hook compared with a bash + jq script that makes the same capture, and on 500 MB.

Both are whole processes, run in turn: from the start until the end. Each run is another session's, so that
the hook writes a capture every time. It also starts the process that writes the session's state; that finds
another one at work here, and is waited for before the next run, outside of what is measured.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from data import Data, Place, data
from memtui.ground.files import lock
from report import Figure, bounded, compared, show

RUNS = 21
BUDGET = 0.5
LARGE_BUDGET = 1.5
LARGE = 500 << 20
MEMORY_LIMIT = 60
"""MiB."""
QUICK = {"RUNS": 5, "LARGE": 20 << 20}

SCRIPT = ["bash", str(Path(__file__).with_name("precompact-capture.sh"))]
HOOK = [sys.executable, "-I", "-m", "memtui.hooks", "pre-compact"]


class Hook:
    """One command that captures, on one transcript."""

    def __init__(self, place: Place, command: Sequence[str], transcript: Path) -> None:
        self._place = place
        self._command = command
        self._transcript = transcript
        self.seconds: list[float] = []
        self.memory = 0
        """Peak in MiB."""

    def run(self, number: int) -> None:
        """Capture the compaction of session `number`."""
        payload = {
            "session_id": f"{number}-{os.getpid()}-{id(self)}",
            "transcript_path": str(self._transcript),
            "cwd": str(self._place.project),
            "hook_event_name": "PreCompact",
            "trigger": "auto",
            "custom_instructions": None,
        }
        started = time.perf_counter()
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=self._place.environment
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.perf_counter() - started)
        process.returncode = os.waitstatus_to_exitcode(status)
        _wait_for_orphans()
        self.memory = max(self.memory, usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10))
        # A compaction a second is what no session has: the next one does not find this one's name taken.
        (capture,) = self._place.compacts.glob("*-autocompact.md")
        capture.unlink()


def measure(made: Data) -> list[Figure]:
    """Wall time against the script's, the same on a large transcript, and peak memory."""
    place = made.place(captures=0, memories=0)
    requests = place.root / "home" / "state" / "requests"
    requests.mkdir(parents=True)
    _adopt_orphans()
    with lock(requests / "server"):
        return _measured(place)


def _measured(place: Place) -> list[Figure]:
    large = place.transcripts / "large.jsonl"
    _enlarge(place.transcript, large)
    try:
        script = Hook(place, SCRIPT, place.transcript)
        hook = Hook(place, HOOK, place.transcript)
        on_large = Hook(place, HOOK, large)
        for number in range(RUNS + 1):
            for each in (script, hook, on_large):
                each.run(number)
            if not number:  # files are read from the disk, and byte code is written
                for each in (script, hook, on_large):
                    each.seconds.clear()
    finally:
        large.unlink()
    memory = max(hook.memory, on_large.memory)
    return [
        compared("hook process, PreCompact", hook.seconds, "bash + jq script", script.seconds, BUDGET),
        bounded("hook process, PreCompact: time", hook.seconds, 0.15),
        compared(
            f"the same, {LARGE >> 20} MB transcript", on_large.seconds, "2 MB", hook.seconds, LARGE_BUDGET
        ),
        Figure(
            "the same, peak memory",
            f"{memory} MiB",
            budget=f"<= {MEMORY_LIMIT} MiB",
            ok=memory <= MEMORY_LIMIT,
        ),
    ]


def _adopt_orphans() -> None:
    """Adopt the processes left by hooks, to wait for them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for_orphans() -> None:
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


_PR_SET_CHILD_SUBREAPER = 36


def _enlarge(transcript: Path, large: Path) -> None:
    content = transcript.read_bytes()
    with large.open("wb") as file:
        while file.tell() < LARGE:
            file.write(content)


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
