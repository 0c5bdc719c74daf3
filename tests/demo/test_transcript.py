"""The demo's transcripts are lines as Claude Code writes them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from memtui.demo.transcript import TranscriptWriter

STARTED = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)


def _writer() -> TranscriptWriter:
    return TranscriptWriter("5b0c7e1a", cwd="/shop", branch="tax", started=STARTED)


def _lines(session: TranscriptWriter) -> list[dict[str, Any]]:
    text = session.take()
    assert text.endswith("\n")
    return [json.loads(line) for line in text[:-1].split("\n")]


def test_lines_form_a_chain_in_time() -> None:
    session = _writer()
    session.prompt("Hello")
    session.say("Hi")
    session.wait(minutes=2)
    session.bash("ls", "List", "a")
    lines = _lines(session)
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
    assert len({line["uuid"] for line in lines}) == len(lines)
    times = [line["timestamp"] for line in lines]
    assert times == sorted(times)
    assert times[0] == "2026-01-02T09:00:00.000Z"
    assert times[2] == "2026-01-02T09:02:08.000Z"
    assert {(line["sessionId"], line["cwd"], line["gitBranch"]) for line in lines} == {
        ("5b0c7e1a", "/shop", "tax")
    }


def test_a_tool_call_and_its_result_belong_together() -> None:
    session = _writer()
    session.bash("npm test", "Test", "1 failed", failed=True)
    session.edit("/shop/a.ts", "old", "new")
    lines = _lines(session)
    uses = [line["message"]["content"][0] for line in lines[::2]]
    results = [line["message"]["content"][0] for line in lines[1::2]]
    assert [use["id"] for use in uses] == [result["tool_use_id"] for result in results]
    assert len({use["id"] for use in uses}) == 2
    assert results[0]["is_error"] is True
    assert results[0]["content"] == "Exit code 1\n1 failed"
    assert "is_error" not in results[1]


def test_tasks_are_numbered_from_one() -> None:
    session = _writer()
    session.tasks(["a", "b"])
    session.task(2, "completed")
    lines = _lines(session)
    assert [line["toolUseResult"]["task"]["id"] for line in lines[1:4:2]] == ["1", "2"]
    assert lines[4]["message"]["content"][0]["input"] == {"taskId": "2", "status": "completed"}


def test_a_compaction_is_a_boundary_and_its_summary() -> None:
    session = _writer()
    session.say("x")
    (before,) = _lines(session)
    session.compaction("Summary:")
    boundary, summary = _lines(session)
    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, before["uuid"])
    assert boundary["compactMetadata"]["trigger"] == "auto"
    assert boundary["compactMetadata"]["preTokens"] > 0
    assert (summary["parentUuid"], summary["isCompactSummary"]) == (boundary["uuid"], True)


def test_the_same_story_gives_the_same_bytes() -> None:
    def lines() -> str:
        session = _writer()
        session.prompt("Hello")
        session.plan("# Plan", "/p.md")
        session.ask("Which?", "Q", {"A": "a"}, "A")
        return session.take()

    assert lines() == lines()


def test_lines_are_taken_once() -> None:
    session = _writer()
    session.prompt("Hello")
    assert session.take()
    assert session.take() == ""


def test_time_never_goes_back() -> None:
    session = _writer()
    session.wait(minutes=60 * 1)
    later = session.moment
    session.at(STARTED)
    assert session.moment == later
