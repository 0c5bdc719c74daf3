"""Test data of the benchmarks: projects with many captures and memories, in a temporary folder.

Every file is of memtui's own formats, rendered once by `memtui.documents` and written many times with another
time, id and title. All of it belongs to one run and is removed at its end.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from memtui.documents.capture import capture_name, render_pending
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.documents.recovery import Plan, Recovery, RoleFile, render_recovery
from memtui.ground.clock import system_clock
from memtui.ground.project import transcript_slug

sys.path.insert(0, str(Path(__file__).parents[1]))  # for tests

NEWEST = system_clock()
"""The newest moment in the data; its offset is fixed, so that no two times of it have one name."""
_SESSION = "0f5d1c8e-6b0a-4f7e-9a51-3a8f4d6f2b11"
_LATER = timedelta(minutes=20)
"""Between two captures, and between two memories."""


@dataclass(frozen=True, slots=True)
class Place:
    """A project, and the home of memtui and of Claude Code that go with it."""

    root: Path

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.root / "project"

    @property
    def compacts(self) -> Path:
        """The folder of its captures."""
        return self.project / ".project" / "compacts"

    @property
    def memories(self) -> Path:
        """The folder of stored memories."""
        return self.root / "home" / "data" / "memories"

    @property
    def transcripts(self) -> Path:
        """The folder of the project's transcripts in Claude Code's configuration."""
        return self.root / "claude" / "projects" / transcript_slug(Path(os.path.realpath(self.project)))

    @property
    def transcript(self) -> Path:
        """The transcript of the project's session, if `make_transcript` was called."""
        return self.transcripts / f"{_SESSION}.jsonl"

    @property
    def command(self) -> list[str]:
        """The command that starts memtui on this place."""
        return [sys.executable, "-m", "memtui", str(self.project)]

    @property
    def environment(self) -> dict[str, str]:
        """The environment for a program that should see nothing else of the machine."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
        return kept | {
            "HOME": str(self.root),
            "MEMTUI_HOME": str(self.root / "home"),
            "CLAUDE_CONFIG_DIR": str(self.root / "claude"),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }


class Data:
    """Places of all sizes, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[tuple[int, int], Place] = {}

    def place(self, *, captures: int, memories: int) -> Place:
        """A project with so many captures and stored memories, active commands and a transcript."""
        wanted = (captures, memories)
        if wanted not in self._made:
            place = Place(self._folder / f"{captures}-{memories}")
            (place.project / ".git").mkdir(parents=True)
            (place.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            write_commands(place)
            make_transcript(place, megabytes=2)
            write_captures(place, captures)
            write_memories(place, memories)
            self._made[wanted] = place
        return self._made[wanted]


@contextmanager
def data() -> Iterator[Data]:
    """The data of one run; removed at the end."""
    with tempfile.TemporaryDirectory(prefix="memtui-bench-", ignore_cleanup_errors=True) as folder:
        yield Data(Path(folder).resolve())


def capture_title(number: int) -> str:
    """The first word of the first message of capture `number`; 0 is the newest."""
    return f"refresh-race-{number:06d}"


def capture_file(place: Place, title: str, moment: datetime) -> tuple[str, str]:
    """Name and text of one capture."""
    text = render_pending(
        timestamp=moment,
        session_id=_SESSION,
        transcript=str(place.transcript),
        first_message=f"{title}: fix the token refresh race in the payment client.\n\n"
        "Two tabs refresh at once and one of them is logged out. There is a test that shows it. "
        "Keep the public interface as it is, and tell me before you touch the migrations.",
    )
    return capture_name(moment), text


def write_captures(place: Place, number: int) -> None:
    """Write the captures 0 to `number`, 0 being the newest."""
    place.compacts.mkdir(parents=True, exist_ok=True, mode=0o700)
    for index in range(number):
        name, text = capture_file(place, capture_title(index), NEWEST - index * _LATER)
        (place.compacts / name).write_text(text)


def memory_id(number: int) -> str:
    """The Recovery ID of memory `number`; 0 is the newest."""
    return f"CMEM-{NEWEST - number * _LATER:%Y%m%d-%H%M%S}"


def memory_file(place: Place, number: int) -> Path:
    """The file of memory `number`."""
    return place.memories / f"{NEWEST - number * _LATER:%Y-%m}" / f"{memory_id(number)}.md"


def write_memories(place: Place, number: int) -> None:
    """Write the memories 0 to `number`, 0 being the newest."""
    sample = _stored_memory().replace(b"/work/payments", str(place.project).encode())
    first = memory_id(0).encode()
    place.memories.mkdir(parents=True, exist_ok=True, mode=0o700)
    for index in range(number):
        path = memory_file(place, index)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_bytes(sample.replace(first, memory_id(index).encode()).replace(b"@@", b"%06d" % index))


@cache
def _stored_memory() -> bytes:
    files = tuple(RoleFile(path=f"src/payments/part{index}.py", role="changed") for index in range(12))
    recovery = Recovery(
        session_id=_SESSION,
        project_root="/work/payments",
        objective="Make the refresh of tokens safe when several tabs do it at once.",
        plan=Plan(source="plan mode", content="\n".join(f"{n}. Step {n} of the plan" for n in range(1, 30))),
        working_files=files,
        last_action="Ran the tests of the payment client: all passed.",
        decisions=tuple(f"Decision {n}: the lock is held per account, not per token" for n in range(10)),
        pending=tuple(f"Write the test of case {n}" for n in range(10)),
    )
    meta = MemoryMeta(
        id=memory_id(0),
        project="/work/payments",
        created=NEWEST,
        updated=NEWEST,
        description="number @@: the refresh race of the payment client",
        tags=("auth", "payments"),
        session_id=_SESSION,
        source="review",
    )
    return render_stored(StoredMemory(meta=meta, body=render_recovery(recovery).encode()))


def write_commands(place: Place) -> None:
    """Write session-state.json with two active commands."""
    commands: list[dict[str, object]] = [
        {"name": name, "activated_at": NEWEST.isoformat(timespec="seconds"), "state": {}}
        for name in ("babysit", "review")
    ]
    path = place.project / "docs" / "09-agents" / "session-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"active_commands": commands}, indent=2) + "\n")


LAST_WORDS = "That was the last line of this transcript."


def make_transcript(place: Place, *, megabytes: int) -> None:
    """Write the transcript of the project's session, of at least so many megabytes."""
    place.transcripts.mkdir(parents=True, exist_ok=True)
    started = NEWEST - timedelta(days=2)
    from tests.transcript_writer import TranscriptWriter

    writer = TranscriptWriter(_SESSION, cwd=str(place.project), branch="main", started=started)
    writer.prompt("Fix the token refresh race in the payment client.")
    source = "\n".join(f"    value_{n} = client.refresh(account, token={n})" for n in range(300))
    for step in range(50):
        path = f"{place.project}/src/payments/part{step}.py"
        writer.read(path, source)
        writer.edit(path, "value_1 = client", "value_1 = locked_client")
        writer.bash(f"pytest tests/test_part{step}.py", "Run the tests", "3 passed in 0.21s")
        writer.say(f"Part {step} is done: the lock is held while its token is refreshed.")
    block = writer.take().encode()
    writer.say(LAST_WORDS)
    with place.transcript.open("wb") as file:
        for _ in range(1 + megabytes * 1_000_000 // len(block)):
            file.write(block)
        file.write(writer.take().encode())
