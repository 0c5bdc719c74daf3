"""Private parts never get into the facts, wherever they are in a record."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts
from memtui.transcript.session import summarize

SECRET = "the-word-nobody-may-read"
FORM = f" <PRIVATE>{SECRET}"
STAMP = "2026-01-01T00:00:00Z"
PLAN = "/h/.claude/plans/p.md"
_FACTS = TypeAdapter(Facts)
_HEAD = {
    "sessionId": "s", "cwd": "/p", "gitBranch": "main", "version": "2.1.0", "timestamp": STAMP,
    "isSidechain": False, "permissionMode": "default",
}  # fmt: skip


def said(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    message = {"id": "m", "model": "opus", "content": [*blocks], "usage": {"input_tokens": 1}}
    return {**_HEAD, "type": "assistant", "message": message, **fields}


def call(name: str, identity: str = "t1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {**_HEAD, "type": "user", "message": {"content": content}, **fields}


def result(content: Any, detail: Any = None, **fields: Any) -> dict[str, Any]:
    return user(
        [{"type": "tool_result", "tool_use_id": "t1", "content": content, **fields}], toolUseResult=detail
    )


SESSIONS: dict[str, list[dict[str, Any]]] = {
    "words": [user("fix it"), said({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "done"})],
    "command": [
        user("<command-message>x</command-message><command-name>/x</command-name><command-args>y</command-args>"),
        user([{"type": "text", "text": "# What x does"}], isMeta=True),
        said(call("Read", file_path="plans/p.md")),
        result("# The plan\nstep", {"type": "text", "file": {"filePath": "/p/plans/p.md", "content": "x"}}),
    ],
    "read": [said(call("Read", file_path="a.py")), result([{"type": "text", "text": "x = 1"}])],
    "stopped": [said(call("Read", file_path="a.py")), result("x = 1", {"interrupted": True})],
    "shell": [
        said(call("Bash", command="git commit -m x && pytest", description="commit")),
        result("[main abc1234] x\nhttps://h/o/r/pull/1", {"stdout": "x", "agentId": "a"}),
        user("<bash-input>ls</bash-input>"),
        user("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"),
    ],
    "failed": [said(call("Bash", command="make")), result("Exit code 1\nno", "no", is_error=True)],
    "waiting": [said(call("Bash", command="make"))],
    "hidden": [
        said(call("Bash", command="pytest | tail")),
        result("E x\n1 failed, 2 passed in 0.3s", {"stdout": "x"}),
    ],
    "tag": [
        said(call("Bash", command="git tag v1; gh pr create")),
        result(" * [new tag] v1 -> v1\nhttps://h/o/r/pull/1"),
    ],
    "files": [said(call("Bash", command="rm a.py; tee b.py < c.py; mv d.py e.py")), result("")],
    "edit": [said(call("MultiEdit", file_path="a.py", edits=[{"old_string": "a", "new_string": "b"}]))],
    "write": [said(call("Write", file_path=PLAN, content="# Plan")), result("ok", {"type": "create"})],
    "relative": [said(call("Read", file_path="a.py")), result("x", {"file": {"filePath": "/p/a.py"}})],
    "lookup": [
        said(call("Grep", pattern="x", path="src")),
        result("https://h/o/r/pull/1", {"mode": "content"}),
    ],
    "no match": [said(call("Grep", pattern="x", path="src")), result("no", "no", is_error=True)],
    "other": [
        said(call("mcp__a__b", title="x", n=1)),
        result([{"type": "text", "text": "https://h/o/r/issues/1"}]),
    ],
    "plan": [
        said(call("Write", file_path=PLAN, content="# Plan\na")),
        result("ok", {"filePath": PLAN, "type": "create"}),
        said(call("ExitPlanMode", "t2", plan="# Plan\nb")),
    ],
    "orphan": [result("ok", {"filePath": "/p/a.py", "type": "create", "structuredPatch": []})],
    "answer": [
        said(call("AskUserQuestion", questions=[{"question": "Which?"}])),
        result("ok", {"answers": {"Which?": "this"}}),
    ],
    "task": [
        said(call("TaskCreate", subject="one", description="more")),
        result("Task #1 created", {"task": {"id": "1", "subject": "one"}}),
    ],
    "todo": [said(call("TodoWrite", todos=[{"content": "one", "status": "pending"}])), result("ok", {})],
    "subagent": [said(call("Task", prompt="do")), result([{"type": "text", "text": "ok"}], {"agentId": "a"})],
    "queue": [
        {"type": "queue-operation", "operation": "enqueue", "content": "wait", "timestamp": STAMP},
        {"type": "queue-operation", "operation": "remove", "content": "wait", "timestamp": STAMP},
    ],
    "attached": [
        {**_HEAD, "type": "attachment", "attachment": {"type": "queued_command", "prompt": "and this"}},
        {**_HEAD, "type": "attachment",
         "attachment": {"type": "task_reminder", "content": [{"id": "1", "subject": "one"}]}},
        {**_HEAD, "type": "attachment",
         "attachment": {"type": "plan_file_reference", "planFilePath": PLAN, "planContent": "# Plan"}},
    ],
    "progress": [
        {**_HEAD, "type": "progress",
         "data": {"type": "agent_progress", "agentId": "a", "message": said(call("Edit", file_path="b.py"))}},
        {**_HEAD, "type": "progress",
         "data": {"type": "agent_progress", "agentId": "a",
                  "message": result("ok", {"filePath": "/p/b.py", "structuredPatch": []})}},
    ],
    "compaction": [
        {**_HEAD, "type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        user("This session is being continued", isCompactSummary=True),
        {"type": "ai-title", "aiTitle": "A title", "sessionId": "s"},
        said({"type": "text", "text": "API Error: 500"}, isApiErrorMessage=True),
    ],
    "own": [user("the task", isSidechain=True, agentId="a1"),
            said({"type": "text", "text": "done"}, isSidechain=True, agentId="a1")],
}  # fmt: skip


def planted(value: Any, form: str) -> Iterator[Any]:
    """The value, with a private part at the end of one of its texts or names, each once."""
    if isinstance(value, str):
        yield value + form
    elif isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for changed in planted(value[key], form):
                other = copy.copy(value)
                other[key] = changed
                yield other
            if isinstance(value, dict):
                yield {name + form if name == key else name: item for name, item in value.items()}


@pytest.mark.parametrize("name", SESSIONS)
def test_no_text_of_a_record_brings_it_into_the_facts(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.jsonl"
    records = SESSIONS[name]
    for number, record in enumerate(records):
        for changed in planted(record, FORM):
            lines = [*records[:number], changed, *records[number + 1 :]]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            assert SECRET not in _FACTS.dump_json(read_facts(path)).decode(), changed


def test_no_text_of_a_record_brings_it_into_the_summary_of_a_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    records = [*SESSIONS["words"], SESSIONS["plan"][0], *SESSIONS["orphan"], *SESSIONS["attached"]]
    records.append(SESSIONS["compaction"][2])
    for number, record in enumerate(records):
        for changed in planted(record, FORM):
            lines = [*records[:number], changed, *records[number + 1 :]]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            summary = summarize(path)
            assert SECRET not in repr(summary), changed


def test_what_is_read_of_a_subagents_own_transcript_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(SESSIONS["words"][0]) + "\n")
    agent = tmp_path / "s" / "subagents" / "agent-a.jsonl"
    agent.parent.mkdir(parents=True)
    records = [said(call("Bash", command="make test")), result("FAILED", is_error=True),
               said(call("Write", "t2", file_path="b.py", content="x"))]  # fmt: skip
    for number, record in enumerate(records):
        for changed in planted(record, FORM):
            lines = [*records[:number], changed, *records[number + 1 :]]
            agent.write_text("".join(json.dumps(line) + "\n" for line in lines))
            assert SECRET not in _FACTS.dump_json(read_facts(path)).decode(), changed


@pytest.mark.parametrize("records", [SESSIONS["command"], SESSIONS["plan"][:2]])
def test_a_part_that_looks_like_code_once_cut_stays_private(tmp_path: Path, records: list[Any]) -> None:
    plan = f"# Steps of List<Private> {SECRET}\na\n" + "x" * 250_000 + "</private>"
    text = "".join(json.dumps(record) + "\n" for record in records)
    for was in ("# The plan", "# Plan\na"):
        text = text.replace(json.dumps(was)[1:-1], json.dumps(plan)[1:-1])
    (tmp_path / "s.jsonl").write_text(text)
    facts = _FACTS.dump_json(read_facts(tmp_path / "s.jsonl")).decode()
    assert "Steps of List" in facts
    assert SECRET not in facts


def test_what_a_command_printed_within_a_private_part_is_not_on_record(tmp_path: Path) -> None:
    printed = (
        f"<private>\n[main abc1234] {SECRET}\nhttps://h/o/{SECRET}/pull/1</private>\nhttps://h/o/r/pull/2"
    )
    records = [said(call("Bash", command="git commit -m x")), result(printed)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    facts = read_facts(tmp_path / "s.jsonl")
    assert ([each.text for each in facts.addresses], facts.landmarks) == (["https://h/o/r/pull/2"], ())
    assert SECRET not in _FACTS.dump_json(facts).decode()
