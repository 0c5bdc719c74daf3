"""``memtui forget`` says what it deletes, deletes that, and says what stays."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import pytest

from memtui.formats.capture import Capture, render_capture
from memtui.project import memtui_home
from memtui.store.index.sessions import SessionIndex
from tests.cli.conftest import Memtui


def test_everything_of_the_session_goes_and_nothing_else(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("archive")
    states = tmp_path / "memtui" / "data" / "states"
    for session in ("session-1", "session-2"):
        (states / session).mkdir(parents=True)
        (states / session / "v0001.md").write_text("state")
    captures = tmp_path / "p" / ".project" / "compacts"
    captures.mkdir(parents=True)
    for number, session in enumerate(("session-1", "session-2"), 1):
        capture = Capture(
            timestamp=datetime(2026, 1, 2, 10, number).astimezone(),
            session_id=session,
            status="pending",
            transcript=str(transcript),
            first_message="hi",
        )
        (captures / f"2026010{number}_100000-autocompact.md").write_text(render_capture(capture))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = memtui("forget", "session-1")
    assert "the archived transcript" in asked.out and str(states / "session-1") in asked.out
    assert f"Claude Code's own transcript, which a search reads anew: {transcript}" in asked.out
    assert (states / "session-1").exists()
    result = memtui("forget", "session-1", "--yes")
    assert result.out.endswith("Session session-1 is forgotten.\n")
    assert [each.name for each in states.iterdir()] == ["session-2"]
    assert [each.name for each in captures.glob("*.md")] == ["20260102_100000-autocompact.md"]
    assert transcript.exists()
    assert not list((tmp_path / "memtui" / "data" / "archive").rglob("*.frames"))
    assert memtui("forget", "session-1").out == "memtui keeps nothing of session session-1.\n"


def test_the_search_index_goes_and_is_made_anew(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = SessionIndex(memtui_home(), tmp_path / "claude")
    assert index.refresh() and index.has("session-1") and not index.has("session-2")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = memtui("forget", "session-1")
    assert "the search index of all sessions" in asked.out
    memtui("forget", "session-1", "--yes")
    assert not list((tmp_path / "memtui" / "cache").glob("index.db*[!k]"))
    assert memtui("forget", "session-1").out == "memtui keeps nothing of session session-1.\n"
    transcript.unlink()
    assert SessionIndex(memtui_home(), tmp_path / "claude").refresh()
    assert not SessionIndex(memtui_home(), tmp_path / "claude").has("session-1")
