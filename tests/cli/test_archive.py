"""``memtui archive`` keeps, lists, verifies, restores and prunes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Memtui


def test_a_deleted_session_is_read_and_restored(memtui: Memtui, transcript: Path) -> None:
    assert "of 1 sessions" in memtui("archive").out
    data = transcript.read_bytes()
    transcript.unlink()
    assert "deleted it" in memtui("archive", "list").out
    assert memtui("archive").err == ""
    assert "The answer" in memtui("transcript", "session-1").out
    assert json.loads(memtui("facts", "--session", "session-1", "--json").out)["first_prompt"] == "The ask"
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert (listed["id"], listed["archived"], listed["days_left"]) == ("session-1", True, None)
    assert memtui("archive", "restore", "session-1").out == f"Restored {transcript}\n"
    assert transcript.read_bytes() == data
    assert "still has" in memtui("archive", "restore", "session-1").out
    assert memtui("archive", "verify").out == "1 of 1 sessions are whole.\n"


def test_what_was_restored_pruned_and_forgotten_is_on_record(memtui: Memtui, transcript: Path) -> None:
    memtui("archive")
    transcript.unlink()
    memtui("archive", "restore", "session-1")
    memtui("archive", "prune", "--max-size", "0MB", "--yes")
    memtui("archive")
    memtui("forget", "session-1", "--yes")
    rows = [line.split("\t")[2:] for line in memtui("log").out.splitlines()]
    assert rows == [
        [what, "the command line", "cannot be undone"]
        for what in (
            "forgot session session-",
            "deleted a session from the archive: session-",
            "restored session session- for Claude Code",
        )
    ]
    newest = json.loads(memtui("log", "--json").out)[0]
    assert newest["cannot_be_undone"] == "it was deleted for good"
    assert "cannot be undone: it was deleted for good" in memtui("undo", newest["id"]).err
    assert memtui("undo").out == "Nothing to undo in this project.\n"


def test_damage_is_an_error(memtui: Memtui, transcript: Path, tmp_path: Path) -> None:
    memtui("archive")
    (frames,) = (tmp_path / "memtui" / "data" / "archive").rglob("*.frames")
    frames.write_bytes(b"x" * frames.stat().st_size)
    result = memtui("archive", "verify")
    assert result.code == 1
    assert "session-1" in result.err


def test_prune_says_first_what_it_deletes(memtui: Memtui, transcript: Path) -> None:
    memtui("archive")
    assert memtui("archive", "prune").code == 2
    assert "nothing to delete" in memtui("archive", "prune", "--older-than", "30d").out
    assert memtui("archive", "prune", "--max-size", "much").code == 2
    result = memtui("archive", "prune", "--max-size", "0MB", "--yes")
    assert "session-" in result.out and "Deleted 1." in result.out
    assert json.loads(memtui("archive", "list", "--json").out) == []


def test_it_can_be_switched_off(memtui: Memtui, transcript: Path, tmp_path: Path) -> None:
    config = tmp_path / "memtui" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[archive]\nkeep = false\n")
    assert memtui("archive").out.startswith("Nothing is kept")
    assert "Nothing is kept yet" in memtui("archive", "list").out
