"""Transcripts as blocks to read, and the diffs of edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memtui.transcript import blocks as edits
from memtui.transcript.blocks import Row, blocks, diff_counts, edit_rows
from memtui.transcript.events import Call, Said
from memtui.transcript.lines import read_lines
from tests.transcripts import Transcript


def test_a_subagents_transcript_begins_with_its_task(tmp_path: Path) -> None:
    t = Transcript()
    t.envelope |= {"isSidechain": True, "agentId": "a1"}
    t.user("Look for the hinge", parentUuid=None)
    t.user("no task", parentUuid="u1")
    shown = [each.event for line in read_lines(t.write(tmp_path)) for each in blocks(line)]
    assert shown == [Said("Look for the hinge", "a1")]


def call(name: str, **given: Any) -> Call:
    return Call("t", name, given, "")


def test_an_edit_shows_what_stays_goes_and_comes() -> None:
    rows = edit_rows(
        call(
            "Edit",
            old_string="def a():\n    x = get()\n    end",
            new_string="def a():\n    x = ctx.b\n    end",
        )
    )
    assert [(row.sign, row.text) for row in rows] == [
        (" ", "def a():"),
        ("-", "    x = get()"),
        ("+", "    x = ctx.b"),
        (" ", "    end"),
    ]
    assert diff_counts(rows) == (1, 1)


def test_a_written_file_is_all_new() -> None:
    assert diff_counts(edit_rows(call("Write", content="a\nb\n"))) == (2, 0)
    assert diff_counts(edit_rows(call("NotebookEdit", new_source="a"))) == (1, 0)


@pytest.mark.parametrize("given", [{}, {"old_string": 3, "new_string": None}])
@pytest.mark.parametrize("name", ["Edit", "Write", "NotebookEdit", "Bash"])
def test_what_is_not_known_has_no_diff(name: str, given: dict[str, Any]) -> None:
    assert edit_rows(call(name, **given)) == []


def test_long_texts_are_compared_by_their_common_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_LINES", 2)
    rows = edit_rows(call("Edit", old_string="a\nb\nc\nz", new_string="a\nx\nz"))
    assert rows == [Row(" ", "a"), Row("-", "b"), Row("-", "c"), Row("+", "x"), Row(" ", "z")]
