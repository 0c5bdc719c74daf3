"""A project, a home and a transcript for hooks, and ways to run them: as a process and within the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.ground.project import Home, Project, memtui_home
from memtui.hooks.records import Report, Run, parse_payload, read_runs
from memtui.hooks.run import handle, with_messages
from memtui.hooks.sections import LIMIT, size_of
from tests.warm import Warm

SESSION = "90dd90a0-1111-4222-8333-444455556666"
PROMPT = "Fix the token refresh race in the payment client."

BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "compactMetadata": {"trigger": "auto", "preTokens": 155000},
}


@dataclass(frozen=True)
class Done:
    """The result of a hook's process."""

    code: int
    out: str
    err: str


class World:
    """Everything a hook sees, below one folder."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.project = Project(base / "harbor")
        (self.project.root / ".git").mkdir(parents=True)
        (self.project.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.claude = base / ".claude"
        self.transcript = self.claude / "projects" / "-harbor" / f"{SESSION}.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.write_transcript([user(PROMPT)])
        self.memtui_home = base / "memtui"
        self.configure("session_states = false")  # most tests are not about these

    def configure(self, switches: str, *, archive: bool = False) -> None:
        """Write the person's configuration."""
        path = self.base / "memtui" / "config" / "config.toml"
        for folder in (path.parents[1], path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        path.write_text(f"[hooks]\n{switches}\n[archive]\nkeep = {str(archive).lower()}\n")
        path.chmod(0o600)

    @property
    def home(self) -> Home:
        return memtui_home({"MEMTUI_HOME": str(self.memtui_home)})

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.base), "MEMTUI_HOME": str(self.memtui_home), "TZ": "UTC"}

    def write_transcript(self, records: Sequence[Mapping[str, object]]) -> None:
        self.transcript.write_text("".join(json.dumps(record) + "\n" for record in records))

    def compact(self, at: datetime | None = None) -> None:
        """Append the records of a compaction that finished at a time, as Claude Code does."""
        stamp = {"timestamp": (at or datetime.fromtimestamp(time.time(), UTC)).isoformat()}
        summary = user("This session is being continued from a previous conversation") | {
            "isCompactSummary": True
        }
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in (BOUNDARY | stamp, summary))

    def put(self, name: str, text: str) -> Path:
        path = self.project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def command(self, name: str, rules: str, folder: str = ".agileflow/commands") -> Path:
        summary = f"<!-- COMPACT_SUMMARY_START -->\n\n{rules}\n\n<!-- COMPACT_SUMMARY_END -->"
        return self.put(f"{folder}/{name}.md", f"# {name}\n\n{summary}\n\nThe rest.\n")

    def activate(self, *names: str) -> Path:
        entries = [
            {"name": name, "activated_at": f"2026-01-02T10:{number:02d}:00.000Z", "state": {}}
            for number, name in enumerate(names)
        ]
        content = {"active_commands": entries, "tmux_available": True}
        return self.put("docs/09-agents/session-state.json", json.dumps(content, indent=2) + "\n")

    def state(self, text: str, session_id: str = SESSION, version: int = 1) -> Path:
        path = self.home.states / session_id / f"v{version:04d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def payload(self, **fields: Any) -> dict[str, Any]:
        return {
            "session_id": SESSION,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project.root),
        } | fields

    def within(self, event: str, report: Report | None = None, **fields: Any) -> str:
        """Run an event in this process; returns what it prints."""
        report = report or Report()
        report.event = event
        payload = parse_payload(json.dumps(self.payload(**fields)).encode())
        printed = handle(payload, self.project, self.home, report)
        report.printed()
        return printed

    def answer(self, event: str, report: Report | None = None, **fields: Any) -> str:
        """Run an event in this process, with the messages for the person."""
        report = report or Report()
        return with_messages(self.within(event, report, **fields), report)

    def run(
        self,
        event: str,
        stdin: bytes | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str | Path] | None = None,
        inside: Path | None = None,
        **fields: Any,
    ) -> Done:
        """Run an event as Claude Code does: a process with JSON of these fields, or `stdin`, as its input.

        A `command` starts an interpreter for this process alone, and names the event itself.
        """
        data = json.dumps(self.payload(**fields)).encode() if stdin is None else stdin
        if command is None:
            process = self.start(event, environment, inside)
            out, err = process.communicate(data, timeout=60)
            return Done(process.wait(60), out.decode(), err.decode())
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            env=self.environment if environment is None else environment,
            cwd=inside or self.base,
            check=False,
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def run_unread(self, event: str, *before: str, **fields: Any) -> tuple[int, bytes]:
        """Run an event in a process with an unread output; returns its exit code and its errors."""
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [*before, *MEMTUI_HOOK, event],
            input=json.dumps(self.payload(**fields)).encode(),
            stdout=write,
            stderr=subprocess.PIPE,
            env=self.environment,
            check=False,
            timeout=60,
        )
        os.close(write)
        return done.returncode, done.stderr

    def start(
        self, event: str, environment: Mapping[str, str] | None = None, inside: Path | None = None
    ) -> Warm:
        """Let the process of a hook begin; it waits for its JSON."""
        environment = self.environment if environment is None else environment
        return Warm(_PATIENT, event, cwd=inside or self.base, env=environment, imports=_IMPORTS)

    @property
    def captures(self) -> list[Path]:
        return sorted(self.project.compacts.glob("*-autocompact.md"))

    @property
    def runs(self) -> list[Run]:
        return read_runs(self.home.hook_log)


_PATIENT = (
    "from memtui.hooks import compaction, main, run\n"
    "run.HARD_STOP_SECONDS = run.CAPTURE_STOP_SECONDS = compaction.SECONDS = 60.0\nmain.main()"
)
_HOOKS = "main run compaction session sections settings context"
_IMPORTS = [
    *(f"import memtui.hooks.{name}" for name in _HOOKS.split()),
    *(f"import memtui.store.{name}" for name in ("commands_file", "listing", "transcripts")),
    "import memtui.secrets.private",
    "import tomllib",
]
MEMTUI_HOOK = (sys.executable, "-I", "-c", _PATIENT)
"""The hook process, but one that does not stop itself because the machine is busy."""


def context(printed: str) -> str:
    """What a hook adds to the conversation, checked to be short enough for Claude Code; "" for nothing."""
    text = str(json.loads(printed)["hookSpecificOutput"]["additionalContext"]) if printed else ""
    assert size_of(text) <= LIMIT
    return text


def user(text: str) -> dict[str, object]:
    """A user line of a transcript."""
    return {"type": "user", "sessionId": SESSION, "message": {"role": "user", "content": text}}
