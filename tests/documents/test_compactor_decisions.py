"""The rules for decisions from one version of a session state to the next."""

from __future__ import annotations

import pytest

from memtui.documents.compactor import members, merged_decisions
from memtui.documents.session_state import (
    Decision,
    SessionState,
    parse_session_state,
    render_session_state,
)


def test_related_decisions_share_an_entry_beyond_twenty() -> None:
    decisions = [Decision(text=f"{thing} number {n}") for n in range(12) for thing in ("ledger", "panel")]
    merged = merged_decisions((), decisions)
    assert len(merged) == 20
    groups = [members(each) for each in merged if len(members(each)) > 1]
    assert groups
    assert all(len({text.split()[0] for text in group}) == 1 for group in groups)
    state = SessionState(decisions=merged)
    assert parse_session_state(render_session_state(state)) == state


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use C for it", "Use C++ for it"),
        ("Use C++ for it", "Use C# for it"),
        ("the timeout is 15 s", "the timeout is 1.5 s"),
        ("x must be <= 3", "x must be >= 3"),
        ("the default is 1", "the default is -1"),
        ("a == b wins", "a != b wins"),
        ("keep every file of the last three releases", "keep every file"),
        (
            "store each session in the database of the host, not in files",
            "store each session in the database of the host",
        ),
        ("→ ✅", "→ ❌"),
    ],
)
def test_decisions_that_differ_in_a_sign_or_go_on_are_two(first: str, second: str) -> None:
    one, other = Decision(text=first), Decision(text=second)
    assert merged_decisions([one], [other]) == (one, other)
    assert merged_decisions([other], [one]) == (other, one)


@pytest.mark.parametrize("expected", ["Use **C++** for it.", "- use `C++` for it", "Use C++, for it!"])
def test_a_decision_is_known_in_other_marks(expected: str) -> None:
    known = (Decision(text="Use C++ for it"),)
    assert merged_decisions(known, [Decision(text=expected)]) == known


def test_a_decision_that_was_cut_is_known() -> None:
    known = (Decision(text="store each session in the relational database of the host, not in files"),)
    cut = Decision(text="store each session in the relational database of the host…")
    assert merged_decisions(known, [cut]) == known
