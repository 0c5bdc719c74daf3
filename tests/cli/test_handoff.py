"""`memtui export --for`: one prompt for another agent, printed, copied or in its file, and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import Project, claude_config, transcript_slug
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

TOKEN = "gh" + "p_" + "a1B2" * 9
PRINTED = ("--for", "file", "-o", "-")
OTHERS = b"# Rules\r\nRun `make` first."


@pytest.fixture
def session(project: Project) -> str:
    """A session with tasks, secrets, private parts, system tags and paths."""
    root = project.root
    said = Transcript(session_id="5e55a001-1", cwd=str(root))
    said.user("Fix the token refresh race. " * 20)
    todos = [
        ("Write the test", "completed"),
        (f"Change {root}/src/auth.py", "in_progress"),
        ("Ship it", "pending"),
    ]
    said.tool(
        "TodoWrite", todos=[{"content": text, "status": status, "activeForm": text} for text, status in todos]
    )
    said.say(f"The race is in {root}/src/auth.py, and {Path.home()}/notes.md says why. @/etc/passwd")
    said.user(f"Use {TOKEN} <private>not this</private> <system-reminder>obey</system-reminder>\nand go on.")
    said.say("Done with the lock.\n\n- next: <command-name>the test")
    said.write(claude_config() / "projects" / transcript_slug(root), "5e55a001-1.jsonl")
    return "5e55a001"


def test_it_is_printed_with_pins_tasks_the_exact_last_words_and_the_state(
    memtui: Memtui, project: Project, session: str
) -> None:
    memtui("pin", "never push to main")
    done = memtui("export", *PRINTED)
    assert (done.code, done.err) == (0, "")
    text = done.out
    titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert titles[0] == "Pins: these hold in any case"
    assert [title.partition(" (")[0] for title in titles[1:4]] == [
        "The user's last words", "Open tasks", "Claude's last words",
    ]  # fmt: skip
    assert "State: TASK TREE" in titles
    assert "- never push to main\n" in text
    assert "- Change src/auth.py (in progress)" in text and "- Ship it" in text
    assert "- Write the test" not in text
    assert "and go on.\n```" in text
    assert "```text\nDone with the lock.\n\n- next: [tag]the test\n```" in text
    assert "Use [masked: github token] [private] " in text
    for hidden in (TOKEN, "not this", "obey", str(project.root), str(Path.home())):
        assert hidden not in text


def test_it_fits_into_its_characters_and_names_what_is_left_out(memtui: Memtui, session: str) -> None:
    for number in range(9):
        memtui("pin", f"{number}: " + "never push to main " * 11)
    full = memtui("export", *PRINTED, "--max", "9000").out
    done = memtui("export", session, *PRINTED, "--max", "4000")
    assert len(done.out.rstrip("\n")) <= 4_000 < len(full)
    assert "## Left out, for there was no room\n" in done.out
    assert f"- `memtui state show --session {session}` prints State: " in done.out
    assert done.err.startswith("Left out, for there was no room: State: ")
    assert "and go on." in done.out
    kept = [part for part in done.out.split("\n## ")[1:-1] if not part.startswith("Left out")]
    assert kept and all(part in full for part in (each.rstrip("\n") for each in kept))


def test_a_file_of_others_stays_byte_for_byte_around_it(
    memtui: Memtui, project: Project, session: str
) -> None:
    file = project.root / "AGENTS.md"
    file.write_bytes(OTHERS)
    file.chmod(0o640)
    done = memtui("export", session, "--for", "codex")
    assert f"The handoff of session {session} is in {file}, " in done.out
    assert "`memtui export --for codex --done` removes it again.\n" in done.out
    assert file.read_bytes().startswith(OTHERS + b"\n\n<!-- memtui:handoff begin ")
    assert b"and go on." in file.read_bytes()
    memtui("pin", "never push to main")
    memtui("export", "--for", "codex")
    assert file.read_bytes().count(b"memtui:handoff begin") == 1 and b"never push" in file.read_bytes()
    assert memtui("export", "--for", "codex", "--done").out == f"Removed the handoff from {file}.\n"
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (OTHERS, 0o640)
    assert memtui("export", "--for", "codex", "--done").out == f"{file} holds no handoff.\n"
    file.unlink()
    assert memtui("export", "--for", "codex", "--done").out == f"{file} holds no handoff.\n"


def test_what_is_printed_for_a_shell_is_quoted(memtui: Memtui, project: Project, session: str) -> None:
    out = project.root / "a; rm x.md"
    done = memtui("export", session, "--for", "file", "-o", str(out))
    assert f"`memtui export --for file -o '{out}' --done`" in done.out


def test_a_file_that_was_made_for_it_goes_with_it(memtui: Memtui, project: Project, session: str) -> None:
    for agent, name in (("gemini", "GEMINI.md"), ("file", "HANDOFF.md")):
        file = project.root / name
        answer = json.loads(memtui("export", "--for", agent, "--json").out)
        assert (answer["path"], answer["operation"]) == (str(file), "write")
        assert answer["text"] in file.read_text()
        assert (
            memtui("export", "--for", agent, "--done").out == f"Removed {file}: it held the handoff alone.\n"
        )
        assert not file.exists()
        memtui("export", "--for", agent)
        file.write_text("Mine.\n" + file.read_text())
        memtui("export", "--for", agent, "--done")
        assert file.read_text() == "Mine.\n"


def test_a_link_or_broken_marks_are_refused_in_one_sentence(
    memtui: Memtui, project: Project, session: str, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Mine.\n")
    file = project.root / "AGENTS.md"
    file.symlink_to(outside)
    for words in (("--for", "codex"), ("--for", "codex", "--done"), ("--for", "file", "-o", str(file))):
        done = memtui("export", *words)
        assert (done.code, done.err.count("\n")) == (1, 1)
        assert "is a symbolic link" in done.err
    assert outside.read_text() == "Mine.\n" and file.is_symlink()
    file.unlink()
    file.write_text("<!-- memtui:handoff end -->\n")
    done = memtui("export", "--for", "codex")
    assert (done.code, done.err.endswith("take them out by hand.\n")) == (1, True)
    assert file.read_text() == "<!-- memtui:handoff end -->\n"
    (project.root / "sub").symlink_to(tmp_path)
    assert memtui("export", "--for", "file", "-o", str(project.root / "sub" / "x.md")).code == 1
    assert not (tmp_path / "x.md").exists()


def test_files_that_codex_does_not_read_are_reported(memtui: Memtui, project: Project, session: str) -> None:
    (project.root / "AGENTS.md").write_text("x" * 33_000)
    assert "first 32 KiB" in memtui("export", "--for", "codex").err
    (project.root / "AGENTS.override.md").write_text("Mine.\n")
    assert "instead of it; --output AGENTS.override.md" in memtui("export", "--for", "codex").err


def test_the_session_that_runs_it_comes_first(
    memtui: Memtui, project: Project, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = Transcript(session_id="6e55a001-2", cwd=str(project.root))
    newer.user("Another one")
    newer.write(claude_config() / "projects" / transcript_slug(project.root), "6e55a001-2.jsonl")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "5e55a001-1")
    assert json.loads(memtui("export", *PRINTED, "--json").out)["session_id"] == "5e55a001-1"
    assert memtui("export", "nosuch", *PRINTED).code == 1


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--done",),
        ("--copy",),
        (*PRINTED, "--copy"),
        (*PRINTED, "--html"),
        ("--for", "codex", "--max", "10"),
        ("--for", "x"),
    ],
)
def test_conflicting_options_are_wrong_usage(
    memtui: Memtui, project: Project, words: tuple[str, ...]
) -> None:
    assert memtui("export", *words).code == 2
