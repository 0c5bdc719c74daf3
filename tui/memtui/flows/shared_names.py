"""Ids, texts and marks of memories in the form that machines share."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memtui.formats.shared_record import MEMORY
from memtui.formats.stored_memory import StoredMemory
from memtui.share.merging import Marks


class Names(NamedTuple):
    """Maps local ids to shared ones, which end in ``@machine``, and back."""

    machine: str
    """This machine."""

    def everywhere(self, local: str) -> str:
        """The shared id of a local memory."""
        return local if "@" in local else f"{local}@{self.machine}"

    def here(self, memory: str) -> str:
        """The local id of a memory."""
        return memory.removesuffix(f"@{self.machine}")

    def is_own(self, memory: str) -> bool:
        """Whether a memory was made on this machine."""
        return memory.endswith(f"@{self.machine}")


def shared_text(names: Names, memory: str, stored: StoredMemory) -> bytes:
    """A memory's text in its shared form."""
    if not names.is_own(memory):
        return stored.body
    return neutral(stored.body, stored.meta.project, str(Path.home()))


def digest(body: bytes) -> str:
    """SHA-256 of a text, hexadecimal."""
    return sha256(body).hexdigest()


def marks_of(names: Names, stored: StoredMemory) -> Marks:
    """The marks of a stored memory."""
    meta = stored.meta
    successor = names.everywhere(meta.superseded_by)
    return Marks(
        meta.description,
        tuple(sorted(meta.tags)),
        meta.archived,
        superseded_by=successor if MEMORY.fullmatch(successor) else "",
    )


def shared_root(name: str) -> str:
    """The project's root in texts without a machine's folders."""
    return f"/project/{name}"


def neutral(body: bytes, project: str, home: str) -> bytes:
    """A text without this machine's folders: the project's root is ``/project/NAME``, the home folder ``~``.

    Restoring maps such paths to the local root of the project.
    """
    for folder, short in ((project, shared_root(Path(project).name)), (home, "~")):
        if folder.strip("/\\"):
            stem = re.escape(folder.rstrip("/\\").encode())
            body = re.sub(rb"(?<![\w/\\.~-])" + stem + rb"(?![\w.-])", short.encode(), body)
    return body
