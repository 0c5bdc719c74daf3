"""A PostgreSQL database as a remote: a table with a row a version, and LISTEN to know when.

Passwords, TLS and service names are up to libpq (``PGPASSFILE``, ``PGSERVICEFILE``). Two roles, granted by
the database's owner, allow reading and writing: ``memtui_reader`` and ``memtui_writer``. Needs psycopg.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, LiteralString

from memtui.ground.clean import clean_line
from memtui.ground.text import counted
from memtui.share.contract import MEMORY, Head, Remote, RemoteProblemError, refuse_schema

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA = 3
MOST = 100_000
"""Maximum number of memories in a database."""
_STATEMENT_SECONDS = 10
"""Seconds that the server may take for a statement, or wait for a lock."""

_SET_UP = """
    create schema if not exists memtui;
    create table if not exists memtui.about (schema integer not null);
    insert into memtui.about select 0 where not exists (select 1 from memtui.about);
    create table memtui.memories (
        id text not null check (length(id) <= 80),
        version bigint not null check (version > 0),
        digest text not null generated always as (encode(sha256(data), 'hex')) stored,
        data bytea not null check (octet_length(data) <= 4194304),
        writer name not null default current_user,
        added timestamptz not null default now(),
        primary key (id, version)
    );
    create function memtui.tell_memories() returns trigger language plpgsql as
        $$ begin perform pg_notify('memtui_memories', ''); return null; end $$;
    create trigger tell after insert on memtui.memories
        for each statement execute function memtui.tell_memories();
    alter table memtui.memories enable row level security;
    do $$ begin create role memtui_reader nologin;
    exception when duplicate_object or unique_violation then null; end $$;
    do $$ begin create role memtui_writer nologin;
    exception when duplicate_object or unique_violation then null; end $$;
    grant usage on schema memtui to memtui_reader, memtui_writer;
    grant select on memtui.about, memtui.memories to memtui_reader, memtui_writer;
    grant insert (id, version, data), delete on memtui.memories to memtui_writer;
    create policy may_read on memtui.memories for select to memtui_reader, memtui_writer using (true);
    create policy may_add on memtui.memories for insert to memtui_writer with check (writer = current_user);
    create policy may_remove on memtui.memories for delete to memtui_writer using (writer = current_user);
    update memtui.about set schema = 3;
"""
_HEADS = """
    select distinct on (id) left(id::text, 81), left(digest::text, 64), octet_length(data)
    from memtui.memories order by id, version desc limit %s
"""
_CHECK = (
    "select count(distinct id), has_any_column_privilege('memtui.memories', 'insert') from memtui.memories"
)
_WANTED = "from memtui.memories join unnest(%s::text[], %s::text[]) as wanted (id, digest) using (id, digest)"
_INSERT = """
    insert into memtui.memories (id, version, data)
    select * from unnest(%s::text[], %s::bigint[], %s::bytea[]) on conflict do nothing returning id
