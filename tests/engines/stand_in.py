"""A program that stands in for `claude`: it answers what a test tells it to, and notes how it was called."""

from __future__ import annotations

import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from memtui.ground import machine

_PATIENCE = 30.0
"""Seconds for a process that was killed to be gone, which a busy machine may need a moment for."""

_SCRIPT = """#!/bin/sh
cd_from=$(pwd)
cat > "{notes}/question"
printf '%s\\n' "$@" > "{notes}/arguments"
env > "{notes}/environment"
printf '%s' "$cd_from" > "{notes}/folder"
ls -A > "{notes}/beside"
{body}
"""


@dataclass(frozen=True)
class StandIn:
    """The folder to put on PATH, and what the program noted."""

    folder: Path
    notes: Path

    def says(self, answer: str | bytes, *, code: int = 0, errors: str = "") -> None:
        """Answer with a text, an exit code and words on standard error."""
        data = answer.encode() if isinstance(answer, str) else answer
        (self.notes / "answer").write_bytes(data)
        (self.notes / "errors").write_text(errors)
        body = f'cat "{self.notes}/answer"\ncat "{self.notes}/errors" >&2\nexit {code}'
        self.does(body)

    def hangs(self) -> None:
        """Say a little, start a child that holds the output open, and never end."""
        self.does(
            f'printf "<document>"\nsleep 600 &\nprintf "%s" "$!" > "{self.notes}/pid"\n'
            f'mv "{self.notes}/pid" "{self.notes}/child"\nwait'
        )

    def does(self, body: str) -> None:
        """Run lines of shell."""
        program = self.folder / "claude"
        program.write_text(_SCRIPT.format(notes=self.notes, body=body))
        program.chmod(0o755)

    def child_runs(self) -> bool:
        """Whether the child of `hangs` is running; not before it was waited for."""
        pid = self.noted("child")
        ask = ["ps", "-o", "stat=", "-p", pid]
        shown = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=60)
        return shown.stdout.strip()[:1] not in ("", "Z")

    def child_ends(self) -> bool:
        """Whether the child of `hangs` has ended, perhaps after a moment."""
        until = time.monotonic() + _PATIENCE
        while self.child_runs() and time.monotonic() < until:
            threading.Event().wait(0.005)
        return not self.child_runs()

    def outlasts_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let whoever asks have waited for a day as soon as the child of `hangs` is at work, each time."""
        children: set[int] = set()

        def monotonic() -> float:
            with suppress(FileNotFoundError):
                children.add((self.notes / "child").stat().st_mtime_ns)
            return time.monotonic() + 86400 * len(children)

        monkeypatch.setattr(machine, "time", SimpleNamespace(monotonic=monotonic))

    def noted(self, name: str) -> str:
        """A note of the program: ``question``, ``arguments``, ``environment``, ``folder`` or ``beside``."""
        return (self.notes / name).read_text(errors="surrogateescape")


def stand_in(folder: Path) -> StandIn:
    """Make one in `folder`; it needs `says`, `hangs` or `does` before it is there."""
    made = StandIn(folder / "bin", folder / "notes")
    made.folder.mkdir(parents=True)
    made.notes.mkdir()
    return made
