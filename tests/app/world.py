"""A project on the disk for the tests of the app, written in the formats of real data."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from memtui.documents.capture import Capture, capture_name, memory_name, render_capture, reviewed
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    render_session_state,
)
from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.store.archive_settings import answer_keeping
from memtui.store.claude_memory import ClaudeMemories
from tests.transcript_writer import TranscriptWriter

NOW = datetime(2026, 3, 5, 14, 20, 7, tzinfo=timezone(timedelta(hours=1)))
BODY = "# Recovery\n\n## Objective\n\nKeep every session valid while the keys move.\n"


def clock() -> datetime:
    """The time stands still."""
    return NOW


@dataclass
class World:
    """One project with everything around it, in one folder."""

    base: Path
    name: str = "harbor"
    project: Project = field(init=False)
    home: Home = field(init=False)
    claude: Path = field(init=False)

    def __post_init__(self) -> None:
        self.project = Project(self.base / self.name)
        self.project.root.mkdir(parents=True)
        self.home = memtui_home({"MEMTUI_HOME": str(self.base / "memtui")})
        answer_keeping(self.home, True)
        self.claude = self.base / "claude"

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.project.root

    @property
    def places(self) -> Places:
        """The project and all folders."""
        return Places(self.project, self.home, self.claude)

    @property
    def claude_memories(self) -> ClaudeMemories:
        """What Claude keeps for itself."""
        return ClaudeMemories(self.places, clock)

    @property
    def env(self) -> dict[str, str]:
        """The environment for another process in this world."""
        return {"MEMTUI_HOME": str(self.base / "memtui"), "CLAUDE_CONFIG_DIR": str(self.claude)}

    def write(self, path: Path, data: str | bytes, *, minutes: float = 0) -> Path:
        """Write a file, last changed so many minutes ago."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        seconds = (NOW - timedelta(minutes=minutes)).timestamp()
        os.utime(path, (seconds, seconds))
        return path

    def configure(self, text: str) -> str:
        """Write config.toml; returns its path."""
        return str(self.write(self.home.config / "config.toml", text))

    def branch(self, name: str) -> None:
        """Check out a branch."""
        self.write(self.root / ".git" / "HEAD", f"ref: refs/heads/{name}\n")

    # -- captures -------------------------------------------------------------------------------------------

    def capture_of(self, minutes: float, message: str, *, session: str = "s-1") -> Capture:
        """A pending capture made so many minutes ago."""
        return Capture(
            status="pending",
            timestamp=NOW - timedelta(minutes=minutes),
            session_id=session,
            transcript=str(self.transcript_path(session)),
            first_message=message,
        )

    def capture(self, minutes: float, message: str, *, session: str = "s-1") -> Path:
        """Write a pending capture."""
        capture = self.capture_of(minutes, message, session=session)
        return self.write(self.capture_path(minutes), render_capture(capture), minutes=minutes)

    def capture_path(self, minutes: float) -> Path:
        """The path of a capture made this many minutes ago."""
        return self.project.compacts / capture_name(NOW - timedelta(minutes=minutes))

    def reviewed_capture(
        self, minutes: float, message: str, memory: MemoryFile, *, session: str = "s-1"
    ) -> Path:
        """Write a reviewed capture and its memory file; returns the memory file."""
        path = self.capture_path(minutes)
        name = memory_name(path.name)
        capture = reviewed(self.capture_of(minutes, message, session=session), summary="Done.", memory=name)
        self.write(path, render_capture(capture), minutes=minutes)
        return self.write(path.with_name(name), render_memory(memory), minutes=minutes)

    # -- memories -------------------------------------------------------------------------------------------

    def memory(
        self,
        minutes: float,
        title: str,
        *,
        tags: tuple[str, ...] = (),
        body: str = BODY,
        project: str | None = None,
        session: str = "s-1",
    ) -> str:
        """Store a memory, by default of this project; returns its Recovery ID."""
        moment = NOW - timedelta(minutes=minutes)
        name = f"CMEM-{moment:%Y%m%d-%H%M%S}"
        meta = MemoryMeta(
            id=name,
            project=str(self.root) if project is None else project,
            created=moment,
            updated=moment,
            description=title,
            tags=tags,
            session_id=session,
            source="import",
        )
        data = render_stored(StoredMemory(meta=meta, body=body.encode("utf-8", "replace")))
        self.write(self.home.memories / f"{moment:%Y-%m}" / f"{name}.md", data, minutes=minutes)
        return name

    # -- commands -------------------------------------------------------------------------------------------

    def commands(self, *names: str, state: dict[str, Any] | None = None, **others: Any) -> Path:
        """Write session-state.json with these active commands, an hour old, among other programs' data."""
        since = (NOW - timedelta(hours=1)).isoformat()
        entries = [{"name": name, "activated_at": since, "state": state or {}} for name in names]
        value = {"last_session": {"id": "a-1", "ratio": 0.10}, "active_commands": entries, **others}
        return self.write(self.project.session_state_json, json.dumps(value, indent=2) + "\n")

    def command_file(self, name: str, summary: str, *, folder: int = 2) -> Path:
        """Write a command's file with a compact summary into one of the three folders."""
        text = f"# {name}\n\n<!-- COMPACT_SUMMARY_START -->\n{summary}\n<!-- COMPACT_SUMMARY_END -->\n"
        return self.write(self.project.command_folders[folder] / f"{name}.md", text)

    # -- sessions -------------------------------------------------------------------------------------------

    def state(self, state: SessionState | str, *, session: str = "s-1", version: int = 1) -> Path:
        """Store a version of a session's state."""
        text = state if isinstance(state, str) else render_session_state(state)
        return self.write(self.home.states / session / f"v{version:04}.md", text)

    def transcript_path(self, session: str) -> Path:
        """The path of a session's transcript."""
        return self.claude / "projects" / transcript_slug(self.root.resolve()) / f"{session}.jsonl"

    def session(self, session: str = "s-1", *, minutes: float = 60) -> TranscriptWriter:
        """Begin the transcript of a session that started so many minutes ago."""
        started = NOW - timedelta(minutes=minutes)
        return TranscriptWriter(session, cwd=str(self.root.resolve()), branch="main", started=started)

    def save(self, session: TranscriptWriter, *, minutes: float = 0) -> Path:
        """Write what a session has said so far."""
        path = self.transcript_path(session.session_id)
        before = path.read_text() if path.exists() else ""
        return self.write(path, before + session.take(), minutes=minutes)


