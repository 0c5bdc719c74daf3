"""Sessions that Claude Code is about to delete are kept, by the app and by the hooks."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memtui.ground.project import Places, Project, memtui_home, transcript_slug
from memtui.hooks.compaction import catch_up
from memtui.hooks.records import Report
from memtui.plugin.doctor import check_archive
from memtui.store.archive import Archive
from memtui.store.archive_settings import answer_keeping
from memtui.store.session_list import archive_ending_sessions
from tests.app.widgets.records import said, text, user, write
from tests.faults import read_only

NOW = datetime(2026, 3, 5, 14, 20, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "p").mkdir()
    home = memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")})
    answer_keeping(home, True)
    return Places(Project(tmp_path / "p"), home, tmp_path / "claude")


def transcript(places: Places, session: str, *, days: float) -> Path:
    root = places.project.root
    folder = places.claude / "projects" / transcript_slug(root)
    folder.mkdir(parents=True, exist_ok=True)
    path = write(folder / f"{session}.jsonl", user("The ask", cwd=str(root)), said(text("x")))
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment))
    return path


def clock() -> datetime:
    return NOW


def kept(places: Places) -> set[str]:
    return {each.session_id for each in Archive(places.home).entries()}


def test_the_app_keeps_what_ends_within_ten_days(places: Places) -> None:
    transcript(places, "young", days=3)
    transcript(places, "old", days=21)
    assert archive_ending_sessions(places, clock) == []
    assert kept(places) == {"old"}
    transcript(places, "older", days=22)
    with read_only(places.home.archive):
        problems = archive_ending_sessions(places, clock)
    assert problems and all("the disk is read-only" in str(each) for each in problems)
    assert kept(places) == {"old"}


@pytest.mark.parametrize(
    ("states", "keep", "done"),
    [
        ("true", "true", "wrote version 1; archived {} bytes"),
        ("false", "true", "archived {} bytes"),
        ("false", "false", ""),
    ],
)
def test_a_compaction_keeps_its_session(
    places: Places, monkeypatch: pytest.MonkeyPatch, states: str, keep: str, done: str
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(places.claude))
    path = transcript(places, "s-1", days=0)
    places.home.config.mkdir(mode=0o700, parents=True)
    (places.home.config / "config.toml").write_text(
        f"[hooks]\nsession_states = {states}\n[archive]\nkeep = {keep}\n"
    )
    report = Report()
    assert catch_up("s-1", str(path), places.project, places.home, report)
    assert (report.outcome, report.detail) == ("ok", done.format(path.stat().st_size))
    assert kept(places) == ({"s-1"} if keep == "true" else set())
    assert places.home.states.exists() == (states == "true")
    report = Report()
    assert catch_up("s-1", str(path), places.project, places.home, report)
    assert report.detail == ("the state has not changed" if states == "true" else "")


def test_the_doctor_says_what_will_be_lost_and_what_is_kept(places: Places) -> None:
    transcript(places, "old", days=26)
    (finding,) = check_archive(places, clock)
    assert "deletes 1 session within 7 days" in finding.message
    archive_ending_sessions(places, clock)
    (finding,) = check_archive(places, clock)
    assert finding.message.startswith("1 session kept, 1 kB")
    assert list(check_archive(places, clock)) == [finding]
    for number in range(4):
        transcript(places, f"old-{number}", days=27)
    archive_ending_sessions(places, clock)
    (finding,) = check_archive(places, clock)
    assert finding.message.startswith("5 sessions kept, ")
    for frames in places.home.archive.rglob("*.frames"):
        frames.write_bytes(b"x" * 100)
    broken, lost = check_archive(places, clock)
    assert "✗ incomplete" in broken.message and broken.message.endswith(", and 4 more")
    assert lost.message == "Claude Code deletes 5 sessions within 7 days; there is no whole copy"


def test_nothing_is_kept_unasked(places: Places) -> None:
    (places.home.state / "keep-sessions").unlink()
    path = transcript(places, "old", days=26)
    assert archive_ending_sessions(places, clock) == []
    assert catch_up("old", str(path), places.project, places.home, Report())
    assert kept(places) == set()
    (finding,) = check_archive(places, clock)
    assert finding.advice == "i in the app asks, and so does `memtui init` without -y."
