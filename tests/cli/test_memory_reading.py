"""`memtui memory`: searching, showing and exporting memories, and what they share."""

from __future__ import annotations

import json
from functools import partialmethod
from pathlib import Path

import pytest

from memtui.cli import output
from memtui.ground.project import Project, memtui_home
from memtui.store.base import NOT_ALL_SEARCHED
from memtui.store.index import SearchIndex
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import FIRST, SECOND, TEXT, put, two, use_terminal

__all__ = ["two"]


def test_a_search_without_hits_ends_like_grep(memtui: Memtui, two: Project) -> None:
    done = memtui("memory", "search", "no", "such")
    assert (done.code, done.out) == (1, "")
    assert done.err == "Nothing found for 'no such' in shop; --all looks in all projects.\n"
    as_json = memtui("memory", "search", "nosuch", "--json")
    assert (as_json.code, json.loads(as_json.out)["total"]) == (1, 0)


def test_words_in_one_argument_are_a_phrase(memtui: Memtui, project: Project) -> None:
    put("2026-01-01T08:00:00+00:00", body=b"the tax rule and the rounding", project=str(project.root))
    assert memtui("memory", "search", "rule", "tax").code == 0
    assert memtui("memory", "search", "tax rule").code == 0
    assert memtui("memory", "search", '"tax rule" rounding').code == 0
    assert memtui("memory", "search", "rule tax").code == 1


def test_search(memtui: Memtui, two: Project) -> None:
    (line,) = memtui("memory", "search", "退款").out.splitlines()
    assert line.split("\t")[:3] == [SECOND, "2026-01-02 09:15", "Umsätze für 退款"]
    found = json.loads(memtui("memory", "search", "refresh", "--all", "--json").out)
    assert (found["total"], found["complete"]) == (2, True)
    (hit, _) = found["hits"]
    assert hit.keys() == {"memory", "snippet", "marks", "score"}
    assert [hit["snippet"][start:end].casefold() for start, end in hit["marks"]][:1] == ["refresh"]
    result = memtui("memory", "search", "refresh", "--all", "--limit", "1")
    assert result.err == "2 match in all; see more with --limit or --offset.\n"


def test_search_says_when_it_could_not_look_at_all(
    memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui_home().cache.write_text("in the way of the index")
    monkeypatch.setattr(SearchIndex, "search", partialmethod(SearchIndex.search, budget=-1))
    found = memtui("memory", "search", "refresh", "--json")
    assert json.loads(found.out) == {"total": 0, "complete": False, "hits": []}
    assert found.err == memtui("memory", "search", "refresh").err == f"{NOT_ALL_SEARCHED}\n"


def test_search_marks_what_matched(memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    monkeypatch.setattr(output, "_console", _ansi)
    out = memtui("memory", "search", "REFRESH").out
    assert f"\x1b[1m{FIRST}\x1b[0m" in out
    assert "\x1b[1mrefresh\x1b[0m" in out


def _ansi() -> object:
    from rich.console import Console

    return Console(force_terminal=True, color_system="standard", width=100, highlight=False, markup=False)


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


def test_export_names_one_memory(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "export").code == 2
    assert memtui("memory", "export", FIRST, "--id", FIRST).code == 2


def test_the_graph(memtui: Memtui, two: Project) -> None:
    drawn = json.loads(memtui("memory", "list", "--graph", "json", "--all").out)
    assert [node["kind"] for node in drawn["nodes"]].count("memory") == 3
    assert len(drawn["edges"]) == 5
    assert memtui("memory", "list", "--graph", "dot", "--all").out.count(" -- ") == 4
    assert memtui("memory", "list", "--graph", "mermaid").out.startswith("flowchart LR\n")
