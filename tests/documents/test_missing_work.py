"""A subagent's work without a record is named as such: nothing claims that it changed no file."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.events import evidence, missing_work
from memtui.documents.recovery import draft_recovery, render_recovery
from memtui.documents.session_state import render_session_state
from memtui.ground.project import Project
from memtui.transcript.facts import read_facts
from tests.transcripts import Transcript, tool_use


def test_a_subagent_whose_work_is_not_on_record_is_named(tmp_path: Path) -> None:
    session = Transcript()
    call = session.call("Task", description="fix", prompt="fix")
    session.result(call, detail={"status": "completed", "agentId": "a1"})
    path = session.write(tmp_path)
    facts = read_facts(path)
    assert [(each.text, each.source.line) for each in facts.missing_agents] == [("a1", 2)]
    assert missing_work(facts) == (
        "subagent a1 (L2): transcript missing; its changes are known only from its result"
    )
    root = Path("/work/app")
    state = draft_session_state(facts, Project(root))
    texts = (
        render_recovery(draft_recovery(facts, root)),
        render_session_state(state),
        compaction_notes(facts, state, root),
        repr(evidence(facts, root)),
    )
    assert all("subagent a1 (L2" in text for text in texts)

    # It is found later, without any change to the session's own transcript.
    agent = Transcript()
    agent.envelope |= {"isSidechain": True, "agentId": "a1"}
    agent.edit("/work/app/a.py")
    agent.write(tmp_path / "5e55-1d" / "subagents", "agent-a1.jsonl")
    assert read_facts(path).missing_agents == ()


def test_work_of_a_subagent_within_the_session_is_on_record(tmp_path: Path) -> None:
    session = Transcript()
    call = session.call("Task", description="fix", prompt="fix")
    session.agent("assistant", tool_use("t1", "Read", file_path="/work/app/a.py"))
    session.result(call, detail={"status": "completed", "agentId": "a1"})
    assert session.facts(tmp_path).missing_agents == ()