def told_apart(text: str) -> tuple[str, str]:
    """A review's memory file without its last section, and the Recovery ID that this names."""
    memory, _, named = text.partition("\n## Recovery\n")
    recovery_id = named.removeprefix("Recovery ID: ").partition("\n")[0]
    assert named == f'Recovery ID: {recovery_id}\n\nTo restore: "Please import memory {recovery_id}"\n'
    return memory, recovery_id


KEPT = MemoryFile(title="Billing moved", goal="Move billing", learnings=("Copy first", "Then switch"))
FIRST = "Fix the token refresh race"
STATE = SessionState(
    version=7,
    identity=Identity(project="harbor", branch="main", goal="Tokens that refresh once"),
    tasks=(
        Task(kind=TaskKind.DONE, text="Find the race"),
        Task(
            kind=TaskKind.IN_PROGRESS,
            text="Take the lock before reading",
            children=(Task(kind=TaskKind.BLOCKER, text="the mock has no clock"),),
        ),
        Task(kind=TaskKind.NEXT, text="Remove the retry"),
    ),
    decisions=(Decision(text="one lock a session"),),
    working=WorkingContext(last_error="TimeoutError in test_refresh"),
    dynamics=Dynamics(phase="fixing"),
)


def captured_session(world: World, name: str = "s-1", first: str = FIRST, *, minutes: float = 50) -> Path:
    """The transcript of the session that the newest capture is about."""
    root = str(world.root)
    session = world.session(name, minutes=minutes + 5)
    session.prompt(first)
    session.say("I will look at the token store first.")
    session.read(f"{root}/src/tokens.py", "LOCK = None\n")
    session.edit(f"{root}/src/tokens.py", "LOCK = None", "LOCK = Lock()")
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    session.prompt("Never refresh twice: the provider revokes both tokens.")
    session.say("Understood: one refresh at a time.")
    return world.save(session, minutes=minutes)


def furnished(world: World) -> World:
    """Something in every pane: two pending captures and two others, memories, commands, a stored state."""
    world.branch("main")
    captured_session(world)
    world.capture(10, FIRST + "\nIt shows under load.")
    world.capture(200, "Make the export stream", session="s-gone")
    world.reviewed_capture(3000, "Migrate billing", KEPT, session="s-old")
    world.write(world.capture_path(4000), "# Autocompact Capture\n\n**Status:** pending\n", minutes=4000)
    world.memory(30, "JWT keys rotate without logging anyone out", tags=("auth", "jwt"))
    world.memory(5000, "Payments in minor units", tags=("money",))
    world.commands("babysit", "research/ask", "nofile")
    world.command_file("babysit", "## ACTIVE COMMAND: /babysit\n\n- Ask before every step")
    world.command_file("research/ask", "Name your sources", folder=1)
    world.state(STATE, version=7)
    return world
