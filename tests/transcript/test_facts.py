"""Facts as a whole: the envelope, the callbacks, JSON, and arbitrary files."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import ReadingCancelledError
from memtui.transcript import facts as facts_of_transcript
from memtui.transcript.facts import read_facts
from memtui.transcript.lines import LINE_LIMIT
from memtui.transcript.records import to_json
from tests.examples import shared
from tests.transcripts import SUMMARY, Transcript, tool_result, tool_use

KEY_LIST = """
session_id first_prompt last_prompt prompts modified_files read_files commands todos plan errors turns
compactions last_action cwd branch
"""
KEYS = frozenset(KEY_LIST.split())


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


def test_context_sizes_are_thinned_out_but_the_last_is_there(tmp_path: Path) -> None:
    session = Transcript()
    for number in range(1, 2001):
        session.say("x", message={"usage": {"input_tokens": number}})
    sizes = [size.tokens for size in session.facts(tmp_path).context_sizes]
    assert len(sizes) <= 401
    assert (sizes[0], sizes[-1]) == (1, 2000)
    assert sizes == sorted(sizes)


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
    assert peaks[1] < peaks[0] * 1.3


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
    for name in (
        "Edit",
        "Read",
        "Bash",
        "TodoWrite",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "ExitPlanMode",
        "Task",
    ):
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
    assert whole.asked[: len(part.asked)] == part.asked
    assert whole.compactions[: len(part.compactions)] == part.compactions
    assert [command.text for command in whole.commands][: len(part.commands)] == [
        c.text for c in part.commands
    ]
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
    assert [(each["path"], each["line"]) for each in facts["files"]] == [
        ("/work/app/a.py", 2),
        ("/work/app/new.py", 4),
    ]
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
    session.say(
        "odd", message_id="msg_3", message={"usage": {"input_tokens": True, "cache_read_input_tokens": 1.5}}
    )
    session.agent("assistant", {"type": "text", "text": "sub"})
    session.say("API Error", message_id="msg_4", message={"model": "<synthetic>"})
    assert [size.tokens for size in session.facts(tmp_path).context_sizes] == [15]
