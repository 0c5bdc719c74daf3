"""``memtui transcript``, and the session that commands take without a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.project import Project, claude_config, transcript_slug
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

HERE = "aaaa1111-0000-4000-8000-000000000000"
NEWER = "bbbb2222-0000-4000-8000-000000000000"


@pytest.fixture
def folder(project: Project) -> Path:
    """Claude Code's folder for the project's transcripts, with two sessions in it."""
    found = claude_config() / "projects" / transcript_slug(project.root)
    said = Transcript(cwd=str(project.root), session_id=HERE)
    said.user("Port the lamp driver")
    said.tool("Bash", "\n".join(f"row {number}" for number in range(30)), command="make lamp")
    said.say("The driver is ported.")
    said.user("Thanks, run \x1b[2Jthe tests")
    said.write(found, f"{HERE}.jsonl")
    other = Transcript(cwd=str(project.root), session_id=NEWER)
    other.user("Paint the door")
    other.write(found, f"{NEWER}.jsonl")
    return found


def test_turns_name_their_lines(memtui: Memtui, folder: Path) -> None:
    done = memtui("transcript", "--turns", "aaaa")
    assert done.code == 0
    lines = done.out.split("\n")
    assert lines[0].startswith("1. L1 2026-01-02 ")
    assert lines[0].endswith("typed, 1 call, answered")
    assert lines[1:3] == ["   ❯ Port the lamp driver", "   ● The driver is ported."]
    assert lines[3].startswith("2. L5 ")
    assert "\x1b" not in done.out


def test_only_the_last_turn_may_be_running(memtui: Memtui, folder: Path, project: Project) -> None:
    said = Transcript(cwd=str(project.root), session_id=f"cccc{NEWER[4:]}")
    for words in ("Port it", "and paint it"):
        said.user(words)
        said.edit("/work/app/lamp.py")
    said.write(folder, f"cccc{NEWER[4:]}.jsonl")
    turns = [line for line in memtui("transcript", "--turns", "cccc").out.split("\n") if line[:1].isdigit()]
    assert [turn.partition("call, ")[2] for turn in turns] == ["the user spoke meanwhile", "running"]


def test_a_line_is_printed_with_its_surroundings(memtui: Memtui, folder: Path) -> None:
    done = memtui("transcript", "aaaa", "--at", "3", "--around", "1")
    assert done.code == 0
    marked = [line for line in done.out.split("\n") if line.startswith(">")]
    assert len(marked) == 1
    assert marked[0].startswith("> L3 ")
    assert "● Bash  make lamp" in done.out
    assert "row 29" in done.out
    assert "Port the lamp driver" not in done.out
    done = memtui("transcript", "aaaa", "--at", "4")
    assert "row 19" in done.out
    assert "row 20" not in done.out
    assert "... 10 more lines" in done.out


def test_inside_claudes_shell_it_is_the_session_of_that_shell(
    memtui: Memtui, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", HERE)
    for words in (
        ("transcript", "--turns"),
        ("transcript", "--facts", "--json"),
        ("compact", "--print"),
        ("state", "show"),
    ):
        assert "lamp driver" in memtui(*words).out, words
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", NEWER)
    assert "Paint the door" in memtui("transcript", "--turns").out
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "of-another-project")
    assert memtui("transcript", "--turns").code == 0


def test_one_source_and_one_form(memtui: Memtui, folder: Path) -> None:
    assert "lamp driver" in memtui("transcript", "aaaa", "--facts").out
    for words in (("--capture", "x"), ("--facts", "--capture", "x", "aaaa"), ("--turns", "--at", "1")):
        assert memtui("transcript", *words).code == 2
    done = memtui("transcript", "--turns", "cccc")
    assert done.code == 1
    assert "cccc" in done.err


def test_facts_of_a_capture_end_at_its_compaction(memtui: Memtui, folder: Path, project: Project) -> None:
    said = Transcript(cwd=str(project.root), session_id=HERE)
    said.user("Before the compaction")
    said.line("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    said.user("After the compaction")
    path = said.write(folder, f"{HERE}.jsonl")
    captures = project.root / ".project" / "compacts"
    captures.mkdir(parents=True)
    (captures / "20260102_090000-autocompact.md").write_text(
        "# Autocompact Capture\n\n**Status:** pending\n**Timestamp:** 2026-01-02T09:00:00+00:00\n"
        f"**Session ID:** {HERE}\n\n## Transcript\n\n```\n{path}\n```\n\n## First Message\n\n> Before\n\n"
        "## Memory\n\n_Not yet reviewed. Run `/review-compact` to process._\n"
    )
    done = memtui("transcript", "--facts", "--capture", "20260102_090000")
    assert "Before the compaction" in done.out
    assert "After the compaction" not in done.out


def test_secrets_are_masked(memtui: Memtui, folder: Path, project: Project) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    said = Transcript(cwd=str(project.root), session_id=HERE)
    said.user(f"Log in with {token}")
    said.tool("Bash", f"token {token}", command=f"login {token}")
    said.edit(f"{project.root}/{token}.py")
    said.say(f"Logged in with {token}")
    said.write(folder, f"{HERE}.jsonl")
    for command in ("transcript --facts", "transcript --turns", "transcript"):
        for form in ([], ["--json"]):
            printed = memtui(*command.split(), HERE, *form).out
            assert "[masked: github token]" in printed
            assert token not in printed
