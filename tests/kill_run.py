"""Faults at every place of a process that archives a session. Started by `make kill`; needs Linux.

The process is followed with ptrace and killed at the entry of one system call after the other, and at its
return. Each time, what was kept before is there, verify finds nothing, and the next run completes the copy.
Then the disk is full at each write, and at each call that may need space, and files are limited to each size.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

from memtui.store import archive
from tests.archive_sweep import Place, disk_full, failing_call, sweep, write_limit
from tests.tracing import RefusedError, follow

_FRAME = 2000


def _killed(place: Place, at: int) -> bool:
    """Archive in a process that is killed at the stop of this number; False: it ended before."""
    tree = follow(place.keep, at, lambda tree, _: tree.kill(tree.first))
    assert tree.code in (0, -signal.SIGKILL), tree.code
    return tree.code != 0


def main() -> None:
    """Kill at the first stop, at the second, and so on, until a process comes to its end; then the sweeps."""
    archive.FRAME = _FRAME
    at, going = 0, True
    while going:
        at += 1
        with tempfile.TemporaryDirectory(prefix="memtui-kill-") as folder:
            place = Place(Path(folder))
            try:
                going = _killed(place, at)
            except RefusedError as refused:
                raise SystemExit(f"{refused}.") from None
            for source, data in place.kept().items():
                assert data.startswith(place.safe[source]), f"{source.name} has lost something at stop {at}"
                assert source.read_bytes().startswith(data), f"{source.name} has something else at stop {at}"
            place.keep()
            assert place.kept() == {each: each.read_bytes() for each in (place.transcript, place.agent)}, at
    sys.stdout.write(
        f"killed at {at - 1} entries and returns of system calls: nothing lost, verify is clean\n"
    )
    for fault in (disk_full, failing_call, write_limit):
        for grown in (False, True):
            with tempfile.TemporaryDirectory(prefix="memtui-full-") as folder:
                tries = sweep(Path(folder), fault, step=7 if fault is write_limit else 1, grown=grown)
            sys.stdout.write(
                f"{fault.__name__}, grown {grown}: {tries} tries, nothing falsely called whole\n"
            )


if __name__ == "__main__":
    main()
