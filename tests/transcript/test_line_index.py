"""The index of a transcript agrees with reading every line of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import line_index
from memtui.transcript.blocks import blocks
from memtui.transcript.events import Boundary, Said
from memtui.transcript.line_index import LineIndex
from memtui.transcript.lines import read_lines
from tests.app.widgets.records import call, result, said, text, user, write

RECORDS = (
    user("an ask"),
    user("Caveat: The messages below were generated", isMeta=True),
    said(text("a text")),
    said(call("Bash", command='echo "type":"text"')),
    said(text("by a subagent"), isSidechain=True, agentId="a"),
    result("output"),
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "typed meanwhile"}},
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
    {"type": "progress", "data": {"type": "bash_progress"}},
    "not JSON\n",
    "\n",
)


@given(st.lists(st.sampled_from(RECORDS), max_size=30), st.integers(0, 30))
def test_it_agrees_with_reading_and_grows(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], pause: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    index = LineIndex()
    for part in (records[:pause], records[pause:]):
        write(path, *part)  # type: ignore[arg-type]
        assert index.extend(path)
    asks, boundaries, closings, last = [], [], [], -1
    for line in read_lines(path):
        for block in blocks(line):
            if block.is_ask:
                asks.append(line.offset)
                closings += [last] if last >= 0 else []
                last = -1
            elif isinstance(block.event, Boundary):
                boundaries.append(line.offset)
            elif isinstance(block.event, Said) and not block.agent:
                last = line.offset
    assert (list(index.asks), list(index.boundaries)) == (asks, boundaries)
    assert (list(index.closings), index.last_text) == (closings, last)
    assert len(index.starts) == path.read_bytes().count(b"\n")
    for number, offset in enumerate(index.starts, 1):
        assert (index.number_at(offset), index.offset_of(number)) == (number, offset)


def test_a_line_still_being_written_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "_CHUNK", 50)
    path = write(tmp_path / "t.jsonl", user("one"), b'{"type":"user","message":{"content":"two"')
    index = LineIndex()
    index.extend(path)
    assert (len(index.starts), len(index.asks), index.complete) == (1, 1, True)
    write(path, b"}}\n")
    index.extend(path)
    assert (len(index.starts), len(index.asks), index.end) == (2, 2, path.stat().st_size)


def test_a_shorter_file_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("one"), user("two"))
    index = LineIndex()
    index.extend(path)
    path.write_bytes(b"")
    assert not index.extend(path)


def test_turns_are_counted_from_the_first_ask(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", {"type": "mode"}, user("one"), said(text("x")), user("two"))
    index = LineIndex()
    index.extend(path)
    assert [index.turn_at(offset) for offset in index.starts] == [0, 1, 1, 2]
    assert index.number_at(index.end + 1) == 0
