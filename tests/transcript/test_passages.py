"""Searchable passages of a transcript: the turns of the facts, and the same when read in parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from memtui.transcript import passages
from memtui.transcript.facts import read_facts
from memtui.transcript.lines import Line
from memtui.transcript.passages import Kind, Passage, Stretch, read_stretches
from tests.transcript.test_checkpoint import session
from tests.transcripts import Transcript


def found(path: Path) -> list[tuple[int, Passage]]:
    return [(stretch.turn, each) for stretch in read_stretches(path) for each in stretch.passages]


def test_turns_are_those_of_the_facts(tmp_path: Path) -> None:
    t = session()
    t.slash("deploy", "to staging")
    t.builtin("clear")
    t.user("<bash-input>ls</bash-input>")
    t.user("[Request interrupted by user]")
    t.user("go on")
    path = t.write(tmp_path)
    turns = {(turn.number, turn.source.line) for turn in read_facts(path).turns if turn.ask}
    opened = {(turn, each.line) for turn, each in found(path) if each.kind is Kind.ASK or each.text == "ls"}
    assert opened == turns and len(turns) > 6


def test_commands_files_texts_and_errors_are_found(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Port the lamp")
    t.tool("Bash", "secret output", command="make lamp")
    t.edit("/work/app/lamp.py")
    t.edit("/work/app/lamp.py")
    t.broken("Bash", "Exit code 1\nno such lamp", command="make light")
    t.say("Ported.")
    expected = [
        (Kind.ASK, "Port the lamp", 1),
        (Kind.COMMAND, "make lamp", 2),
        (Kind.FILE, "/work/app/lamp.py", 4),
        (Kind.COMMAND, "make light", 8),
        (Kind.ERROR, "no such lamp", 9),
        (Kind.SAID, "Ported.", 10),
    ]
    assert [each[:3] for _, each in found(t.write(tmp_path))] == expected


def test_private_parts_are_left_out(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Use <private>the blue key</private> here")
    assert [each.text for _, each in found(t.write(tmp_path))] == ["Use [private] here"]


def test_reading_goes_on_at_any_stretch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "STRETCH", 30)
    path = session().write(tmp_path)
    stretches = list(read_stretches(path))
    assert len(stretches) > 8
    for number, stretch in enumerate(stretches):
        rest = [(each.turn, each.passages) for each in read_stretches(path, stretch.begin) if each.passages]
        assert rest == [(each.turn, each.passages) for each in stretches[number:] if each.passages]


def test_results_of_files_that_were_read_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    t = Transcript()
    t.user("Port the lamp")
    path = t.write(tmp_path)
    read = b'{"type":"user","message":{"content":[{"type":"tool_result","content":"ok }{ "}]},%s}\n'
    with path.open("ab") as file:
        file.write(read % b'"toolUseResult":{"type":"text","file":{"content":"lamp"}}')
        file.write(b'{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm"}]}}\n')
        file.write(b'{"type":"system","subtype":"turn_duration"}\n')
        file.write(b'{"type":"attachment","attachment":{"type":"hook_success","content":"ok"}}\n')
    seen: list[Line] = []
    take = passages._Reader.line

    def noted(self: passages._Reader, line: Line) -> Sequence[Stretch]:
        seen.append(line)
        return take(self, line)

    monkeypatch.setattr(passages._Reader, "line", noted)
    with path.open("ab") as file:
        file.write(
            b'{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"},'
            b'{"type":"text","text":"and the shade"}]}}\n'
        )
    assert [each.text for _, each in found(path)] == ["Port the lamp", "and the shade"]
    assert [line.number for line in seen if line.records] == [1, 6]
