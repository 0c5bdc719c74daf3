"""Reading the records in the commits of a git repository on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from memtui.formats.shared_record import LIMIT, NAME
from memtui.share.git_program import Git, GitFailedError
from memtui.share.remote import Batch

_BATCH, _BATCH_BYTES = 500, 16 << 20
_READ = 10_000
"""Files per run of git, which reads ahead while the previous ones are processed."""
_MOST_FILES = 2_000_000
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
"""What folders, titles of commits and names of authors must not have."""


class FoundRecord(NamedTuple):
    """A file of a commit with a record's name."""

    name: str
    blob: str
    number: int = 0
    """Position in the listing."""


class GitRecords:
    """The records of a bare repository."""

    def __init__(self, git: Git, folder: Path) -> None:
        self._git = git
        self._folder = folder

    def batches(self, base: str, head: str, done: int, projects: Sequence[str]) -> Iterator[Batch]:
        """The records that `head` has in addition to `base`; `done` files were read before.

        The place of a batch is `base`, `head` and the number of files read; that of the last one is `head`.
        """
        wanted = {project_folder(project) for project in projects}
        listed = islice(enumerate(self.listed(base, head), 1), done, None)
        while chunk := list(islice(listed, _READ)):
            found = [
                each._replace(number=number)
                for number, (path, each) in chunk
                if not wanted or path.partition("/")[0] in wanted
            ]
            sizes = self._sizes(found)
            small = [each for each, size in zip(found, sizes, strict=True) if size <= LIMIT]
            with closing(self._read(small)) as parts:
                for reached, records in parts:
                    yield Batch(f"{base or '-'} {head} {reached}", records)
            yield Batch(f"{base or '-'} {head} {chunk[-1][0]}", (), len(found) - len(small))
        yield Batch(head, ())

    def listed(self, base: str, head: str) -> Iterator[tuple[str, FoundRecord]]:
        """Path and record of the files that `head` has in addition to `base`, ordered by path."""
        if not head:
            return
        command = ["ls-tree", "-r", "-z", "--full-tree", head]
        if base:
            command = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AM", "--raw", base, head]
        with self._git.reading(*command) as output:
            entries = islice(_split(output), _MOST_FILES)
            for entry in entries:
                head_, _, path = entry.partition(b"\t")
                fields = head_.split()
                if base:
                    path = next(entries, b"")
                mode, blob = (fields[1], fields[3]) if base else (fields[0], fields[2])
                name = path.rpartition(b"/")[2].decode("ascii", "replace")
                if mode in (b"100644", b"100755") and NAME.fullmatch(name):
                    yield os.fsdecode(path), FoundRecord(name, blob.decode())

    def _sizes(self, found: Sequence[FoundRecord]) -> list[int]:
        asked = "".join(f"{each.blob}\n" for each in found).encode()
        answered = self._git.run("cat-file", "--batch-check=%(objectsize)", data=asked) if found else b""
        return [int(line) if line.isdigit() else LIMIT + 1 for line in answered.splitlines()]

    def _read(
        self, found: Sequence[FoundRecord]
    ) -> Generator[tuple[int, tuple[tuple[str, bytes], ...]], None, None]:
        """Names and contents of these files, in portions that fit into memory, each with its last number."""
        asked = "".join(f"{each.blob}\n" for each in found).encode()
        part: list[tuple[str, bytes]] = []
        total = reached = 0
        with self._git.reading("cat-file", "--buffer", "--batch=%(objectsize)", data=asked) as output:
            for each in found:
                line = output.readline().strip()
                if not line.isdigit():
                    raise GitFailedError(f"the copy here is broken: delete {self._folder}")
                size = int(line)
                if part and (total + size > _BATCH_BYTES or len(part) == _BATCH):
                    yield reached, tuple(part)
                    part, total = [], 0
                part.append((each.name, output.read(size + 1)[:-1]))
                total, reached = total + size, each.number
        if part:
            yield reached, tuple(part)


def project_folder(project: str) -> str:
    """A project's folder in the repository."""
    return UNSAFE.sub("-", project).strip("-.")[:80] or "no-project"


def _split(output: object) -> Iterator[bytes]:
    """The entries of an output separated by NUL."""
    rest = b""
    while block := output.read(1 << 16):  # type: ignore[attr-defined]
        *entries, rest = (rest + block).split(b"\0")
        yield from entries
