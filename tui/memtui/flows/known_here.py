"""What was last taken in from the folders of projects: one small file a project, which can be deleted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from memtui.files import FileProblem, Signature, read_within, write_atomic
from memtui.project import Home, Project
from memtui.store.listing import Entry, scan

GONE = "gone"
"""Stands for the text of a memory whose file is gone, and which was moved to the trash for that."""

_LIMIT = 16 << 20
_NAME = re.compile(r"here-[0-9a-f]{16}\.json", re.ASCII)


@dataclass
class KnownHere:
    """The state of one project's folder when it was last taken in."""

    path: Path
    """Of the file that keeps it."""
    root: str = ""
    """Of the project."""
    files: dict[str, Signature] = field(default_factory=dict)
    """The signature of each file that needs no second look."""
    notes: dict[str, str] = field(default_factory=dict)
    """By file, why it was passed over, a sentence."""
    texts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the text of each memory that came from here, or `GONE`."""

    @classmethod
    def of(cls, root: Path, home: Home) -> KnownHere:
        """What is known of the project with this root; nothing if that cannot be read."""
        name = f"here-{sha256(str(root).encode()).hexdigest()[:16]}.json"
        known = cls.read(_folder(home) / name)
        known.root = str(root)
        return known

    @classmethod
    def read(cls, path: Path) -> KnownHere:
        """What such a file holds; nothing if it cannot be read."""
        with suppress(FileProblem, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            kept = json.loads(read_within(path, path.parent, limit=_LIMIT))
            return cls(
                path,
                str(kept["root"]),
                {str(name): (int(time), int(size), int(inode)) for name, time, size, inode in kept["files"]},
                {str(name): str(note) for name, note in kept["notes"].items()},
                {str(memory): str(text) for memory, text in kept["texts"].items()},
            )
        return cls(path)

    def keep(self) -> None:
        """Write it.

        Raises:
            FileProblem: it cannot be written.
        """
        files = [[name, *signature] for name, signature in self.files.items()]
        value = {"root": self.root, "files": files, "notes": self.notes, "texts": self.texts}
        write_atomic(self.path, json.dumps(value).encode(), durable=False)

    def forget(self, names: Iterable[str]) -> None:
        """Have these files looked at again."""
        for name in list(names):
            self.files.pop(name, None)
            self.notes.pop(name, None)

    def still_has(self, memory: str) -> bool:
        """Whether a memory came from here, and its file is still there."""
        text = self.texts.get(memory, GONE)
        return text != GONE and os.path.lexists(Project(Path(self.root)).shared / f"{memory}.md")

    def has(self, entry: Entry) -> bool:
        """Whether a file is as it was."""
        return self.files.get(entry.name) == entry.signature


def all_known(home: Home) -> Iterator[KnownHere]:
    """What is known of each project."""
    with suppress(FileProblem):
        yield from (KnownHere.read(each.path) for each in scan(_folder(home), _NAME))


def texts_from_projects(home: Home) -> dict[str, set[str]]:
    """SHA-256 of the texts that projects have given memories, by their ids; `GONE` for a removed one."""
    found: dict[str, set[str]] = {}
    for known in all_known(home):
        for memory, text in known.texts.items():
            found.setdefault(memory, set()).add(text)
    return found


def _folder(home: Home) -> Path:
    return home.data / "sharing"
