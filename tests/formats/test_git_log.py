"""Parsing of `git log` and `git ls-tree` output, with any file names and any other text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.git_log import FileCommit, read_log, read_tree

A, B, NONE = "a" * 40, "b" * 40, "0" * 40
LOG = (
    f"\x01{A} 20 {B}\0\n:100644 100644 {A} {B} M\0src/ö\n x.py\0:100644 000000 {A} {NONE} D\0:weird\0"
    f"\x01{B} 10 \0\n:000000 100644 {NONE} {A} A\0src/ö\n x.py\0"
).encode()


def test_commits_with_the_files_that_they_changed() -> None:
    changes = [
        FileCommit("src/ö\n x.py", A, 20, A, B),
        FileCommit(":weird", A, 20, A, ""),
        FileCommit("src/ö\n x.py", B, 10, "", A),
    ]
    assert list(read_log(LOG)) == changes
    assert list(read_log(LOG, shallow=True)) == changes[:2]
    assert list(read_log(b"")) == []
    assert list(read_log(LOG.partition(b"\0")[2])) == changes[2:]


def test_a_tree() -> None:
    printed = f"100644 blob {A}\ta b\x00120000 blob {B}\tc\td\n\x00160000 commit {A}\tmodule\x00".encode()
    assert read_tree(printed) == {"a b": A, "c\td\n": B}


@given(st.binary(max_size=200) | st.lists(st.sampled_from(LOG.split(b"\0"))).map(b"\0".join))
def test_anything_else_is_left_out(printed: bytes) -> None:
    assert all(each.path for each in read_log(printed))
    read_tree(printed)
