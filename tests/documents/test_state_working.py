"""The working context of a session state: what is open, what runs, what is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.documents.path_lists import grouped
from memtui.documents.state_draft import draft_session_state
from memtui.formats.session_state import SessionState
from memtui.project import Project
from memtui.reading.facts import Facts, read_on
from memtui.reading.records import Command, ErrorFact, FileFact, Source, Statement
from tests.transcripts import Transcript

APP = Project(Path("/work/app"))


def state(facts: Facts) -> SessionState:
    return draft_session_state(facts, APP)


def technical(drafted: SessionState) -> list[str]:
    return [line.removeprefix("- ") for line in drafted.working.technical_state.split("\n")]


def test_files_are_named_in_full_by_folder() -> None:
    paths = ["src/a.py", "src/b.py", "README.md", "src/ui/c.tsx", "src/a.py", ".env"]
    assert grouped(paths, 1000) == "src/{a.py, b.py}, README.md, .env, src/ui/c.tsx"
    assert grouped(paths, 14) == "src/{a.py}, and 4 more"
    assert grouped([], 10) == ""


def test_what_runs_in_the_background_is_told_with_its_port(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Start it")
    for command in ("npm run dev -- --port 5173", "sleep 90; gh pr checks"):
        started = transcript.call("Bash", command=command, run_in_background=True)
        transcript.result(started, "Command running in background", detail={"backgroundTaskId": "b"})
    lines = technical(state(transcript.facts(tmp_path)))
    assert "Started in the background: npm run dev -- --port 5173 (port 5173)" in lines
    assert lines[0] == "Last action: Bash sleep 90; gh pr checks (background)"
    assert not any("Started" in line and "sleep" in line for line in lines)


def test_what_has_ended_in_the_background_runs_no_more(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Start it")
    for command, about in (
        ("npm run dev", "Start the shop"),
        ("make test", "Test it"),
        ("vite", "Start vite"),
    ):
        started = transcript.call("Bash", command=command, description=about, run_in_background=True)
        transcript.result(started, "Command running in background", detail={"backgroundTaskId": "b"})
    for about, status, how in (
        ("Test it", "failed", "failed with exit code 2"),
        ("Start vite", "completed", "completed (exit code 0)"),
        ("Start nothing", "failed", "failed with exit code 1"),
    ):
        transcript.queue(
            "enqueue",
            f"<task-notification>\n<task-id>b</task-id>\n<status>{status}</status>\n"
            f'<summary>Background command "{about}" {how}</summary>\n</task-notification>',
        )
    drafted = state(transcript.facts(tmp_path))
    lines = technical(drafted)
    assert [line for line in lines if line.startswith("Started")] == [
        "Started in the background: npm run dev"
    ]
    assert drafted.working.last_compile == "FAILURE: make test: failed with exit code 2"
    path = transcript.write(tmp_path)
    path.write_bytes(transcript.data[: transcript.data.index(b"<task-notification>") - 200])
    _, carry = read_on(path)
    path.write_bytes(transcript.data)
    facts, _ = read_on(path, carry)
    assert [each.outcome for each in facts.commands] == ["background", "failed", "ok"]


def test_commits_and_pull_requests_are_told(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Ship it well")
    transcript.tool(
        "Bash", "[main (root-commit) abc1234] feat: ledger\n 1 file changed", command="git commit -qam x"
    )
    transcript.tool("Bash", "[main def5678] feat: ledger\n", command="git commit --amend --no-edit")
    transcript.tool("Bash", "https://github.com/me/app/pull/7\n", command="gh pr create --fill")
    transcript.tool("Bash", "https://github.com/me/app/pull/8\n", command="gh pr view 8")
    lines = technical(state(transcript.facts(tmp_path)))
    assert "Commits: def5678 feat: ledger" in lines
    assert "Pull requests: https://github.com/me/app/pull/7" in lines


def ran(text: str, outcome: str) -> Command:
    return Command(text, "", outcome, None, "Error: bad" if outcome == "failed" else "")  # type: ignore[arg-type]


def test_a_check_that_still_fails_is_told_beside_the_last_one() -> None:
    checks = (ran("npm run test", "failed"), ran("npm run lint:full", "failed"), ran("npm run lint", "ok"))
    assert state(Facts(commands=checks)).working.last_compile == (
        "SUCCESS: npm run lint; before that: FAILURE: npm run test: Error: bad"
    )


def failed(text: str, message: str, at: str = "1") -> tuple[Command, ErrorFact]:
    command = Command(text, "", "failed", 1, message, Source(timestamp=at))
    return command, ErrorFact("Bash", text, message, resolved=False, source=Source(timestamp=at))


def test_what_another_check_shows_to_be_over_is_open_nowhere() -> None:
    command, error = failed("python -m pytest tests/", "E   assert 1 == 2")
    over = Facts(
        commands=(command, Command("just check", "", "ok", 0, "", Source(timestamp="2"))), errors=(error,)
    )
    told = state(over).working
    assert told.last_compile == "SUCCESS: just check"
    assert told.last_error == "Bash python -m pytest tests/ failed: E assert 1 == 2 (resolved)"
    assert "Commands that failed" not in told.technical_state
    told = state(replace(over, commands=over.commands[:1])).working
    assert told.last_compile.startswith("FAILURE: python -m pytest")
    assert told.last_error.endswith("(open)")
    assert "Commands that failed: python -m pytest tests/" in told.technical_state


def test_a_command_line_that_was_not_taken_is_not_the_last_error() -> None:
    first, error = failed("./seed.sh", "Error: the table is locked")
    second, slip = failed("unzip a.zip && cp a/* b", "(eval):1: no matches found: a/*", "2")
    third, _ = failed("ls build/out", "ls: build/out: No such file", "3")
    told = state(Facts(commands=(first, second, third), errors=(error, slip))).working
    assert told.last_error == "Bash ./seed.sh failed: Error: the table is locked (open)"
    assert technical(state(Facts(commands=(first, second, third)))) == ["Commands that failed: ./seed.sh"]


def test_scratch_files_are_no_state() -> None:
    read = ("/work/app/a.py", "/home/me/.claude/projects/-work-app/s/tool-results/b.txt", "/tmp/c.output")
    facts = Facts(
        read_files=tuple(FileFact(path, 1, subagent=False) for path in read),
        shell_files=("/tmp/body.md", "/work/app/report.csv"),
    )
    assert technical(state(facts)) == ["Files written by commands: report.csv", "Files read: a.py"]


def test_what_became_of_an_edited_file_is_told(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Try something")
    transcript.edit("/work/app/a.py")
    transcript.edit("/work/app/b.py")
    transcript.tool("Bash", "", command="git checkout -- a.py && mv b.py c.py")
    drafted = state(transcript.facts(tmp_path))
    assert "Not as edited any more: a.py (put back with git), b.py (moved to c.py)" in technical(drafted)


def test_guesses_are_no_causes() -> None:
    causes = (
        "The issue is likely that ruff wants a blank line.",
        "The issue was a lock that is never released.",
    )
    told = state(Facts(causes=tuple(Statement(text, text, "assistant", "") for text in causes)))
    assert technical(told) == ["Cause found: The issue was a lock that is never released."]
