"""Syncing memories with other machines: sending shared ones, and receiving those of others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memtui.flows.shared_names import Names, shared_text
from memtui.flows.sharing_in import Inward
from memtui.flows.sharing_out import Outward
from memtui.flows.sharing_own import SharedOwn
from memtui.formats.errors import FormatError
from memtui.formats.shared_record import parse_record
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, lock
from memtui.ground.project import Home
from memtui.share.applied_records import PassedOver
from memtui.share.remote import Batch, Remote, RemoteProblemError
from memtui.share.remotes import (
    NamedRemote,
    Remotes,
    open_remote,
    replica_path,
    this_author,
    this_machine,
)
from memtui.share.replica import PLACE, PROBLEM, SYNCED, TROUBLE, Replica
from memtui.store.memory_files import FilesBackend

_LOCK_SECONDS = 0.0


@dataclass
class Synced:
    """The outcome of an exchange with a remote."""

    sent: int = 0
    """Number of records."""
    received: int = 0
    """Number of records."""
    memories: int = 0
    """Number of memories that are new or have changed."""
    notes: list[str] = field(default_factory=list)
    """A sentence for each skipped record and each memory held back."""

    @property
    def summary(self) -> str:
        """A clause that counts the exchanged records."""
        return f"sent {self.sent}, fetched {self.received}; memories changed here: {self.memories}"


class Sharing:
    """A remote and the memories of this machine."""

    def __init__(self, home: Home, clock: Clock, name: str, named: NamedRemote) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            clock: gives the current time.
            name: the remote's name.
            named: its configuration.
        """
        self.name = name
        self._home = home
        self._clock = clock
        self._backend = backend = FilesBackend(home, clock)
        self._named = named
        self._path = replica_path(home, name, named)
        self._everything = named.sync == "all"
        self._names = Names(this_machine(home))
        self._outward = Outward(home, clock, backend, self._names, everything=self._everything)
        self._own = SharedOwn(home, clock, self._names) if self._everything else None
        self._inward = Inward(home, backend, self._names, name, self._own)

    @property
    def remote(self) -> Remote:
        """The remote."""
        return open_remote(self.name, self._named, self._home, this_author(), self._names.machine)

    @contextmanager
    def replica(self) -> Iterator[Replica]:
        """This machine's copy of the remote's records."""
        with closing(Replica(self._path.with_suffix(".db"))) as replica:
            yield replica

    def share(self, memory_id: str, allowed: Collection[int] = ()) -> bool:
        """Mark a memory to be sent with the next exchange; see `Outward.share`."""
        with self.replica() as replica:
            return self._outward.share(replica, memory_id, allowed)

    def knows(self, memory_id: str) -> bool:
        """Whether the remote has a memory, as far as known, or will get it."""
        with self.replica() as replica:
            return replica.applied(self._names.everywhere(memory_id)) is not None

    def erase(self, memory_id: str) -> str:
        """Remove a memory's texts from the remote; returns a sentence on what cannot be removed.

        Even if this fails, nothing of the memory is sent any more until it is shared again.

        Raises:
            FileProblem: it is another person's, or an exchange is running.
            RemoteProblemError: the remote cannot be reached or written; nothing was removed there.
        """
        memory = self._names.everywhere(memory_id)
        if not (self._names.is_own(memory) or self._everything):
            raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to remove")
        with self.replica() as replica, self._alone():
            tombstone = self._outward.tombstone(replica, memory)
            replica.withdraw(memory)
            remains = self.remote.erase(memory, tombstone)
            replica.erase(memory, tombstone)
        return remains

    def sync(self, progress: Callable[[Synced], None] = lambda done: None) -> Synced:
        """Send waiting records, fetch new ones, and update the store.

        Args:
            progress: called repeatedly with the outcome so far.

        Raises:
            RemoteProblemError: the remote cannot be reached; unsent records are kept.
            FileProblem: the store cannot be written, or another exchange is running.
        """
        done = Synced()
        with self.replica() as replica, self._alone():
            self._refuse_without_store(replica)
            try:
                if not replica.fact(
                    PLACE
                ):  # else what the remote has is sent again, perhaps over newer texts
                    self._fetch(replica, self.remote, done, progress)
                done.notes += self._outward.collect(replica)
                if self._own is not None:
                    done.notes += self._own.collect(replica)
                self._exchange(replica, done, progress)
            except RemoteProblemError as problem:
                _keep_problem(replica, problem)
                raise
            finally:
                done.memories, notes = self._inward.apply(replica)
                done.notes += notes
            with replica.transaction():
                replica.store_fact(PROBLEM, "")
                replica.store_fact(SYNCED, self._clock().isoformat())
        return done

    def _refuse_without_store(self, replica: Replica) -> None:
        """Refuse to sync while the disk with the store is away: older texts would be sent when it is back."""
        if replica.months() and not self._home.memories.is_dir():
            path = self._path.with_suffix(".db")
            reason = f"is missing, so nothing is synced; to fetch all memories again, delete {path}"
            raise FileProblem(self._home.memories, reason)

    def _exchange(self, replica: Replica, done: Synced, progress: Callable[[Synced], None]) -> None:
        remote = self.remote
        if replica.unsent(1):
            # First, as a user without write access may still read, and what was forgotten is not sent.
            self._fetch(replica, remote, done, progress)
            replica.drop_forgotten()
            self._send(replica, remote, done, progress)
        self._fetch(replica, remote, done, progress)

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """Wait until the remote announces new records, or the time is over.

        Raises:
            RemoteProblemError: the remote cannot be reached.
        """
        with self.replica() as replica:
            place = replica.fact(PLACE)
        try:
            self.remote.wait(seconds, place, self._named.projects, stopped)
        except RemoteProblemError as problem:
            with self.replica() as replica:
                _keep_problem(replica, problem)
            raise

    def _alone(self) -> AbstractContextManager[None]:
        return lock(self._path, timeout=_LOCK_SECONDS, within=self._path.parent)

    def _send(
        self, replica: Replica, remote: Remote, done: Synced, progress: Callable[[Synced], None]
    ) -> None:
        while records := replica.unsent():
            remote.put(records)
            replica.mark_sent(records)
            done.sent += len(records)
            progress(done)

    def _fetch(
        self, replica: Replica, remote: Remote, done: Synced, progress: Callable[[Synced], None]
    ) -> None:
        passed = PassedOver()
        for batch in remote.since(replica.fact(PLACE), self._named.projects):
            trusted, foreign = self._of_others(replica, batch)
            taken = replica.add_batch(trusted)
            done.received += taken.new
            progress(done)
            passed.foreign += foreign
            passed.files += batch.passed_over
            passed.refuse(*taken.refused)
        done.notes += passed.notes()

    def _of_others(self, replica: Replica, batch: Batch) -> tuple[Batch, int]:
        """A batch without records that claim to be of this machine, unless all machines are one's own."""
        if self._everything:
            return batch, 0
        kept = [
            (name, data)
            for name, data in batch.records
            if f"@{self._names.machine}." not in name or replica.has(name) or self._is_ours(name, data)
        ]
        return Batch(batch.place, tuple(kept)), len(batch.records) - len(kept)

    def _is_ours(self, name: str, data: bytes) -> bool:
        """Whether a record has the current text of a memory of this machine: an earlier replica sent it."""
        try:
            record = parse_record(name, data)
            stored = self._backend.get(self._names.here(record.memory))
        except (FormatError, FileProblem):
            return False
        return record.kind == "text" and record.body == shared_text(self._names, record.memory, stored)


def _keep_problem(replica: Replica, problem: RemoteProblemError) -> None:
    replica.store_fact(PROBLEM, str(problem))
    replica.store_fact(TROUBLE, problem.trouble)


def open_sharing(home: Home, clock: Clock, name: str = "") -> Sharing:
    """A remote by its name; "" means the only one.

    Raises:
        FileProblem: there is no such remote, or several and no name is given.
    """
    found, remote = Remotes(home).find(name)
    return Sharing(home, clock, found, remote)
