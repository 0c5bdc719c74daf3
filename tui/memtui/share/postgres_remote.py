"""A remote in PostgreSQL: a schema ``memtui`` with one row per record.

Passwords, TLS and service names are up to libpq (``PGPASSFILE``, ``PGSERVICEFILE``). Two roles, granted by
the database's owner, allow reading and writing: ``memtui_reader`` and ``memtui_writer``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memtui.ground.clean import clean_line
from memtui.share.remote import (
    SECONDS,
    Batch,
    Outgoing,
    Remote,
    RemoteProblemError,
    Trouble,
    counted,
    needs_newer,
    not_set_up,
)

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_BATCH, _BATCH_BYTES = 500, 16 << 20
_CHANNEL = "memtui_records"
_STEP = 0.5
"""Seconds between two checks for the end of waiting."""

_MIGRATIONS = (
    """
    create schema memtui;
    create table memtui.about (schema integer not null);
    insert into memtui.about values (0);
    create table memtui.records (
        place bigint generated always as identity primary key,
        name text not null unique check (length(name) <= 120),
        project text not null check (length(project) <= 400),
        data bytea not null check (octet_length(data) <= 4194304),
        writer name not null default current_user,
        added timestamptz not null default now()
    );
    create index records_by_project on memtui.records (project, place);
    create function memtui.tell() returns trigger language plpgsql as
        $$ begin perform pg_notify('memtui_records', ''); return null; end $$;
    create trigger tell after insert on memtui.records for each statement execute function memtui.tell();
    alter table memtui.records enable row level security;
    do $$ begin create role memtui_reader nologin;
    exception when duplicate_object or unique_violation then null; end $$;
    do $$ begin create role memtui_writer nologin;
    exception when duplicate_object or unique_violation then null; end $$;
    grant usage on schema memtui to memtui_reader, memtui_writer;
    grant select on memtui.about, memtui.records to memtui_reader, memtui_writer;
    grant insert (name, project, data) on memtui.records to memtui_writer;
    create policy may_read on memtui.records for select to memtui_reader, memtui_writer using (true);
    create policy may_add on memtui.records for insert to memtui_writer with check (writer = current_user);
    """,
    """
    grant delete on memtui.records to memtui_writer;
    create policy may_remove on memtui.records for delete to memtui_writer using (writer = current_user);
    """,
)
"""Each migrates the tables from the schema version of its index to the next one."""

# One writer at a time: places then become visible in order, and no reader skips one.
_IN_TURN = "select pg_advisory_xact_lock(hashtext('memtui.records'))"
_NEXT = """
    select place, name, data from (
        select place, name, data, sum(octet_length(data)) over (order by place) - octet_length(data) as before
        from (
            select place, name, data from memtui.records
            where place > %(place)s and (%(all)s or project = any(%(projects)s)) order by place limit %(most)s
        ) as rows
    ) as sized where before < %(bytes)s order by place
"""
_MORE = """
    select 1 from memtui.records
    where place > %(place)s and (%(all)s or project = any(%(projects)s)) limit 1
