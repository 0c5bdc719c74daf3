"""The UserPromptSubmit hook with nothing to do, compared with a bare Python: it runs at every prompt.

Both are whole processes, run in turn: once where nothing has ever waited, once while something waits for
another session.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from data import Data, data
from report import Figure, compared, show

RUNS = 41
BUDGET = 1.5
QUICK = {"RUNS": 11}

PYTHON = [sys.executable, "-I", "-c", "pass"]
HOOK = [sys.executable, "-I", "-m", "memtui.hooks", "user-prompt-submit"]
_SESSION, _OTHER = "5e550000-1111-4222-8333-444455556666", "5e550001-1111-4222-8333-444455556666"


def measure(made: Data) -> list[Figure]:
    """Wall time against that of Python without a program."""
    place = made.place(captures=0, memories=0)
    prompt = {
        "session_id": _SESSION,
        "transcript_path": str(place.transcript),
        "cwd": str(place.project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Go on with the payment client, and run the tests before you commit.",
    }
    given, figures = json.dumps(prompt).encode(), []
    for what in ("UserPromptSubmit hook, nothing waits", "the same, something waits for another session"):
        bare: list[float] = []
        hook: list[float] = []
        for number in range(RUNS + 1):
            for command, seconds in ((PYTHON, bare), (HOOK, hook)):
                taken = _seconds(command, given, place.environment)
                if number:  # the first one reads from the disk
                    seconds.append(taken)
        figures.append(compared(what, hook, "bare python", bare, BUDGET))
        (place.root / "home" / "state" / "handover" / _OTHER).mkdir(parents=True, exist_ok=True)
    return figures


def _seconds(command: Sequence[str], given: bytes, environment: Mapping[str, str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, input=given, env=environment, capture_output=True, check=True)
    taken = time.perf_counter() - started
    assert not done.stdout, "the hook has something to say"
    return taken


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
