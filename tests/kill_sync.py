"""kill -9 during a sync with git or PostgreSQL, and immediate stops of the server. Started by `make kill`.

The sync is followed with ptrace, with every process that it starts: SQLite's calls, those of git, and those
of the git that serves a folder. At one entry or return of a system call after the other, in turn all
processes are killed, only the one that makes the call, or only memtui while git goes on. Each time, nothing
is lost and nothing is there twice, and the next sync completes. Needs Linux.

    python -m tests.kill_sync         # some moments of each sync
    python -m tests.kill_sync 2000    # more of them
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import psycopg

from memtui.ground.files import FileProblem
from memtui.share.git_remote import GitRemote
from memtui.share.postgres_remote import PostgresRemote
from tests.flows.killed_sync import begin, check, machine
from tests.share.contract import Opener
from tests.share.repository import git
from tests.share.server import new_database, running, stop_at_once
from tests.tracing import RefusedError, Tree, follow

MOMENTS, STOPS = 60, 10
Make = Callable[[Path], Opener]
"""Makes a remote for the machines in a folder, with what is in it at the beginning."""


def _sync(place: Path, remote: Opener) -> None:
    with suppress(FileProblem):  # what was killed may have been git alone
        machine(place, remote).sync()


def _check(place: Path, remote: Opener) -> None:
    check(place, remote)
    for path in (place / "desk").rglob("sharing/*.db"):
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("pragma integrity_check").fetchone() == ("ok",)


def _in_git(place: Path) -> Opener:
    hub = place / "hub"
    return lambda name: GitRemote(str(hub), place / f"{name}.git", author="ann", machine=name)


def _repository(base: Path) -> Make:
    """Repositories that are copies of one."""
    template = base / "template"
    hub = template / "hub"
    hub.mkdir(parents=True)
    git("init", "--quiet", "--bare", "--initial-branch=main", folder=hub)
    begin(template, _in_git(template))

    def make(place: Path) -> Opener:
        shutil.copytree(template, place)
        return _in_git(place)

    return make


def _databases(base: Path, url: str) -> Make:
    """Databases that are copies of one."""
    template, address = base / "template", url.partition("?")
    name = address[0].rpartition("/")[2]
    begin(template, lambda _: PostgresRemote(url))

    def make(place: Path) -> Opener:
        shutil.copytree(template, place)
        with psycopg.connect(url.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
            connection.execute(f"create database {name}_{place.name} template {name}")
        other = url.replace(f"/{name}?", f"/{name}_{place.name}?")
        return lambda _: PostgresRemote(other)

    return make


_WAYS: tuple[Callable[[Tree, int], None], ...] = (
    lambda tree, caller: tree.kill(*tree.alive),
    lambda tree, caller: tree.kill(caller),
    lambda tree, caller: tree.kill(tree.first),
)


def _sweep(
    base: Path,
    make: Make,
    moments: int,
    ways: tuple[Callable[[Tree, int], None], ...] = _WAYS,
    after: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """Interfere at so many moments of a sync; returns how many there were, and of how many.

    Args:
        base: an empty folder.
        make: makes a remote.
        moments: how many, spread evenly over the sync.
        ways: what to do at such a moment, in turn.
        after: called when the processes have ended.
    """
    place = base / "whole"
    remote = make(place)
    whole = follow(lambda: _sync(place, remote), 0, ways[0]).stops
    _check(place, remote)
    step = max(1, whole // moments)
    done = 0
    for at in range(1, whole + 1, step):
        place = base / f"at{at}"
        remote = make(place)
        follow(lambda place=place, remote=remote: _sync(place, remote), at, ways[done % len(ways)])  # type: ignore[misc]
        after()
        try:
            _check(place, remote)
        except BaseException:
            sys.stderr.write(f"at {at} of {whole}, way {done % len(ways)}: {place}\n")
            raise
        shutil.rmtree(place)
        done += 1
    return done, whole


def main() -> None:
    """Sweep both engines."""
    moments = int(sys.argv[1]) if sys.argv[1:] else MOMENTS
    vars(os)["fsync"] = lambda fd: None
    with tempfile.TemporaryDirectory(prefix="memtui-kill-") as folder, running() as server:
        base = Path(folder)
        try:
            started = time.monotonic()
            done = _sweep(base / "git", _repository(base / "git"), moments)
            _say("git", "processes killed", *done, started)
            started = time.monotonic()
            url = new_database(server)
            done = _sweep(base / "postgres", _databases(base / "postgres", url), moments)
            _say("PostgreSQL", "processes killed", *done, started)
            started = time.monotonic()
            stop = (lambda tree, caller: stop_at_once(server),)
            make = _databases(base / "stopped", new_database(server))
            done = _sweep(base / "stopped", make, min(moments, STOPS), stop, server.start)
            _say("PostgreSQL", "server stopped at once", *done, started)
        except RefusedError as refused:
            raise SystemExit(f"{refused}.") from None


def _say(engine: str, how: str, done: int, whole: int, started: float) -> None:
    sys.stdout.write(
        f"{engine}: {how} at {done} of {whole} entries and returns of system calls of a sync:"
        f" nothing lost, nothing twice, the next sync completes ({time.monotonic() - started:.0f} s)\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
