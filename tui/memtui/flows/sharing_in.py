"""Memories that come in: the store is brought to what their records say, and keeps what was changed here."""

from __future__ import annotations

import os
from dataclasses import replace

from memtui.files import FileProblem
from memtui.flows.shared_names import Names, digest, marks_of, shared_text
from memtui.sharing.merged import Marks, Merged
from memtui.sharing.replica import Applied, Replica
from memtui.store.base import New
from memtui.store.memory_files import FilesBackend

_TOGETHER = 2_000
"""Memories that are flushed to the disk together."""


class Inward:
    """Applies records to the store."""

    def __init__(self, backend: FilesBackend, names: Names, remote: str) -> None:
        """Make the object.

        Args:
            backend: the store of memories.
            names: how memories are called here and elsewhere.
            remote: the name of the remote that brings them.
        """
        self._backend = backend
        self._names = names
        self._remote = remote

    def apply(self, replica: Replica) -> tuple[int, list[str]]:
        """Apply what has come in; returns how many memories it has changed, and what could not be applied."""
        changed = 0
        notes: list[str] = []
        arrived = replica.arrived()
        for at in range(0, len(arrived), _TOGETHER):
            done: dict[str, Applied | None] = {}
            for memory in arrived[at : at + _TOGETHER]:
                try:
                    done[memory], other = self._apply_one(replica, memory, notes)
                except FileProblem as problem:
                    notes.append(str(problem))
                    continue
                changed += other
            os.sync()  # one flush for all: what is settled has to be on the disk
            with replica.whole():
                for memory, applied in done.items():
                    if applied is not None:
                        replica.settle(memory, applied)
                    replica.done_with(memory)
        return changed, notes

    def _apply_one(self, replica: Replica, memory: str, notes: list[str]) -> tuple[Applied | None, bool]:
        """Bring one memory to what its records say; returns its state then, and whether it changed."""
        found = replica.merged(memory)
        if found is None:
            return None, False
        base, local = replica.applied(memory), self._names.here(memory)
        new = Applied(digest(found.newest.body), found.marks)
        there = bool(self._backend.signature(local))
        changed = False
        if found.marks.deleted:
            if there:
                self._backend.delete(local)
                changed = True
        elif base is None and not there:
            self._create(local, found)
            changed = True
        elif there:
            changed = self._update(local, base, new, found, notes)
        elif base is not None and base.marks.deleted and self._backend.is_deleted(local):
            self._backend.restore(local)
            changed = True
        return replace(new, signature=self._backend.signature(local)), changed

    def _create(self, local: str, found: Merged) -> None:
        record = found.newest
        if self._backend.is_deleted(local):
            return  # deleted here: it stays so
        self._backend.create(
            New(
                body=record.body,
                project=record.project,
                description=found.marks.description,
                tags=found.marks.tags,
                source=record.source,
                author=f"{record.author} ({self._remote})",
                id=local,
                created=record.created,
                updated=record.at,
                archived=found.marks.archived,
                durable=False,
            )
        )

    def _update(
        self, local: str, base: Applied | None, new: Applied, found: Merged, notes: list[str]
    ) -> bool:
        stored = self._backend.get(local)
        now = marks_of(stored)
        was = base.marks if base else now
        tags = (set(now.tags) - (set(was.tags) - set(new.marks.tags))) | (set(new.marks.tags) - set(was.tags))
        archived = new.marks.archived if new.marks.archived != was.archived else now.archived
        changed = was.description != new.marks.description
        description = new.marks.description if changed else now.description
        wanted = Marks(description, tuple(sorted(tags)), archived)
        if wanted != now:
            self._backend.update(local, description=description, tags=wanted.tags, archived=archived)
        text = base is not None and new.text != base.text
        if text and base is not None:
            if digest(shared_text(self._names, found.newest.memory, stored)) != base.text:
                notes.append(
                    f"{local} was changed here, too: its text stays, and the newer one is kept aside"
                )
                text = False
            else:
                self._backend.rewrite(local, found.newest.body)
        return text or wanted != now
