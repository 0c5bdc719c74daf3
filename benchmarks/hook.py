"""Each hook as a whole process, at its budget of time: those that a person waits for beside a bare Python.

PreCompact and SessionStart (clear) write the session's first version and archive 4 MB, as after an hour's
work; the same PreCompact on 100 MB has a limit of memory, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from data import Data, Place, data
from report import Figure, bounded, show

RUNS = 10
LARGE = 100 << 20
BUDGET, LARGE_BUDGET, LIGHT_BUDGET = 0.5, 3.0, 0.06
MEMORY_LIMIT = 300
"""MiB."""
QUICK = {"RUNS": 5, "LARGE": 20 << 20}

PYTHON = [sys.executable, "-I", "-c", "pass"]
HOOK = [sys.executable, "-I", "-m", "memtui.hooks"]
_LIGHT = {
    "UserPromptSubmit, nothing waits": ("user-prompt-submit", {"prompt": "Go on with the payment client."}),
    "SessionStart (startup)": ("session-start", {"source": "startup"}),
    "SessionStart (resume)": ("session-start", {"source": "resume"}),
}
_OTHERS = {
    "PreCompact": ("pre-compact", {"trigger": "auto"}),
    "SessionStart (compact)": ("session-start", {"source": "compact"}),
    "PostCompact": ("post-compact", {"trigger": "auto", "compact_summary": "The summary."}),
    "SessionEnd": ("session-end", {"reason": "clear"}),
    "SessionStart (clear)": ("session-start", {"source": "clear"}),
}
"""In the order in which a session has them."""


def measure(made: Data) -> list[Figure]:
    """Wall time of each event, and of PreCompact on a large transcript its peak memory."""
    place = made.place(captures=0, memories=0)
    small, large = place.transcripts / "small.jsonl", place.transcripts / "large.jsonl"
    _enlarge(place.transcript, small, 4 << 20)
    _enlarge(place.transcript, large, LARGE)
    bare: list[float] = []
    seconds: dict[str, list[float]] = {name: [] for name in (*_LIGHT, *_OTHERS)}
    on_large: list[float] = []
    memory = 0
    try:
        for number in range(RUNS + 1):
            taken = [_run(PYTHON, place, small, {})[0]]
            for name, (event, fields) in (*_LIGHT.items(), *_OTHERS.items()):
                if name == "SessionEnd":
                    _forget(place)
                seconds[name].append(_run([*HOOK, event], place, small, fields)[0])
            _forget(place)
            time_, used = _run([*HOOK, "pre-compact"], place, large, {"trigger": "auto"})
            memory = max(memory, used)
            _forget(place)
            if number:  # the first one reads from the disk
                bare += taken
                on_large.append(time_)
            else:
                for each in seconds.values():
                    each.clear()
    finally:
        small.unlink()
        large.unlink()
    limit = median(bare) + LIGHT_BUDGET
    return [
        *(bounded(f"hook: {name}", seconds[name], limit) for name in _LIGHT),
        *(bounded(f"hook: {name}, 4 MB", seconds[name], BUDGET) for name in _OTHERS),
        bounded(f"hook: PreCompact, {LARGE >> 20} MB", on_large, LARGE_BUDGET),
        Figure("the same, peak memory", f"{memory} MiB", f"<= {MEMORY_LIMIT} MiB", ok=memory <= MEMORY_LIMIT),
    ]


def _run(command: Sequence[str], place: Place, transcript: Path, fields: dict[str, str]) -> tuple[float, int]:
    """Seconds and peak MiB of a process."""
    payload = {
        "session_id": transcript.stem,
        "transcript_path": str(transcript),
        "cwd": str(place.project),
        **fields,
    }
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=place.environment
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - started, usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10)


def _forget(place: Place) -> None:
    """Remove what hooks have written, so that the next one does the whole work again."""
    home = place.root / "home"
    for folder in (home / "data" / "states", home / "data" / "archive", home / "state" / "captured"):
        shutil.rmtree(folder, ignore_errors=True)
    for capture in place.compacts.glob("*-autocompact.md"):
        capture.unlink()


def _enlarge(transcript: Path, large: Path, size: int) -> None:
    content = transcript.read_bytes()
    with large.open("wb") as file:
        while file.tell() < size:
            file.write(content)


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
