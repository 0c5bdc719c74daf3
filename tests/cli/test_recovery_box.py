"""The box of seed 000, section 5."""

from __future__ import annotations

import pytest

from memtui.cli.output import print_recovery_box

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


def test_it_is_the_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    print_recovery_box("CMEM-YYYYMMDD-HHMMSS")
    assert capsys.readouterr().out == f"{SEED}\n"


def test_it_is_aligned_for_the_longest_id(capsys: pytest.CaptureFixture[str]) -> None:
    print_recovery_box("CMEM-20260102-101500@" + 40 * "m")
    assert {len(line) for line in capsys.readouterr().out.splitlines()} == {78}
