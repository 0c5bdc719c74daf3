"""Commands with their outcomes, errors, the last action."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript.events import Result
from memtui.transcript.outcomes import error_head
from memtui.transcript.records import to_json
from memtui.transcript.shell import programs_run
from memtui.transcript.short_text import telling_line
from tests.transcripts import SIBLING, STOP, Transcript


def test_outcomes(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Bash", "1 passed", command="pytest", description="Run the tests")
    session.broken("Bash", "Exit code 2\nUsage: x\n\nError: no such option", command="x --y")
    session.broken("Bash", STOP, command="git push")
    session.broken("Bash", "Permission to use Bash with command rm has been denied.", command="rm x")
    session.broken("Bash", "[Request interrupted by user for tool use]", command="sleep 100")
    call = session.call("Bash", command="npm run watch", run_in_background=True)
    session.result(call, "Command running in background with ID: b1", detail={"backgroundTaskId": "b1"})
    call = session.call("Bash", command="make")
    session.result(call, "", detail={"stdout": "", "stderr": "", "interrupted": True})
    session.call("Bash", command="never ends")
    facts = session.facts(tmp_path)
    assert [(each.text, each.outcome, each.exit_code) for each in facts.commands] == [
        ("pytest", "ok", None),
        ("x --y", "failed", 2),
        ("git push", "rejected", None),
        ("rm x", "rejected", None),
        ("sleep 100", "interrupted", None),
        ("npm run watch", "background", None),
        ("make", "interrupted", None),
        ("never ends", "unknown", None),
    ]
    assert facts.commands[0].description == "Run the tests"
    assert facts.commands[1].output == "Usage: x\n\nError: no such option"
    assert to_json(facts)["commands"][1] == {
        "command": "x --y",
        "description": "",
        "outcome": "failed",
        "exit_code": 2,
        "output": "Usage: x\n\nError: no such option",
        "by": "model",
        "line": 3,
        "timestamp": "2026-01-02T09:00:02.000Z",
    }


def test_errors_are_failures_and_nothing_else(tmp_path: Path) -> None:
    session = Transcript()
    session.broken("Bash", "Exit code 1\nboom", command="make")
    session.broken("Bash", STOP, command="rm")
    session.broken("Edit", SIBLING, file_path="/work/app/a")
    session.broken("Bash", "[Request interrupted by user for tool use]", command="sleep 9")
    session.broken("Read", "<tool_use_error>File does not exist.</tool_use_error>", file_path="b.py")
    session.broken("mcp__linear__get", "Entity not found", id="X-1")
    facts = session.facts(tmp_path)
    assert [(error.tool, error.target, error.message) for error in facts.errors] == [
        ("Bash", "make", "boom"),
        ("Read", "/work/app/b.py", "File does not exist."),
        ("mcp__linear__get", "X-1", "Entity not found"),
    ]
    assert to_json(facts)["errors"][0] == {
        "tool": "Bash", "target": "make", "message": "boom",
        "line": 2, "timestamp": "2026-01-02T09:00:01.000Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm run lint", {"npm run lint"}),
        ("cd /work/app && FOO=1 npm test -- -t x 2>&1 | tail -3", {"npm test"}),
        ("/usr/bin/python3 -m pytest tests/a.py -q", {"python3 -m pytest"}),
        ("timeout 60 pytest tests/a.py", {"pytest"}),
        ("go test ./... -run X && golangci-lint run", {"go test", "golangci-lint"}),
        ("git commit -m 'add; remove | it'", {"git commit"}),
        ("git commit -m \"$(cat <<'EOF'\nrm -r /\nEOF\n)\"", {"git commit"}),
        ("gh pr checks 3", {"gh pr checks"}),
        ("uv run --package api pytest packages/api -q", {"uv run pytest"}),
        ("npm --prefix web test; make -C docs build", {"npm test", "make build"}),
        ("git -C /work/app -c core.pager=cat commit -m x", {"git commit"}),
        ("docker compose -f dev.yml up -d", {"docker compose up"}), ("make \\\n  -j4 build", {"make build"}),
        ("docker compose up -d", {"docker compose up"}), ("sudo apt-get install x", {"apt-get install"}),
        ("grep -n x a.py | head", {"grep x", "head"}), ("echo done", set()), ("", set()),
        ("'unclosed quote", {"'unclosed quote"}),
    ],
)  # fmt: skip
def test_programs_run_by_a_command_line(command: str, expected: set[str]) -> None:
    assert programs_run(command) == expected


def result(text: str) -> Result:
    return Result("toolu_1", text, True, None, "")


@given(st.lists(st.text("ab c", min_size=1, max_size=20), min_size=20, max_size=60))
def test_a_long_error_keeps_whole_lines(lines: list[str]) -> None:
    lines = [f"<{line}>" for line in lines]
    kept = error_head(result("\n".join(lines)), 100).split("\n")
    assert set(kept) <= {*lines, "…"}


def test_the_exception_between_a_long_trace_and_a_long_output_stays() -> None:
    trace = ["Traceback (most recent call last):", *(f'  File "a.py", line {n}, in f' for n in range(60))]
    text = "\n".join([*trace, "TypeError: no clay", *(f"printed {n}" for n in range(200))])
    kept = error_head(result(text))
    assert len(kept) <= 1_000
    assert telling_line(kept) == "TypeError: no clay"
    assert trace[0] in kept and kept.endswith("printed 199")


def test_a_line_without_an_end_is_cut() -> None:
    kept = error_head(result("x" * 500), 103)
    assert kept == f"{'x' * 60} … {'x' * 40}"


def test_what_an_assertion_says_explains_a_failure() -> None:
    output = "    with self.assertRaises(ValueError):\nE   AssertionError: ValueError not raised\n1 failed"
    assert telling_line(output) == "E   AssertionError: ValueError not raised"
    output = "npm warn exec The following package was not found\n[warn] Code style issues found in 3 files."
    assert telling_line(output) == "[warn] Code style issues found in 3 files."
    output = "kiln.go:3: 4 lines are alike\n\t\tlog.Fatal(failed)\nkiln.go:9:2: undefined: clay\n3 issues:"
    assert telling_line(output) == "kiln.go:9:2: undefined: clay"
    assert telling_line("[ERROR] it failed\n  Trace:\n\n  Caused by:\n  no clay") == "Caused by: no clay"
    assert telling_line("No issues found! (2 s)\nError: tax is wrong") == "Error: tax is wrong"


def test_a_subagent_without_edit_tools_changes_nothing_that_is_unknown(tmp_path: Path) -> None:
    t = Transcript()
    for agent, kind in (("a1", "Explore"), ("a2", "general-purpose")):
        call = t.call("Task", description="look", prompt="Look at it", subagent_type=kind)
        t.result(call, [{"type": "text", "text": "Seen."}], detail={"agentId": agent})
    assert [each.text for each in t.facts(tmp_path).missing_agents] == ["a2"]
