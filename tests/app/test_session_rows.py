"""A row of the sessions screen: its columns by width, and its red marks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memtui.app.screens.session_rows import COLUMNS, columns_in, heading, row
from memtui.store.session_list import Session
from memtui.transcript.session import SessionSummary
from tests.app.world import NOW


def session(
    days_left: int | None = 20, *, archived: bool = False, agents: int = 0, branch: str = "main"
) -> Session:
    summary = SessionSummary(
        title="Paint the harbor", turns=12, tokens=60_600, compactions=3, files=("a", "b"), branch=branch
    )
    written = NOW - timedelta(days=1)
    return Session("s-1", Path("s-1.jsonl"), 3_800_000, written, days_left, summary, agents, archived)


@pytest.mark.parametrize(
    ("days", "archived", "red"), [(7, False, False), (6, False, True), (0, False, True), (3, True, False)]
)
def test_less_than_7_days_are_red_unless_there_is_a_copy(days: int, archived: bool, red: bool) -> None:
    made = row(session(days, archived=archived), 90, ())
    (left,) = (span for span in made.spans if f"{days} d" in made.plain[span.start : span.end])
    assert ("$error" in str(left.style)) is red


ALL = columns_in(200, COLUMNS["when"], branches=True)


def test_a_row_has_every_column_under_its_name() -> None:
    text, names = (
        row(session(agents=2), 90, ALL).plain,
        heading(90, COLUMNS["when"], ALL, project=False).plain,
    )
    values = {"session": "Paint", "branch": "main"}
    for name, value in values.items():
        assert text.index(value) == names.index(name)
    numbers = {"turns": "12", "tokens": "61k", "▼": "3", "files": "2", "size": "3.8 MB", "left": "20 d "}
    for name, value in numbers.items():
        assert text[: names.index(name) + len(name)].endswith(value)
    assert " +2 ▸" in text and len(text) == 90


@pytest.mark.parametrize("branches", [True, False])
@pytest.mark.parametrize("width", [36, 50, 64, 76, 80, 90, 120, 200])
def test_columns_leave_room_for_the_title(width: int, branches: bool) -> None:
    shown = columns_in(width, COLUMNS["when"], branches=branches)
    names = heading(width, COLUMNS["when"], shown, project=False).plain
    after = names.partition("session")[2].lstrip()
    assert len(names) == width and (not shown or width - len(after) - 13 >= 30)
    assert len(row(session(), width, shown).plain) == width


def test_the_column_that_is_sorted_by_shows() -> None:
    for column in ALL:
        assert column in columns_in(64, column, branches=True)
    assert columns_in(36, COLUMNS["size"], branches=True) == ()


@pytest.mark.parametrize(
    ("branch", "shown"),
    [("fix/a", "fix/a"), ("someone/login", "login"), ("someone/a-very-long", "a-very-l…")],
)
def test_a_long_branch_takes_nothing_from_the_title(branch: str, shown: str) -> None:
    made = row(session(branch=branch), 82, (COLUMNS["branch"],)).plain
    assert "Paint the harbor" in made and shown in made.split()
