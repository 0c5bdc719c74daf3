"""The demo is real data: every file can be read by the real formats and stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.demo.build import DemoProject, build_demo
from memtui.documents.memory import parse_stored
from memtui.documents.memory_file import draft_memory, parse_memory, render_memory
from memtui.documents.recovery import parse_recovery
from memtui.documents.session_state import render_session_state
from memtui.ground.project import Places
from memtui.store.captures import CaptureStore
from memtui.store.memories import MemoryFiles, stored_entries
from memtui.store.state_updates import update_state
from memtui.store.states import StateStore
from memtui.store.transcripts import check_transcript
from memtui.transcript.facts import read_facts
from tests.demo.conftest import clock


def _files(demo: DemoProject) -> dict[str, bytes]:
    return {
        str(path.relative_to(demo.folder)): path.read_bytes()
        for path in sorted(demo.folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_folder_and_time_give_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    first = _files(build_demo(folder, clock))
    folder.rename(tmp_path / "before")
    folder.mkdir()
    assert _files(build_demo(folder, clock)) == first


def test_pending_captures_can_be_reviewed_from_their_transcripts(demo: DemoProject) -> None:
    store = CaptureStore(demo.project)
    entry = store.newest_pending()
    assert entry is not None
    capture = store.load(entry)
    facts = read_facts(check_transcript(capture.transcript, demo.claude_config), until=capture.timestamp)
    assert facts.session_id == capture.session_id
    assert facts.first_prompt == capture.first_message
    assert facts.skipped_lines == 0
    assert [fact.path.rpartition("/")[2] for fact in facts.modified_files] == [
        "0042_refund_lines.sql",
        "ledger.ts",
        "service.ts",
    ]
    assert facts.plans
    assert facts.plans[-1].fate == "approved"
    assert facts.answers
    assert facts.errors
    assert facts.compactions == ()
    assert len(facts.todos) == 6
    memory = draft_memory(facts)
    assert parse_memory(render_memory(memory)) == memory


def test_memories_are_real_recovery_texts(demo: DemoProject) -> None:
    store = MemoryFiles(demo.project, demo.home)
    heads = [store.head(entry.path) for entry in store.entries()]
    assert [head.problem for head in heads] == [""] * 15
    assert sum(head.id.startswith("CMEM-") for head in heads) == 12
    assert sum(head.meta.project == str(demo.project.root) for head in heads) == 10
    assert any("中文" in head.title for head in heads)
    assert any("文字化け" in head.title for head in heads)
    for entry in stored_entries(store.folder):
        body = parse_stored(entry.path.read_bytes()).body.decode()
        recovery = parse_recovery(body)
        assert recovery.extra == ()
        assert recovery.objective


@pytest.mark.parametrize(("session", "number"), [("refunds", 6), ("typos", 2)])
def test_states_are_what_the_compactor_wrote_while_the_story_went_on(
    demo: DemoProject, session: str, number: int
) -> None:
    transcript = demo.transcript(session)
    store = StateStore(demo.project, demo.home)
    versions = [store.load(entry) for entry in store.versions(transcript.stem)]
    assert [each.version for each in versions] == [*range(number, 0, -1)]
    assert versions == sorted(versions, key=lambda each: each.written, reverse=True)
    for each in versions:
        assert each.state is not None
        assert render_session_state(each.state) == each.text
    places = Places(demo.project, demo.home, demo.claude_config)
    assert update_state(places, transcript=transcript) is None
