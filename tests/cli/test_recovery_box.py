"""The box of seed 000, section 5."""

from __future__ import annotations

import io
import sys

import pytest
from rich.cells import cell_len

from memtui.cli.output import print_recovery_box, recovery_box

# The seed's, but for the command, which is memtui's own.
SEED = """\
╔════════════════════════════════════════════════════════════════════════════╗
║  ✓ Session Memory Saved                                                    ║
║                                                                            ║
║  Recovery ID: CMEM-YYYYMMDD-HHMMSS                                         ║
║                                                                            ║
║  To restore: "Please import memory <ID>"                                   ║
║  (MCP: core_memory export | CLI: memtui core-memory export --id <ID>)      ║
╚════════════════════════════════════════════════════════════════════════════╝"""


def test_it_is_the_seeds() -> None:
    assert recovery_box("CMEM-YYYYMMDD-HHMMSS") == SEED


@pytest.mark.parametrize(
    "memory_id", ["", "x", "CMEM-20260102-101500-2", "记忆", "long " * 40, "a\nb\x1b[2J"]
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_it_is_aligned_for_any_id(memory_id: str, ascii_only: bool) -> None:
    lines = recovery_box(memory_id, ascii_only=ascii_only).split("\n")
    assert len(lines) == 8
    assert len({cell_len(line) for line in lines}) == 1
    assert cell_len(lines[0]) >= 78
    assert not any("\x1b" in line for line in lines)


def test_in_ascii_it_is_ascii() -> None:
    assert recovery_box("CMEM-20260102-101500", ascii_only=True).isascii()


@pytest.mark.parametrize(("encoding", "first"), [("utf-8", "╔"), ("latin-1", "+"), ("ascii", "+")])
def test_the_encoding_of_stdout_decides(monkeypatch: pytest.MonkeyPatch, encoding: str, first: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    print_recovery_box("CMEM-20260102-101500")
    stream.seek(0)
    assert stream.read(1) == first