"""
_STATE = "select count(*), max(added)::text from memtui.memories"

# psycopg logs its exceptions, too: without a handler that goes to standard error, over the app's screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class PostgresRemote(Remote):
    """A database as a remote."""

    def __init__(self, url: str, name: str = "") -> None:
        """Make the object for a connection string of libpq: ``postgresql://host/database``."""
        self._url, self._shown, self._name = url, url.partition("?")[0], name
        self._seen: object = None
        """The state of the table that `heads` has read."""

    def check(self) -> str:
        ((number, may_write),) = self._rows(_CHECK)
        return counted(number, "memory", "memories") + ("" if may_write else ", to read only")

    def set_up(self) -> None:
        """See `Remote.set_up`. The database user needs the right to create schemas and roles."""
        with self._connected(any_schema=True) as connection, connection.transaction():
            connection.execute("select pg_advisory_xact_lock(hashtext('memtui'))")
            if found := _schema(connection):
                refuse_schema(self._shown, found, SCHEMA, self._name)
            else:
                connection.execute(_SET_UP)

    def heads(self) -> dict[str, Head]:
        with self._connected() as connection:
            seen = connection.execute(_STATE).fetchone()  # before the rows: a later one is announced
            rows = connection.execute(_HEADS, (MOST + 1,)).fetchall()
        if len(rows) > MOST:
            raise RemoteProblemError(self._shown, f"holds more than {MOST:,} memories", "not memtui's")
        self._seen = seen
        return {key: Head(digest, size) for key, digest, size in rows if MEMORY.fullmatch(key)}

    def _read(self, digests: Mapping[str, str]) -> dict[str, bytes]:
        rows = self._rows(f"select distinct on (id) id, data {_WANTED}", [*digests], [*digests.values()])
        return {key: bytes(data) for key, data in rows}

    def holds(self, digests: Mapping[str, str]) -> Collection[str]:
        rows = self._rows(f"select distinct id {_WANTED}", [*digests], [*digests.values()])
        return {key for (key,) in rows}

    def digest(self, data: bytes) -> str:
        return sha256(data).hexdigest()

    def write(self, documents: Mapping[str, tuple[int, bytes]]) -> Collection[str]:
        versions, data = zip(*documents.values(), strict=True)
        return {key for (key,) in self._rows(_INSERT, [*documents], [*versions], [*data])}

    def history(self, key: str) -> list[bytes]:
        query = "select data from memtui.memories where id = %s order by version desc limit 100"
        return [bytes(data) for (data,) in reversed(self._rows(query, key))]

    def forget(self, key: str, tombstone: tuple[int, bytes]) -> str:
        with self._connected() as connection, connection.transaction():
            connection.execute("delete from memtui.memories where id = %s", (key,))
            connection.execute(_INSERT, ([key], [tombstone[0]], [tombstone[1]]))
            left = "select count(*) - 1 from memtui.memories where id = %s"
            (others,) = connection.execute(left, (key,)).fetchone() or (0,)
        if others:
            return f"versions of other writers stay ({others}): they or the database's owner can remove them."
        return "all its versions are removed; backups of the database may keep them."

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """See `Remote.wait`: ends when the database announces a new version."""
        until = time.monotonic() + seconds
        with self._connected() as connection:
            connection.execute("listen memtui_memories")
            # What was added between `heads` and LISTEN is not announced.
            if connection.execute(_STATE).fetchone() != self._seen:
                return
            while not stopped.is_set() and (left := until - time.monotonic()) > 0:
                if any(True for _ in connection.notifies(timeout=min(left, 0.5), stop_after=1)):
                    return

    def _rows(self, query: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        with self._connected() as connection:
            return connection.execute(query, values, binary=True).fetchall()

    @contextmanager
    def _connected(self, *, any_schema: bool = False) -> Iterator[Connection[Any]]:
        try:
            import psycopg  # optional: not everyone may do it
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            reason = "needs psycopg, which is not installed: pip install 'memtui[postgres]'"
            raise RemoteProblemError(self._shown, reason, "not installed") from None
        try:
            said = conninfo_to_dict(self._url)  # options in the address override these
            limits = " ".join(f"-c {each}_timeout={_STATEMENT_SECONDS}s" for each in ("statement", "lock"))
            ours: dict[str, Any] = {
                "connect_timeout": 10,
                "tcp_user_timeout": 60_000,  # the network is down
                "application_name": "memtui",
                "options": f"{said.pop('options', '') or ''} {limits}".strip(),
            }
            with psycopg.connect(**{**ours, **said}, autocommit=True) as connection:
                if not any_schema:
                    refuse_schema(self._shown, _schema(connection), SCHEMA, self._name)
                yield connection
        except (psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedTable) as error:
            reason = f"has other tables than memtui's: {_first_line(error)}"
            raise RemoteProblemError(self._shown, reason, "not memtui's") from error
        except psycopg.Error as error:
            refused = isinstance(error, psycopg.errors.InsufficientPrivilege)
            trouble = "no permission" if refused else "unreachable"
            late = isinstance(error, (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable))
            reason = f"it did not answer within {_STATEMENT_SECONDS} s" if late else _first_line(error)
            raise RemoteProblemError(self._shown, f"cannot be used: {reason}", trouble) from error


def _schema(connection: Connection[Any]) -> int:
    there = connection.execute("select to_regclass('memtui.about') is not null").fetchone()
    found = connection.execute("select schema from memtui.about").fetchone() if there == (True,) else None
    return found[0] if found and isinstance(found[0], int) else 0


def _first_line(error: Exception) -> str:
    return clean_line(str(error).strip().partition("\n")[0])[:300]
