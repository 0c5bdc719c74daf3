"""From `memtui init` to a capture and back: the very commands of settings.json, as Claude Code runs them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.demo.transcript import TranscriptWriter
from memtui.ground.project import Project, transcript_slug
from tests.warm import Warm

SESSION = "5b0c7e1a-3f42-4d8e-9a61-c2f0d7b8e913"


class World:
    """A home with a project in it whose name needs quoting, run by a Python whose path does, too."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.root = self.home / "it's my shop"
        (self.root / ".git").mkdir(parents=True)
        environment = base / "it's an environment"
        environment.symlink_to(sys.prefix)
        self.python = environment / Path(sys.executable).relative_to(sys.prefix)
        started = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
        writer = TranscriptWriter(SESSION, cwd=str(self.root), branch="main", started=started)
        writer.prompt("Fix the refund")
        folder = self.home / ".claude" / "projects" / transcript_slug(self.root)
        folder.mkdir(parents=True)
        self.transcript = folder / f"{SESSION}.jsonl"
        self.transcript.write_text(writer.take())

    @property
    def captures(self) -> list[Path]:
        return list(Project(self.root).compacts.glob("*-autocompact.md"))

    def memtui(self, *words: str) -> str:
        """Run a command in an interpreter of its own, which the hooks are given; returns what it prints."""
        done = subprocess.run(
            [self.python, "-m", "memtui", *words], cwd=self.root, env=self._env, text=True,
            capture_output=True, check=False,
            timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), (words, done)
        return done.stdout

    def forked(self, *words: str) -> str:
        """Run a command to which its interpreter means nothing; returns what it prints."""
        program = "from memtui.__main__ import main; main()"
        process = Warm(program, *words, cwd=self.root, env=self._env, imports=["import memtui.cli.main"])
        printed, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b""), words
        return printed.decode()

    @property
    def _env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    def fire(self, event: str, path: str = "/usr/bin:/bin", **fields: str) -> str:
        """Run every hook of an event; returns what they print."""
        printed = ""
        for name in ("settings.local.json", "settings.json"):
            file = self.root / ".claude" / name
            groups = json.loads(file.read_text("utf-8-sig"))["hooks"][event] if file.exists() else []
            for hook in (hook for group in groups for hook in group["hooks"]):
                printed += self._run(hook["command"], {"HOME": str(self.home), "PATH": path}, event, fields)
        return printed

    def _run(self, command: str, env: Mapping[str, str], event: str, fields: Mapping[str, str]) -> str:
        common = {"session_id": SESSION, "transcript_path": str(self.transcript), "cwd": str(self.root)}
        payload = json.dumps({**common, "hook_event_name": event, **fields})
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=payload, cwd=self.root, text=True, capture_output=True,
            env={**env, "CLAUDE_PROJECT_DIR": str(self.root)}, timeout=30, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_project(world: World) -> None:
    settings = world.root / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    before = b'\xef\xbb\xbf{"permissions":{"allow":[]}}\r\n'
    settings.write_bytes(before)
    world.memtui("init", "--yes")
    assert shlex.quote(str(world.python)) in settings.read_text().replace('\\"', '"')

    context = world.fire("PreCompact", trigger="auto")
    assert not context.startswith("{")
    (listed,) = json.loads(world.forked("captures", "--pending", "--json"))
    assert (listed["session_id"], listed["title"]) == (SESSION, "Fix the refund")
    assert listed["transcript"] == str(world.transcript)
    world.fire("SessionStart", source="compact")
    world.fire("SessionEnd", reason="logout")
    found = json.loads(world.memtui("doctor", "--json"))
    levels = {(finding["check"], finding["level"]) for finding in found}
    assert {("hooks", "ok"), ("commands", "ok"), ("runs", "ok"), ("mcp", "ok")} <= levels
    assert sum(finding["check"] == "runs" for finding in found) == 3

    world.forked("uninstall", "--yes")
    assert settings.read_bytes() == before
    assert not (world.root / ".mcp.json").exists()
    assert not (world.root / ".claude" / "commands").exists()
    assert len(world.captures) == 1


def test_shared(world: World) -> None:
    world.memtui("init", "--shared", "--yes")
    assert world.fire("PreCompact", trigger="auto") == ""
    assert world.captures == []
    script = world.home / "bin" / "memtui-hook"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m memtui.hooks "$@"\n')
    script.chmod(0o755)
    world.fire("PreCompact", path=f"/usr/bin:/bin:{script.parent}", trigger="auto")
    assert len(world.captures) == 1
    world.forked("uninstall", "--shared", "--yes")
    assert not (world.root / ".claude").exists()
