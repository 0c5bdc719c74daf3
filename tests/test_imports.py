"""Modules imported by each command, which users and hooks wait for. Checked in clean interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.world import World


def _ran(program: str, *words: str, cwd: Path) -> str:
    """The output of a program in an interpreter of its own, which must not fail."""
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=dict(os.environ),
        stdin=subprocess.DEVNULL, check=False,
        timeout=60,
    )  # fmt: skip
    assert "MODULES" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


_COMMANDS = (
    "--version", "captuers", "captures --json", "review", "transcript no-such-file", "state show", "lost",
    "--help", "restore", "memory list", "core-memory list", "init --dry-run", "mcp --help",
)  # fmt: skip

# One interpreter for all of them: what any one imports is there at its end.
_ALL = """
import sys
from contextlib import suppress
from memtui.__main__ import main
for words in sys.argv[1:]:
    sys.argv = ["memtui", *words.split()]
    with suppress(SystemExit):
        main()
    print("\\nMODULES", *sorted(sys.modules))
"""


def test_commands_never_import_the_app(tmp_path: Path) -> None:
    done = _ran(_ALL, *_COMMANDS, cwd=tmp_path)
    for words, printed in zip(_COMMANDS, done.split("\nMODULES")[1:], strict=True):
        imported = set(printed.partition("\n")[0].split())
        assert not imported & {"textual", "watchdog", "rich", "mcp", "anyio"}, words
        assert not any(name.startswith(("memtui.app", "memtui.mcp")) for name in imported), words


def test_the_app_imports_no_mcp_library() -> None:
    """That the server imports no Textual is looked at where one runs: tests/mcp/test_process.py."""
    program = "import sys, memtui.app.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    imported = set(done.stdout.split())
    assert "mcp" not in imported
    assert "textual" in imported


_HOOK = """
import os, sys
def leave(code):
    print("\\nMODULES", *sorted(sys.modules), flush=True)
    exit(code)
exit, os._exit = os._exit, leave
sys.argv[:] = ["memtui-hook", sys.argv[1]]
from memtui.hooks.main import main
main()
"""

_HEAVY = {
    *("pydantic", "click", "yaml", "inspect", "dataclasses", "subprocess", "logging", "shutil", "tempfile"),
    *("memtui.secrets.rules", "memtui.hooks.compaction", "memtui.store.state_updates", "memtui.hooks.notes"),
}


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("user-prompt-submit", {"prompt": "/nosuch command"}),
        ("session-start", {"source": "startup"}),
        ("session-start", {"source": "resume"}),
    ],
)
def test_what_a_person_waits_for_imports_little(tmp_path: Path, event: str, fields: dict[str, Any]) -> None:
    """The other events are waited for by a compaction: `benchmarks/hook.py` holds them to a time."""
    world = World(tmp_path)
    world.activate("babysit")
    (world.memtui_home / "config" / "config.toml").unlink()
    done = world.run(event, command=[sys.executable, "-I", "-c", _HOOK, event], **fields)
    assert [run.event for run in world.runs] == [event]
    imported = set(done.out.rpartition("MODULES")[2].split())
    assert sorted(imported & _HEAVY) == []


def test_the_package_root_imports_nothing() -> None:
    program = "import sys; before = set(sys.modules); import memtui; print(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    # __future__ is what an annotation import costs; anything else is paid by every hook.
    assert set(done.stdout.split()) <= {"memtui", "__future__"}
