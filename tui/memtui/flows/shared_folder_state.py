"""The last known state of projects' shared folders: one small file per project, which can be deleted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from memtui.ground.files import FileProblem, Signature, read_within, write_atomic
from memtui.ground.project import Home, Project
from memtui.store.listing import Entry, scan

GONE = "gone"
"""Stands for the text of a memory that was moved to the trash because its file is gone."""

_LIMIT = 16 << 20
_NAME = re.compile(r"here-[0-9a-f]{16}\.json", re.ASCII)


@dataclass
class SharedFolderState:
    """The state of a project's folder when its memories were last imported."""

    path: Path
    """The file with this state."""
    root: str = ""
    """The project's root."""
    files: dict[str, Signature] = field(default_factory=dict)
    """The signature of each file that needs no second check."""
    notes: dict[str, str] = field(default_factory=dict)
    """Why files were skipped: a sentence for each, by file name."""
    texts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the text of each memory imported from here, or `GONE`."""

    @classmethod
    def of(cls, root: Path, home: Home) -> SharedFolderState:
        """The known state of the project with this root; empty if it cannot be read."""
        known = cls.read(state_path(root, home))
        known.root = str(root)
        return known

    @classmethod
    def read(cls, path: Path) -> SharedFolderState:
        """The state in a file; empty if it cannot be read."""
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
        """Write the state to its file.

        Raises:
            FileProblem: it cannot be written.
        """
        files = [[name, *signature] for name, signature in self.files.items()]
        value = {"root": self.root, "files": files, "notes": self.notes, "texts": self.texts}
        write_atomic(self.path, json.dumps(value).encode(), durable=False)

    def forget(self, names: Iterable[str]) -> None:
        """Have these files checked again."""
        for name in list(names):
            self.files.pop(name, None)
            self.notes.pop(name, None)

    def still_has(self, memory: str) -> bool:
        """Whether a memory was imported from here, and its file still exists."""
        text = self.texts.get(memory, GONE)
        return text != GONE and os.path.lexists(Project(Path(self.root)).shared / f"{memory}.md")

    def has(self, entry: Entry) -> bool:
        """Whether a file is unchanged."""
        return self.files.get(entry.name) == entry.signature


def state_path(root: Path, home: Home) -> Path:
    """The file with the known state of the project with this root."""
    return _folder(home) / f"here-{sha256(os.fsencode(root)).hexdigest()[:16]}.json"


def all_states(home: Home) -> Iterator[SharedFolderState]:
    """The known states of all projects."""
    with suppress(FileProblem):
        yield from (SharedFolderState.read(each.path) for each in scan(_folder(home), _NAME))


def texts_from_projects(home: Home) -> dict[str, set[str]]:
    """SHA-256 of the texts that projects gave to memories, by id; `GONE` for a removed one."""
    found: dict[str, set[str]] = {}
    for known in all_states(home):
        for memory, text in known.texts.items():
            found.setdefault(memory, set()).add(text)
    return found


def _folder(home: Home) -> Path:
    return home.data / "sharing"
