"""`memtui core-memory`: the seed's calls, as processes and byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.cli import output
from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.cli.memories import TEXT, Pipe, put
from tests.cli.starting import start_memtui


def _shell(line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell line in which `memtui` is what it is for people."""
    program = f'memtui() {{ "{sys.executable}" -m memtui "$@"; }}\n{line}'
    return subprocess.run(
        ["sh", "-c", program], capture_output=True, check=False, env={**os.environ, **variables}, timeout=60
    )


def test_the_two_calls_and_back(project: Project, tmp_path: Path) -> None:
    source = tmp_path / "session-memory.md"
    source.write_bytes(TEXT.encode() + b"\n")
    piped = _shell('echo "$structuredText" | memtui core-memory import', structuredText=TEXT)
    from_file, errors = start_memtui("core-memory", "import", "--file", str(source)).communicate(timeout=60)
    first, second = json.loads(piped.stdout), json.loads(from_file)
    for answer in (first, second):
        assert answer == {
            "operation": "import",
            "id": answer["id"],
            "message": f"Created memory: {answer['id']}",
        }
    exported = _shell(f"memtui core-memory export --id {first['id']}")
    assert exported.stdout == source.read_bytes()
    assert [piped.stderr, errors, exported.stderr] == [b""] * 3
    assert start_memtui("core-memory", "export", "--id", second["id"]).communicate(timeout=60) == (
        source.read_bytes(),
        b"",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb",
        b"\xef\xbb\xbf\xff\xfe\x00",
        "退款 🧾\u2028".encode(),
        b"---\nid: x\n---\nbody\n",
        b"\x1b[2Jx\r",
    ],
)
def test_any_bytes_come_back(project: Project, data: bytes) -> None:
    answer, errors = start_memtui("core-memory", "import").communicate(data, timeout=60)
    assert errors == b""
    exported = start_memtui("core-memory", "export", "--id", json.loads(answer)["id"])
    assert exported.communicate(timeout=60) == (data, b"")
    assert exported.returncode == 0


@pytest.mark.parametrize("reader", ["cat >whole", "head -c 80"])
def test_ten_megabytes_to_an_unbuffered_output(project: Project, reader: str) -> None:
    whole = (b"x" * 79 + b"\n") * 131072
    export = f"memtui core-memory export --id {put('2026-01-01T08:00:00+00:00', whole)}"
    done = _shell(f"({export}; echo $? >&2) | {reader}", PYTHONUNBUFFERED="1")
    if reader == "cat >whole":
        assert (done.stderr, Path("whole").read_bytes() == whole) == (b"0\n", True)
    else:
        assert (done.stderr, done.stdout) == (b"1\n", whole[:80])


def test_a_closed_standard_input_or_output(project: Project) -> None:
    closed = _shell("memtui core-memory import <&-")
    assert closed.returncode == 1
    assert closed.stderr == b"memtui: standard input is closed; name a file, or pipe a text in.\n"
    words = ("core-memory", "export", "--id", put("2026-01-01T08:00:00+00:00"))
    # An interpreter that finds no descriptor 1 has no such stream, either.
    before = "import os, sys; os.close(1); sys.stdout = sys.__stdout__ = None"
    process = start_memtui(*words, before=before)
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


def test_a_full_device_is_reported(project: Project) -> None:
    words = ("core-memory", "export", "--id", put("2026-01-01T08:00:00+00:00"))
    process = start_memtui(*words, before="import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1)")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"No space left" in errors and b"Traceback" not in errors


def test_a_terminal_gets_no_json(
    memtui: Memtui, project: Project, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    pipe(TEXT.encode())
    out = memtui("core-memory", "import").out
    assert "CMEM-" in out
    assert "{" not in out
