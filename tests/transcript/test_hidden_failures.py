"""Checks whose failure a pipe hides."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.transcript.checks import hidden_failure, last_check
from tests.transcripts import Transcript


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (
            "go test ./... 2>&1 | tail -20",
            "ok  \tapp/a\t0.1s\n--- FAIL: TestLedger (0.00s)\nFAIL\tapp/b\t0.2s\nFAIL",
        ),
        ("cd app && pytest -q | tail -3", "....F\n1 failed, 4 passed in 0.12s"),
        (
            "npx vitest run 2>&1 | head -50",
            " FAIL  src/a.test.ts > adds\n      Tests  1 failed | 3 passed (4)",
        ),
        ("npm test || true", "Tests:       2 failed, 9 passed, 11 total"),
        ("cargo test 2>&1 | tail", "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
        ("cargo build 2>&1 | tail", "error[E0308]: mismatched types\n --> src/a.rs:1:2"),
        ("npx tsc --noEmit | head", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
        ("go build ./... 2>&1 | head -5", "# app/ledger\nledger/a.go:12:3: undefined: stock"),
        ("ruff check . | tail -1", "Found 2 errors."),
        ("golangci-lint run | tail", "3 issues:"),
        ("make test 2>&1 | tail -5; echo done", "make: *** [test] Error 1\ndone"),
        ("just test 2>&1 | tail", "error: Recipe `test` failed on line 3 with exit code 1"),
        ("npx eslint . | tail", "✖ 4 problems (1 error, 3 warnings)"),
    ],
)
def test_a_check_that_went_wrong_behind_a_pipe(command: str, output: str) -> None:
    assert hidden_failure(command, output)
    assert not hidden_failure(f"set -o pipefail; {command}", output)
    assert not hidden_failure("cat build.log | tail", output)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("go test ./... | tail", "ok  \tapp/a\t0.1s\nPASS"),
        ("pytest -q | tail", "4 passed, 1 xfailed in 0.12s"),
        ("pytest -v | tail", "tests/test_failed.py::test_error PASSED\n0 failed, 4 passed in 0.1s"),
        ("npx vitest run | tail", "Tests  4 passed (4)"),
        ("ruff check --fix . | tail", "Found 3 errors (3 fixed, 0 remaining)."),
        ("golangci-lint run | tail", "0 issues."),
        ("cargo test | tail", "test result: ok. 3 passed; 0 failed; 0 ignored"),
        ("npx tsc | tail", "Found 0 errors."),
        ("npm test", "Tests: 1 failed, 2 passed"),
    ],
)
def test_a_check_that_went_well(command: str, output: str) -> None:
    assert not hidden_failure(command, output)


def test_other_parts_of_the_command_line_count_too(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Ship it well")
    printed = "[main abc1234] feat: the stock\n 1 file changed\n1 failed, 2 passed in 0.1s"
    transcript.tool("Bash", printed, command="git commit -qam x && pytest -q | tail -2", description="d")
    facts = transcript.facts(tmp_path)
    check = last_check(facts)
    assert check is not None and check.outcome == "failed"
    assert [error.tool for error in facts.errors] == ["Bash"]
    assert [mark.commit for mark in facts.landmarks] == ["abc1234"]
    assert facts.last_action is not None and facts.last_action.outcome == "failed"
