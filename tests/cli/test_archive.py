"""``memtui archive`` keeps, lists, verifies, restores and prunes."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

from tests.app.widgets.records import call, result, said, write
from tests.cli.conftest import Memtui


def test_a_session_of_30_days_is_read_searched_and_restored_byte_for_byte_once_it_is_deleted(
    memtui: Memtui, transcript: Path
) -> None:
    transcript.write_bytes(transcript.read_bytes() + b'{"torn": "\xff')
    written = time.time() - 30 * 86_400
    os.utime(transcript, (written, written))
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert (listed["days_left"], listed["archived"]) == (0, False)
    assert "of 1 session. 1 session takes " in memtui("archive").out
    data = transcript.read_bytes()
    transcript.unlink()
    (found,) = json.loads(memtui("search", "the answer", "--in", "sessions", "--json").out)[0]["results"]
    assert (found["name"], found["line"], found["snippet"]) == ("session-1", 2, "The answer")
    assert "deleted it" in memtui("archive", "list").out
    assert memtui("archive").err == ""
    assert "The answer" in memtui("transcript", "session-1").out
    assert json.loads(memtui("transcript", "session-1", "--facts", "--json").out)["first_prompt"] == "The ask"
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert (listed["id"], listed["archived"], listed["days_left"]) == ("session-1", True, None)
    assert memtui("archive", "restore", "session-1").out == f"Restored {transcript}\n"
    assert transcript.read_bytes() == data
    assert "still has" in memtui("archive", "restore", "session-1").out
    assert memtui("archive", "verify").out == "1 of 1 session is whole.\n"


def compacted(path: Path) -> Path:
    """A session with a compaction and a subagent's transcript."""
    session = {"sessionId": "session-1", "timestamp": "2026-01-02T10:20:00.000Z"}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "u", **session}
    task = call("Task", prompt="Look around")
    ended = {**result("done"), "toolUseResult": {"agentId": "ab12"}}
    write(path, said(task), ended, {**boundary, "compactMetadata": {"trigger": "auto", "preTokens": 155_000}})
    write(path, {"type": "user", "isCompactSummary": True, "message": {"content": "What came before"}})
    agent = path.with_suffix("") / "subagents" / "agent-ab12.jsonl"
    agent.parent.mkdir(parents=True)
    edit = {**call("Write", file_path="/p/by_agent.py", content="x"), "id": "w"}
    ended = result("ok")
    ended["message"]["content"][0]["tool_use_id"] = "w"
    of_agent = {"isSidechain": True, "agentId": "ab12"}
    write(agent, said(edit, **of_agent), {**ended, **of_agent})
    return path


_READERS = (
    ("transcript", "session-1"),
    ("transcript", "session-1", "--turns"),
    ("transcript", "session-1", "--facts", "--json"),
    ("export", "session-1", "--md", "-o", "-"),
    ("restore", "--session", "session-1"),
    ("state", "show", "--session", "session-1"),
    ("lost", "session-1"),
    ("rescue", "session-1"),
)


def test_every_reader_says_of_an_archived_session_what_it_says_of_a_live_one(
    memtui: Memtui, transcript: Path
) -> None:
    compacted(transcript)
    live = [memtui(*words).out for words in _READERS]
    assert "by_agent.py" in live[2]
    memtui("archive")
    transcript.unlink()
    shutil.rmtree(transcript.with_suffix(""))
    kept = [memtui(*words).out for words in _READERS]
    assert kept == live


def test_captures_of_archived_sessions_are_reviewed(memtui: Memtui, transcript: Path) -> None:
    compacted(transcript)
    (found,) = json.loads(memtui("captures", "--backfill", "--yes", "--json").out)
    assert (found["session_id"], found["first_message"]) == ("session-1", "The ask")
    assert found["transcript"] == str(transcript)
    assert json.loads(memtui("captures", "--backfill", "--json").out) == []
    memtui("archive")
    transcript.unlink()
    capture = Path(found["capture"]).name
    assert memtui("lost", capture).out.startswith("2026-01-02")
    facts = memtui("transcript", "--facts", "--capture", capture, "--json")
    assert json.loads(facts.out)["first_prompt"] == "The ask" and facts.err == ""
    reviewed = memtui("review", capture, "--yes")
    assert reviewed.code == 0 and "drafted from the capture alone" not in reviewed.out


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
