"""Nothing outside an allowed folder is read, and private folders are made without following links."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from memtui.ground.files import (
    FileMissing,
    FileOutside,
    FileProblem,
    existing_above,
    head_within,
    heads_within,
    private_folder,
    read_within,
)
from tests.disk import DEAD_PID, age, mode_of, names


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.md").write_bytes(b"inside")
    return root


def read(path: Path, root: Path) -> bytes:
    return read_within(path, root, limit=100)


def test_reads_what_is_inside(root: Path) -> None:
    assert read(root / "sub" / "a.md", root) == b"inside"
    assert read(root / "sub" / ".." / "sub" / "a.md", root) == b"inside"
    assert head_within(root / "sub" / "a.md", root, size=2) == b"in"


def test_follows_links_that_stay_inside(root: Path, tmp_path: Path) -> None:
    (root / "link.md").symlink_to("sub/a.md")
    (root / "folder").symlink_to("sub")
    (tmp_path / "project").symlink_to(root)
    assert read(root / "link.md", root) == b"inside"
    assert read(root / "folder" / "a.md", root) == b"inside"
    assert read(tmp_path / "project" / "sub" / "a.md", root) == b"inside"
    assert read(root / "sub" / "a.md", tmp_path / "project") == b"inside"
    with pytest.raises(FileProblem, match="is a symbolic link"):
        read_within(root / "link.md", root, limit=100, follow=False)


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "sub/../../secret",
        "link",
        "folder/secret",
        "chain",
        "/etc/hostname",
        ".",
        "",
        "sub/a.md/../../../secret",
        "../root-2/a",
    ],
)
def test_refuses_what_leads_outside(root: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "root-2").mkdir()
    (tmp_path / "root-2" / "a").write_bytes(b"x")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    (root / "chain").symlink_to("link")
    with pytest.raises(FileProblem):
        read(root / name, root)


def test_refuses_what_is_no_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")  # a whole path may be longer than a socket's name
        with pytest.raises(FileProblem, match="is not a regular file"):
            read(root / "pipe", root)
        with pytest.raises(FileProblem, match="is not a regular file"):
            read(root / "sub", root)
        with pytest.raises(FileProblem, match="is not a regular file"):
            read(root / "socket", root)
    with pytest.raises(FileProblem):
        read(root / "loop", root)


def test_says_what_is_wrong(root: Path) -> None:
    with pytest.raises(FileMissing, match=r"gone\.md does not exist$"):
        read(root / "gone.md", root)
    with pytest.raises(FileMissing):
        read(root / "gone" / "gone.md", root)
    with pytest.raises(FileOutside):
        read(root / "nul\0.md", root)
    with pytest.raises(FileProblem, match="the name is too long"):
        read(root / ("x" * 300), root)
    (root / "big").write_bytes(b"x" * 2049)
    assert len(read_within(root / "big", root, limit=2049)) == 2049
    with pytest.raises(FileProblem, match="is larger than 2 KB"):
        read_within(root / "big", root, limit=2048)


def test_the_nearest_folder_that_exists_is_no_file(root: Path) -> None:
    file = root / "file"
    file.touch()
    assert [existing_above(path) for path in (root, root / "a" / "b", file / "c")] == [root] * 3


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_private_folders_are_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        private_folder(tmp_path / ".project" / "compacts", within=tmp_path)
    finally:
        os.umask(before)
    for folder in (tmp_path / ".project", tmp_path / ".project" / "compacts"):
        assert mode_of(folder) == 0o700
    ignore = tmp_path / ".project" / "compacts" / ".gitignore"
    assert ignore.read_bytes() == b"*\n"
    assert mode_of(ignore) == 0o600


def test_a_folder_that_is_in_use_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "compacts"
    folder.mkdir(mode=0o755)
    (folder / "x-autocompact.md").touch()
    private_folder(folder, within=tmp_path)
    assert mode_of(folder) == 0o755
    assert names(folder) == ["x-autocompact.md"]


def test_a_folder_whose_maker_was_killed_gets_its_gitignore(tmp_path: Path) -> None:
    folder = tmp_path / "compacts"
    folder.mkdir(mode=0o700)
    left = folder / f".memtui-{DEAD_PID}-0123456789ab.tmp"
    left.touch()
    private_folder(folder, within=tmp_path)
    assert names(folder) == [".gitignore", left.name]
    (folder / ".gitignore").unlink()
    age(folder)
    private_folder(folder, within=tmp_path)
    assert names(folder) == [".gitignore"]


def test_private_folders_go_through_no_link_and_over_no_file(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".project").symlink_to(outside)
    with pytest.raises(
        FileOutside, match=r"\.project is a symbolic link; memtui does not write through links"
    ):
        private_folder(root / ".project" / "compacts", within=root)
    (root / ".project").unlink()
    (root / ".project").symlink_to(root / "nowhere")
    with pytest.raises(FileOutside):
        private_folder(root / ".project" / "compacts", within=root)
    (root / ".project").unlink()
    (root / ".project").touch()
    with pytest.raises(FileOutside, match="is not a folder"):
        private_folder(root / ".project" / "compacts", within=root)
    with pytest.raises(FileOutside):
        private_folder(outside / "x", within=root)
    assert names(outside) == []


def test_the_heads_of_many_files_are_those_of_each(tmp_path: Path) -> None:
    folder = tmp_path / "memories" / "2026-01"
    folder.mkdir(parents=True)
    (folder / "a").write_bytes(b"0123456789")
    (folder / "b").write_bytes(b"")
    (folder / "link").symlink_to(folder / "a")
    os.mkfifo(folder / "pipe")
    names = ["a", "gone", "b", "link", "pipe", "../2026-01"]
    assert list(heads_within(folder, names, tmp_path, size=4)) == [b"0123", None, b"", None, None, None]
    assert list(heads_within(folder, names, tmp_path / "memories" / "2026-02", size=4)) == [None] * 6
