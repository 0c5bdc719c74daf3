"""Sessions with summaries and days left; only additions are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.store import session_list
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.session_list import SessionList, cleanup_days, days_left
from memtui.transcript.session import SessionSummary, summarize
from tests.app.widgets.records import said, text, user, write

NOW = datetime(2026, 3, 5, 14, 20, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")})


def transcript(tmp_path: Path, project: str, session: str, *, days: float = 0) -> Path:
    folder = tmp_path / "claude" / "projects" / transcript_slug(tmp_path / project)
    folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / project).mkdir(exist_ok=True)
    path = write(
        folder / f"{session}.jsonl", user(f"ask of {session}", cwd=str(tmp_path / project)), said(text("x"))
    )
    moment = NOW - timedelta(days=days)
    with path.open("a") as file:
        file.write(f'{{"type": "system", "timestamp": "{moment.isoformat()}"}}\n')
    os.utime(path, (moment.timestamp(), moment.timestamp()))
    return path


def listing(tmp_path: Path, home: Home) -> SessionList:
    return SessionList(Places(Project(tmp_path / "p"), home, tmp_path / "claude"), lambda: NOW)


def test_what_was_read_is_remembered_until_the_file_grows(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = transcript(tmp_path, "p", "s")
    first = listing(tmp_path, home)
    assert first.completed(first.entries()[0]).name == "ask of s"
    first.remember()
    read: list[Path] = []

    def noted(path: Path, cancelled: Callable[[], bool]) -> SessionSummary:
        read.append(path)
        return summarize(path, cancelled)

    monkeypatch.setattr(session_list, "summarize", noted)
    second = listing(tmp_path, home)
    assert second.entries()[0].name == "ask of s"
    assert second.completed(second.entries()[0]).summary.turns == 1
    assert not read
    write(path, user("another ask"))
    assert second.completed(second.entries()[0]).summary.turns == 2
    assert read == [path]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 1, "sessions": {"x": [1]}}']
)
def test_a_broken_memory_is_made_again(tmp_path: Path, home: Home, damage: bytes) -> None:
    transcript(tmp_path, "p", "s")
    home.cache.mkdir(parents=True)
    home.session_cache.write_bytes(damage)
    sessions = listing(tmp_path, home)
    assert sessions.completed(sessions.entries()[0]).summary.turns == 1
    sessions.remember()
    assert listing(tmp_path, home).entries()[0].summary.turns == 1


def test_a_deleted_session_has_the_time_of_its_last_line_and_its_subagents(
    tmp_path: Path, home: Home
) -> None:
    path = transcript(tmp_path, "p", "s")
    inside = path.with_suffix("") / "subagents"
    inside.mkdir(parents=True)
    write(inside / "agent-a1.jsonl", user("task"))
    write(path.with_name("agent-b2.jsonl"), user("older", sessionId="s", isSidechain=True))
    Archive(home).keep(path, ArchiveSettings())
    path.unlink()
    sessions = listing(tmp_path, home)
    (found,) = (sessions.completed(each) for each in sessions.entries())
    assert found.agents == 2 and found.written == NOW
    assert sessions.entries()[0].written == found.written


@pytest.mark.parametrize(
    ("user_says", "project_says", "days"),
    [
        (None, None, 30),
        ('{"cleanupPeriodDays": 90}', None, 90),
        ('{"cleanupPeriodDays": 90}', '{"cleanupPeriodDays": 7}', 7),
        ('{"cleanupPeriodDays": 0}', None, 30),
        ('{"cleanupPeriodDays": 99999999999}', None, 30),
        ('{"cleanupPeriodDays": true}', "not JSON", 30),
        ("[1]", None, 30),
    ],
)
def test_the_days_are_those_of_claude_codes_settings(
    tmp_path: Path, user_says: str | None, project_says: str | None, days: int
) -> None:
    (tmp_path / "p" / ".claude").mkdir(parents=True)
    if user_says:
        (tmp_path / "settings.json").write_text(user_says)
    if project_says:
        (tmp_path / "p" / ".claude" / "settings.json").write_text(project_says)
    assert cleanup_days(tmp_path, tmp_path / "p") == days


def test_days_are_counted_up_and_never_below_nothing() -> None:
    assert days_left(NOW - timedelta(days=29, hours=23), NOW, 30) == 1
    assert days_left(NOW - timedelta(days=31), NOW, 30) == 0
