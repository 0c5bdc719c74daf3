"""A row of the sessions screen: what it shows in which width, and what is red."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memtui.app.details.session_rows import Column, heading, ordered, row
from memtui.reading.session_summary import SessionSummary
from memtui.store.session_list import Session
from tests.app.world import NOW


def session(
    days_left: int | None = 20, *, archived: bool = False, agents: int = 0, branch: str = "main"
) -> Session:
    summary = SessionSummary(
        title="Paint the harbor", turns=12, tokens=61_500, compactions=3, files=("a", "b"), branch=branch
    )
    written = NOW - timedelta(days=1)
    return Session("s-1", Path("s-1.jsonl"), 3_800_000, written, days_left, summary, agents, archived)


@pytest.mark.parametrize(
    ("days", "archived", "red"), [(7, False, False), (6, False, True), (0, False, True), (3, True, False)]
)
def test_less_than_7_days_are_red_unless_there_is_a_copy(days: int, archived: bool, red: bool) -> None:
    made = row(session(days, archived=archived), 90, project=False)
    (left,) = (span for span in made.spans if f"{days} d" in made.plain[span.start : span.end])
    assert ("$text-error" in str(left.style)) is red


def test_a_row_has_every_column_under_its_name() -> None:
    text, names = (
        row(session(agents=2), 90, project=False).plain,
        heading(90, Column.WHEN, project=False).plain,
    )
    values = {"session": "Paint", "branch": "main"}
    for name, value in values.items():
        assert text.index(value) == names.index(name)
    numbers = {"turns": "12", "tokens": "61k", "▼": "3", "files": "2", "size": "3.8 MB", "left": "20 d "}
    for name, value in numbers.items():
        assert text[: names.index(name) + len(name)].endswith(value)
    assert " +2 ▸" in text and len(text) == 90


def test_a_long_branch_takes_nothing_from_the_title() -> None:
    made = row(session(branch="someone/a-very-long-branch"), 82, project=False).plain
    assert "Paint the harbor" in made and "someone/a…" in made


def test_sessions_are_sorted_by_branch_from_a() -> None:
    found = [session(branch=name) for name in ("zoo", "Alpha", "beta")]
    assert [each.summary.branch for each in ordered(found, Column.BRANCH)] == ["Alpha", "beta", "zoo"]
