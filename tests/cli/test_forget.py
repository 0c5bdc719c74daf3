"""``memtui archive forget`` says what it deletes, deletes that, and says what stays."""

from __future__ import annotations

import io
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.capture import Capture, render_capture
from memtui.ground.project import Places, Project, memtui_home
from memtui.lost.asked import note_asked
from memtui.store.search_index import SearchIndex
from tests.app.widgets.records import user, write
from tests.cli.conftest import Memtui


def test_everything_of_the_session_goes_and_nothing_else(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("archive")
    states = tmp_path / "memtui" / "data" / "states"
    for session in ("session-1", "session-2"):
        (states / session).mkdir(parents=True)
        (states / session / "v0001.md").write_text("state")
        note_asked(memtui_home(), session, "keep this", datetime(2026, 1, 2, tzinfo=UTC))
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
    asked = memtui("archive", "forget", "session-1")
    assert "the archived transcript" in asked.out and str(states / "session-1") in asked.out
    assert f"Claude Code's own transcript, which a search reads anew: {transcript}" in asked.out
    assert (states / "session-1").exists()
    result = memtui("archive", "forget", "session-1", "--yes")
    assert result.out.endswith("Session session-1 is forgotten.\n")
    assert [each.name for each in states.iterdir()] == ["session-2"]
    assert [each.name for each in (memtui_home().state / "asked").glob("*.json")] == ["session-2.json"]
    assert [each.name for each in captures.glob("*.md")] == ["20260102_100000-autocompact.md"]
    assert transcript.exists()
    assert not list((tmp_path / "memtui" / "data" / "archive").rglob("*.frames"))
    assert memtui("archive", "forget", "session-1").out == "memtui has no data of session session-1.\n"


def test_the_search_index_goes_and_is_made_anew(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = SearchIndex(Places(Project(tmp_path), memtui_home(), tmp_path / "claude"))
    assert index.update() and index.has("session-1") and not index.has("session-2")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = memtui("archive", "forget", "session-1")
    assert "the search index of all sessions" in asked.out
    memtui("archive", "forget", "session-1", "--yes")
    assert not list((tmp_path / "memtui" / "cache").glob("index.db*[!k]"))
    assert memtui("archive", "forget", "session-1").out == "memtui has no data of session session-1.\n"
    transcript.unlink()
    assert index.update() and not index.has("session-1")


def test_a_session_of_another_project_goes_with_what_lies_there(
    memtui: Memtui, transcripts: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    folder = transcripts.with_name("-other")
    folder.mkdir()
    path = write(folder / "s-9.jsonl", user("There", cwd=str(other)))
    memtui("archive", "--all")
    path.unlink()
    compacts = other / ".project" / "compacts"
    compacts.mkdir(parents=True)
    capture = Capture(
        timestamp=datetime(2026, 1, 2, 10).astimezone(),
        session_id="s-9",
        status="pending",
        transcript=str(path),
        first_message="There",
    )
    (compacts / "20260102_100000-autocompact.md").write_text(render_capture(capture))
    (compacts / "s-9-kept.md").write_text("- L3 0123456789ab words\n")
    (other / ".project" / "pins.md").write_text("- never push (s-9 L1)\n- of another (s-8 L1)\n")
    said = memtui("archive", "forget", "s-9", "--yes").out
    for each in (compacts / "20260102_100000-autocompact.md", compacts / "s-9-kept.md"):
        assert f"  {each}\n" in said and not each.exists()
    assert "the only copy" in said and not list(memtui_home().archive.rglob("*.frames"))
    assert (
        f"1 pin that came of it, which `memtui pin --remove` deletes: {other / '.project' / 'pins.md'}"
        in said
    )
    assert memtui("archive", "forget", "s-9").out == "memtui has no data of session s-9.\n"


def test_only_the_one_session_with_this_beginning_is_forgotten_even_if_it_has_states_alone(
    memtui: Memtui,
) -> None:
    (memtui_home().states / "77aa-1").mkdir(parents=True)
    (memtui_home().states / "77bb-1").mkdir()
    for typed, said in (("", "no session"), ("77", "several sessions")):
        refused = memtui("archive", "forget", typed, "--yes")
        assert refused.code == 1 and refused.err.startswith(f"memtui: Claude Code has {said}")
    assert memtui("archive", "forget", "77aa", "--yes").out.endswith("Session 77aa-1 is forgotten.\n")
    assert (memtui_home().states / "77bb-1").exists()


def test_what_cannot_be_deleted_is_named(
    memtui: Memtui, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = memtui_home().states / "session-1"
    state.mkdir(parents=True)
    memtui("archive")

    remove = shutil.rmtree

    def refuse(path: Path, **options: Any) -> None:
        if path == state:
            raise PermissionError(1, "Operation not permitted", str(path))
        remove(path, **options)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    done = memtui("archive", "forget", "session-1", "--yes")
    assert done.code == 1 and str(state) in done.err and "still holds parts of session session-1" in done.err
    assert not list(memtui_home().archive.rglob("*.frames"))
