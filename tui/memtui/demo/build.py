"""Builds the demo project: a shop's backend after some days of work with Claude Code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memtui.demo import session_state
from memtui.demo.story.load import Earlier, Running, Saved, act, play, story
from memtui.demo.transcript import TranscriptWriter
from memtui.documents.capture import Capture, render_capture, reviewed
from memtui.documents.capture_text import capture_name, memory_name, render_pending
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.documents.memory_file import render_memory
from memtui.documents.recovery import Plan, Recovery, RoleFile, render_recovery
from memtui.ground.clock import Clock
from memtui.ground.files import private_folder, write_atomic
from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.plugin.installing import settings_block
from memtui.store.compact import naming
from memtui.store.state_files import NOTES
from memtui.store.state_updates import update_state

_COMPACTING = timedelta(seconds=38)
"""Time from a capture to the end of its compaction."""

_OLD = timedelta(days=90)
"""Age of the source files: older than every memory, so that no memory counts as outdated."""

_PACKAGE = """\
{
  "name": "harbor",
  "version": "4.2.1",
  "private": true,
  "scripts": { "test": "vitest run", "migrate": "tsx scripts/migrate.ts" }
}
"""


@dataclass(frozen=True, slots=True)
class DemoProject:
    """A demo project on disk."""

    folder: Path
    """Contains everything; removing it removes the demo."""
    project: Project
    home: Home
    claude_config: Path
    env: Mapping[str, str]
    """The variables that make any memtui command work on the demo."""
    session: TranscriptWriter
    """The running session."""
    other: TranscriptWriter
    """Another session, in a second terminal."""

    @property
    def transcript(self) -> Path:
        return self.transcript_of(self.session.session_id)

    def transcript_of(self, session_id: str) -> Path:
        slug = transcript_slug(self.project.root)
        return self.claude_config / "projects" / slug / f"{session_id}.jsonl"

    @property
    def claude_memories(self) -> Path:
        """The folder of the memories that Claude keeps for itself."""
        return self.claude_config / "projects" / transcript_slug(self.project.root) / "memory"

    def put_capture(self, session_id: str, prompt: str, moment: datetime) -> str:
        """Write a pending capture as the hook does; returns its file name."""
        text = render_pending(
            timestamp=moment,
            session_id=session_id,
            transcript=str(self.transcript_of(session_id)),
            first_message=prompt,
        )
        name = capture_name(moment)
        self.put(self.project.compacts / name, text, moment, private=True)
        return name

    def put_memory(self, saved: Saved, moment: datetime) -> str:
        """Store a memory; returns its Recovery ID."""
        recovery_id = _recovery_id(moment)
        path = self.home.memories / f"{moment:%Y-%m}" / f"{recovery_id}.md"
        self.put(path, _stored_memory(saved, self.project.root, moment), moment, private=True)
        return recovery_id

    def say(self, session: TranscriptWriter, moment: datetime) -> None:
        path = self.transcript_of(session.session_id)
        with path.open("ab") as file:
            file.write(session.take().encode())
        _stamp(path, moment)

    def keep_state(self, session: TranscriptWriter, moment: datetime) -> None:
        """Append a session's new lines, and write the next version of its state."""
        self.transcript_of(session.session_id).parent.mkdir(parents=True, exist_ok=True)
        self.say(session, moment)
        places = Places(self.project, self.home, self.claude_config)
        update_state(places, transcript=self.transcript_of(session.session_id))
        folder = self.home.states / session.session_id
        newest = max(folder.glob("v*.md"))
        for path in (newest, folder / NOTES, folder / "progress.json"):
            _stamp(path, moment)

    def put(self, path: Path, data: bytes | str, moment: datetime, *, private: bool = False) -> None:
        """Write a whole file as of `moment`; `private`: in a folder kept out of repositories."""
        if private:
            private_folder(path.parent, within=self.folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data.encode() if isinstance(data, str) else data, within=self.folder)
        _stamp(path, moment)


