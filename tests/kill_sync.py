"""kill -9 during a sync with git or PostgreSQL, and immediate stops of the server. Started by `make kill`.

The sync is followed with ptrace, with every process that it starts: memtui's own calls, those of git, and
those of the git that serves a folder. At one entry or return of a system call after the other, in turn all
processes are killed, only the one that makes the call, or only memtui while git goes on. Each time, nothing
is lost and nothing is there twice, and the next sync completes. Needs Linux.

    python -m tests.kill_sync         # some moments of each sync
    python -m tests.kill_sync 2000    # more of them
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

from memtui.ground.files import FileProblem
from memtui.share import git as git_module
from tests.share.machines import Machine, all_bodies, held
from tests.share.repository import git
from tests.share.server import new_database, running, stop_at_once
from tests.tracing import RefusedError, Tree, follow

MOMENTS, STOPS = 60, 10
Make = Callable[[], str]
"""Makes the machines' folder and the remote as before the sync; returns the remote's address."""
_TEXTS = {b"shared %d" % number for number in range(3)} | {b"of the laptop", b"of the desk", b"new"}


def _begin(place: Path, url: str) -> None:
    """Two machines that have shared memories, with changes that the desk's next sync takes and writes."""
    laptop, desk = (Machine(place, name, url) for name in ("laptop", "desk"))
    laptop.remote.set_up()
    ids = [laptop.share(b"shared %d" % number) for number in range(3)]
    laptop.sync()
    desk.sync()
    laptop.edit(ids[0], b"of the laptop")
    laptop.store.delete(ids[1])
    laptop.sync()
    desk.edit(f"{ids[0]}@laptop", b"of the desk")
    desk.share(b"new")


def _sync(place: Path, url: str) -> None:
    with suppress(FileProblem):  # what was killed may have been git alone
        Machine(place, "desk", url).sync()


def _check(place: Path, url: str) -> None:
    """After the next syncs all are equal, and nothing is lost."""
    git_module._STALE_SECONDS = 0.0
    machines = [Machine(place, name, url) for name in ("desk", "laptop")]
    for each in machines * 2:
        each.sync()
    found = held(machines[0].remote)
    assert all(each.texts() == found for each in machines)
    bodies = {body for _, _, body in found.values()}
    assert bodies == {b"new", b"of the desk", b"of the laptop", b"shared 2"}, bodies
    assert all_bodies(machines[0].remote, machines) >= _TEXTS


def _repository(place: Path) -> Make:
    hub = place / "hub"
    hub.mkdir(parents=True)
    git("init", "--quiet", "--bare", "--initial-branch=main", folder=hub)
    return _again(place, str(hub), lambda: None)


def _database(place: Path, url: str) -> Make:
    """A database that is made anew, as a copy of one."""
    name = url.partition("?")[0].rpartition("/")[2]

    def change(*statements: str) -> None:
        with psycopg.connect(url.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def anew() -> None:
        drop = f"drop database if exists {name}_now with (force)"
        change(drop, f"create database {name}_now template {name}")

    anew()
    make = _again(place, url.replace(f"/{name}?", f"/{name}_now?"), anew)
    change(f"drop database {name} with (force)", f"alter database {name}_now rename to {name}")
    return make


def _again(place: Path, url: str, anew: Callable[[], None]) -> Make:
    _begin(place, url)
    template = place.with_name(f"{place.name}-template")
    shutil.copytree(place, template)

    def make() -> str:
        shutil.rmtree(place)
        shutil.copytree(template, place)
        anew()
        return url

    return make


_WAYS: tuple[Callable[[Tree, int], None], ...] = (
    lambda tree, caller: tree.kill(*tree.alive),
    lambda tree, caller: tree.kill(caller),
    lambda tree, caller: tree.kill(tree.first),
)


def _sweep(
    place: Path,
    make: Make,
    moments: int,
    ways: tuple[Callable[[Tree, int], None], ...] = _WAYS,
    after: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """Interfere at moments of a sync, in these ways in turn; returns how many there were, and of how many.

    `make` makes machines and remote anew; `after` is called when the processes have ended.
    """
    url = make()
    whole = follow(lambda: _sync(place, url), 0, ways[0]).stops
    _check(place, url)
    step = max(1, whole // moments)
    done = 0
    for at in range(1, whole + 1, step):
        make()
        follow(lambda: _sync(place, url), at, ways[done % len(ways)])
        after()
        try:
            _check(place, url)
        except BaseException:
            sys.stderr.write(f"at {at} of {whole}, way {done % len(ways)}: {place}\n")
            raise
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
            done = _sweep(base / "postgres", _database(base / "postgres", url), moments)
            _say("PostgreSQL", "processes killed", *done, started)
            started = time.monotonic()
            stop = (lambda tree, caller: stop_at_once(server),)
            make = _database(base / "stopped", new_database(server))
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
