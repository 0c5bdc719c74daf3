"""`memtui log`, `undo` and `redo`; and that every command which writes is on record."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.formats.capture_text import render_pending
from memtui.ground.project import Project
from tests.cli.conftest import Memtui

_STATE = """{
  "active_commands": [
    {
      "name": "babysit",
      "activated_at": "2026-02-04T08:22:48.581Z",
      "state": {}
    }
  ]
}
"""


def listed(memtui: Memtui, *options: str) -> list[tuple[str, str]]:
    """(what, by) of the log."""
    return [(each["what"], each["by"]) for each in json.loads(memtui("log", "--json", *options).out)]


def stored(memtui: Memtui, tmp_path: Path) -> str:
    """Store a memory; returns its id."""
    (tmp_path / "text.md").write_text("text")
    done = memtui("memory", "import", str(tmp_path / "text.md"), "--json")
    return str(json.loads(done.out)["id"])


def test_log_undo_and_redo(memtui: Memtui, project: Project, tmp_path: Path) -> None:
    assert memtui("log").out == "memtui has changed nothing in app yet.\n".replace("app", project.name)
    assert memtui("undo").out == "Nothing to undo in this project.\n"
    memory_id = stored(memtui, tmp_path)
    memtui("memory", "archive", memory_id)
    assert memtui("undo").out == f"Undone: archived {memory_id}.\n"
    line = memtui("log").out.splitlines()[0].split("\t")
    assert line[2:] == [f"archived {memory_id}", "the command line", "undone"]
    assert memtui("redo").out == f"Redone: archived {memory_id}.\n"
    assert memtui("redo").out == "Nothing to redo in this project.\n"
    first = json.loads(memtui("log", "--json").out)[1]
    refused = memtui("undo", first["id"])
    assert refused.code == 1
    assert f"{memory_id} has changed since (archived {memory_id}, now, by the command line)" in refused.err
    assert json.loads(memtui("undo", line[0], "--json").out)["what"] == f"archived {memory_id}"
    assert memtui("undo", first["id"][:6]).out == f"Undone: stored {memory_id}.\n"
    nothing = "Nothing to redo in this project; `memtui log` lists what was undone before.\n"
    assert memtui("undo", "zz").code == 1
    stored(memtui, tmp_path)
    assert memtui("redo").out == nothing


def test_the_log_is_of_this_project_unless_all_are_wanted(
    memtui: Memtui, project: Project, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    memtui("pin", "elsewhere", "--root", str(other))
    memtui("pin", "here")
    assert listed(memtui) == [("pinned “here”", "cli")]
    assert [what for what, _ in listed(memtui, "--all")] == ["pinned “here”", "pinned “elsewhere”"]
    assert [what for what, _ in listed(memtui, "--all", "--limit", "1")] == ["pinned “here”"]


def test_every_command_that_writes_is_on_record_and_can_be_undone(
    memtui: Memtui, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.compacts.mkdir(parents=True)
    capture = project.compacts / "20260102_090005-autocompact.md"
    capture.write_text(
        render_pending(
            timestamp=datetime(2026, 1, 2, 9, 0, 5, tzinfo=UTC),
            session_id="s",
            transcript="/t.jsonl",
            first_message="Fix it",
        )
    )
    project.session_state_json.parent.mkdir(parents=True)
    project.session_state_json.write_text(_STATE)

    def content() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in project.root.rglob("*")
            if path.is_file() and path.name not in (".gitignore", "text.md")
        }

    before = content()
    memory_id = stored(memtui, tmp_path)
    for words in (
        ("memory", "tag", memory_id, "--add", "x"),
        ("memory", "pin", memory_id),
        ("memory", "unpin", memory_id),
        ("memory", "archive", memory_id),
        ("memory", "unarchive", memory_id),
        ("memory", "delete", memory_id),
        ("memory", "undelete", memory_id),
        ("command", "activate", "epic"),
        ("command", "clear"),
        ("review", "--yes"),
        ("pin", "never push"),
    ):
        done = memtui(*words)
        assert done.code == 0, (words, done.err)
    wanted = [
        f"stored {memory_id}",
        *(f"{done} {memory_id}" for done in ("tagged", "pinned", "unpinned", "archived", "unarchived")),
        f"deleted {memory_id}",
        f"took {memory_id} out of the trash",
        "activated /epic",
        "cleared 2 commands",
        "reviewed 20260102_090005",
        "pinned “never push”",
    ]
    assert listed(memtui) == [(what, "cli") for what in reversed(wanted)]
    after = content()
    for what in reversed(wanted):
        assert memtui("undo").out == f"Undone: {what}.\n"
    assert content() == before
    assert not (project.root / ".claude").exists()
    assert json.loads(memtui("memory", "list", "--all", "--json").out)["total"] == 0
    for what in wanted:
        assert memtui("redo").out == f"Redone: {what}.\n"
    assert content() == after
    assert json.loads(memtui("doctor", "--json").out)
