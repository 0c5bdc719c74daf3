"""Reading transcript lines: whatever a file holds, every whole record comes out and nothing is fatal."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import lines as transcript
from memtui.transcript.facts import read_facts
from memtui.transcript.lines import LINE_LIMIT, Line, read_lines
from tests.transcripts import Transcript, tool_result, tool_use


def lines_of(
    folder: Path, data: bytes, *, start: int = 0, stop: int | None = None, first: int = 1
) -> list[Line]:
    path = folder / "t.jsonl"
    path.write_bytes(data)
    return list(read_lines(path, start=start, stop=stop, first=first))


def records_of(lines: list[Line]) -> list[object]:
    return [record for line in lines for record in line.records]


def test_lines_with_their_offsets(tmp_path: Path) -> None:
    assert lines_of(tmp_path, b'{"a":1}\n{"b":2}\n') == [
        Line(0, 8, ({"a": 1},), "", 1),
        Line(8, 16, ({"b": 2},), "", 2),
    ]


def test_no_final_newline_and_blank_lines(tmp_path: Path) -> None:
    assert lines_of(tmp_path, b'\n{"a":1}\r\n  \n{"b":2}') == [
        Line(1, 10, ({"a": 1},), "", 2),
        Line(13, 20, ({"b": 2},), "", 4, complete=False),
    ]


def test_two_objects_on_one_line(tmp_path: Path) -> None:
    data = '{"a":"é"}{"b":"\u2028"} {"c":3}\n'.encode()
    assert lines_of(tmp_path, data) == [Line(0, len(data), ({"a": "é"}, {"b": "\u2028"}, {"c": 3}), "", 1)]


def test_torn_last_line_stays_before_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":1}\n{"text":"half of')
    _, torn = read_lines(path)
    assert torn == Line(8, 8, (), "torn", 2, complete=False)
    with path.open("ab") as file:
        file.write(b' it"}\n{"b":2}\n')
    assert records_of(list(read_lines(path, start=torn.end))) == [{"text": "half of it"}, {"b": 2}]


def test_a_long_line_is_read_no_farther_than_asked(tmp_path: Path) -> None:
    data = b"x" * (LINE_LIMIT + 500_000) + b"\n"
    (line,) = lines_of(tmp_path, data, stop=LINE_LIMIT + 300_000)
    assert line == Line(0, 0, (), "too long", 1, complete=False)


def test_long_line_that_has_no_end_yet_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":1}\n{"image":"' + b"x" * (LINE_LIMIT + 10))
    last = list(read_lines(path))[-1]
    assert last == Line(8, 8, (), "too long", 2, complete=False)
    with path.open("ab") as file:
        file.write(b'"}\n{"b":2}\n')
    assert [line.problem for line in read_lines(path, start=last.end)] == ["too long", ""]


def test_long_line_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.write(b'{"image":"')
        for _ in range(40):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"a":1}\n')
    tracemalloc.start()
    assert [line.problem for line in read_lines(path)] == ["too long", ""]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * LINE_LIMIT


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"not json", "not JSON"), (b"[1, 2]", "not JSON"), (b'"text"', "not JSON"), (b"3", "not JSON"),
        (b'{"a":1} and more', "not JSON"), (b"[" * 100_000, "not JSON"), (b'{"a":' * 100_000, "not JSON"),
        (b'{"a":' + b"9" * 10_000 + b"}", "not JSON"), (b'{"a":NaN,"b":-Infinity}', ""),
        (b'\xef\xbb\xbf{"a":1}', ""), (b'{"a":"tab\there"}', ""),
    ],
)  # fmt: skip
def test_what_is_not_an_object_is_counted(tmp_path: Path, line: bytes, problem: str) -> None:
    before, middle, after = lines_of(tmp_path, b'{"x":1}\n' + line + b'\n{"y":2}\n')
    assert middle.problem == problem
    assert (before.records, after.records) == (({"x": 1},), ({"y": 2},))


def test_invalid_utf_8_and_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, b'{"a":"\xff\xfe"}\n{"b":["\\ud83d"],"\\udc00":"\\ud83d\\ude00"}\n')
    assert records_of(lines) == [{"a": "\ufffd\ufffd"}, {"b": ["\ufffd"], "\ufffd": "😀"}]
    json.dumps(records_of(lines), ensure_ascii=False).encode()


def test_start_and_stop(tmp_path: Path) -> None:
    data = b'{"a":1}\n{"b":2}\n{"c":3}\n'
    assert records_of(lines_of(tmp_path, data, start=8)) == [{"b": 2}, {"c": 3}]
    assert records_of(lines_of(tmp_path, data, start=8, stop=16)) == [{"b": 2}]
    assert lines_of(tmp_path, data, start=8, stop=12)[-1] == Line(8, 8, (), "torn", 1, complete=False)
    assert lines_of(tmp_path, data, start=len(data)) == []
    assert lines_of(tmp_path, data, start=10_000) == []
    assert lines_of(tmp_path, data, start=16, stop=8) == []


def test_a_folder_is_no_transcript_and_is_closed(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(OSError, match="it is not a regular file"):
        list(read_lines(tmp_path))
    assert len(list(Path("/dev/fd").iterdir())) == before


_PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [b"\n", b"\n\n", b"\r\n", b'{"a":1}', b'{"a":', b'"\\ud800"', b"\xff", b"[]", b" ", b'{"b":"x"}{']
    ),
    st.dictionaries(st.text(max_size=4), st.text(max_size=6), max_size=3).map(
        lambda d: json.dumps(d).encode()
    ),
)


@given(st.lists(_PIECES, max_size=30).map(b"".join))
def test_any_bytes_can_be_read_and_resumed_at_every_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    lines = lines_of(tmp_path_factory.getbasetemp(), data)
    json.dumps(records_of(lines), ensure_ascii=False).encode()
    assert all(line.offset <= line.end <= len(data) for line in lines)
    assert all(line.number == data.count(b"\n", 0, line.offset) + 1 for line in lines)
    for index, line in enumerate(lines):
        if line.end > line.offset:
            rest = lines_of(tmp_path_factory.getbasetemp(), data, start=line.end, first=line.next_number)
            assert rest == lines[index + 1 :]


@given(st.lists(_PIECES, max_size=30).map(b"".join), st.integers(2, 9))
def test_blocks_make_no_difference(tmp_path_factory: pytest.TempPathFactory, data: bytes, block: int) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = lines_of(folder, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript, "_BLOCK", block)
        assert lines_of(folder, data) == whole


PROGRESS = b'{"parentUuid":"a","cwd":"/p","type":"progress","data":{"type":"%b","message":{}},"uuid":"b"}'


def test_progress_and_snapshots_stay_unparsed(tmp_path: Path) -> None:
    snapshot = b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}'
    lines = [PROGRESS % b"hook_progress", snapshot, PROGRESS % b"bash_progress", PROGRESS % b"agent_progress"]
    read = lines_of(tmp_path, b"\n".join(lines) + b"\n")
    assert [len(line.records) for line in read] == [0, 0, 0, 1]
    assert [(line.number, line.problem, line.complete) for line in read] == [
        (number, "", True) for number in (1, 2, 3, 4)
    ]


def test_a_second_object_behind_a_snapshot_is_read(tmp_path: Path) -> None:
    (line,) = lines_of(tmp_path, b'{"type":"file-history-snapshot","messageId":"m"}{"type":"user"}\n')
    assert {"type": "user"} in line.records


def test_a_line_that_is_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Fix the race")
    path = transcript.write(tmp_path)
    transcript.edit("/work/app/a.py")
    path.write_bytes(transcript.data[:-30])
    facts = read_facts(path)
    assert (facts.modified_files, facts.lines, facts.skipped_lines) == ((), 3, 1)
    path.write_bytes(transcript.data)
    facts = read_facts(path)
    assert [file.path for file in facts.modified_files] == ["/work/app/a.py"]
    assert (facts.lines, facts.skipped_lines) == (3, 0)


def test_a_check_that_a_subagent_ran_counts(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Make the tests pass")
    t.broken("Bash", "Exit code 1\nE   assert 1 == 2", command="pytest -q", description="d")
    task = t.call("Task", description="fix them", prompt="Make the tests pass")
    for number, command in enumerate(("ls src", "uv run pytest tests")):
        t.agent("assistant", tool_use(f"t{number}", "Bash", command=command))
        t.agent("user", tool_result(f"t{number}", "3 passed"))
    t.result(task, "They pass.")
    facts = read_facts(t.write(tmp_path))
    assert [each.text for each in facts.agent_checks] == ["uv run pytest tests"]
    assert [each.text for each in facts.commands] == ["pytest -q"]
