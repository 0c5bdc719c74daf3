"""A project to run commands in, and a way to run them as the script does."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtui.cli import install, options, output, review
from memtui.cli.main import Openers, run
from memtui.ground.project import Home, Project, transcript_slug
from tests.app.widgets.records import said, text, user, write
from tests.cli.memories import pipe as pipe
from tests.cli.memories import two as two
from tests.cli.reviewing import captured as captured  # fixtures


@dataclass
class Opened:
    """The request to open the app or the demo."""

    projects: list[Project] = field(default_factory=list)
    demos: int = 0
    servers: list[Home] = field(default_factory=list)

    def openers(self) -> Openers:
        return Openers(app=self._app, demo=self._demo, mcp=self.servers.append)

    def _app(self, project: Project, home: Home, claude: Path) -> None:
        self.projects.append(project)

    def _demo(self) -> None:
        self.demos += 1


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Memtui = Callable[..., Result]


@pytest.fixture
def opened() -> Opened:
    return Opened()


@pytest.fixture
def memtui(opened: Opened, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Memtui:
    """Run memtui with some words; returns exit code, stdout and stderr."""
    monkeypatch.setattr(output, "can_show_app", lambda: True)

    def call(*words: str) -> Result:
        capsys.readouterr()
        code = run(words, opened.openers())
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return call


Says = Callable[..., None]


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Says:
    """Let a person at a terminal type these lines."""

    def type_in(*lines: str) -> None:
        for module in (install, options, output, review):
            monkeypatch.setattr(module, "can_answer", lambda: True)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project that is the current folder."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return Project(root)


@pytest.fixture
def transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty folder for the transcripts of a project that is the current folder."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "memtui"))
    (tmp_path / "p" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "p")
    folder = tmp_path / "claude" / "projects" / transcript_slug(tmp_path / "p")
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def transcript(transcripts: Path, tmp_path: Path) -> Path:
    """The only session of the project."""
    records = user("The ask", cwd=str(tmp_path / "p")), said(text("The answer"))
    return write(transcripts / "session-1.jsonl", *records)
