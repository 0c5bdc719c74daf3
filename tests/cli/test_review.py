"""`memtui review`: the same flow as in the app, without the app."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.cli import review as module
from memtui.cli.drafting import Draft, as_text, from_text
from memtui.cli.recovery_box import recovery_box
from memtui.demo.transcript import TranscriptWriter
from memtui.formats.capture import parse_capture
from memtui.formats.capture_text import capture_name, memory_name, render_pending
from memtui.formats.memory import MemoryFile, parse_memory
from memtui.formats.recovery import parse_recovery
from memtui.project import Project, claude_config, memtui_home, transcript_slug
from memtui.store.memory_files import FilesBackend
from tests.cli.conftest import Memtui

CAPTURED = datetime(2026, 1, 2, 9, 15, tzinfo=UTC)
NAME = capture_name(CAPTURED)
SESSION = "5b0c7e1a-3f42-4d8e-9a61-c2f0d7b8e913"


NOW = CAPTURED + timedelta(hours=1)
ID = f"CMEM-{NOW:%Y%m%d-%H%M%S}"


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "system_clock", lambda: NOW)


def _transcript(project: Project) -> Path:
    return claude_config() / "projects" / transcript_slug(project.root) / f"{SESSION}.jsonl"


def _capture(project: Project, moment: datetime = CAPTURED, transcript: Path | None = None) -> Path:
    path = project.compacts / capture_name(moment)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = render_pending(
        timestamp=moment,
        session_id=SESSION,
        transcript=str(transcript or _transcript(project)),
        first_message="Round the tax per line",
    )
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def captured(project: Project) -> Project:
    """A project with one pending capture of a session that changed a file before and another one after it."""
    session = TranscriptWriter(
        SESSION, cwd=str(project.root), branch="tax", started=CAPTURED - timedelta(minutes=20)
    )
    session.prompt("Round the tax per line")
    session.edit(f"{project.root}/src/tax.ts", "round(sum)", "sum(rounded)")
    session.at(CAPTURED + timedelta(seconds=30))
    session.compaction("This session is being continued from a previous conversation.\n\nSummary:\n1. Tax\n")
    session.edit(f"{project.root}/src/later.ts", "a", "b")
    path = _transcript(project)
    path.parent.mkdir(parents=True)
    path.write_text(session.take(), "utf-8")
    _capture(project)
    return project


def _says(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    monkeypatch.setattr(module, "can_answer", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(answer + "\n" for answer in answers)))


def _edits(monkeypatch: pytest.MonkeyPatch, folder: Path, *programs: str) -> None:
    """Let the editor run one line of Python on the text `t` each time it is opened."""
    for number, program in enumerate(programs):
        (folder / f"edit-{number}").write_text(program, "utf-8")
    script = folder / "editor.py"
    script.write_text(
        "import pathlib, sys, os\n"
        f"step = sorted(pathlib.Path({str(folder)!r}).glob('edit-*'))[0]\n"
        "p = pathlib.Path(sys.argv[1]); t = p.read_text('utf-8'); v = {'t': t}\n"
        "exec(step.read_text('utf-8'), v); step.unlink(); p.write_text(v['t'], 'utf-8')\n"
        "os.utime(p, (1, 1))\n",
        "utf-8",
    )
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))


def test_yes_reviews_the_newest_pending_one(memtui: Memtui, captured: Project) -> None:
    result = memtui("review", "--yes")
    assert (result.code, result.err) == (0, "")
    memory_path = captured.compacts / memory_name(NAME)
    assert result.out == f"Reviewed {NAME}. Its memory: {memory_path}\n{recovery_box(ID)}\n"
    capture = parse_capture((captured.compacts / NAME).read_text("utf-8"))
    assert (capture.status, capture.memory) == ("reviewed", memory_path.name)
    assert capture.summary
    memory = parse_memory(memory_path.read_text("utf-8"))
    assert any("src/tax.ts" in path for path in memory.key_files)
    assert not any("later.ts" in path for path in memory.key_files)


def test_the_stored_text_is_of_the_session_up_to_the_compaction(memtui: Memtui, captured: Project) -> None:
    assert memtui("review", "--yes").code == 0
    stored = FilesBackend(memtui_home(), lambda: NOW).get(ID)
    recovery = parse_recovery(stored.body.decode())
    assert [file.path for file in recovery.working_files] == [f"{captured.root}/src/tax.ts"]
    assert (stored.meta.source, stored.meta.session_id) == ("review", SESSION)
    assert stored.meta.project == recovery.project_root == str(captured.root)


def test_a_draft_that_is_left_stores_nothing(memtui: Memtui, captured: Project) -> None:
    memtui("review")
    assert FilesBackend(memtui_home(), lambda: NOW).list().total == 0


def test_the_newest_of_several_is_taken_and_then_the_next(memtui: Memtui, captured: Project) -> None:
    later = _capture(captured, CAPTURED + timedelta(hours=1))
    assert later.name in memtui("review", "--yes").out
    assert NAME in memtui("review", "--yes").out
    assert memtui("review", "--yes").out == "Nothing to review: no capture of shop is pending.\n"


def test_nothing_to_review(memtui: Memtui, project: Project) -> None:
    result = memtui("review")
    assert (result.code, result.out) == (0, "Nothing to review: no capture of shop is pending.\n")
    said = json.loads(memtui("review", "--json").out)
    assert (said["status"], said["capture"], said["changed"]) == ("nothing", "", False)


@pytest.mark.parametrize("how", ["name", "path", "relative", "time"])
def test_one_is_named(memtui: Memtui, captured: Project, how: str) -> None:
    _capture(captured, CAPTURED + timedelta(hours=1))
    words = {
        "name": NAME,
        "path": str(captured.compacts / NAME),
        "relative": f".project/compacts/{NAME}",
        "time": NAME.removesuffix("-autocompact.md"),
    }
    assert memtui("review", words[how], "--yes").out.startswith(f"Reviewed {NAME}.")


def test_a_path_works_from_everywhere(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert memtui("review", str(captured.compacts / NAME), "--yes").code == 0
    assert memtui("review", NAME, "--root", str(captured.root)).code == 0


def test_an_already_reviewed_one_is_left_alone(memtui: Memtui, captured: Project) -> None:
    memtui("review", "--yes")
    before = {path: path.read_bytes() for path in captured.compacts.iterdir()}
    result = memtui("review", NAME, "--yes")
    assert result.code == 0
    assert result.out.startswith(f"{NAME} is already reviewed, nothing was changed.")
    said = json.loads(memtui("review", NAME, "--yes", "--json").out)
    assert (said["status"], said["changed"]) == ("reviewed", False)
    assert said["memory"] == str(captured.compacts / memory_name(NAME))
    assert {path: path.read_bytes() for path in captured.compacts.iterdir()} == before


@pytest.mark.parametrize("name", ["20990101_000000-autocompact.md", "../../secrets.md", "notes.md"])
def test_a_capture_that_is_not_there_is_bad_input(memtui: Memtui, captured: Project, name: str) -> None:
    result = memtui("review", name, "--yes")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: ")
    assert Path(name).name in result.err
    assert result.err.count("\n") == 1


def test_a_broken_capture_is_bad_input(memtui: Memtui, captured: Project) -> None:
    (captured.compacts / NAME).write_text("# Autocompact Capture\n", "utf-8")
    result = memtui("review", NAME, "--yes")
    assert (result.code, result.out) == (1, "")
    assert NAME in result.err


def test_without_a_terminal_the_draft_is_shown_and_nothing_changes(memtui: Memtui, captured: Project) -> None:
    before = (captured.compacts / NAME).read_bytes()
    result = memtui("review")
    assert result.code == 1
    assert "# Memory: " in result.out
    assert "src/tax.ts" in result.out
    assert result.err == f"memtui: {NAME} stays pending; accept the draft with --yes.\n"
    assert sorted(path.name for path in captured.compacts.iterdir()) == [NAME]
    assert (captured.compacts / NAME).read_bytes() == before


def test_json_without_yes_is_the_draft(memtui: Memtui, captured: Project) -> None:
    result = memtui("review", "--json")
    assert result.code == 1
    said = json.loads(result.out)
    assert (said["capture"], said["status"], said["changed"], said["memory"]) == (NAME, "pending", False, "")
    assert parse_memory(said["text"]).key_files
    assert said["summary"]


def test_json_with_yes_is_what_was_written(memtui: Memtui, captured: Project) -> None:
    said = json.loads(memtui("review", "--yes", "--json").out)
    assert (said["status"], said["changed"], said["note"]) == ("reviewed", True, "")
    assert Path(said["memory"]).read_text("utf-8") == said["text"]
    assert said["recovery_id"] == ID
    assert said["text"].endswith(
        f'## Recovery\nRecovery ID: {ID}\n\nTo restore: "Please import memory {ID}"\n'
    )
    assert parse_capture(Path(said["path"]).read_text("utf-8")).summary == said["summary"]


def test_without_a_transcript_the_draft_is_of_the_capture_alone(memtui: Memtui, captured: Project) -> None:
    _transcript(captured).unlink()
    said = json.loads(memtui("review", "--yes", "--json").out)
    assert said["note"].startswith("drafted from the capture alone: ")
    assert SESSION in said["note"]
    assert "Round the tax per line" in said["text"]


def test_a_transcript_outside_of_claude_codes_folder_is_not_opened(
    memtui: Memtui, captured: Project, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(_transcript(captured).read_bytes().replace(b"src/tax.ts", b"src/secret.ts"))
    _capture(captured, transcript=secret)
    said = json.loads(memtui("review", "--json").out)
    assert "secret.ts" not in said["text"]
    assert said["note"].startswith("drafted from the capture alone: ")


def test_a_person_accepts(memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _says(monkeypatch, "maybe", "Y")
    result = memtui("review")
    assert result.code == 0
    assert "# Memory: " in result.out
    assert (captured.compacts / memory_name(NAME)).exists()


def test_a_person_leaves_it(memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _says(monkeypatch, "n")
    result = memtui("review")
    assert result.code == 0
    assert result.out.endswith(f"{NAME} stays pending.\n")
    assert os.listdir(captured.compacts) == [NAME]  # noqa: PTH208 - names are what is compared


def test_a_person_closes_the_input(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _says(monkeypatch)
    assert memtui("review").code == 130
    assert os.listdir(captured.compacts) == [NAME]  # noqa: PTH208 - names are what is compared


def test_a_person_edits(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edits(
        monkeypatch, tmp_path, "t = '# Memory: Tax\\n\\n## Summary\\nRounded.\\n\\n## Goal\\nRight tax\\n'"
    )
    _says(monkeypatch, "e", "y")
    result = memtui("review")
    assert result.code == 0
    assert "Summary: Rounded." in result.out
    memory = parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8"))
    assert memory.replace(extra=()) == MemoryFile(title="Tax", goal="Right tax")
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == "Rounded."


def test_an_edit_that_is_no_memory_file_can_be_mended(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edits(monkeypatch, tmp_path, "t = ''", "t = '# Memory: Mended' + t")
    _says(monkeypatch, "e", "y", "y")
    result = memtui("review")
    assert "This is not a memory file: " in result.out
    assert parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8")).title == "Mended"


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("import os, sys; os.unlink(sys.argv[1])", "is gone; the text is unchanged."),
        (
            "import os, sys; open(sys.argv[1], 'wb').write(b'\\xff'); os.utime(sys.argv[1], (1, 1))",
            "is not UTF-8; the text is unchanged.",
        ),
    ],
)
def test_what_an_editor_does_to_its_file_leaves_the_draft(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, editor: str, said: str
) -> None:
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", editor]))
    _says(monkeypatch, "e", "n")
    result = memtui("review")
    assert (result.code, result.err) == (0, "")
    assert said in result.out


def test_an_edit_that_is_no_memory_file_can_be_dropped(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edits(monkeypatch, tmp_path, "t = ''")
    _says(monkeypatch, "e", "n", "n")
    assert memtui("review").out.endswith(f"{NAME} stays pending.\n")


def test_hostile_words_reach_the_terminal_clean(memtui: Memtui, captured: Project) -> None:
    path = _transcript(captured)
    hostile = json.dumps("Round \x1b]0;x\x07 the \u202e[/b] tax")[1:-1]
    path.write_text(path.read_text("utf-8").replace("Round the tax per line", hostile), "utf-8")
    out = memtui("review").out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "␛]0;x␇" in out


def test_an_edited_text_comes_back() -> None:
    draft = Draft(MemoryFile(title="T", goal="G", learnings=("a", "b")), "One.\nTwo.", "note")
    assert from_text(as_text(draft))._replace(note="note") == draft
    assert "## Summary" in as_text(draft)


REVIEW = """\
Summary: The tax was rounded
twice.

