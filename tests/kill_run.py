"""kill -9 at every system call of a process that archives a session. Started by `make kill`; needs Linux.

The process is followed with ptrace and killed at the entry of one system call after the other, and at its
return. Each time, what was kept before is there, verify finds nothing, and the next run completes the copy.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memtui.ground.project import memtui_home
from memtui.store import archive
from memtui.store.archive import Archive, Copy
from memtui.store.archive_settings import ArchiveSettings
from tests.tracing import RefusedError, follow

_FRAME = 2000


class Place:
    """A session and its subagent, of which a part is kept, and which have grown since."""

    def __init__(self, folder: Path) -> None:
        lines = [
            json.dumps({"type": "user", "cwd": "/p", "message": {"content": f"ask {n} {'x' * 300}"}}) + "\n"
            for n in range(60)
        ]
        self.transcript = folder / "claude" / "projects" / "-p" / "s-1.jsonl"
        self.agent = self.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
        self.agent.parent.mkdir(parents=True)
        now = datetime(2026, 3, 5, tzinfo=UTC)
        self.archive = Archive(memtui_home({"MEMTUI_HOME": str(folder / "memtui")}), lambda: now)
        self.transcript.write_text("".join(lines[:20]))
        self.agent.write_text("".join(lines[:5]))
        self.keep()
        self.safe = self.kept()
        self.transcript.write_text("".join(lines))
        self.agent.write_text("".join(lines[:9]))

    def keep(self) -> None:
        """Archive the session."""
        self.archive.keep(self.transcript, ArchiveSettings())

    def kept(self) -> dict[Path, bytes]:
        """The content of each archived file by the path of the original; verify has to pass."""
        kept = self.archive.find("s-1")
        problem = self.archive.verify(kept)
        assert not problem, problem
        copies = [Copy(kept.stem), *self.archive.agents_of(kept).values()]
        return {each.source: b"".join(each.parts()) for each in copies}


def _killed(place: Place, at: int) -> bool:
    """Archive in a process that is killed at the stop of this number; False: it ended before."""
    tree = follow(place.keep, at, lambda tree, _: tree.kill(tree.first))
    assert tree.code in (0, -signal.SIGKILL), tree.code
    return tree.code != 0


def main() -> None:
    """Kill at the first stop, at the second, and so on, until a process comes to its end."""
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


if __name__ == "__main__":
    main()
