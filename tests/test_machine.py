"""What the machine offers."""

from __future__ import annotations

from pathlib import Path

from memtui.machine import silent_file_system


def test_silent_file_systems_are_told_from_the_mount_table(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nC:\\ /mnt/c 9p rw 0 0\nsrv:/home /home/my\\040user nfs4 rw 0 0\nbroken\n"
    )
    assert silent_file_system("/mnt/c/work", mounts) == "9p"
    assert silent_file_system("/home/my user/x", mounts) == "nfs4"
    assert silent_file_system("/mnt/create", mounts) == ""
    assert silent_file_system("/x", tmp_path / "missing") == ""
