"""A project with something of each kind to search in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memtui.documents.capture import Capture, render_capture, reviewed
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.documents.session_state import Identity, SessionState, render_session_state
from memtui.ground.project import Home, Project, claude_config, transcript_slug
from memtui.lost.pins import Pins


def furnish(root: Path, where: Home, session: str, word: str) -> None:
    """A project with one document of each kind that has the word."""
    (root / ".git").mkdir(parents=True, exist_ok=True)
    compacts = root / ".project" / "compacts"
    compacts.mkdir(parents=True)
    capture = Capture(
        status="pending",
        timestamp=datetime(2026, 1, 2, 10, tzinfo=UTC),
        session_id=session,
        transcript="/t.jsonl",
        first_message=f"Port the {word}",
    )
    path = compacts / "20260102_100000-autocompact.md"
    path.write_text(render_capture(reviewed(capture, summary="Ported.", memory="20260102_100000-memory.md")))
    memory = MemoryFile(title=f"About the {word}", goal="Port it", learnings=("It is small",))
    path.with_name("20260102_100000-memory.md").write_text(render_memory(memory))
    (root / ".project" / "pins.md").write_text(
        f"- never paint the {word} ({session} L4)\n- break the {word}\n"
    )
    Pins(Project(root), where).confirm([f"never paint the {word}"])
    own = claude_config() / "projects" / transcript_slug(root.resolve()) / "memory" / f"{word}.md"
    own.parent.mkdir(parents=True)
    own.write_text(f"---\nname: {word}-rule\ndescription: Oil it\n---\n\nOnce a year, the {word} squeaks.\n")
    state = SessionState(version=1, identity=Identity(project=f"x ({root})", goal=f"A {word} that works"))
    folder = where.states / session
    folder.mkdir(parents=True)
    (folder / "v0001.md").write_text(render_session_state(state))
