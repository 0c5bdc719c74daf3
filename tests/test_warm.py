"""A forked program behaves like one in an interpreter of its own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.warm import Warm


def start(program: str, *words: str, cwd: Path = Path("/"), **env: str) -> Warm:
    return Warm(program, *words, cwd=cwd, env=env, imports=["import json"])


def test_it_has_its_own_arguments_folder_and_variables(tmp_path: Path) -> None:
    program = "import os, sys; print(sys.argv, os.getcwd(), sorted(os.environ), sys.stdin.read())"
    process = start(program, "a", "b", cwd=tmp_path, ONE="1")
    assert process.communicate("ä".encode(), timeout=60) == (
        f"['-c', 'a', 'b'] {tmp_path} ['ONE'] ä\n".encode(),
        b"",
    )
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("program", "code", "errors"),
    [
        ("import sys; sys.exit(3)", 3, b""),
        ("raise SystemExit('no')", 1, b"no\n"),
        ("import os; os._exit(4)", 4, b""),
        ("1 / 0", 1, b"ZeroDivisionError: division by zero\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, b""),
    ],
)
def test_it_ends_as_it_ends(program: str, code: int, errors: bytes) -> None:
    process = start(program)
    assert process.communicate(timeout=60)[1].endswith(errors)
    assert process.returncode == code


def test_what_is_left_for_its_end_is_done() -> None:
    program = "import atexit, sys; atexit.register(print, 'last'); print('first', end=' '); sys.exit(3)"
    process = start(program)
    assert process.communicate(timeout=60) == (b"first last\n", b"")
    assert process.returncode == 3
    unread = start("import sys; sys.stdin.read(); print('to nobody')")
    unread.stdout.close()
    unread.stdin.close()
    assert b"BrokenPipeError" in unread.stderr.read()
    assert unread.wait(60) == 120  # as an interpreter says that it could not write the last words
    unread.end()


def test_it_has_no_open_files_but_its_streams() -> None:
    others = [start("input()") for _ in range(3)]
    program = "import os; print([fd for fd in range(3, 64) if os.path.exists(f'/dev/fd/{fd}')])"
    assert start(program).communicate(timeout=60) == (b"[]\n", b"")
    for other in others:
        other.end()
        assert other.returncode == -signal.SIGKILL


def test_modules_imported_for_all_are_not_the_programs_own() -> None:
    first = start("import json; json.loads = None; print(json.loads)")
    assert first.communicate(timeout=60)[0] == b"None\n"
    assert start("import json; print(json.loads('1'))").communicate(timeout=60) == (b"1\n", b"")


def test_it_gets_signals() -> None:
    process = start("try:\n print('ready', flush=True)\n input()\nexcept KeyboardInterrupt: print('stopped')")
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert process.stdout.read() == b"stopped\n"
    assert process.pid != os.getpid()
    process.end()
