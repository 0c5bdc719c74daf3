"""`memtui memory`: showing and exporting memories, and what they share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import Project
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import FIRST, SECOND, TEXT, put, use_terminal


def test_show(memtui: Memtui, two: Project) -> None:
    out = memtui("memory", "show", "20260101").out
    about, checklist, text = out.split("\n\n", 2)
    assert about.splitlines() == [
        f"{FIRST}:", f"- project: {two.root}", "- created: 2026-01-01 08:00", "- tags: auth, Tokens",
        "- source: import",
    ]  # fmt: skip
    assert checklist.startswith("Checklist:\n- ")
    assert text == TEXT + "\n"
    shown = json.loads(memtui("memory", "show", FIRST, "--json").out)
    assert shown["memory"] == json.loads(memtui("memory", "list", "--json").out)["memories"][1]
    assert (shown["text"], shown["size"]) == (TEXT, len(TEXT.encode()))
    assert {point["verdict"] for point in shown["checklist"]} <= {"pass", "warn", "fail"}
    assert shown["checklist"]


def test_show_on_a_terminal_is_clean(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = put("2026-01-01T08:00:00+00:00", b"a \x1b[2J \xff b", description="x\x1b]0;y\x07")
    use_terminal(monkeypatch)
    out = memtui("memory", "show", memory_id).out + memtui("memory", "export", memory_id).out
    assert "\x1b" not in out
    assert "␛[2J" in out
    assert "Checklist" not in out


def test_export_to_a_file_writes_over_nothing(memtui: Memtui, two: Project, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    assert memtui("memory", "export", FIRST, "--output", str(target)) == Result(0, "", "")
    assert target.read_bytes() == TEXT.encode()
    result = memtui("memory", "export", SECOND, "--output", str(target))
    assert (result.code, "already exists" in result.err) == (1, True)
    assert target.read_bytes() == TEXT.encode()


def test_export_as_json(memtui: Memtui, two: Project) -> None:
    answer = {"operation": "export", "id": FIRST, "content": TEXT, "exact": True}
    assert json.loads(memtui("memory", "export", FIRST, "--json").out) == answer
    answer = json.loads(
        memtui("core-memory", "export", "--id", put("2026-01-05T10:00:00+00:00", b"a\xff"), "--json").out
    )
    assert (answer["content"], answer["exact"]) == ("a\ufffd", False)
    assert memtui("memory", "export", FIRST, "--json", "--output", "x").code == 2


def test_the_graph(memtui: Memtui, two: Project) -> None:
    drawn = json.loads(memtui("memory", "list", "--graph", "json", "--all").out)
    assert [node["kind"] for node in drawn["nodes"]].count("memory") == 3
    assert len(drawn["edges"]) == 5
    chart = memtui("memory", "list", "--graph", "mermaid", "--all").out
    assert chart.startswith("flowchart LR\n") and chart.count(" --- ") == 4
