"""Large files are written whole or not at all, and nothing is written over unless that is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.ground.files import FileMissing, write_parts
from tests.disk import mode_of, names


def test_parts_become_a_file_for_its_owner_alone(tmp_path: Path) -> None:
    assert write_parts(tmp_path / "f", [b"one ", b"", b"two"]) == 7
    assert (tmp_path / "f").read_bytes() == b"one two"
    assert mode_of(tmp_path / "f") == 0o600
    assert names(tmp_path) == ["f"]


def test_an_existing_file_stays_unless_replacing_is_requested(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert write_parts(tmp_path / "f", [b"new"]) is None
    assert write_parts(tmp_path / "link", [b"new"]) is None
    assert (tmp_path / "f").read_bytes() == b"old"
    assert write_parts(tmp_path / "f", [b"new"], replace=True) == 3
    assert (tmp_path / "f").read_bytes() == b"new"
    assert names(tmp_path) == ["f", "link"]


@pytest.mark.parametrize("replace", [False, True])
def test_parts_that_break_off_change_nothing(tmp_path: Path, replace: bool) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"half"
        raise KeyError

    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(KeyError):
        write_parts(tmp_path / "f", breaking(), replace=replace)
    assert (tmp_path / "f").read_bytes() == b"old"
    assert names(tmp_path) == ["f"]


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match="its folder does not exist"):
        write_parts(tmp_path / "no" / "f", [b"x"])
