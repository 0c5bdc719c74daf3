"""The output of ``git log --raw -z`` and ``git ls-tree -z``: commits with the files that they changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LOG_FORMAT = "%x01%H %ct %P"
"""The ``--format`` for `read_log`: id, commit time and parents."""

_COMMIT = re.compile(rb"\n?\x01([0-9a-f]{40,64}) (\d{1,12})(?: ([0-9a-f ]*))?")
_CHANGE = re.compile(rb"\n?:\d{6} \d{6} ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z]\d*")
_ENTRY = re.compile(rb"\d{6} blob ([0-9a-f]{40,64})\t(.*)", re.DOTALL)


class FileCommit(NamedTuple):
    """One commit's change of one file."""

    path: str
    """Relative to the top of the repository."""
    commit: str
    time: int
    """The commit's time, in seconds since 1970."""
    before: str
    """Id of the content before; "" when there was no file."""
    after: str
    """Id of the content after it; "" when the file was removed."""


def read_log(output: bytes, *, shallow: bool = False) -> Iterator[FileCommit]:
    """The changes in a log, in its order; what does not parse is left out.

    Args:
        output: the output.
        shallow: whether the history is cut off, so that its first commit seems to add every file.
    """
    commit, time, counts = "", 0, False
    fields = iter(output.split(b"\0"))
    for field in fields:
        if found := _COMMIT.fullmatch(field):
            commit, time = found[1].decode(), int(found[2])
            counts = not shallow or bool((found[3] or b"").strip())
        elif (change := _CHANGE.fullmatch(field)) and (path := next(fields, b"")) and counts:
            yield FileCommit(_path(path), commit, time, _id(change[1]), _id(change[2]))


def read_tree(output: bytes) -> dict[str, str]:
    """The ids of a tree's contents by path."""
    found = map(_ENTRY.fullmatch, output.split(b"\0"))
    return {_path(each[2]): each[1].decode() for each in found if each}


def _path(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _id(name: bytes) -> str:
    text = name.decode()
    return text if text.strip("0") else ""
