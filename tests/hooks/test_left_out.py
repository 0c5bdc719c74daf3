"""What a summary left out: asked for before it is written, and handed over once with the next prompt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.flows.aftermath import aftermaths, as_object
from memtui.ground.project import Home, Places, Project, claude_config, memtui_home, transcript_slug
from memtui.hooks.compaction import in_force, post_compact, pre_compact
from memtui.hooks.deliver import hand_over
from memtui.hooks.notes import after_compaction
from memtui.hooks.records import Payload, Report
from memtui.lost.asked import asked_for
from memtui.lost.outbox import has_mod, note_mod, take_delivery
from memtui.store.state_updates import update_state
from tests.transcripts import Transcript

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
RULE = "Never rename the column stock_level, the warehouse reads it."
SUMMARY = "This session is being continued from a previous conversation.\n\nSummary:\n1. Fix the totals."


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    return Project(root)


def session(project: Project) -> Transcript:
    made = Transcript(session_id=SESSION, cwd=str(project.root))
    made.user(f"Fix the totals of the invoice. {RULE}")
    return made


def saved(made: Transcript, project: Project) -> str:
    return str(made.write(claude_config() / "projects" / transcript_slug(project.root), f"{SESSION}.jsonl"))


def compacted(project: Project, path: str) -> Payload:
    return Payload(session_id=SESSION, transcript_path=path, cwd=str(project.root), summary=SUMMARY)


def now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - compared with times of files


def prompt(project: Project, path: str) -> str:
    payload = Payload(session_id=SESSION, transcript_path=path, cwd=str(project.root))
    report = Report()
    output = hand_over("UserPromptSubmit", payload, memtui_home(), report)
    report.printed()
    return output


def test_nothing_arrives_twice_with_the_mod_at_work(project: Project) -> None:
    path, home = saved(session(project), project), memtui_home()
    for first in (True, False):  # the hook may run before the mod has the summary, or after it
        if first:
            take_delivery(home, SESSION)
            post_compact(compacted(project, path), project, home, now(), Report())
        else:
            (home.state / "mod" / SESSION).unlink()
            post_compact(compacted(project, path), project, home, now(), Report())
            take_delivery(home, SESSION)
        assert prompt(project, path) == ""


def test_the_notes_of_the_start_are_left_to_the_mod_and_come_later_if_it_fails(project: Project) -> None:
    path, home = saved(session(project), project), memtui_home()
    update_state(Places(project, home, claude_config()), transcript=Path(path))
    assert RULE in after_compaction(SESSION, project, home, now(), Report())
    note_mod(home, SESSION)
    assert has_mod(home, SESSION)
    assert after_compaction(SESSION, project, home, now(), Report()) == ""
    post_compact(compacted(project, path), project, home, now(), Report())
    assert RULE in prompt(project, path)


def test_the_summariser_is_asked_for_what_is_in_force_and_given_what_was_lost(project: Project) -> None:
    made = session(project)
    path = saved(made, project)
    asked = in_force(compacted(project, path), project, Report())
    assert "Still in force" in asked
    assert RULE not in asked
    made.compaction(summary=SUMMARY)
    made.user("go on with the discounts of the invoice")
    asked = in_force(compacted(project, saved(made, project)), project, Report())
    assert f"- {RULE} (L1)" in asked


def test_what_is_kept_because_it_was_asked_for_is_told(project: Project) -> None:
    home, made = memtui_home(), session(project)
    made.compaction(summary=SUMMARY)  # loses the rule
    made.user("go on with the discounts of the invoice")
    moment = datetime.fromisoformat(made.now)
    path = saved(made, project)
    assert RULE in pre_compact(compacted(project, path), project, home, moment, Report())
    made.compaction(summary=f"{SUMMARY}\n{RULE}")
    places = Places(project, home, claude_config())
    (aftermath,) = aftermaths(places, Path(saved(made, project)))
    assert [row.text for row in aftermath.kept if row.asked] == [RULE]
    (row,) = [row for row in as_object(aftermath)["rows"] if row["asked"]]
    assert row["state"] == "kept"
    assert asked_for(home, SESSION, moment - timedelta(minutes=1)) == ""
    assert asked_for(home, SESSION, moment + timedelta(hours=1)) == ""


def test_many_compactions_hand_each_line_over_once(project: Project) -> None:
    home: Home = memtui_home()
    made = Transcript(session_id=SESSION, cwd=str(project.root))
    for number in range(20):
        rule = f"Never touch the table warehouse_{number}, as team {number} owns it."
        made.user(rule)
        path = saved(made, project)
        if number % 2:
            take_delivery(home, SESSION)
        post_compact(compacted(project, path), project, home, now(), Report())
        handed = prompt(project, path)
        assert handed.count(rule) == (0 if number % 2 else 1)
        assert prompt(project, path) == ""
        if number % 2:
            (home.state / "mod" / SESSION).unlink()
