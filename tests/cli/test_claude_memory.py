"""`memtui memory` about the memories that Claude keeps for itself."""

from __future__ import annotations

import json
from pathlib import Path

from memtui.ground.clock import system_clock
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.claude_memory import ClaudeMemories
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
TEXT = """\
---
name: squash
description: Commits are squashed
metadata:
  type: feedback
---

Always squash.
"""


def furnish(project: Project) -> ClaudeMemories:
    """One memory that a session wrote, and the index."""
    places = Places(project, memtui_home(), Path.home() / ".claude")
    memories = ClaudeMemories(places, system_clock)
    memories.folder.mkdir(parents=True)
    session = Transcript(session_id=SESSION, cwd=str(project.root))
    session.user("Fix the import")
    session.user("no, always squash")
    path = memories.folder / "squash.md"
    session.tool("Write", "ok", file_path=str(path), content=TEXT)
    session.write(memories.folder.parent, f"{SESSION}.jsonl")
    path.write_text(TEXT, "utf-8")
    (memories.folder / "MEMORY.md").write_text("- [squash](squash.md) - Commits are squashed\n", "utf-8")
    return memories


def test_list_and_show_where_a_memory_comes_from(memtui: Memtui, project: Project) -> None:
    furnish(project)
    listed = memtui("memory", "list", "--claude")
    rows = [line.split("\t") for line in listed.out.splitlines()]
    assert [(row[0], row[2], row[3], row[4]) for row in rows] == [
        ("MEMORY.md", "index", "new", "1 line, loaded into every conversation"),
        ("squash", "feedback", "new", "Commits are squashed"),
    ]
    shown = memtui("memory", "show", "squash")
    assert 'written in "Fix the import" (L3), after: "no, always squash"' in shown.out
    assert "recalled in 0 of 1 recent session" in shown.out
    assert shown.out.endswith(TEXT)
    as_json = json.loads(memtui("memory", "show", "squash", "--json").out)
    assert [(each["session"], each["line"], each["text"]) for each in as_json["versions"]] == [
        (SESSION, 3, TEXT)
    ]


def test_check_ends_with_1_when_something_is_wrong(memtui: Memtui, project: Project) -> None:
    memories = furnish(project)
    clean = memtui("memory", "check")
    assert (clean.code, clean.out) == (0, f"Nothing is wrong in {memories.folder} (1 memory).\n")
    (memories.folder / "stray.md").write_text(TEXT.replace("squash", "stray"), "utf-8")
    wrong = memtui("memory", "check")
    assert wrong.code == 1
    assert "stray.md has no line in MEMORY.md, so Claude does not know of it.\n" in wrong.out
    assert json.loads(memtui("memory", "check", "--json").out)["troubles"][0]["file"] == "stray.md"


def test_undelete_and_names_that_are_not_there(memtui: Memtui, project: Project) -> None:
    memories = furnish(project)
    memories.delete(memories.get("squash"))
    assert memtui("memory", "list", "--claude", "--trash").out == "squash\n"
    assert memtui("memory", "undelete", "squash").code == 0
    assert (memories.folder / "squash.md").read_text("utf-8") == TEXT
    missing = memtui("memory", "show", "nothing")
    assert missing.code == 1
    assert "has no memory 'nothing'" in missing.err


def test_without_any_it_says_where_they_would_be(memtui: Memtui, project: Project) -> None:
    result = memtui("memory", "list", "--claude")
    assert result.code == 0
    assert result.out.startswith("Claude has written no memories for ")