def _stamp(path: Path, moment: datetime) -> None:
    seconds = moment.timestamp()
    os.utime(path, (seconds, seconds))


def build_demo(folder: Path, clock: Clock) -> DemoProject:
    """Build the demo in an empty folder. The same folder and time give the same bytes.

    Raises:
        FileProblem: the folder cannot be written.
    """
    folder = folder.resolve()
    now = clock()
    project = Project(folder / "harbor")
    project.root.mkdir(mode=0o700)
    env = {"MEMTUI_HOME": str(folder / "memtui"), "CLAUDE_CONFIG_DIR": str(folder / "claude")}
    loaded = story()
    session, other = (_writer(running, project, now) for running in (loaded.refunds, loaded.typos))
    demo = DemoProject(folder, project, memtui_home(env), folder / "claude", env, session, other)
    _put_project(demo, now)
    for past in loaded.earlier:
        _put_earlier(demo, past, now)
    broken = now - loaded.broken_age
    demo.put(project.compacts / capture_name(broken), loaded.broken_capture, broken)
    _put_session(demo, now)
    _put_other(demo)
    for saved in loaded.memories:
        demo.put_memory(saved, now - saved.age)
    _put_claude_memories(demo, now)
    return demo


def _writer(running: Running, project: Project, now: datetime) -> TranscriptWriter:
    started = now - running.lasted
    return TranscriptWriter(running.id, cwd=str(project.root), branch=running.branch, started=started)


def _put_project(demo: DemoProject, now: datetime) -> None:
    root, refunds = demo.project.root, story().refunds
    week_ago = now - timedelta(days=7)
    demo.put(root / "package.json", _PACKAGE, week_ago)
    demo.put(
        root / "CLAUDE.md",
        "# harbor\n\nMoney is integer cents. Run `npm test` before every commit.\n",
        week_ago,
    )
    # Enough of a repository to show the branch.
    demo.put(root / ".git" / "HEAD", f"ref: refs/heads/{refunds.branch}\n", now - refunds.lasted)
    for saved in (*story().memories, story().arriving):
        for path, role in (*saved.working, *saved.reference):
            if saved.project == root.name and not (root / path).exists():
                demo.put(root / path, f"// {role}\n", now - _OLD)
    for path, text in story().command_files.items():
        demo.put(root / path, text, week_ago)
    demo.put(root / ".claude" / "settings.local.json", json.dumps(settings_block(), indent=2), week_ago)
    _put_hook_log(demo, now)
    demo.put(demo.project.session_state_json, session_state.session_state_json(now), now - refunds.compacted)


def _put_hook_log(demo: DemoProject, now: datetime) -> None:
    """The first run of the hooks, which were installed after the compaction, too late to restore losses."""
    refunds = story().refunds
    ago = refunds.compacted - timedelta(minutes=2)
    line = {
        "at": (now - ago).isoformat(timespec="seconds"),
        "event": "user-prompt-submit",
        "ms": 19,
        "outcome": "ok",
        "session_id": refunds.id,
        "project": str(demo.project.root),
    }
    demo.put(demo.home.hook_log, json.dumps(line) + "\n", now - ago, private=True)


def _put_earlier(demo: DemoProject, past: Earlier, now: datetime) -> None:
    captured = now - past.captured
    name = demo.put_capture(past.id, past.prompt, captured)
    if past.steps:
        session = TranscriptWriter(
            past.id,
            cwd=str(demo.project.root),
            branch=past.branch,
            started=captured - timedelta(minutes=50),
        )
        session.prompt(past.prompt)
        for step in past.steps:
            act(step, session, str(demo.project.root))
        for kept in story().kept:
            if kept.session == past.id:
                session.prompt(kept.after)
                session.write(str(demo.claude_memories / f"{kept.name}.md"), kept.content)
        session.at(captured + _COMPACTING)
        session.compaction(_recap(past))
        demo.put(demo.transcript_of(past.id), session.take(), session.moment)
    if past.memory is not None:
        read_back = timedelta(minutes=25)
        capture = Capture(
            status="pending",
            timestamp=captured,
            session_id=past.id,
            transcript=str(demo.transcript_of(past.id)),
            first_message=past.prompt,
        )
        memory = memory_name(name)
        text = render_capture(reviewed(capture, summary=past.summary, memory=memory))
        written = naming(past.memory, _stored_by(past, now))
        demo.put(demo.project.compacts / memory, render_memory(written), captured + read_back)
        demo.put(demo.project.compacts / name, text, captured + read_back)


