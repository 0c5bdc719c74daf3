"""The local copy of a remote: its records, those still to be sent, and those applied.

One SQLite database per remote. It can be deleted: the next exchange reads the remote from its beginning, but
memories shared and not sent yet have to be shared again.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from memtui.formats.errors import FormatError
from memtui.formats.shared_record import SharedRecord, check_record, record_name, render_record
from memtui.ground.files import FileProblem
from memtui.share.applied_records import Applied, Waiting, applied_of, readable_records, row_of
from memtui.share.merging import Marks, Merged, is_forgotten, merged
from memtui.share.remote import Batch, Outgoing
from memtui.share.replica_database import ReplicaDatabase

_STORE_APPLIED = "insert or replace into applied values (?, ?, ?, ?, ?, ?, ?, ?)"
_SENT_BYTES = 16 << 20
_WITHDRAWN = "withdrawn "
"""Prefix of the key of a fact; the rest is a memory of which nothing is sent."""
PLACE, SYNCED, PROBLEM, TROUBLE, LOOKED = "place", "synced", "problem", "trouble", "looked"
"""Keys of facts: the place read up to; the time of the last exchange (ISO 8601); the reason why the last one
failed, as a sentence and as a `Trouble`; the time of the last check of all files of the store (ISO 8601)."""


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The outcome of adding a batch."""

    new: int
    refused: tuple[str, ...]
    """One sentence per file that is not a record; front matter is only read when records are applied."""


