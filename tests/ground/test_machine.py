"""Facilities of the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memtui.ground.machine import find_program, run, silent_file_system


def test_silent_file_systems_are_reported_from_the_mount_table(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nC:\\ /mnt/c 9p rw 0 0\nsrv:/home /home/my\\040user nfs4 rw 0 0\nbroken\n"
    )
    assert silent_file_system("/mnt/c/work", mounts) == "9p"
    assert silent_file_system("/home/my user/x", mounts) == "nfs4"
    assert silent_file_system("/mnt/create", mounts) == ""
    assert silent_file_system("/x", tmp_path / "missing") == ""


def test_a_program_is_not_taken_from_a_relative_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", f".:bin::{tmp_path}/bin") == f"{tmp_path}/bin/tool"
    assert find_program("tool", ".:bin::") is None
    assert find_program("tool", "") is None
    assert find_program("tool", None) is None


def test_a_program_that_reads_late_is_given_all_of_a_large_input() -> None:
    late = "import sys, time; time.sleep(0.2); print(len(sys.stdin.buffer.read()))"
    assert run([sys.executable, "-c", late], b"x" * 300_000, seconds=30).stdout == b"300000\n"
