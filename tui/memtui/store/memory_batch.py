"""Creating many memories at once: all are written and flushed together, and only then named."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.formats.stored_memory import RECOVERY_ID
from memtui.ground.files import FileProblem, lock
from memtui.ground.files.atomic import place_new, write_temp
from memtui.ground.files.folder import Folder
from memtui.ground.files.problems import writing
from memtui.ground.project import Home
from memtui.store.base import New
from memtui.store.listing import STORED_NAME
from memtui.store.memory_edit import render_new
from memtui.store.memory_places import LOCK_SECONDS, MemoryPlaces
from memtui.store.stored_files import file_name, month_folders, month_of, signature_text

_FEW = 20
"""Maximum number of memories that are looked up and flushed one by one; for more, the store is listed and the
disk flushed as a whole."""
_ENOUGH, _MONTHS = 16 << 20, 100
"""Number of bytes written, and of folders held open, at which a batch should be finished."""


class _Written(NamedTuple):
    memory_id: str
    temp: str
    data: bytes
    signature: str


class MemoryBatch:
    """Memories of other machines to be created by `finish`.

    If the process is killed before that, only temporary files remain, which a later process removes.
    """

    def __init__(self, home: Home, *, number: int) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            number: the approximate number of memories to add.
        """
        self._places = MemoryPlaces(home)
        self._memories = home.memories
        self._trash = home.trash
        self._few = number <= _FEW
        self._names = set() if self._few else _names(home.memories)
        self._written: dict[Folder, list[_Written]] = {}
        self._months: dict[str, Folder] = {}
        self._bytes = 0

    def has(self, memory_id: str) -> bool:
        """Whether a memory existed when the batch was begun."""
        if self._few:
            return self._places.find_file(memory_id) is not None
        return file_name(memory_id) in self._names

    @property
    def is_full(self) -> bool:
        """Whether the batch is large enough to be finished."""
        return self._bytes > _ENOUGH or len(self._written) > _MONTHS

    def add(self, new: New) -> None:
        """Write a memory, which must have an id, under a temporary name.

        Raises:
            FileProblem: it cannot be written, or its id is not a Recovery ID.
        """
        if not RECOVERY_ID.fullmatch(new.id) or new.created is None:
            raise FileProblem(self._memories, f"cannot hold {new.id!r}: an id is like CMEM-20260102-101500")
        folder = self._folder(month_of(new.id))
        path = folder.path / file_name(new.id)
        _, data = render_new(path, new.id, new, new.created)
        with writing(path):
            temp = write_temp(folder, data, durable=self._few)
            signature = signature_text(folder.status(temp))
        self._written[folder].append(_Written(new.id, temp, data, signature))
        self._bytes += len(data)

    def _folder(self, month: str) -> Folder:
        """The folder of a month, opened."""
        if month in self._months:
            return self._months[month]
        path = self._memories / month
        with writing(path):
            self._places.prepare(path, self._memories)
            folder = self._months[month] = Folder(path, within=self._memories)
        self._written[folder] = []
        return folder

    def finish(self) -> dict[str, str]:
        """Create the memories; returns the signatures of their files, without those whose id was taken.

        Raises:
            FileProblem: the store cannot be written; some of the memories may have been created.
        """
        made: dict[str, str] = {}
        if not self._written:
            return made
        self._places.prepare(self._trash, self._trash)
        if not self._few:
            os.sync()  # a power failure must not leave a name without its text
        # One batch at a time, so that a memory deleted meanwhile is not created again by another batch.
        with lock(self._memories / ".batch", timeout=LOCK_SECONDS, within=self._memories):
            for folder, written in self._written.items():
                with writing(folder.path):
                    made.update(self._name(folder, written))
                    folder.sync()
        self.discard()
        return made

    def _name(self, folder: Folder, written: list[_Written]) -> dict[str, str]:
        made, trash = {}, str(self._trash)
        for each in written:
            name = file_name(each.memory_id)
            if not os.path.lexists(f"{trash}/{name}") and place_new(folder, each.temp, name):
                made[each.memory_id] = each.signature
        return made

    def discard(self) -> None:
        """Remove unfinished files. Never raises."""
        for folder, written in self._written.items():
            with folder:
                for each in written:
                    folder.discard(each.temp)
        self._written, self._months, self._bytes = {}, {}, 0


def _names(memories: Path) -> set[str]:
    """The names of all memories' files."""
    found: set[str] = set()
    for month in month_folders(memories):
        with suppress(OSError), os.scandir(month) as entries:
            found.update(entry.name for entry in entries if STORED_NAME.fullmatch(entry.name))
    return found
