"""The last action: its target and result, the last check, and the last message."""

from __future__ import annotations

import pytest

from memtui.documents.recovery import last_action
from memtui.transcript.records import Action, Facts, Outcome
from tests.documents.made import at


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