class Replica:
    """The local copy of a remote. Use it from one thread, and close it."""

    def __init__(self, path: Path) -> None:
        """Open it, creating it if it is missing.

        Raises:
            FileProblem: the database cannot be opened.
        """
        self._db = ReplicaDatabase(path)
        self.close = self._db.close
        self.reading = self._db.reading
        self.transaction = self._db.transaction

    def fact(self, key: str) -> str:
        """A stored fact; "" if it is missing."""
        found = self._db.one("select value from facts where key = ?", key)
        return str(found[0]) if found else ""

    def store_fact(self, key: str, value: str) -> None:
        """Store a fact."""
        self._db.execute("insert or replace into facts values (?, ?)", key, value)

    def add_batch(self, batch: Batch) -> BatchOutcome:
        """Add records from the remote and store their place, atomically."""
        refused, rows = [], []
        with self.transaction():
            known = self._known(name for name, _ in batch.records)
            for name, data in batch.records:
                if known.get(name):  # sent by this machine, or received before
                    continue
                try:
                    rows.append((name, check_record(name, data), "", data, True))
                except FormatError as error:
                    refused.append(f"{name[:120]}: {error}")
            self._db.execute_many("insert or replace into records values (?, ?, ?, ?, ?)", rows)
            self._db.execute_many("insert or ignore into arrived values (?)", {(row[1],) for row in rows})
            self.store_fact(PLACE, batch.place)
        return BatchOutcome(len({row[0] for row in rows} - known.keys()), tuple(refused))

    def _known(self, names: Iterable[str]) -> dict[str, bool]:
        """For each known record, whether the remote has it."""
        query = "select name, sent from records where name in (select value from json_each(?))"
        return {str(name): bool(sent) for name, sent in self._db.all(query, json.dumps(list(names)))}

    def add(self, record: SharedRecord, applied: Applied) -> None:
        """Add a record of this machine to be sent, with the state it was made from.

        Raises:
            FileProblem: no machine could read it, or the database cannot be used.
        """
        try:
            data = render_record(record)
        except FormatError as error:
            raise FileProblem(Path(record.memory), f"is not sent: {error}") from None
        name = record_name(record.memory, data)
        with self.transaction():
            if not self.has(name):
                self._insert(record.memory, Outgoing(name, record.project, data), sent=False)
            self.store_applied(record.memory, applied)

    def unsent(self, limit: int = 500) -> list[Outgoing]:
        """Some of the records to be sent: at most `limit`, and no more than fit into memory."""
        sizes = "select name, length(data) from records where not sent order by name limit ?"
        total, names = 0, list[str]()
        for name, size in self._db.all(sizes, limit):
            total += size
            if names and total > _SENT_BYTES:
                break
            names.append(name)
        query = (
            "select name, project, data from records where name in (select value from json_each(?))"
            " order by name"
        )
        return [Outgoing(*row) for row in self._db.all(query, json.dumps(names))]

    def withdraw(self, memory: str) -> None:
        """Stop sending anything of a memory, even waiting records; see `allow`."""
        with self.transaction():
            self._db.execute("delete from records where memory = ? and not sent", memory)
            self.store_fact(f"{_WITHDRAWN}{memory}", "yes")

    def drop_forgotten(self) -> None:
        """Send nothing that waits of memories that others have forgotten everywhere, as new records say."""
        changed = "select distinct memory from records join arrived using (memory) where not sent"
        with self.transaction():
            for (memory,) in self._db.all(changed):
                if self.is_forgotten(memory):
                    self._db.execute("delete from records where memory = ? and not sent", memory)

    def is_forgotten(self, memory: str) -> bool:
        """Whether a memory was forgotten everywhere and not shared again since."""
        return is_forgotten(self.records(memory))

    def allow(self, memory: str) -> None:
        """Allow a withdrawn memory to be sent again."""
        self._db.execute("delete from facts where key = ?", f"{_WITHDRAWN}{memory}")

    def is_withdrawn(self, memory: str) -> bool:
        """Whether a memory is withdrawn."""
        return bool(self.fact(f"{_WITHDRAWN}{memory}"))

    def erase(self, memory: str, tombstone: Outgoing) -> None:
        """Replace all records of a memory by its tombstone, which the remote has."""
        with self.transaction():
            self._db.execute("delete from records where memory = ?", memory)
            self._insert(memory, tombstone, sent=True)
            self.store_applied(memory, Applied("", Marks(deleted=True)))

    def mark_sent(self, records: Iterable[Outgoing]) -> None:
        """Note that the remote has these records."""
        with self.transaction():
            self._db.execute_many(
                "update records set sent = 1 where name = ?", [(each.name,) for each in records]
            )

    def signatures(self, month: str = "", machine: str = "", *, newest: int = -1) -> list[tuple[str, str]]:
        """Memories applied or sent, with the signatures of their files, newest first.

        Args:
            month: only of this month, ``2026-01``.
            machine: only those made on this machine.
            newest: the most to return.
        """
        beginning = f"CMEM-{month.replace('-', '')}"
        query = (
            "select memory, signature from applied where memory >= ? and memory < ?"
            " and (? = '' or substr(memory, 22) = ?) order by memory desc limit ?"
        )
        return self._db.all(query, beginning, f"{beginning}~", machine, machine, newest)

    def months(self) -> dict[str, str]:
        """The state of each month's folder of memories when it was last checked completely."""
        return dict(self._db.all("select name, state from months where name not like 'states/%'"))

    def sessions(self) -> dict[str, str]:
        """The same for the folders of session states, by ``states/SESSION``."""
        return dict(self._db.all("select name, state from months where name like 'states/%'"))

    def store_folder_state(self, folder: str, state: str) -> None:
        """Note the state of a checked folder, of a month or of a session's states."""
        self._db.execute("insert or replace into months values (?, ?)", folder, state)

    def count_unapplied(self) -> int:
        """Number of memories with unapplied records."""
        return int(self._db.all("select count(*) from arrived")[0][0])

    def is_waiting(self, memory: str) -> bool:
        """Whether a memory has records that were not applied yet."""
        return self._db.one("select 1 from arrived where memory = ?", memory) is not None

    def unapplied(self, behind: str) -> Generator[Waiting, None, None]:
        """Memories with unapplied records after `behind`, in order; exhaust or close it before a change."""
        query = (
            "select arrived.memory, name, data,"
            " text, description, tags, archived, deleted, signature, superseded_by"
            " from arrived left join records using (memory) left join applied using (memory)"
            " where arrived.memory > ? order by arrived.memory"
        )
        with closing(self._db.rows(query, behind)) as found:
            for memory, rows in groupby(found, itemgetter(0)):
                some = list(rows)
                records = [(name, data) for _, name, data, *_ in some if name is not None]
                yield Waiting(memory, records, applied_of(some[0][3:]))

    def merged(self, memory: str) -> Merged | None:
        """The memory that results from its records; None if they contain no text."""
        return merged(self.records(memory))

    def records(self, memory: str) -> list[tuple[str, SharedRecord]]:
        """The readable records of a memory, with their names."""
        return readable_records(self._db.all("select name, data from records where memory = ?", memory))

    def next_timestamp(self, memory: str, now: datetime) -> datetime:
        """The timestamp for a change made now: later than every known record of the memory.

        Clocks differ, but a change made after seeing another one must win.
        """
        latest = max((record.at for _, record in self.records(memory)), default=now)
        if latest < now:
            return now
        try:
            return latest + timedelta(seconds=1)
        except OverflowError:  # no clock shows such a time; the records' names decide
            return latest

    def applied(self, memory: str) -> Applied | None:
        """The state of a memory when records were last applied; None if they never were."""
        query = (
            "select text, description, tags, archived, deleted, signature, superseded_by"
            " from applied where memory = ?"
        )
        row = self._db.one(query, memory)
        return applied_of(tuple(row)) if row is not None else None

    def successors(self) -> dict[str, list[str]]:
        """The memories that replace others according to the records, each with those it replaces."""
        found: dict[str, list[str]] = {}
        for memory, successor in self._db.all(
            "select memory, superseded_by from applied where superseded_by <> ''"
        ):
            found.setdefault(successor, []).append(memory)
        return found

    def store_applied(self, memory: str, applied: Applied) -> None:
        """Store the state of a memory after records were applied to it or made from it."""
        self._db.execute(_STORE_APPLIED, *row_of(memory, applied))

    def store_results(self, done: Mapping[str, Applied | None]) -> None:
        """Note that the records of memories were applied, and their state afterwards."""
        with self.transaction():
            rows = (row_of(memory, applied) for memory, applied in done.items() if applied is not None)
            self._db.execute_many(_STORE_APPLIED, rows)
            self._db.execute_many("delete from arrived where memory = ?", [(each,) for each in done])

    def has(self, name: str) -> bool:
        """Whether a record with this name is known."""
        return self._db.one("select 1 from records where name = ?", name) is not None

    def _insert(self, memory: str, each: Outgoing, *, sent: bool) -> None:
        row = (each.name, memory, each.project, each.data, sent)
        self._db.execute("insert or replace into records values (?, ?, ?, ?, ?)", *row)