# Memory: Tax rounding

## Goal
Round once

## Learnings
- src/tax.ts rounds, too

## Confidence Level
High — tested
"""


def _pipes(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_review_from_stdin(memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _pipes(monkeypatch, REVIEW)
    result = memtui("review", "--from-stdin")
    memory_path = captured.compacts / memory_name(NAME)
    assert result.code == 0
    assert result.out == f"Reviewed {NAME}. Its memory: {memory_path}\n{recovery_box(ID)}\n"
    assert (
        parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == "The tax was rounded twice."
    )
    memory = parse_memory(memory_path.read_text("utf-8"))
    assert (memory.title, memory.goal) == ("Tax rounding", "Round once")
    assert memory.learnings == ("src/tax.ts rounds, too",)
    assert memory_path.read_text("utf-8").startswith("# Memory: Tax rounding\n\n## Goal\nRound once\n")
    _pipes(monkeypatch, REVIEW)
    assert memtui("review", "--from-stdin").out == "Nothing to review: no capture of shop is pending.\n"
    _pipes(monkeypatch, REVIEW)
    assert "is already reviewed, nothing was changed" in memtui("review", NAME, "--from-stdin").out


def test_the_lines_that_a_review_cites_are_looked_up(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = ('Per line (L1: "round the TAX")', 'Per cart (L1: "per cart")', "Once (L1)")
    items = "\n".join(f"- {each}" for each in cited)
    _pipes(monkeypatch, f"# Memory: T\n## Goal\nG\n## Learnings\n{items}\n")
    assert memtui("review", "--from-stdin", "--cited").code == 0
    memory = parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8"))
    assert memory.learnings == ("Per line (L1)", "Per cart (no source)", "Once (no source)")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("**Summary:** Short.\n# Memory: T\n## Goal\nG\n", "Short."),
        ("# Memory: T\n\n## Goal\nG\n\n## Summary\n\nShort.\nTwo.\n", "Short. Two."),
        ("summary: Short.\r\n\r\n# Memory: T\r\n\r\n## Goal\r\nG\r\n", "Short."),
    ],
)
def test_where_the_summary_may_stand(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, text: str, summary: str
) -> None:
    _pipes(monkeypatch, text)
    assert memtui("review", NAME, "--from-stdin").code == 0
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == summary
    written = (captured.compacts / memory_name(NAME)).read_text("utf-8")
    assert "ummary" not in written and "\r" not in written


def test_without_a_summary_the_drafts_is_taken(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = json.loads(memtui("review", "--json").out)["summary"]
    _pipes(monkeypatch, "# Memory: T\n## Goal\nG\n")
    assert memtui("review", "--from-stdin").code == 0
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == draft != ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has neither a title nor a section of a memory file"),
        ("Summary: only this", "it has neither a title nor a section of a memory file"),
        ("## Goal\nG\n", "it has no title (# Memory: ...)"),
        ("# Memory: T\n## Learnings\n- x\n", "it does not say what the goal was (## Goal)"),
        (b"\x00\xff\xfe", "it has neither a title nor a section of a memory file"),
    ],
)
def test_an_invalid_review_changes_nothing(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, text: str | bytes, reason: str
) -> None:
    before = {path: path.read_bytes() for path in captured.compacts.iterdir()}
    _pipes(monkeypatch, text)
    result = memtui("review", "--from-stdin")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"memtui: standard input is not a review: {reason}; nothing was changed.\n"
    assert {path: path.read_bytes() for path in captured.compacts.iterdir()} == before


def test_a_review_that_is_too_long_changes_nothing(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pipes(monkeypatch, REVIEW + "x" * (1 << 20))
    result = memtui("review", "--from-stdin")
    assert (result.code, result.err) == (
        1,
        "memtui: standard input is longer than 1 MB; nothing was changed.\n",
    )
