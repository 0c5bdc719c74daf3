"""The last action: what it was, how it ended, what was said of it."""

from __future__ import annotations

import pytest

from memtui.documents.last_action import last_action
from memtui.reading.facts import Facts
from memtui.reading.records import Action, Command, Outcome


@pytest.mark.parametrize(
    ("tool", "target", "outcome", "result", "told"),
    [
        (
            "Bash",
            "cd x && npm test 2>&1 | tail -5",
            "ok",
            "run\n\n12 passed\n---\n",
            "Bash `npm test` succeeded: 12 passed",
        ),
        ("Bash", "npm test", "ok", "x y\n" * 300, "Bash `npm test` succeeded"),
        ("Bash", "npm test", "failed", "ran\nError: no db\n", "Bash `npm test` failed: Error: no db"),
        ("Bash", "sleep 9", "background", "Command running", "Bash `sleep 9` runs in the background"),
        ("Bash", "rm x", "ok", "(Bash completed with no output)", "Bash `rm x` succeeded"),
        ("Bash", "rm x", "rejected", "The user doesn't want", "Bash `rm x` was rejected by the user"),
        ("Bash", "rm x", "interrupted", "[Request", "Bash `rm x` was interrupted"),
        ("Bash", "rm x", "unknown", "", "Bash `rm x` has no result in the transcript (unknown)"),
        ("Edit", "/w/a.py", "ok", "The file /w/a.py has been updated", "Edit `/w/a.py` succeeded"),
        ("Grep", "lock", "ok", "[\nFound 3 files\na", "Grep `lock` succeeded: Found 3 files"),
        ("Task", "", "ok", "", "Task succeeded"),
    ],
)
def test_an_action(tool: str, target: str, outcome: Outcome, result: str, told: str) -> None:
    assert last_action(Facts(last_action=Action(tool, target, outcome, result))) == told


def test_a_check_before_it_is_told_and_the_same_one_is_not() -> None:
    check = Command("npm test", "", "failed", 1, "Error: no db")
    facts = Facts(commands=(check,), last_action=Action("Edit", "/w/a.py", "ok", ""))
    assert last_action(facts) == "Edit `/w/a.py` succeeded\n\nLast check: `npm test` failed: Error: no db"
    same = Facts(commands=(check,), last_action=Action("Bash", "npm test", "failed", "Error: no db"))
    assert last_action(same) == "Bash `npm test` failed: Error: no db"


def test_the_last_words_are_quoted_by_whole_lines() -> None:
    assert last_action(Facts(last_words="\nDone.\n\n- a\n")) == ("The model's last words:\n> Done.\n>\n> - a")
    long = "\n".join(f"line {number:03} {'x' * 90}" for number in range(40))
    told = last_action(Facts(last_words=long)).split("\n")
    assert told[-1] == f"> line 039 {'x' * 90}"
    assert 10 < len(told) < 20
    assert all(line.startswith("> line") for line in told[1:])


def test_nothing_was_done() -> None:
    assert last_action(Facts()) == "Nothing was done: no tool was used."
