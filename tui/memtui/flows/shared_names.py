"""How memories are called on this machine and on others, and what of them is compared."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memtui.formats.shared_record import MEMORY
from memtui.formats.stored_memory import StoredMemory
from memtui.sharing.merged import Marks


class Names(NamedTuple):
    """Ids as this machine has them, ``CMEM-20260102-101500``, and everywhere: with ``@machine``."""

    machine: str
    """This machine."""

    def everywhere(self, local: str) -> str:
        """The id of a memory among all machines."""
        return local if "@" in local else f"{local}@{self.machine}"

    def here(self, memory: str) -> str:
        """The id of a memory in the store of this machine."""
        return memory.removesuffix(f"@{self.machine}")

    def is_own(self, memory: str) -> bool:
        """Whether a memory was made on this machine."""
        return memory.endswith(f"@{self.machine}")


def shared_text(names: Names, memory: str, stored: StoredMemory) -> bytes:
    """A memory's text as others have it."""
    if not names.is_own(memory):
        return stored.body
    return neutral(stored.body, stored.meta.project, str(Path.home()))


def digest(body: bytes) -> str:
    """SHA-256 of a text, hexadecimal."""
    return sha256(body).hexdigest()


def marks_of(names: Names, stored: StoredMemory) -> Marks:
    """The marks of a memory in the store."""
    meta = stored.meta
    successor = names.everywhere(meta.superseded_by)
    return Marks(
        meta.description,
        tuple(sorted(meta.tags)),
        meta.archived,
        superseded_by=successor if MEMORY.fullmatch(successor) else "",
    )


def shared_root(name: str) -> str:
    """How the root of a project is written where no machine's folders are named."""
    return f"/project/{name}"


def neutral(body: bytes, project: str, home: str) -> bytes:
    """A text without this machine's folders: the project's root is ``/project/NAME``, the home folder ``~``.

    A restore maps such paths to the project's root on the machine where it happens.
    """
    for folder, short in ((project, shared_root(Path(project).name)), (home, "~")):
        if folder.strip("/\\"):
            stem = re.escape(folder.rstrip("/\\").encode())
            body = re.sub(rb"(?<![\w/\\.~-])" + stem + rb"(?![\w.-])", short.encode(), body)
    return body
