"""`memtui lost --note`, `--candidates` and `--choose`: what is handed over right after a compaction."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.project import Project
from memtui.lost.handover_marks import is_whole
from memtui.lost.notes import ROOM
from tests.cli.conftest import Memtui
from tests.lost.made import SUMMARY, session


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Any:
    def give(text: str) -> None:
        stream = io.StringIO(text)
        monkeypatch.setattr(sys, "stdin", stream)

    return give


@pytest.fixture
def path(project: Project) -> str:
    made = session()
    for number in range(30):
        made.user(f"Never touch the table warehouse_{number}, as team {number} owns it.")
    return str(made.write(project.root))


def test_the_note_of_a_plain_summary(memtui: Memtui, path: str, given: Any) -> None:
    given(SUMMARY)
    result = memtui("lost", "--note", "--transcript", path)
    assert (result.code, result.err) == (0, "")
    head, *_ = result.out.splitlines()
    assert (
        head == f"Left out of the summary, quoted from the conversation before it. L12 is line 12 of {path}"
    )
    assert "## Rules still in force\n- Never touch the table warehouse_29" in result.out
    assert "## Steps still due\n- Write the release notes (open) (L11)" in result.out
    assert len(result.out) <= ROOM
    assert is_whole(result.out)


def test_json_says_what_was_left_out_and_what_the_kept_messages_have(
    memtui: Memtui, path: str, given: Any
) -> None:
    given(json.dumps({"summary": SUMMARY, "kept": ["Write the release notes, said the list of tasks"]}))
    answer = json.loads(memtui("lost", "--note", "--transcript", path, "--json").out)
    assert set(answer) == {"note", "line", "rows", "digest"}
    assert "release notes" not in answer["note"]
    handed = [row for row in answer["rows"] if row["handed_over"]]
    losses = len(list(answer["rows"]))
    assert answer["line"] == (
        f"memtui: the summary left out {losses} lines worth having; {len(handed)} handed over (/lost)"
    )
    assert set(handed[0]) == {"n", "kind", "state", "line", "text", "handed_over"}


def test_nothing_is_handed_over_when_nothing_is_lost(memtui: Memtui, project: Project, given: Any) -> None:
    made = session()
    path = str(made.write(project.root))
    given(made.data.decode())
    answer = json.loads(memtui("lost", "--note", "--transcript", path, "--json").out)
    assert (answer["note"], answer["rows"]) == ("", [])
    assert answer["line"] == "memtui: the summary left out nothing that counts"


def test_a_choice_among_the_candidates(memtui: Memtui, path: str, given: Any) -> None:
    given(SUMMARY)
    listed = json.loads(memtui("lost", "--candidates", "--json", "--transcript", path).out)
    texts = {each["n"]: each["text"] for each in listed["candidates"]}
    task = next(number for number, text in texts.items() if text == "Write the release notes")
    choose = ["lost", "--transcript", path, "--json", "--digest", listed["digest"], "--choose"]
    given(SUMMARY)
    answer = json.loads(memtui(*choose, f"O {task}\nR 1").out)
    assert answer["note"].index(f"## Rules still in force\n- {texts[1]}") < answer["note"].index(
        "## Open findings"
    )
    assert [row["n"] for row in answer["rows"] if row["handed_over"]] == sorted((1, task))
    for choice, why in [
        ("R 9999", "there is no candidate 9999"),
        ("7", "a heading's letter comes first"),
        ("keep the rules", "a choice is letters of headings"),
    ]:
        given(SUMMARY)
        refused = memtui(*choose, choice)
        assert refused.code == 1
        assert why in refused.err
    given(SUMMARY + "\n- never touch warehouse_3, team 3 owns the table")
    stale = memtui(*choose, "R 1")
    assert (stale.code, "made on other candidates" in stale.err) == (1, True)


def test_without_a_summary_there_is_no_note(memtui: Memtui, path: str, given: Any) -> None:
    given("")
    result = memtui("lost", "--note", "--transcript", path)
    assert (result.code, result.err) == (1, "memtui: standard input is empty: give it the summary.\n")
    given("")
    listed = json.loads(memtui("lost", "--candidates", "--json", "--transcript", path).out)
    assert len(listed["candidates"]) > 30


def test_a_transcript_that_is_not_there(memtui: Memtui, given: Any, tmp_path: Path) -> None:
    given(SUMMARY)
    result = memtui("lost", "--note", "--transcript", str(tmp_path / "none.jsonl"))
    assert result.code == 1
    assert "none.jsonl" in result.err
