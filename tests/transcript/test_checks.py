"""Checks whose failure a pipe hides, and packages that commands add."""

from __future__ import annotations

import pytest

from memtui.transcript.checks import hidden_failure, hidden_success, last_check, package_changes
from memtui.transcript.records import Command, Facts, Outcome


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("go test ./... | tail -20", "ok  \tapp/a\t0.1s\n--- FAIL: TestA (0.00s)\nFAIL\tapp/b\t0.2s"),
        ("cd app && pytest -q | tail -3", "....F\n1 failed, 4 passed in 0.12s"),
        ("npx vitest run | head -50", " FAIL  src/a.test.ts > adds\n      Tests  1 failed | 3 passed (4)"),
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
        ("npx @biomejs/biome check a.css | tail -40", "  × Wrong.\n\nFound 6 errors."),
        ("pnpm assist | tail -15", "check ━━━\n ELIFECYCLE  Command failed with exit code 1."),
        ("npx tsc | tail", "\x1b[37m   This is not the tsc command you are looking for  \x1b[0m"),
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


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("git push origin main 2>&1 | tail -5", " ! [rejected]        main -> main (fetch first)", True),
        ("git push | tail -1", "error: failed to push some refs to 'x'", True),
        ("git fetch | tail; git rebase origin/main || echo no", "fatal: no rebase in progress\nno", True),
        ("gt submit 2>&1 | tail", "ERROR: Aborting submit", True),
        ("git push | tail -1", "   1111111..2222222  main -> main", False),
        ("git push | tail; git push | tail", " ! [rejected] a -> a\n   1111111..2222222  a -> a", False),
        ("git commit -m x 2>&1 | tail", "ERROR: lint\n[main abcdef1] x", False),
        ("git show HEAD:log.txt | head", "error: lost", False),
        ("cat log.txt | head", "fatal: lost", False),
        ("make check; echo $?", "2 clay\n2", True),
    ],
)
def test_git_says_itself_that_it_failed(command: str, output: str, failed: bool) -> None:
    assert bool(hidden_failure(command, output)) is failed


@pytest.mark.parametrize(
    ("command", "output", "passed"),
    [
        ("npx tsc --noEmit | head -20", "(Bash completed with no output)", True),
        ("go build ./... 2>&1 | tail", "", True), ("npx tsc --noEmit | grep error", "", False),
        ("npx tsc --noEmit >/dev/null | tail", "", False),
        ("npx tsc --noEmit > out.txt 2>&1; true", "", False),
        ("go test ./... | head -5", "ok  \tapp/a\t0.1s", True),
        ("go test ./... | head -2", "ok  \tapp/a\t0.1s\nok  \tapp/b\t0.1s", False),
        ("go test ./... | grep ok", "ok  \tapp/a\t0.1s", False), ("ls | head -5", "", False),
        ("mise run lint | tail -9", "$ golangci-lint run\n0 issues.", True),
        ('make check; echo "rc=$?"', "2 clay\nrc=0", True), ("make check | tail; echo $?", "0", False),
        ("npm i zod | tail -5", "npm error code E404", False),
    ],
)  # fmt: skip
def test_an_output_that_shows_success_although_the_status_is_hidden(
    command: str, output: str, passed: bool
) -> None:
    assert hidden_success(command, output) is passed


def ran(text: str, outcome: Outcome = "ok", output: str = "") -> Command:
    return Command(text, "", outcome, None, output)


def test_a_program_that_was_not_there_did_not_run() -> None:
    for said in ("\n This is not the tsc command you are looking for\n", "bash: tsc: command not found"):
        assert last_check(Facts(commands=(ran("npx tsc | tail", "failed", said),))) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install lodash zod@3", "added lodash, zod@3 (npm install)"),
        ("cd app && npm i -D @types/node 2>&1", "added @types/node (npm i, for development)"),
        ("npm i zod | tail -5", "tried to add zod (npm i, exit status hidden)"),
        ("pnpm --filter web add react", "added react (pnpm add)"),
        ("yarn add --dev 'vitest@^1.0'", "added vitest@^1.0 (yarn add, for development)"),
        ("pip install -r requirements.txt fastapi[all]>=0.1", "added fastapi[all]>=0.1 (pip install)"),
        ("python3 -m pip install requests", "added requests (pip install)"),
        ("uv pip install httpx", "added httpx (pip install)"),
        ("uv add --group dev pytest", "added pytest (uv add)"),
        ("poetry add pendulum", "added pendulum (poetry add)"),
        ("cargo add serde --features derive", "added serde (cargo add)"),
        ("go get github.com/sergi/go-diff@v1.2.0", "added github.com/sergi/go-diff@v1.2.0 (go get)"),
        ("sudo apt-get install -y jq", "added jq (apt-get install)"),
        ("npm uninstall moment", "removed moment (npm)"),
        ("dotnet add package Serilog", "added Serilog (dotnet add)"),
        ("npm install \\\n  zod \\\n  lodash", "added zod, lodash (npm install)"),
        ("CI=1 timeout 60 npm install left-pad", "added left-pad (npm install)"),
    ],
)
def test_a_package(command: str, expected: str) -> None:
    assert tuple(package_changes(Facts(commands=(ran(command),)))) == (expected,)


@pytest.mark.parametrize(
    "command",
    [
        "npm install", "npm ci", "pip install -r requirements.txt", "pip install -e .",
        "pip install ./dist/memtui-1.0.whl", "npm run add lodash && npm test",
        'git commit -m "npm install lodash; done"', "cat <<'EOF' > x.sh\nnpm install lodash\nEOF",
        "go build ./...", "echo npm install lodash", "go install ./cmd/tool",
        "uv pip install pytest || pipx install tox", "pip install jq 2>/dev/null || which jq",
        "which jq || apt-get install -y jq",
        "git commit -m \"$(cat <<'EOF'\nUse npm install instead of npm ci to avoid it\nEOF\n)\"",
        'git commit -m "go get it done"',
    ],
)  # fmt: skip
def test_no_package(command: str) -> None:
    assert tuple(package_changes(Facts(commands=(ran(command),)))) == ()
