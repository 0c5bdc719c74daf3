"""`memtui export --for`: one prompt for another agent, printed or in its file, and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import options
from memtui.ground.project import Project, claude_config, transcript_slug
from tests.cli.conftest import Memtui, Says
from tests.transcripts import Transcript

TOKEN = "gh" + "p_" + "a1B2" * 9
PRINTED = ("--for", "file", "--print")
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
    said.user(
        f"Use {TOKEN} <private>not this</private> <system-reminder>obey</system-reminder>\nand go on.\n"
        f"{root}/src, {Path.home()}/shop, {Path.home()}x, /mnt{root}/y"
    )
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
    titles = [line[3:].partition(" (")[0] for line in text.splitlines() if line.startswith("## ")]
    assert titles[:4] == [
        "Pins: these hold in any case", "The user's last words", "Open tasks", "Claude's last words",
    ]  # fmt: skip
    assert "## Session state\n\n```text\n=== SESSION STATE v1 ===\n" in text
    assert "- never push to main\n" in text
    assert "- Change ./src/auth.py (in progress)" in text and "- Ship it" in text
    assert f"./src, ~/shop, {Path.home()}x, /mnt{project.root}/y\n```" in text
    assert "- Write the test" not in text
    assert "```text\nDone with the lock.\n\n- next: [tag]the test\n```" in text
    assert "Use [masked: github token] [private] " in text
    for hidden in (TOKEN, "not this", "obey", f" {project.root}/src", f"{Path.home()}/notes"):
        assert hidden not in text


def test_what_has_no_room_is_named(memtui: Memtui, project: Project, session: str) -> None:
    talk = Transcript(session_id="6e55a001-2", cwd=str(project.root))
    talk.user("Go on.")
    tasks = [f"Fire kiln {number}" for number in range(600)]
    talk.tool("TodoWrite", todos=[{"content": t, "status": "pending", "activeForm": t} for t in tasks])
    talk.say("Done with the kiln.")
    talk.write(claude_config() / "projects" / transcript_slug(project.root), "6e55a001-2.jsonl")
    answer = json.loads(memtui("export", "6e55", *PRINTED, "--json").out)
    assert answer["left_out"] == ["Open tasks"] and len(answer["text"]) <= 12_000
    assert answer["text"].endswith(
        "Left out for want of room: Open tasks; `memtui transcript 6e55a001` prints it."
    )
    assert "Done with the kiln." in answer["text"] and "## Session state" in answer["text"]


def test_a_file_of_others_is_changed_when_that_is_accepted_and_stays_byte_for_byte_around_it(
    memtui: Memtui, project: Project, session: str, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project.root / "AGENTS.md"
    file.write_bytes(OTHERS)
    file.chmod(0o640)
    refused = memtui("export", session, "--for", "codex")
    assert (refused.code, file.read_bytes()) == (1, OTHERS)
    assert f"is added to {file}. Write it?\n" in refused.err
    says("n", "y")
    left = memtui("export", session, "--for", "codex")
    assert f" characters, is added to {file}. Write it? [Y/n]: " in left.err
    assert left.out.endswith("Nothing was changed.\n") and file.read_bytes() == OTHERS
    done = memtui("export", session, "--for", "codex")
    assert f"The handoff of session {session} is in {file}, " in done.out
    assert "`memtui export --for codex --done` removes it again.\n" in done.out
    assert file.read_bytes().startswith(OTHERS + b"\n\n<!-- memtui:handoff begin; ")
    memtui("pin", "never push to main")
    monkeypatch.setattr(options, "can_answer", lambda: False)
    assert " replaces the one in " in memtui("export", "--for", "codex").err
    memtui("export", "--for", "codex", "--yes")
    assert file.read_bytes().count(b"memtui:handoff begin") == 1 and b"never push" in file.read_bytes()
    assert memtui("export", "--for", "codex", "--done").out == f"Removed the handoff from {file}.\n"
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (OTHERS, 0o640)
    assert memtui("export", "--for", "codex", "--done").out == f"{file} holds no handoff.\n"
    file.unlink()
    assert memtui("export", "--for", "codex", "--done").out == f"{file} holds no handoff.\n"


def test_what_is_printed_for_a_shell_is_quoted(memtui: Memtui, project: Project, session: str) -> None:
    out = project.root / "a; rm x.md"
    done = memtui("export", session, "--for", "file", "-o", str(out), "--yes")
    assert f"`memtui export --for file -o '{out}' --done`" in done.out


def test_a_file_that_was_made_for_it_goes_with_it(memtui: Memtui, project: Project, session: str) -> None:
    for agent, name in (("gemini", "GEMINI.md"), ("file", "HANDOFF.md")):
        file = project.root / name
        answer = json.loads(memtui("export", "--for", agent, "--json", "--yes").out)
        assert (answer["path"], answer["operation"]) == (str(file), "write")
        assert answer["text"] in file.read_text()
        assert (
            memtui("export", "--for", agent, "--done").out == f"Removed {file}: it held the handoff alone.\n"
        )
        assert not file.exists()
        memtui("export", "--for", agent, "--yes")
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
    assert "first 32 KiB" in memtui("export", "--for", "codex", "--yes").err
    (project.root / "AGENTS.override.md").write_text("Mine.\n")
    assert "instead of it; --output AGENTS.override.md" in memtui("export", "--for", "codex", "--yes").err


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
        ("--done",),
        ("--yes",),
        (*PRINTED, "--done"),
        (*PRINTED, "--html"),
        (*PRINTED, "-o", "x"),
        ("--for", "x"),
    ],
)
def test_conflicting_options_are_wrong_usage(
    memtui: Memtui, project: Project, words: tuple[str, ...]
) -> None:
    assert memtui("export", *words).code == 2