"""


class PostgresRemote(Remote):
    """A database as a remote."""

    def __init__(self, url: str) -> None:
        """Make the object; nothing is opened.

        Args:
            url: a connection string of libpq: ``postgresql://host/database``.
        """
        self._url = url

    def check(self) -> str:
        """See `Remote.check`."""
        with self._connected() as connection:
            self._check_schema(connection)
            found = connection.execute("select count(*) from memtui.records").fetchone()
            may_write = connection.execute(
                "select has_any_column_privilege('memtui.records', 'insert')"
            ).fetchone()
        number = found[0] if found else 0
        return counted(number) + ("" if may_write and may_write[0] else ", to read only")

    def set_up(self) -> None:
        """See `Remote.set_up`. The database user needs the right to create schemas and roles."""
        with self._connected() as connection, connection.transaction():
            connection.execute(_IN_TURN)
            schema = self._schema(connection)
            for number, migration in enumerate(_MIGRATIONS):
                if number >= schema:
                    connection.execute(migration)
                    connection.execute("update memtui.about set schema = %s", (number + 1,))

    def put(self, records: Sequence[Outgoing]) -> None:
        """See `Remote.put`."""
        with self._connected() as connection:
            self._check_schema(connection)
            with connection.transaction(), connection.cursor() as cursor:
                _insert(cursor, records)

    def erase(self, key: str, tombstone: Outgoing) -> str:
        """See `Remote.erase`."""
        with self._connected() as connection:
            self._check_schema(connection)
            with connection.transaction(), connection.cursor() as cursor:
                _insert(cursor, [tombstone])
                cursor.execute(
                    "delete from memtui.records where starts_with(name, %s) and name <> %s",
                    (f"{key}.", tombstone.name),
                )
            left = connection.execute(
                "select count(*) from memtui.records where starts_with(name, %s)", (f"{key}.",)
            ).fetchone()
        if left and left[0] > 1:
            who = "they or the database's owner can remove them."
            return f"records of other writers stay ({left[0] - 1}): {who}"
        return "its texts are removed; backups of the database may keep them."

    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        """See `Remote.since`. A place is a row number."""
        reached = _row(place)
        with self._connected() as connection:
            self._check_schema(connection)
            wanted = {"all": not projects, "projects": list(projects), "most": _BATCH, "bytes": _BATCH_BYTES}
            while rows := connection.execute(_NEXT, {**wanted, "place": reached}, binary=True).fetchall():
                reached = rows[-1][0]
                yield Batch(str(reached), tuple((row[1], bytes(row[2])) for row in rows))

    def wait(self, seconds: float, place: str, projects: Sequence[str], stopped: threading.Event) -> None:
        """See `Remote.wait`: ends when the database announces a new record."""
        until = time.monotonic() + seconds
        with self._connected() as connection:
            connection.execute(f"listen {_CHANNEL}")
            # Records added between the last reading and LISTEN are not announced.
            wanted = {"all": not projects, "projects": list(projects), "place": _row(place)}
            if connection.execute(_MORE, wanted).fetchone():
                return
            while not stopped.is_set() and (left := until - time.monotonic()) > 0:
                if any(True for _ in connection.notifies(timeout=min(left, _STEP), stop_after=1)):
                    return

    def _check_schema(self, connection: Connection[Any]) -> None:
        schema = self._schema(connection)
        if not schema:
            raise not_set_up(self._shown)
        if schema > len(_MIGRATIONS):
            raise needs_newer(self._shown)
        if schema < len(_MIGRATIONS):
            reason = "was set up by an older memtui: memtui remote init updates it"
            raise RemoteProblemError(self._shown, reason, Trouble.NEEDS_INIT)

    def _schema(self, connection: Connection[Any]) -> int:
        there = connection.execute("select to_regclass('memtui.about') is not null").fetchone()
        if not there or not there[0]:
            return 0
        found = connection.execute("select schema from memtui.about").fetchone()
        return int(found[0]) if found else 0

    @property
    def _shown(self) -> str:
        return self._url.partition("?")[0]

    @contextmanager
    def _connected(self) -> Iterator[Connection[Any]]:
        try:
            import psycopg  # optional: not everyone may do it

            from memtui.share.postgres_connection import connect
        except ImportError:
            reason = "needs psycopg, which is not installed: pip install 'memtui[postgres]'"
            raise RemoteProblemError(self._shown, reason, Trouble.NOT_INSTALLED) from None
        try:
            with connect(self._url) as connection:
                yield connection
        except psycopg.Error as error:
            reason = clean_line(str(error).strip().partition("\n")[0])[:300]
            if isinstance(error, psycopg.errors.QueryCanceled):
                reason = f"it did not answer within {SECONDS:.0f} s"
            refused = isinstance(error, psycopg.errors.InsufficientPrivilege)
            trouble = Trouble.NO_PERMISSION if refused else Trouble.UNREACHABLE
            raise RemoteProblemError(self._shown, f"cannot be used: {reason}", trouble) from error


def _insert(cursor: Cursor[Any], records: Sequence[Outgoing]) -> None:
    """Add records within a transaction."""
    cursor.execute(_IN_TURN)
    cursor.executemany(
        "insert into memtui.records (name, project, data) values (%s, %s, %s) on conflict (name) do nothing",
        [(each.name, each.project, each.data) for each in records],
    )


def _row(place: str) -> int:
    return int(place) if place.isdigit() else 0
