"""A test that hangs fails by itself, and signals end what the tests start."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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
