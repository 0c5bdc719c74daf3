"""A test that hangs fails by itself, and signals end what the tests start."""

from __future__ import annotations

import ast
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_signals_that_this_process_ignores_end_its_children(number: int) -> None:
    child = f"import os, time; os.kill(os.getpid(), {int(number)}); time.sleep(60)"
    program = (
        "import signal, subprocess, sys\n"
        f"signal.signal({int(number)}, signal.SIG_IGN)  # as in a job started with `&`, or by nohup\n"
        "from tests.limits import reset_signals\n"
        "reset_signals()\n"
        f"print(subprocess.run([sys.executable, '-c', {child!r}], stderr=-3, timeout=50).returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == [str(-number)]


def test_a_test_that_hangs_ends_with_its_stack() -> None:
    program = (
        "import threading\n"
        "from tests import limits\n"
        "limits.begin(0.1)\n"
        "def hang():\n"
        "    threading.Event().wait()\n"
        "hang()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "Timeout" in done.stderr and " in hang" in done.stderr


def test_every_test_is_limited(request: pytest.FixtureRequest) -> None:
    hooks = request.config.pluginmanager.hook.pytest_runtest_protocol.get_hookimpls()
    assert any(hook.plugin_name.endswith("conftest.py") for hook in hooks)


_WAITS = ("run", "check_call", "check_output", "communicate", "wait")
_MAY_WAIT = re.compile(r"\bsubprocess\b|\bcommunicate\b|\bwait\b")


def _unlimited(path: Path) -> list[str]:
    found = []
    text = path.read_text("utf-8")
    if not _MAY_WAIT.search(text):
        return []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in _WAITS:
            continue
        owner = ast.unparse(node.func.value)
        waits = node.func.attr == "communicate" or (owner == "subprocess" and node.func.attr in _WAITS)
        waits |= node.func.attr == "wait" and "process" in owner and not node.args
        if waits and not any(keyword.arg == "timeout" for keyword in node.keywords):
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def test_every_wait_for_a_process_is_limited() -> None:
    paths = sorted((ROOT / "tests").rglob("*.py"))
    assert [place for path in paths for place in _unlimited(path)] == []
