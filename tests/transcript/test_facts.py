"""Facts as a whole: the envelope, compactions, JSON, the order of records, and arbitrary files."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.events import check_event, error_event
from memtui.documents.memory_file import draft_memory
from memtui.transcript import ReadingCancelledError
from memtui.transcript import facts as facts_of_transcript
from memtui.transcript.facts import read_facts
from memtui.transcript.lines import LINE_LIMIT
from memtui.transcript.records import NOWHERE, Command, Source, in_order, is_after, to_json
from tests.documents.made import at, ran
from tests.examples import shared
from tests.transcripts import START, STOP, SUMMARY, Transcript, tool_result, tool_use


def test_envelope_over_time(tmp_path: Path) -> None:
    session = Transcript(cwd="/work/app", branch="main")
    session.user("go")
    session.envelope |= {"cwd": "/work/app/web", "gitBranch": "fix", "version": "2.1.101"}
    session.say("ok")
    session.envelope |= {"cwd": "", "gitBranch": "", "version": None}
    session.say("ok", session_id="another", message={"model": "claude-opus-4-8"})
    session.record({"type": "ai-title", "aiTitle": "Fix the form", "sessionId": "5e55-1d"})
    facts = session.facts(tmp_path)
    assert (facts.cwd, facts.cwds) == ("/work/app/web", ("/work/app", "/work/app/web"))
    assert (facts.branch, facts.branches) == ("fix", ("main", "fix"))
    assert facts.versions == ("2.1.100", "2.1.101")
    assert facts.models == ("claude-sonnet-4-6", "claude-opus-4-8")
    assert facts.session_id == "5e55-1d"
    assert facts.title == "Fix the form"


def test_bad_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    session = Transcript()
    session.user("first")
    session.raw(b"not json")
    session.raw(b'{"type":"user","message":{"content":"' + b"x" * LINE_LIMIT + b'"}}')
    session.raw(b"[" * 100_000)
    session.edit("/work/app/a.py")
    session.raw(b'{"type":"user","message":{"content":"half', end=b"")
    facts = session.facts(tmp_path)
    assert (facts.lines, facts.skipped_lines) == (7, 4)
    assert facts.asked[-1].ask == "first"
    assert [file.path for file in facts.modified_files] == ["/work/app/a.py"]


def test_progress_and_cancellation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_of_transcript, "_STEP", 20_000)
    session = Transcript()
    for _ in range(40):
        session.user("word " * 400)
    path = session.write(tmp_path)
    total = path.stat().st_size
    seen: list[tuple[int, int]] = []
    read_facts(path, progress=lambda done, of: seen.append((done, of)))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == ((0, total), (total, total))
    assert 3 <= len(seen) <= 10

    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) == 3

    with pytest.raises(ReadingCancelledError):
        read_facts(path, cancelled=cancelled)
    assert len(asked) == 3


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    session = Transcript()
    for number in range(20):
        session.tool("Read", "x" * 20_000, file_path=f"/work/app/{number}.py")
        session.edit(f"/work/app/{number}.py")
    block = session.data
    peaks = []
    for times in (2, 24):
        path = tmp_path / "s.jsonl"
        path.write_bytes(block * times)
        tracemalloc.start()
        read_facts(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 2  # of a file twelve times as long; each request leaves two numbers


_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), st.text(max_size=8)
)
_KEYS = st.sampled_from(["type", "id", "text"])
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner), max_leaves=6
)
_WORD_LIST = """
user assistant progress system attachment queue-operation ai-title tool_use tool_result text agent_progress
compact_boundary task_reminder queued_command plan_file_reference Edit Read Bash TodoWrite TaskCreate
TaskUpdate TaskList ExitPlanMode AskUserQuestion t1 enqueue remove popAll /a.py never 2026-01-01T00:00:00Z
"""
_FIELD_LIST = """
type message content id name input tool_use_id is_error toolUseResult data attachment operation subtype usage
compactMetadata timestamp sessionId cwd isSidechain agentId isMeta isCompactSummary planContent model
file_path command todos taskId status task tasks answers plan origin text prompt
"""
_WORDS = st.sampled_from([*_WORD_LIST.split(), SUMMARY, "never do it"])
_FIELDS = st.sampled_from(_FIELD_LIST.split())
_SHAPES = st.recursive(
    _WORDS | _VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_FIELDS, inner, max_size=6),
    max_leaves=20,
)
_RECORDS = shared(st.dictionaries(_FIELDS, _SHAPES, max_size=8), 40)


@given(st.lists(_RECORDS, max_size=6))
def test_records_of_any_shape_are_read(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    json.dumps(to_json(read_facts(path)), ensure_ascii=False).encode()


_ODD: st.SearchStrategy[Any] = shared(_SHAPES, 60) | st.sampled_from([[], {}, "", 0, None])


@given(_ODD, _ODD, _ODD, _ODD)
def test_every_field_of_a_sound_record_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, content: Any, arguments: Any, detail: Any, data: Any
) -> None:
    session = Transcript()
    session.user(content, planContent=data, origin=detail)
    tasks = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskList")
    for name in ("Edit", "Read", "Bash", *tasks, "ExitPlanMode", "Task"):
        block = {**tool_use(f"t{name}", name), "input": arguments}
        session.assistant(block, message={"usage": data, "model": detail})
        session.user([tool_result(f"t{name}", content)], toolUseResult=detail)
        session.agent("assistant", block)
    session.assistant(tool_use("q", "AskUserQuestion", questions=data))
    session.user([tool_result("q", content)], toolUseResult={"answers": detail})
    session.attachment("queued_command", prompt=content, origin=data)
    session.attachment("task_reminder", content=data)
    session.line("system", subtype="compact_boundary", compactMetadata=data)
    session.user(content, isCompactSummary=True)
    session.record({"type": "queue-operation", "operation": "remove", "content": content})
    json.dumps(to_json(session.facts(tmp_path_factory.getbasetemp())), ensure_ascii=False).encode()


@given(st.binary(max_size=300))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    path.write_bytes(data)
    read_facts(path)


@given(st.lists(st.sampled_from(range(12)), max_size=25), st.integers(0, 25))
def test_reading_a_part_is_reading_what_stands_before_it(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], cut: int
) -> None:
    """Facts only grow: those of a beginning are the beginning of those of the whole."""
    session = Transcript()
    lengths: list[int] = []
    actions: list[Callable[[], object]] = [
        lambda: session.user("words"),
        lambda: session.edit(f"/work/app/{len(lengths) % 3}.py"),
        lambda: session.tool("Bash", command="make"),
        lambda: session.broken("Bash", "Exit code 1\nno", command="make"),
        lambda: session.queue("enqueue", "queued"),
        lambda: session.queue("remove"),
        lambda: session.queue("dequeue"),
        lambda: session.attachment("queued_command", prompt="queued"),
        lambda: session.say("I decided to wait because it is late."),
        lambda: session.compaction(),
        lambda: session.builtin("clear"),
        lambda: session.slash("fix", "it"),
    ]
    for step in steps:
        actions[step]()
        lengths.append(len(session.data))
    folder = tmp_path_factory.getbasetemp()
    whole = session.facts(folder)
    session.data = session.data[: lengths[min(cut, len(lengths) - 1)] if lengths else 0]
    part = session.facts(folder)
    asks, begun = ([turn.ask for turn in each.asked] for each in (whole, part))  # the last one may go on
    assert asks[: len(begun)] == begun
    assert whole.compactions[: len(part.compactions)] == part.compactions
    texts, before = ([command.text for command in each.commands] for each in (whole, part))
    assert texts[: len(before)] == before
    paths = [file.path for file in whole.modified_files]
    assert paths[: len(part.modified_files)] == [file.path for file in part.modified_files]


def test_every_json_fact_names_its_line(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Go")
    session.tool("Edit", file_path="/work/app/a.py", old_string="a", new_string="b")
    session.tool("Bash", command="cat > new.py <<EOF\nEOF")
    session.say("First.")
    session.say("Done.")
    facts = to_json(session.facts(tmp_path))
    lines = {each["path"]: each["line"] for each in facts["files"]}
    assert lines == {"/work/app/a.py": 2, "/work/app/new.py": 4}
    (turn,) = facts["turns"]
    assert (turn["line"], turn["closing"]["line"], turn["texts"][0]["line"]) == (1, 7, 6)
    assert facts["last_action"]["line"] == 4


def test_the_session_is_the_one_the_file_is_named_after(tmp_path: Path) -> None:
    session = Transcript(session_id="child")
    session.user("go")
    session.envelope["sessionId"] = "parent"
    session.user("on")
    assert read_facts(session.write(tmp_path, "child.jsonl")).session_id == "child"
    assert read_facts(session.write(tmp_path, "export.jsonl")).session_id == "parent"


def test_context_size_counts_a_message_once(tmp_path: Path) -> None:
    session = Transcript()
    usage = {"input_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": None}
    for _ in range(3):
        session.say("a part", message_id="msg_1", message={"usage": usage})
    session.say("no usage", message_id="msg_2", message={"usage": None})
    odd = {"input_tokens": True, "cache_read_input_tokens": 1.5}
    session.say("odd", message_id="msg_3", message={"usage": odd})
    session.agent("assistant", {"type": "text", "text": "sub"})
    session.say("API Error", message_id="msg_4", message={"model": "<synthetic>"})
    assert [size.tokens for size in session.facts(tmp_path).context_sizes] == [15]


@pytest.mark.parametrize("step", [-1, 0])
def test_times_that_repeat_or_go_back_hide_nothing_that_came_later(tmp_path: Path, step: int) -> None:
    t = Transcript()

    def still() -> None:
        t.moment = START.replace(second=30 + step * len(t.data) // 1000)

    t.user("Fire the kiln")
    for run in (
        lambda: t.edit("/work/app/kiln.py"),
        lambda: t.tool("Bash", "2 passed", command="pytest -q"),
        lambda: t.edit("/work/app/kiln.py"),
        lambda: t.broken("Bash", "Exit code 1\nError: no clay", command="make kiln"),
        lambda: t.broken("Bash", STOP, command="make clean"),
        lambda: t.tool("Bash", "done", command="make clay"),
        lambda: t.tool("TaskCreate", "Task #1 created successfully: glaze", subject="glaze"),
        lambda: t.tool("TaskUpdate", "Updated task #1 status", taskId="1", status="completed"),
        lambda: t.say("It is fired."),
    ):
        still()
        run()
    facts = t.facts(tmp_path)
    assert [todo.status for todo in facts.todos] == ["completed"]
    since = "2 commands since; at least 1 file changed since"
    assert check_event(facts) == f"SUCCESS: pytest -q (L4; {since})"
    assert error_event(facts, facts.errors[0], None).startswith(
        "Bash `make kiln` failed at L9, 1 command since: "
    )
    assert "at least 1 file changed since" in draft_memory(facts).confidence


def test_a_line_of_a_subagents_own_transcript_takes_its_place_by_time() -> None:
    third = replace(ran("third", 12), source=Source(12, 0, at(2).timestamp))
    own = [ran("first", 1), ran("second", 9), third]
    late = Command("between", "", "ok", None, "", Source(0, 5, at(4).timestamp, "subagent", "agent-a1 L5"))
    ordered = [each.text for each in in_order([own[2], late, own[0], own[1]])]
    assert ordered == ["first", "between", "second", "third"]
    assert is_after(late.source, at(3)) and not is_after(late.source, at(5))
    assert is_after(at(1), NOWHERE) and not is_after(NOWHERE, at(1))


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
            "trigger": trigger, "line": line, "timestamp": f"2026-01-02T09:00:0{line - 1}.000Z",
            "pre_tokens": 155_000, "post_tokens": after, "summary_chars": len(SUMMARY),
        }
        for trigger, line, after in (("auto", 2, None), ("manual", 4, 12_000))
    ]  # fmt: skip
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


def test_a_message_that_a_fork_writes_again_counts_once(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    said = t.say("Done.")
    t.record({**said, "uuid": "of-the-fork"})
    (turn,) = t.facts(tmp_path).turns
    assert (turn.texts, turn.closing and turn.closing.source.line) == ((), 2)
