"""Which errors are still there at a session's end."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.reading.checks import is_check, last_checks
from memtui.reading.facts import Facts
from memtui.reading.issues import open_errors, open_failures
from memtui.reading.records import Command, ErrorFact, Source
from tests.transcripts import Transcript


def left(failed: str, message: str, *passed: str, before: str = "") -> bool:
    """Whether a failed command is still told as an error after others went well."""
    ran = [Command(text, "", "ok", None, "", Source(timestamp="3")) for text in passed]
    ran += [Command(before, "", "ok", None, "", Source(timestamp="1"))] if before else []
    error = ErrorFact("Bash", failed, message, resolved=False, source=Source(timestamp="2"))
    return bool(open_errors(Facts(errors=(error,), commands=tuple(ran))))


@pytest.mark.parametrize(
    ("failed", "passed", "told"),
    [
        ("python -m pytest tests/", "just check", False),
        ("npx vitest run", "npm test", False),
        ("npx vitest run", "npm run build", True),
        ("pytest -q", "ruff check .", True),
        ("pytest -q", "npm test", True),
        ("npm test", "pytest -q", True),
        ("make lint:full", "make lint", True),
        ("make lint", "make lint:ci", False),
        ("make test", "make test:unit", True),
        ("go build ./...", "go test ./...", False),
        ("npm run build", "npm test", True),
        ("go build ./... && make test", "go vet ./... && make test", False),
        ("go build ./... && make test", "go test ./... && make test", False),
        ("git merge origin/next", "git commit -m 'Merge next'", False),
        ("git rebase main", "git rebase --continue", False),
        ("git rebase main", "git status", True),
        ("git push", "git commit -m x", True),
        ("git commit -m x", "git push", True),
        ("./deploy.sh", "git push", True),
    ],
)
def test_what_settles_an_error(failed: str, passed: str, told: bool) -> None:
    assert left(failed, "Error: broken", passed) is told


def test_a_check_settles_nothing_that_failed_after_it() -> None:
    assert left("pytest -q", "E  KeyError: 'a'", before="make check")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("/bin/bash: line 1: pip: command not found", False),
        ("(eval):1: no matches found: *.zip", False),
        ("/usr/bin/python3: No module named pip", False),
        ("Error: No such option: --branch", False),
        ("error: unknown flag --fast", False),
        ("ModuleNotFoundError: No module named 'app'", True),
        ("sh: prettier is missing", True),
        ("main.py: error: the option 'a' is unknown", True),
    ],
)
def test_a_command_line_that_was_not_taken_is_no_error_of_the_project(message: str, told: bool) -> None:
    assert left("./run.sh", message) is told


@pytest.mark.parametrize(("command", "still"), [("npx vite --port 5175", False), ("npm test", True)])
def test_what_runs_after_it_failed_is_over_but_for_a_check(command: str, still: bool) -> None:
    failed = Command(command, "", "failed", 1, "failed with exit code 1", Source(timestamp="1"))
    again = Command(command, "", "background", None, "", Source(timestamp="2"))
    assert open_failures(Facts(commands=(failed, again))) == ([failed] if still else [])


@pytest.mark.parametrize(
    ("failed", "passed", "message", "told"),
    [
        ("go test ./cmd -run TestLedger", "go test ./cmd -run '^TestStock$'", "FAIL", True),
        ("go test ./cmd -run TestLedger", "go test ./... -v", "FAIL", False),
        ("go test ./cmd -run TestLedger", "go test ./cmd -run 'TestStock|TestLedger'", "FAIL", False),
        ("go test ./...", "go test ./cmd -run TestStock", "--- FAIL: TestLedger", True),
        ("go test ./...", "go test ./cmd -run TestLedger", "--- FAIL: TestLedger", False),
        ("pytest -q", "pytest -k stock", "FAILED tests/a.py::test_ledger", True),
        ("pytest tests/a.py::test_ledger", "pytest tests/a.py::test_stock", "E  assert", True),
        ("pytest tests/a.py::test_ledger", "pytest -q", "E  assert", False),
        ("npx vitest run", "npx vitest run -t 'adds stock'", "AssertionError", True),
        ("cargo test", "cargo test ledger", "panicked", True),
        ("docker build -t a .", "docker build -t b .", "Error", False),
        ("npm test", "npm test -- --grep 'a stock'", "AssertionError: bad", True),
    ],
)
def test_a_run_of_one_test_shows_nothing_of_the_others(
    failed: str, passed: str, message: str, told: bool
) -> None:
    assert left(failed, message, passed) is told
    command = Command(failed, "", "failed", 1, message, Source(timestamp="1"))
    facts = Facts(commands=(command, Command(passed, "", "ok", 0, "", Source(timestamp="2"))))
    assert (command in open_failures(facts)) is told
    if is_check(failed):
        assert (command in last_checks(facts)) is told


def test_a_narrower_run_resolves_nothing_else_in_the_log(tmp_path: Path) -> None:
    transcript = Transcript()
    for command in ("pytest -q", "pytest -k ledger"):
        transcript.broken("Bash", "Exit code 1\nE   assert 1 == 2", command=command, description="d")
    transcript.tool("Bash", "1 passed", command="pytest -k ledger", description="d")
    assert [error.resolved for error in transcript.facts(tmp_path).errors] == [False, True]
    transcript.tool("Bash", "9 passed", command="pytest", description="d")
    assert [error.resolved for error in transcript.facts(tmp_path).errors] == [True, True]


def test_errors_of_other_tools_stay() -> None:
    error = ErrorFact(
        "mcp__db__query", "select", "unknown command", resolved=False, source=Source(timestamp="1")
    )
    solved = ErrorFact("Bash", "make", "Error", resolved=True, source=Source(timestamp="1"))
    assert open_errors(Facts(errors=(error, solved))) == [error]
