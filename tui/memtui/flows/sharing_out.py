"""Sending memories: the ones chosen by the user, and their later changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memtui.flows.shared_changes import SharedChanges
from memtui.flows.shared_names import Names, digest, marks_of, shared_text
from memtui.formats.shared_record import FORGOTTEN, LIMIT, SharedRecord, record_name, render_record
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.files.appending import append_line
from memtui.ground.files.problems import writing
from memtui.ground.project import Home
from memtui.secrets.secrets import Hit, find, holds_secrets
from memtui.share.applied_records import Applied
from memtui.share.merging import Marks
from memtui.share.remote import Outgoing
from memtui.share.remotes import this_author
from memtui.share.replica import Replica
from memtui.store.archive_settings import archive_settings
from memtui.store.memory_files import FilesBackend

_LOG = 1 << 20
"""Size in bytes at which the log of allowed lines is renamed and begun anew."""
_TOGETHER = 100
"""Number of memories per change of the replica, during which other writers wait."""
_LONGEST = LIMIT - (64 << 10)
"""Maximum size of a shared text in bytes; a record is somewhat larger."""


class SecretsFoundError(Exception):
    """A memory contains secrets and was not shared; the message names them by line."""

    def __init__(self, memory_id: str, hits: tuple[Hit, ...]) -> None:
        super().__init__(f"{memory_id} is not shared. {holds_secrets(hits)}")
        self.hits = hits


def check_to_share(
    home: Home, clock: Clock, stored: StoredMemory, body: bytes, allowed: Collection[int]
) -> None:
    """Refuse a memory that must not leave this machine, and record the lines that the user allows anyway.

    Args:
        home: memtui's own folders.
        clock: gives the current time.
        stored: the memory.
        body: its text in the shared form.
        allowed: lines of that text that the user allows although they look like secrets.

    Raises:
        SecretsFoundError: it holds secrets in other lines.
        FileProblem: it is private or too large, or the allowed lines cannot be recorded.
    """
    meta = stored.meta
    if len(body) > _LONGEST:
        raise FileProblem(Path(meta.id), f"is too large to be shared: {len(body):,} bytes")
    hits = find(body.decode("utf-8", "replace"))
    refuse_private(home, stored, [hit for hit in hits if hit.line not in allowed])
    for hit in hits:
        noted = {"at": clock().isoformat(), "memory": meta.id, "line": hit.line, "kind": hit.kind}
        with writing(home.allowed_log):
            append_line(home.allowed_log, json.dumps(noted), limit=_LOG)


def refuse_private(home: Home, stored: StoredMemory, hits: Sequence[Hit] = ()) -> None:
    """Refuse a memory that must not leave this machine; `hits` are secrets in its text.

    Raises:
        SecretsFoundError: it holds secrets.
        FileProblem: it belongs to a private project.
    """
    meta = stored.meta
    if archive_settings(home).is_private(Path(meta.project or "/")):
        raise FileProblem(Path(meta.id), f"is of a project that never leaves this machine: {meta.project}")
    if found := (*hits, *find("\n".join((meta.description, *meta.tags)))):
        raise SecretsFoundError(meta.id, found)


class Outward:
    """Makes records of local changes."""

    def __init__(
        self, home: Home, clock: Clock, backend: FilesBackend, names: Names, *, everything: bool
    ) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            clock: gives the current time.
            backend: the store of memories.
            names: maps ids between machines.
            everything: send all memories, not only shared ones, and also marks of others' memories.
        """
        self._home = home
        self._clock = clock
        self._backend = backend
        self._names = names
        self._changes = SharedChanges(home, clock, names, everything=everything)

    def share(self, replica: Replica, memory_id: str, allowed: Collection[int] = ()) -> bool:
        """Mark a memory to be sent with the next exchange; False if others already have this version.

        Args:
            replica: that of the remote to send it to.
            memory_id: one of this machine's own.
            allowed: lines that the user allows although they look like secrets.

        Raises:
            SecretsFoundError: it holds secrets in other lines.
            FileProblem: it is private, another machine's, or cannot be read; nothing is shared.
        """
        memory = self._backend.get(memory_id)
        if "@" in memory_id:
            raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to share")
        everywhere = self._names.everywhere(memory_id)
        text = digest(shared_text(self._names, everywhere, memory))
        base = replica.applied(everywhere)
        if (
            base is not None
            and (base.text, base.marks) == (text, marks_of(self._names, memory))
            and not replica.is_withdrawn(everywhere)
        ):
            return False
        with replica.transaction():
            self._send_text(replica, everywhere, memory, frozenset(allowed))
            replica.allow(everywhere)
        return True

    def tombstone(self, replica: Replica, memory: str) -> Outgoing:
        """The tombstone of a memory: a record of its deletion."""
        at, known = self._clock(), replica.merged(memory)
        record = SharedRecord(
            kind="marks",
            memory=memory,
            machine=self._names.machine,
            author=this_author(),
            at=replica.next_timestamp(memory, at),
            project=known.newest.project if known is not None else "",
            created=known.newest.created if known is not None else at,
            source=FORGOTTEN,
            deleted=True,
        )
        data = render_record(record)
        return Outgoing(record_name(memory, data), record.project, data)

    def collect(self, replica: Replica) -> list[str]:
        """Make records of all changes since the last time; returns a sentence for each memory held back."""
        notes: list[str] = []
        for month in self._changes.months(replica):
            held = len(notes)
            for collect, memories in ((self._collect_one, month.changed), (self._share_new, month.new)):
                for start in range(0, len(memories), _TOGETHER):
                    with replica.transaction():
                        for each in memories[start : start + _TOGETHER]:
                            collect(replica, each, notes)
            # Months with a memory held back are checked again, to report it again.
            replica.store_folder_state(month.name, month.state if len(notes) == held else "")
        return notes

    def _share_new(self, replica: Replica, memory_id: str, notes: list[str]) -> None:
        memory = self._names.everywhere(memory_id)
        try:
            # Otherwise it was moved to another month by hand, or the remote has it already.
            if replica.applied(memory) is None and not replica.is_waiting(memory):
                self._send_text(replica, memory, self._backend.get(memory_id), frozenset())
        except (SecretsFoundError, FileProblem) as problem:
            notes.append(str(problem))

    def _collect_one(self, replica: Replica, memory: str, notes: list[str]) -> None:
        base = replica.applied(memory)
        if base is None or replica.is_withdrawn(memory):
            return
        local = self._names.here(memory)
        signature = self._backend.signature(local)
        if signature == base.signature or (base.marks.deleted and replica.is_forgotten(memory)):
            return
        try:
            if signature:
                self._send_change(replica, memory, self._backend.get(local), base, signature)
            elif self._backend.is_deleted(local) and not base.marks.deleted:
                self._send_marks(replica, memory, base, replace(base.marks, deleted=True), signature)
            else:  # its file is away: that is not how memories are deleted
                replica.store_applied(memory, replace(base, signature=""))
        except (SecretsFoundError, FileProblem) as problem:
            notes.append(str(problem))

    def _send_change(
        self, replica: Replica, memory: str, stored: StoredMemory, base: Applied, signature: str
    ) -> None:
        if digest(shared_text(self._names, memory, stored)) != base.text:
            self._send_text(replica, memory, stored, frozenset())
        elif (now := marks_of(self._names, stored)) != base.marks:
            refuse_private(self._home, stored)
            self._send_marks(replica, memory, base, now, signature)
        else:
            replica.store_applied(memory, replace(base, signature=signature))

    def _send_text(
        self, replica: Replica, memory: str, stored: StoredMemory, allowed: frozenset[int]
    ) -> None:
        local = self._names.here(memory)
        body = shared_text(self._names, memory, stored)
        check_to_share(self._home, self._clock, stored, body, allowed)
        marks, base = marks_of(self._names, stored), replica.applied(memory)
        now = Applied(digest(body), marks, self._backend.signature(local))
        was = base.marks if base is not None else Marks()
        if replica.is_withdrawn(memory):  # others have what was sent, and perhaps its tombstone
            known = replica.merged(memory)
            was = replace(known.marks if known is not None else Marks(), deleted=True)
        record = self._record(
            memory,
            replica.next_timestamp(memory, self._clock()),
            stored,
            kind="text",
            description=marks.description,
            tags=marks.tags,
            untagged=tuple(sorted(set(was.tags) - set(marks.tags))),
            archived=marks.archived,
            deleted=False if was.deleted else None,
            superseded_by=marks.superseded_by if marks.superseded_by != was.superseded_by else None,
            body=body,
        )
        replica.add(record, now)

    def _send_marks(self, replica: Replica, memory: str, base: Applied, now: Marks, signature: str) -> None:
        newest = replica.merged(memory)
        if newest is None:
            return
        was = base.marks
        record = newest.newest.replace(
            kind="marks",
            machine=self._names.machine,
            author=this_author(),
            at=replica.next_timestamp(memory, self._clock()),
            description=now.description if now.description != was.description else None,
            tags=tuple(sorted(set(now.tags) - set(was.tags))),
            untagged=tuple(sorted(set(was.tags) - set(now.tags))),
            archived=now.archived if now.archived != was.archived else None,
            deleted=now.deleted if now.deleted != was.deleted else None,
            superseded_by=now.superseded_by if now.superseded_by != was.superseded_by else None,
            body=b"",
        )
        replica.add(record, Applied(base.text, now, signature))

    def _record(self, memory: str, at: datetime, stored: StoredMemory, **values: object) -> SharedRecord:
        meta = stored.meta
        return SharedRecord.model_validate(
            {
                "memory": memory,
                "machine": self._names.machine,
                "author": this_author(),
                "at": at,
                "project": Path(meta.project).name,
                "created": meta.created,
                "source": meta.source,
                **values,
            }
        )
