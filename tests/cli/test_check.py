"""`memtui compact --check` and `memory check`: the checklist of a file, a memory, or piped text."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.project import Project
from tests.app.widgets.records import said, text, user
from tests.app.widgets.records import write as write_session
from tests.cli.conftest import Memtui

GOOD = (Path(__file__).parents[1] / "data" / "recovery" / "good.md").read_text("utf-8")
BAD = GOOD.replace("## Project Root\n/work/app", "## Project Root\nwork/app")
NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def write(project: Project, text: str, name: str = "memory.md") -> None:
    (project.root / name).write_text(text, "utf-8")


def test_a_good_file(memtui: Memtui, project: Project) -> None:
    write(project, GOOD)
    result = memtui("compact", "--check", "memory.md")
    assert result.code == 0
    lines = result.out.splitlines()
    assert len(lines) == 13
    assert lines[0] == "pass\tSession ID\t2\tno workflow session was active"
    assert result.err == "Checklist: 13 of 13 points pass.\n"


def test_a_point_that_fails_is_exit_code_1(memtui: Memtui, project: Project) -> None:
    write(project, BAD)
    result = memtui("compact", "--check", "memory.md")
    assert result.code == 1
    assert "fail\tProject Root\t5\tis not absolute: work/app\n" in result.out
    assert result.err == "Checklist: 12 of 13 points pass, 1 fail.\n"


def test_json(memtui: Memtui, project: Project) -> None:
    write(project, BAD)
    result = memtui("compact", "--check", "memory.md", "--json")
    said = json.loads(result.out)
    assert (result.code, result.err) == (1, "")
    assert (said["source"], said["verdict"]) == ("memory.md", "fail")
    assert said["points"][1] == {
        "number": 2,
        "name": "Project Root",
        "verdict": "fail",
        "message": "is not absolute: work/app",
        "line": 5,
    }
    assert len(said["points"]) == 13


def test_a_secret_is_named_by_line_and_kind(memtui: Memtui, project: Project) -> None:
    key = "gh" + "p_" + "a1B2" * 9
    write(project, f"{GOOD}\n{key}\n")
    done = memtui("compact", "--check", "memory.md")
    line = GOOD.count("\n") + 2
    assert f"It holds a secret: github token (line {line})." in done.err
    assert json.loads(memtui("compact", "--check", "memory.md", "--json").out)["secrets"] == [
        {"line": line, "kind": "github token"}
    ]


def test_text_from_a_pipe(memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    result = memtui("compact", "--check", "-", "--json")
    assert (result.code, json.loads(result.out)["source"]) == (1, "standard input")


def test_the_lines_that_a_text_cites_are_looked_up(memtui: Memtui, transcript: Path) -> None:
    write_session(transcript, user("Never push to main, please"), said(text("Understood.")))
    own = '- No push (L3: "never push")\n- Fast (no source)\n- Rust (L4)\n'
    rows = GOOD.replace("## Constraints\n", f"## Constraints\n{own}").split("\n")
    Path("memory.md").write_text("\n".join(rows), "utf-8")
    point = json.loads(memtui("compact", "--check", "memory.md", "--cited", "--json").out)["points"][13]
    assert (point["name"], point["verdict"]) == ("Sources", "warn")
    assert rows[point["line"] - 1] == "- Approved plan: one lock: the user approved it"
    named = [rows[int(line) - 1] for line in point["message"].rpartition("line ")[2].split(", ")]
    assert "- Rust (L4)" in named
    assert not {"- Fast (no source)", '- No push (L3: "never push")'} & set(named)


def test_texts_that_are_no_recovery_text(memtui: Memtui, project: Project) -> None:
    write(project, "hello\n")
    result = memtui("compact", "--check", "memory.md")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: memory.md is not a recovery text: ")
