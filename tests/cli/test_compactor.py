"""Following sessions from the command line."""

from __future__ import annotations

import time

import pytest

from memtui.ground.project import Project, claude_config, transcript_slug
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

SESSION = "90dd90a0-1111-4222-8333-444455556666"


class Session:
    """A session of the current project."""

    def __init__(self, project: Project) -> None:
        self.folder = claude_config() / "projects" / transcript_slug(project.root)
        self.said = Transcript(session_id=SESSION, cwd=str(project.root))
        self.says("Fix the token refresh race.")

    def says(self, words: str) -> None:
        self.said.user(words)
        self.said.write(self.folder, f"{SESSION}.jsonl")


@pytest.fixture
def session(project: Project) -> Session:
    return Session(project)


def test_it_looks_until_it_is_ended(
    memtui: Memtui, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []

    def next_look(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            session.says("x" * 300_000)
        if len(looks) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", next_look)
    done = memtui("compactor", "--interval", "7")
    assert (done.code, done.err.strip()) == (130, "")
    assert [line.split("  ")[2] for line in done.out.splitlines()] == ["v1", "v2"]
    assert looks == [7, 7, 7, 7]


def test_a_problem_that_lasts_is_said_once(
    memtui: Memtui, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    projects = claude_config() / "projects"

    def next_look(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 1:
            projects.rename(projects.with_name("away"))
            projects.write_text("a file")
        if len(looks) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", next_look)
    done = memtui("compactor")
    assert done.err.strip() == f"memtui: {projects} is not a folder; move it away."
    assert done.out.count("\n") == 1
