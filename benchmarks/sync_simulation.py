"""30 machines on git and PostgreSQL: cut off at random, clocks an hour apart, and equal at the end.

    python benchmarks/sync_simulation.py                   # 30 machines of 200 memories
    python benchmarks/sync_simulation.py 10 100 git        # fewer, by one engine

The simulation is that of the tests (tests/share/simulation.py), where it is smaller. Nothing is flushed to
the disk, as no power fails.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from memtui.share.remote import Remote
from sync import a_database, a_repository

MACHINES, MEMORIES, SEED = 30, 200, 1


def main() -> int:
    """Simulate with both engines; exit with 1 when the machines are not equal."""
    from tests.share.simulation import simulate

    machines, memories = map(int, sys.argv[1:3]) if sys.argv[1:] else (MACHINES, MEMORIES)
    engines = sys.argv[3:] or ["git", "postgres"]
    vars(os)["fsync"] = lambda fd: None
    vars(os)["sync"] = lambda: None
    failed = False
    for engine in engines:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="memtui-simulation-")))
            remote = _opener(engine, folder, stack)
            done = simulate(
                folder / "homes", remote, machines=machines, memories=memories, seed=SEED, progress=_say
            )
            shutil.rmtree(folder, ignore_errors=True)
        print(
            f"{engine}: {machines} machines x {memories} memories, {done.changes:,} changes of them; "
            f"{done.syncs} syncs, {done.cut} cut off; {done.records:,} records; "
            f"{done.memories:,} memories on each machine, {'all equal' if done.equal else 'NOT EQUAL'}; "
            f"{done.seconds:.0f} s",
            flush=True,
        )
        failed |= not done.equal
    return int(failed)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _opener(engine: str, folder: Path, stack: ExitStack) -> Callable[[str], Remote]:
    if engine == "git":
        from memtui.share.git_remote import GitRemote

        hub = a_repository(folder)
        return lambda name: GitRemote(hub, folder / "clones" / f"{name}.git", author="ann", machine=name)
    from memtui.share.postgres_remote import PostgresRemote

    url = stack.enter_context(a_database())
    return lambda name: PostgresRemote(url)


if __name__ == "__main__":
    sys.exit(main())