def _stored_by(past: Earlier, now: datetime) -> str:
    (age,) = (saved.age for saved in story().memories if saved.session == past.id)
    return _recovery_id(now - age)


def _recap(past: Earlier) -> str:
    return (
        "This session is being continued from a previous conversation that ran out of context. The summary "
        f"below covers the earlier portion of the conversation.\n\nSummary:\n1. Primary Request and Intent:\n"
        f"   {past.prompt}\n\n7. Pending Tasks:\n   - None\n"
    )


def _put_session(demo: DemoProject, now: datetime) -> None:
    root, refunds = str(demo.project.root), story().refunds
    demo.session.prompt(refunds.prompt)
    for _ in play(refunds.before, demo.session, root):
        demo.keep_state(demo.session, demo.session.moment)
    demo.put_capture(demo.session.session_id, refunds.prompt, now - refunds.compacted)
    demo.session.at(now - refunds.compacted + _COMPACTING)
    demo.session.compaction(refunds.summary)
    for _ in play(refunds.after, demo.session, root):
        demo.keep_state(demo.session, min(demo.session.moment, now))


def _put_claude_memories(demo: DemoProject, now: datetime) -> None:
    """Claude's memories, and an index of more lines than are loaded."""
    index = []
    for kept in story().kept:
        demo.put(demo.claude_memories / f"{kept.name}.md", kept.content, now - kept.age)
        index.append(f"- [{kept.name}]({kept.name}.md) - {kept.description}")
    index += [
        f"- Shelf {number} of the harbour depot is counted on the {number % 28 + 1}."
        for number in range(1, 197)
    ]
    demo.put(demo.claude_memories / "MEMORY.md", "\n".join(index) + "\n", now - timedelta(hours=5))


def _put_other(demo: DemoProject) -> None:
    typos = story().typos
    demo.other.prompt(typos.prompt)
    for _ in play(typos.before, demo.other, str(demo.project.root)):
        demo.keep_state(demo.other, demo.other.moment)


def _recovery_text(saved: Saved, root: Path) -> str:
    root = root.parent / saved.project

    def files(named: Sequence[tuple[str, str]]) -> tuple[RoleFile, ...]:
        return tuple(RoleFile(path=str(root / path), role=role) for path, role in named)

    return render_recovery(
        Recovery(
            project_root=str(root),
            objective=saved.objective,
            plan=Plan(
                source="user-stated" if saved.plan else "inferred", content=saved.plan or saved.objective
            ),
            working_files=files(saved.working),
            reference_files=files(saved.reference),
            last_action=saved.last_action,
            decisions=tuple(saved.decisions),
            constraints=tuple(saved.constraints),
            dependencies=tuple(saved.dependencies),
            known_issues=tuple(saved.known_issues),
            changes=tuple(saved.changes),
            pending=tuple(saved.pending),
            notes=saved.notes,
        )
    )


def _recovery_id(moment: datetime) -> str:
    """The Recovery ID of a memory that is stored at `moment`."""
    return f"CMEM-{moment:%Y%m%d-%H%M%S}"


def _stored_memory(saved: Saved, root: Path, moment: datetime) -> bytes:
    meta = MemoryMeta(
        id=_recovery_id(moment),
        project=str(root.parent / saved.project),
        created=moment,
        updated=moment,
        description=saved.description,
        tags=tuple(saved.tags),
        session_id=saved.session,
        source="import",
    )
    return render_stored(StoredMemory(meta=meta, body=_recovery_text(saved, root).encode()))
