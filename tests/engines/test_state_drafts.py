"""The next state as a model words it: by the compactor's rules, and without it where it fails."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    render_session_state,
)
from memtui.engines.drafts import update_by_claude
from memtui.ground.project import Places, Project, memtui_home, transcript_slug
from memtui.store.state_updates import update_state
from memtui.store.states import version_name
from tests.engines.stand_in import StandIn
from tests.transcripts import Transcript

ANSWER = SessionState(
    identity=Identity(project="another", goal="One refresh at a time"),
    tasks=(Task(kind=TaskKind.IN_PROGRESS, text="Take the lock"),),
    decisions=(Decision(text="one lock a session"),),
)


def clock() -> datetime:
    return datetime(2026, 3, 5, 14, 20, tzinfo=UTC)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    project = Project(tmp_path / "harbor")
    project.root.mkdir()
    return Places(project, memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")}), tmp_path / "config")


@pytest.fixture
def transcript(places: Places) -> Path:
    session = Transcript()
    session.user("Fix the token refresh race. Never touch the migrations.")
    session.edit(f"{places.project.root}/src/auth.py")
    folder = places.claude / "projects" / transcript_slug(places.project.root)
    folder.mkdir(parents=True)
    return session.write(folder)


def framed(state: SessionState) -> str:
    return f"<document>\n{render_session_state(state)}\n</document>\n"


def test_an_answer_that_says_nothing_new_is_no_version(
    places: Places, transcript: Path, claude: StandIn
) -> None:
    claude.says(framed(ANSWER))
    first, _ = update_by_claude(places, transcript=transcript)
    assert first is not None
    claude.says(f"<document>\n{first.text}\n</document>")
    assert update_by_claude(places, transcript=transcript) == (None, "")


def test_it_is_asked_once_even_if_another_program_writes_meanwhile(
    places: Places, transcript: Path, claude: StandIn
) -> None:
    update_state(places, transcript=transcript)
    folder = places.home.states / transcript.stem
    other = folder.parent / "other.md"
    other.write_text((folder / version_name(1)).read_text().replace("v1 =", "v2 ="))
    claude.says(framed(ANSWER))
    claude.does(
        f'echo x >> "{claude.notes}/asked"\ncp "{other}" "{folder / version_name(2)}"\n'
        f'cat "{claude.notes}/answer"'
    )
    stored, _ = update_by_claude(places, transcript=transcript)
    assert stored is not None
    assert stored.version == 3
    assert claude.noted("asked") == "x\n"


def test_an_answer_to_an_earlier_version_takes_nothing_back(
    places: Places, transcript: Path, claude: StandIn
) -> None:
    """The session goes on while the model thinks, and a follower writes what is new."""
    at_work = Task(kind=TaskKind.IN_PROGRESS, text="Fix the token refresh race. Never touch the migrations.")
    coming = Task(kind=TaskKind.NEXT, text="Test both tabs")
    answer = ANSWER.replace(tasks=(at_work, ANSWER.tasks[0], coming), dynamics=Dynamics(last_intent="fix it"))
    claude.says(framed(answer))
    os.mkfifo(claude.notes / "written")
    claude.does(f'read _ < "{claude.notes}/written"\ncat "{claude.notes}/answer"')
    left = [True]

    def goes_on() -> bool:
        if left and left.pop():
            session = Transcript()
            session.user("Now add the changelog.")
            session.say("I will.")
            session.edit(f"{places.project.root}/CHANGELOG.md")
            with transcript.open("ab") as file:
                file.write(session.data)
            assert update_state(places, transcript=transcript) is not None
            (claude.notes / "written").write_text("go on\n")
        return False

    stored, problem = update_by_claude(places, transcript=transcript, cancelled=goes_on)
    assert stored is not None
    assert (stored.version, problem) == (2, "")
    state = stored.state
    assert state is not None
    assert "CHANGELOG.md" in state.working.files_modified
    assert state.dynamics.last_intent == 'last asked (L4): "Now add the changelog."'
    assert state.identity.goal.endswith("(last asked, L4)")
    kinds = [(task.text, task.kind) for task in state.tasks]
    assert kinds == [
        ('"Now add the changelog." (L4)', TaskKind.IN_PROGRESS),
        ("Test both tabs (no source)", TaskKind.NEXT),
    ]
    assert "one lock a session (no source)" in [decision.text for decision in state.decisions]
