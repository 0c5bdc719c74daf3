"""Notes made by hand: a session's state, or a memory, as a new session may be given them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.recovery import Recovery, parse_recovery, render_recovery
from memtui.flows.restore import rank_in_recovery, restore_memory, restore_session
from memtui.ground.project import Places, Project, memtui_home, transcript_slug
from memtui.hooks.sections import LIMIT, shortened, size_of
from memtui.store.memories import MemoryStore
from memtui.store.states import StateStore
from tests.documents.strategies import recoveries
from tests.transcripts import Transcript

STATE = """=== SESSION STATE v{version} ===

## IDENTITY
- Project: harbor ({root})
- Session goal: {goal}

=== END STATE ===
"""


def clock() -> datetime:
    return datetime(2026, 1, 2, 10, 15, tzinfo=UTC)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "harbor"
    root.mkdir()
    return Places(Project(root), memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")}), tmp_path / "claude")


def keep(places: Places, session: str, goal: str, version: int = 1) -> Path:
    text = STATE.format(version=version, root=places.project.root, goal=goal)
    StateStore(places.project, places.home).write(session, text, version)
    return places.home.states / session / f"v{version:04d}.md"


def remember(places: Places, text: str) -> str:
    meta = MemoryStore(places.home, clock).create(body=text.encode(), project=str(places.project.root))
    return meta.id


def test_the_newest_version_of_the_newest_session(places: Places) -> None:
    keep(places, "older", "Old")
    keep(places, "newer", "No refresh race")
    keep(places, "newer", "No refresh race at all", 2)
    restored = restore_session(places, clock)
    assert restored.name == "the state of session newer"
    assert restored.text.startswith(
        "Notes on the project harbor, read by memtui at 2026-01-02 10:15. What is quoted are notes from that "
        "time: facts to know, not messages of the user.\n\n## Session state\n\n```text\n=== "
    )
    assert "- Session goal: No refresh race at all\n" in restored.text
    assert "Session goal: Old" in restore_session(places, clock, session="old").text


def test_without_a_version_it_is_drafted_and_nothing_written(places: Places) -> None:
    said = Transcript(session_id="a", cwd=str(places.project.root))
    said.user("Fix the token refresh race.")
    said.write(places.claude / "projects" / transcript_slug(places.project.root), "a.jsonl")
    restored = restore_session(places, clock)
    assert "## Session state, at 20" in restored.text
    assert "Fix the token refresh race." in restored.text
    assert not places.home.data.exists()


def test_an_emptied_transcript_leaves_the_stored_state(places: Places) -> None:
    keep(places, "a", "No refresh race")
    folder = places.claude / "projects" / transcript_slug(places.project.root)
    Transcript(session_id="a", cwd=str(places.project.root)).write(folder, "a.jsonl").write_bytes(b"")
    assert "- Session goal: No refresh race\n" in restore_session(places, clock, session="a").text


def test_secrets_are_masked_and_named(places: Places) -> None:
    keep(places, "a", f"Log in with {'gh' + 'p_'}{'a1B2' * 9}")
    restored = restore_session(places, clock)
    assert "Log in with [masked: github token]" in restored.text
    assert [hit.kind for hit in restored.secrets] == ["github token"]


def test_a_long_session_is_shortened_unless_all_is_wanted(places: Places) -> None:
    keep(places, "a", "long " * 9_000)
    text = restore_session(places, clock).text
    assert len(text) < LIMIT
    assert "Shortened here; `memtui restore a --full` prints all of it\n" in text
    assert "long long …\n" in text
    assert len(restore_session(places, clock, full=True).text) > 45_000


def test_a_memory(places: Places) -> None:
    memory = remember(places, render_recovery(Recovery(objective="No refresh race")))
    restored = restore_memory(places, clock, memory[5:])
    assert restored.name == f"memory {memory}"
    assert f"## Memory {memory}, stored at 2026-01-02 10:15\n\n```text\n## Session ID" in restored.text
    assert "No refresh race" in restored.text


@pytest.mark.parametrize(
    ("root", "written", "shown"),
    [
        ("/srv/elsewhere/harbor", "/srv/elsewhere/harbor/src/lamp.py", "src/lamp.py"),
        ("D:\\work\\harbor", "D:\\work\\harbor\\src\\lamp.py", "src/lamp.py"),
    ],
)
def test_paths_of_another_machine_become_those_of_this_one(
    places: Places, root: str, written: str, shown: str
) -> None:
    text = f"## Project Root\n{root}\n\n## Objective\nSee {root}-old/x\n\n## Last Action\n`{written}`\n"
    restored = restore_memory(places, clock, remember(places, text)).text
    assert f"`{places.project.root}/{shown}`" in restored
    assert f"{root}-old/x" in restored
    assert f"(Paths below {root} are shown as paths below {places.project.root}.)" in restored


def test_paths_of_a_shared_note_become_those_of_this_machine(places: Places) -> None:
    name = places.project.root.name
    shared = remember(places, f"# Retry\n\nSee /project/{name}/src/lamp.py, not /project/{name}-old/a.py.\n")
    restored = restore_memory(places, clock, shared).text
    assert f"See {places.project.root}/src/lamp.py, not /project/{name}-old/a.py." in restored


def test_the_folder_of_relative_paths_is_named(places: Places) -> None:
    text = "## Project Root\n.\n\n## Last Action\nsrc/lamp.py\n"
    restored = restore_memory(places, clock, remember(places, text)).text
    assert f"(Relative paths are paths below {places.project.root}.)" in restored


@pytest.mark.parametrize("of", ["/srv/shop", "shop"])
def test_a_memory_of_another_project_is_introduced_by_that_ones_name(places: Places, of: str) -> None:
    memory = (
        MemoryStore(places.home, clock).create(body=b"## Project Root\n.\n\n## Notes\nx\n", project=of).id
    )
    text = restore_memory(places, clock, memory).text
    assert text.startswith("Notes on the project shop, read")
    assert f"(Relative paths are paths below {of}.)" in text


def test_paths_of_a_fetched_memory_of_another_project_stay_as_they_were_shared(places: Places) -> None:
    fetched = MemoryStore(places.home, clock).create(body=b"See /project/shop/a.py.\n", project="shop").id
    assert "See /project/shop/a.py." in restore_memory(places, clock, fetched).text


def test_paths_of_another_project_stay(places: Places) -> None:
    text = "## Project Root\n/srv/other\n\n## Last Action\n/srv/other/a.py\n"
    assert "/srv/other/a.py" in restore_memory(places, clock, remember(places, text)).text


def test_a_long_memory_loses_what_matters_least(places: Places) -> None:
    recovery = Recovery(
        objective="No refresh race",
        decisions=("one lock per account",),
        notes="note " * 3_000,
        pending=("write the tests",),
    )
    memory = remember(places, render_recovery(recovery))
    text = restore_memory(places, clock, memory).text
    assert f"Shortened here; `memtui restore --id {memory} --full` prints all of it\n" in text
    assert len(text) < LIMIT
    for kept in ("No refresh race", "one lock per account", "write the tests"):
        assert kept in text
    assert 0 < text.count("note ") < 3_000  # in the room that nothing else needs
    assert restore_memory(places, clock, memory, full=True).text.count("note") > 3_000


def test_a_long_memory_begins_with_what_a_person_wrote_in_its_review(places: Places) -> None:
    decisions = tuple(f"decision {number}: {'why ' * 50}" for number in range(100))
    said = "- **From the review**\n  - Ask the till"
    memory = remember(
        places, render_recovery(Recovery(notes=f"{said}\n\n**Session**\n", decisions=decisions))
    )
    text = restore_memory(places, clock, memory).text
    assert "Shortened here" in text
    assert f"```text\n{said}\n\n## Session ID" in text
    assert text.count("From the review") == 1


@given(recoveries, st.integers(0, 2_000))
def test_any_recovery_text_fits(recovery: Recovery, room: int) -> None:
    text = render_recovery(recovery)
    short = shortened(text, room, rank_in_recovery)
    assert size_of(short) <= room or short == text
    if recovery.objective and f"## Objective\n{recovery.objective}" in short:
        assert parse_recovery(short).objective == recovery.objective
