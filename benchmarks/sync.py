"""Fetching memories from a remote, and a sync that has nothing new, by git and by PostgreSQL.

    python benchmarks/sync.py           # 2,000 memories
    python benchmarks/sync.py 10000     # as many as the budget is for, and a repository may hold

A child process fetches, so that its peak memory is known. The budgets are for 10,000 memories; with fewer,
the time counts in proportion.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from data import Data, data
from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.share.contract import Document, Remote
from memtui.share.remotes import NamedRemote, Remotes, open_remote
from memtui.share.sync import open_sharing
from report import Figure, bounded, show

sys.path.insert(0, str(Path(__file__).parents[1]))

MEMORIES = 2_000
ROUNDS = 9
QUICK = {"MEMORIES": 300, "ROUNDS": 3}
SECONDS, MEGABYTES, NOTHING_NEW = 60.0, 200, 0.300
_OF = 10_000
_TEXT = b"## Objective\nFix the cart %d\n\n" + b"- a line of what was learned on the way\n" * 36


def measure(made: Data) -> Iterator[Figure]:
    """Both engines in turn."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="memtui-sync-")))
        yield from _figures("git", a_repository(folder), folder / "git")
        yield from _figures("PostgreSQL", stack.enter_context(a_database()), folder / "postgres")


def _figures(engine: str, url: str, folder: Path) -> Iterator[Figure]:
    home = memtui_home({"MEMTUI_HOME": str(folder / "other")})
    remote = open_remote("team", NamedRemote(url=url), home, "ann", "laptop-1a2b")
    remote.set_up()
    _fill(remote)
    command = [sys.executable, __file__, "--fetch", url, str(ROUNDS)]
    environment = {**os.environ, "MEMTUI_HOME": str(folder / "here")}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["memories"] == MEMORIES, found
    took, share = found["seconds"], MEMORIES / _OF
    yield Figure(
        f"fetching {MEMORIES:,} memories, {engine}",
        f"{took:.1f} s, {MEMORIES / took:,.0f} a second, {found['cpu']:.1f} s of one processor",
        budget=f"<= {SECONDS * share:.1f} s",
        ok=took <= SECONDS * share,
    )
    yield Figure(
        f"peak memory of that, {engine}",
        f"{found['megabytes']:.0f} MB",
        budget=f"<= {MEGABYTES} MB",
        ok=found["megabytes"] <= MEGABYTES,
    )
    beyond = [sync - trip for sync, trip in zip(found["syncs"], found["trips"], strict=True)]
    yield bounded(f"nothing new, beyond the round trip, {engine}", beyond, NOTHING_NEW)


def _fill(remote: Remote) -> None:
    """Put memories into the remote, a batch at a time."""
    start = datetime(2026, 1, 2, tzinfo=UTC)
    remote.heads()
    for first in range(0, MEMORIES, 2_000):
        remote.write(dict(_memory(number, start) for number in range(first, min(first + 2_000, MEMORIES))))


def _memory(number: int, start: datetime) -> tuple[str, tuple[int, bytes]]:
    at = start + timedelta(minutes=number)
    made = Document(
        version=1,
        author="ann",
        machine="laptop-1a2b",
        at=at,
        project="shop",
        created=at,
        source="review",
        description=f"Fix the cart: step {number}",
        tags=("cart", "checkout flow"),
        body=_TEXT % number,
    )
    return f"CMEM-{at:%Y%m%d-%H%M%S}@laptop-1a2b", (1, made.render())


def _fetch(url: str, rounds: int) -> None:
    """Fetch everything in this process, then sync again; print what it took."""
    home = memtui_home()
    Remotes(home).add("team", NamedRemote(url=url))
    sharing = open_sharing(home, system_clock)
    started, cpu = time.perf_counter(), time.process_time()
    synced = sharing.sync()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sharing.sync()
    syncs, trips = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        sharing.sync()
        syncs.append(time.perf_counter() - started)
        started = time.perf_counter()
        _round_trip(url)
        trips.append(time.perf_counter() - started)
    found = {"memories": synced.fetched, "seconds": seconds, "cpu": cpu, "megabytes": peak}
    print(json.dumps({**found, "syncs": syncs, "trips": trips}))


def _round_trip(url: str) -> None:
    """The least that any program has to do to see whether there is something new."""
    if url.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(url) as connection:
            connection.execute("select count(*) from memtui.memories")
    else:
        subprocess.run(["git", "ls-remote", url, "refs/heads/main"], check=True, capture_output=True)


def a_repository(folder: Path) -> str:
    """The address of a new repository in a folder."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder / "hub")], check=True)
    return str(folder / "hub")


@contextmanager
def a_database() -> Iterator[str]:
    """The address of a server of its own."""
    from tests.share.server import new_database, running

    with running(durable=True) as server:
        yield new_database(server)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fetch"]:
        _fetch(sys.argv[2], int(sys.argv[3]))
        sys.exit()
    MEMORIES = int(sys.argv[1]) if sys.argv[1:] else MEMORIES
    with data() as everything:
        sys.exit(show(measure(everything)))
