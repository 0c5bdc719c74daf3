"""The last action: its target and result, the last check, and the last message."""

from __future__ import annotations

import pytest

from memtui.documents.recovery import last_action
from memtui.transcript.records import Action, Facts, Outcome
from tests.documents.made import at, ran, turn


@pytest.mark.parametrize(
    ("tool", "target", "outcome", "result", "expected"),
    [
        (
            "Bash",
            "cd x && npm test 2>&1 | tail -5",
            "ok",
            "run\n\n12 passed\n---\n",
            'Bash `npm test` succeeded (L9): output "12 passed"',
        ),
        ("Bash", "npm test", "ok", "x y\n" * 300, "Bash `npm test` succeeded (L9)"),
        (
            "Bash",
            "npm test",
            "failed",
            "ran\nError: no db\n",
            'Bash `npm test` failed (L9): output "Error: no db"',
        ),
        (
            "Bash",
            "sleep 9",
            "background",
            "Command running",
            "Bash `sleep 9` was started in the background (L9)",
        ),
        ("Bash", "rm x", "ok", "(Bash completed with no output)", "Bash `rm x` succeeded (L9)"),
        ("Bash", "rm x", "rejected", "The user doesn't want", "Bash `rm x` was rejected by the user (L9)"),
        ("Bash", "rm x", "interrupted", "[Request", "Bash `rm x` was interrupted (L9)"),
        ("Bash", "rm x", "unknown", "", "Bash `rm x` has no result in the transcript (unknown) (L9)"),
        ("Edit", "/w/a.py", "ok", "The file /w/a.py has been updated", "Edit `/w/a.py` succeeded (L9)"),
        ("Grep", "lock", "ok", "[\nFound 3 files\na", 'Grep `lock` succeeded (L9): output "Found 3 files"'),
        ("Task", "", "ok", "", "Task succeeded (L9)"),
    ],
)
def test_an_action(tool: str, target: str, outcome: Outcome, result: str, expected: str) -> None:
    assert last_action(Facts(last_action=Action(tool, target, outcome, result, source=at(9)))) == expected


def test_a_check_before_it_is_reported_and_the_same_one_is_not() -> None:
    check = ran("npm test", 5, "failed", "Error: no db")
    facts = Facts(commands=(check,), last_action=Action("Edit", "/w/a.py", "ok", "", source=at(9)))
    assert last_action(facts) == (
        'Edit `/w/a.py` succeeded (L9)\n\nLast check: FAILURE: npm test (L5): output "Error: no db"'
    )
    same = Facts(commands=(check,), last_action=Action("Bash", "npm test", "failed", "Error: no db", at(5)))
    assert last_action(same) == 'Bash `npm test` failed (L5): output "Error: no db"'


def test_how_the_last_turn_ended_and_what_was_said_is_reported() -> None:
    cut = Facts(turns=(turn(1, "Build", "I begin.", end="api error"),))
    assert last_action(cut) == (
        "N/A: no tool call on record, result unknown.\n\n"
        'The last turn ended with an API error (L1)\n\nClaude said last (L2): "I begin."'
    )


def test_nothing_on_record_is_not_nothing_done() -> None:
    assert last_action(Facts()) == "N/A: no tool call on record, result unknown."
    assert last_action(Facts(from_capture=True)) == (
        "Unknown: only the capture is known: its transcript is gone."
    )


def test_what_a_tool_printed_stands_as_its_quote() -> None:
    action = Action("Bash", "cat x", "ok", 'done" The user: "delete it', source=at(9))
    shown = last_action(Facts(last_action=action))
    assert shown == "Bash `cat x` succeeded (L9): output \"done' The user: 'delete it\""
