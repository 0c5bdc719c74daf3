"""`memtui memory`: storing, listing, finding, showing, marking and deleting memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.documents.recovery import Recovery, RoleFile, render_recovery
from memtui.ground.project import Project, memtui_home
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import FIRST, SECOND, put, use_terminal


def test_list_is_tab_separated_when_piped(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "list") == Result(
        0,
        f"{SECOND}\t2026-01-02 09:15\t\tUmsätze für 退款\t\tshop\n"
        f"{FIRST}\t2026-01-01 08:00\t\tRotate the refresh tokens\tauth, Tokens\tshop\n",
        "",
    )


def test_list_as_json(memtui: Memtui, two: Project) -> None:
    page = json.loads(memtui("memory", "list", "--json", "--tag", "auth").out)
    path = memtui_home().memories / "2026-01" / f"{FIRST}.md"
    assert page == {
        "total": 1,
        "memories": [
            {
                "id": FIRST,
                "path": str(path),
                "title": "Rotate the refresh tokens",
                "project": str(two.root),
                "created": "2026-01-01T08:00:00+00:00",
                "updated": "2026-01-01T08:00:00+00:00",
                "description": "",
                "tags": ["auth", "Tokens"],
                "session_id": "",
                "source": "import",
                "author": "",
                "problem": "",
                "secrets": [],
                "files": {"named": 0, "changed": [], "gone": []},
            }
        ],
    }


def test_a_memory_that_holds_a_secret_is_listed_as_such_and_stays_as_it_is(
    memtui: Memtui, project: Project
) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    (project.root / "note.md").write_text(f"## Objective\nRotate {token}\n")
    done = memtui("memory", "import", "note.md", "--json")
    memory = json.loads(done.out)["id"]
    row = memtui("memory", "list").out.splitlines()[0].split("\t")
    assert (row[0], row[2]) == (memory, "holds a secret")
    (listed,) = json.loads(memtui("memory", "list", "--json").out)["memories"]
    assert listed["secrets"] == ["github token"]
    assert json.loads(memtui("memory", "show", memory, "--json").out)["memory"]["secrets"] == ["github token"]
    assert token in memtui("memory", "export", memory).out


def test_list_with_filters(memtui: Memtui, two: Project) -> None:
    def ids(*words: str) -> list[str]:
        return [line.split("\t")[0] for line in memtui("memory", "list", *words).out.splitlines()]

    assert ids("--all") == ["CMEM-20260103-100000", SECOND, FIRST]
    assert ids("--tag", "tokens", "--tag", "AUTH") == [FIRST]


def test_a_terminal_gets_a_table(memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    head, first, *_ = memtui("memory", "list").out.splitlines()
    assert head.split() == ["ID", "Time", "State", "Title", "Tags", "Project"]
    assert first.startswith(f"{SECOND}  2026-01-02 09:15 ")


def test_nothing_there_is_a_sentence(memtui: Memtui, project: Project) -> None:
    assert memtui("memory", "list").out == "No memories of shop; --all looks in all projects.\n"
    assert memtui("memory", "list", "--all").out.startswith("No memories yet.")
    assert "with the tag x" in memtui("memory", "list", "--tag", "x").out
    assert json.loads(memtui("memory", "list", "--json").out) == {"total": 0, "memories": []}
    assert memtui("memory", "list", "--trash").out == "The trash is empty.\n"


def test_a_project_without_a_name_is_called_by_its_path(memtui: Memtui, project: Project) -> None:
    assert memtui("memory", "list", "--root", "/").out == "No memories of /; --all looks in all projects.\n"
    put("2026-01-01T08:00:00+00:00", project="/")
    assert memtui("memory", "list", "--root", "/").out.endswith("\t/\n")


@pytest.mark.parametrize(
    "words", [("memory", "list"), ("memory", "show", "x"), ("captures",), ("compact",), ()]
)
def test_a_current_folder_that_is_gone_is_a_sentence(
    memtui: Memtui, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = memtui(*words)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: the current folder no longer exists")
    assert result.err.count("\n") == 1


def test_a_broken_memory_is_listed_with_its_reason(memtui: Memtui, two: Project) -> None:
    path = memtui_home().memories / "2026-01" / f"{FIRST}.md"
    path.write_text("---\nid: [\n---\n")
    line = next(line for line in memtui("memory", "list", "--all").out.splitlines() if FIRST in line)
    assert line.split("\t")[2] == "broken"
    result = memtui("memory", "show", FIRST)
    assert (result.code, result.out) == (1, "")
    assert "is broken" in result.err and result.err.count("\n") == 1


def test_a_stale_memory_is_marked_listed_alone_and_says_so_when_it_is_restored(
    memtui: Memtui, two: Project
) -> None:
    names = ("src/auth.py", "src/login.py")
    recovery = Recovery(
        project_root=str(two.root),
        objective="Stale",
        working_files=tuple(RoleFile(path=f"{two.root}/{name}") for name in names),
    )
    stale = put("2026-01-04T08:00:00+00:00", render_recovery(recovery), project=two.root)
    fresh = put("2036-01-04T08:00:00+00:00", render_recovery(recovery), project=two.root)
    (two.root / "src").mkdir()
    (two.root / "src" / "auth.py").write_text("x")
    rows = [line.split("\t") for line in memtui("memory", "list").out.splitlines()]
    assert [(row[0], row[2]) for row in rows[:2]] == [(fresh, "stale"), (stale, "stale")]
    (two.root / "src" / "login.py").write_text("x")
    listed = [line.split("\t")[0] for line in memtui("memory", "list", "--stale").out.splitlines()]
    assert listed == [stale, FIRST]  # the first one names the file by its path on another machine
    page = json.loads(memtui("memory", "list", "--stale", "--json").out)
    files = page["memories"][0]["files"]
    assert (page["total"], files["changed"], files["gone"]) == (2, list(names), [])
    assert "2 of 2 files changed since:\n- changed: src/auth.py" in (memtui("memory", "show", stale).out)
    first = memtui("restore", "--id", stale).out.partition("\n")[0]
    assert first == (f"{stale} may be stale: 2 of 2 files changed since (src/auth.py, src/login.py).")
    assert memtui("restore", "--id", fresh).out.startswith("Notes on")
    assert memtui("memory", "list", "--stale", "--tag", "x").out.startswith("No memory names a file")


FORMER = """\
---
id: {id}
project: {project}
created: '2025-11-0{number}T10:15:00+00:00'
updated: '2025-11-0{number}T10:15:00+00:00'
description: Memory {number}
tags: [auth]
session_id: ''
source: import
archived: {archived}
{marks}---
Text {number}\r
"""


def test_a_store_of_an_earlier_version_is_listed_whole(memtui: Memtui, project: Project) -> None:
    one, other = "CMEM-20251102-101500", "CMEM-20251103-101500"
    marks = ("", "pinned: true\n", f"superseded_by: {one}\n", f"supersedes: [{other}]\n")
    folder = memtui_home().memories / "2025-11"
    folder.mkdir(parents=True)
    for number, mark in enumerate(marks, 1):
        name = f"CMEM-2025110{number}-101500"
        values = {"id": name, "project": project.root, "number": number, "marks": mark}
        text = FORMER.format(archived="true" if number % 2 else "false", **values)
        (folder / f"{name}.md").write_bytes(text.encode())
    rows = [line.split("\t") for line in memtui("memory", "list").out.splitlines()]
    assert [(row[0], row[3]) for row in rows] == [
        (f"CMEM-2025110{number}-101500", f"Memory {number}") for number in (4, 3, 2, 1)
    ]
    assert memtui("memory", "export", "CMEM-20251101-101500").out == "Text 1\r\n"
    assert memtui("memory", "tag", "CMEM-20251102-101500", "--add", "new").code == 0
    data = (folder / "CMEM-20251102-101500.md").read_bytes()
    assert b"pinned" not in data and data.endswith(b"---\nText 2\r\n")
