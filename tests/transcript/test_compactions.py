"""Compactions in all their shapes, and reading up to one."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.transcript.facts import read_facts
from memtui.transcript.records import to_json
from tests.transcripts import START, SUMMARY, Transcript, tool_result, tool_use


def test_boundary_and_summary(tmp_path: Path) -> None:
    session = Transcript()
    session.user("go")
    offset = len(session.data)
    session.compaction()
    session.compaction("manual", postTokens=12_000, durationMs=5, cumulativeDroppedTokens=3)
    session.builtin("compact", output="\x1b[2mCompacted\x1b[22m")
    facts = session.facts(tmp_path)
    assert to_json(facts)["compactions"] == [
        {
            "trigger": "auto",
            "line": 2,
            "timestamp": "2026-01-02T09:00:01.000Z",
            "pre_tokens": 155_000,
            "post_tokens": None,
            "summary_chars": len(SUMMARY),
        },
        {
            "trigger": "manual",
            "line": 4,
            "timestamp": "2026-01-02T09:00:03.000Z",
            "pre_tokens": 155_000,
            "post_tokens": 12_000,
            "summary_chars": len(SUMMARY),
        },
    ]
    assert facts.compactions[0].summary == SUMMARY
    assert facts.compactions[0].source.offset == offset
    assert [turn.ask for turn in facts.asked] == ["go"]


@pytest.mark.parametrize("data", [None, 3, {}, {"trigger": 1, "preTokens": "x", "postTokens": -1}])
def test_boundary_without_sound_data_or_summary(tmp_path: Path, data: Any) -> None:
    session = Transcript()
    session.line("system", subtype="compact_boundary", compactMetadata=data)
    (only,) = to_json(session.facts(tmp_path))["compactions"]
    assert only == {
        "trigger": None, "line": 1, "timestamp": "2026-01-02T09:00:00.000Z", "pre_tokens": None,
        "post_tokens": None, "summary_chars": 0,
    }  # fmt: skip


@pytest.mark.parametrize("fields", [{"isCompactSummary": True}, {}])
def test_summary_without_boundary(tmp_path: Path, fields: dict[str, Any]) -> None:
    session = Transcript()
    session.user(SUMMARY, **fields)
    session.user("go on")
    facts = session.facts(tmp_path)
    assert [(each.trigger, each.summary) for each in facts.compactions] == [("", SUMMARY)]
    assert facts.first_prompt == "go on"


def three_parts(folder: Path) -> Path:
    """Compactions at second 2 and 7; an edit before, between and behind them."""
    session = Transcript()
    session.user("one")
    session.edit("/work/app/1.py")
    session.compaction()
    session.user("two")
    session.edit("/work/app/2.py")
    session.compaction()
    session.user("three")
    session.edit("/work/app/3.py")
    return session.write(folder)


@pytest.mark.parametrize(
    ("seconds", "last"),
    [(-60, "one"), (3, "one"), (3.5, "two"), (8, "two"), (8.001, "three"), (900, "three")],
)
def test_until_stops_before_the_compaction_at_or_after_it(tmp_path: Path, seconds: float, last: str) -> None:
    facts = read_facts(three_parts(tmp_path), until=START + timedelta(seconds=seconds))
    assert facts.asked[-1].ask == last
    count = ("one", "two", "three").index(last)
    assert len(facts.compactions) == count
    assert len(facts.modified_files) == count + 1


def test_until_a_summary_that_has_no_boundary(tmp_path: Path) -> None:
    session = Transcript()
    session.user("one")
    session.user(SUMMARY, isCompactSummary=True)
    session.user("two")
    facts = session.facts(tmp_path, until=START)
    assert (facts.asked[-1].ask, facts.compactions) == ("one", ())


def test_until_holds_for_subagents_too(tmp_path: Path) -> None:
    path = three_parts(tmp_path)
    agent = Transcript()
    agent.envelope |= {"isSidechain": True, "agentId": "a1"}
    for seconds in (1, 4, 10):
        agent.moment = START + timedelta(seconds=seconds)
        agent.assistant(tool_use(f"t{seconds}", "Edit", file_path=f"/work/app/agent{seconds}.py"))
        agent.user([tool_result(f"t{seconds}")])
    agent.write(tmp_path / "5e55-1d" / "subagents", "agent-a1.jsonl")
    facts = read_facts(path, until=START + timedelta(seconds=5))
    assert [file.path for file in facts.modified_files] == [
        "/work/app/1.py", "/work/app/agent1.py", "/work/app/agent4.py", "/work/app/2.py",
    ]  # fmt: skip


def test_messages_that_a_mod_appends_again_count_once(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Fix the kiln")
    t.edit("/work/app/kiln.py")
    t.say("Fixed.")
    rows = t.data.splitlines(keepends=True)
    t.compaction()
    for row in rows:
        t.record({**json.loads(row), "uuid": f"again-{len(t.data)}"})
    t.user("Fix the kiln")  # said anew
    facts = t.facts(tmp_path)
    assert [turn.ask for turn in facts.turns] == ["Fix the kiln", "Fix the kiln"]
    assert [file.times for file in facts.modified_files] == [1]


@pytest.mark.parametrize(
    "kind", ["plugin_note", "hook_additional_context", "prompt_snapshot", "session_context"]
)
def test_what_plugins_and_claude_code_attach_are_nobodys_words(tmp_path: Path, kind: str) -> None:
    t = Transcript()
    t.attachment(kind, content=["Never push"], prompt="Never push", text="Never push")
    t.record({"type": "api-request", "message": {"role": "user", "content": "Never push"}})
    t.record({"type": "last-prompt", "lastPrompt": "Never push"})
    facts = t.facts(tmp_path)
    assert (facts.turns, facts.first_prompt) == ((), "")
