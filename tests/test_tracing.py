"""The tracing behind `make kill`. Each test runs in its own process, as it waits for all its children."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_REFUSING = """
from tests import kill_run, tracing
class Refusing:
    def ptrace(self, *_): return -1
tracing.LIBC = Refusing()
kill_run.main()
"""
_FOLLOWING = """
import os
from tests.tracing import RefusedError, follow

def act():
    if os.fork():
        os.wait()
    while True:
        os.getppid()

def kill(tree, caller):
    print(len(tree.alive))
    tree.kill(*tree.alive)

try:
    print(follow(lambda: None, 0, kill).code, follow(act, 2000, kill).code)
except RefusedError:
    print("refused")
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[1]
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=60)


def test_where_ptrace_is_refused_the_sweep_ends_with_a_sentence() -> None:
    done = run(_REFUSING)
    said = "ptrace is refused here: the sweep needs a system that allows it.\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_processes_that_others_start_are_followed_and_killed() -> None:
    done = run(_FOLLOWING)
    if "refused" in done.stdout:
        pytest.skip("ptrace is refused here")
    assert (done.stdout, done.stderr) == ("2\n0 -9\n", "")
