"""`memtui review`: the same flow as in the app, without the app."""

from __future__ import annotations

import json
import shlex
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.cli import review as module
from memtui.cli.output import RECOVERY_BOX
from memtui.documents.capture import memory_name, parse_capture
from memtui.documents.memory_file import MemoryFile, parse_memory
from memtui.documents.recovery import parse_recovery
from memtui.ground.project import Project, memtui_home
from memtui.store.memories import MemoryStore
from tests.cli.conftest import Memtui, Says
from tests.cli.reviewing import CAPTURED, ID, NAME, NOW, SESSION, put_capture, transcript_of


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "system_clock", lambda: NOW)


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
    assert result.out == f"Reviewed {NAME}. Its memory: {memory_path}\n{RECOVERY_BOX.format(ID)}\n"
    capture = parse_capture((captured.compacts / NAME).read_text("utf-8"))
    assert (capture.status, capture.memory) == ("reviewed", memory_path.name)
    assert capture.summary
    memory = parse_memory(memory_path.read_text("utf-8"))
    assert any("src/tax.ts" in path for path in memory.key_files)
    assert not any("later.ts" in path for path in memory.key_files)
    stored = MemoryStore(memtui_home(), lambda: NOW).get(ID)
    recovery = parse_recovery(stored.body.decode())
    assert [file.path for file in recovery.working_files] == [f"{captured.root}/src/tax.ts"]
    assert (stored.meta.source, stored.meta.session_id) == ("review", SESSION)
    assert stored.meta.project == recovery.project_root == str(captured.root)


def test_nothing_to_review(memtui: Memtui, project: Project) -> None:
    result = memtui("review")
    assert (result.code, result.out) == (0, "Nothing to review: no capture of shop is pending.\n")
    said = json.loads(memtui("review", "--json").out)
    assert (said["status"], said["capture"], said["changed"]) == ("nothing", "", False)


@pytest.mark.parametrize("how", ["name", "path", "relative", "time"])
def test_one_is_named(memtui: Memtui, captured: Project, how: str) -> None:
    put_capture(captured, CAPTURED + timedelta(hours=1))
    words = {
        "name": NAME,
        "path": str(captured.compacts / NAME),
        "relative": f".project/compacts/{NAME}",
        "time": NAME.removesuffix("-autocompact.md"),
    }
    assert memtui("review", words[how], "--yes").out.startswith(f"Reviewed {NAME}.")


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
    assert MemoryStore(memtui_home(), lambda: NOW).list().total == 0


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
    transcript_of(captured).unlink()
    said = json.loads(memtui("review", "--yes", "--json").out)
    assert said["note"].startswith("drafted from the capture alone: ")
    assert SESSION in said["note"]
    assert "Round the tax per line" in said["text"]


def test_a_transcript_outside_of_claude_codes_folder_is_not_opened(
    memtui: Memtui, captured: Project, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(transcript_of(captured).read_bytes().replace(b"src/tax.ts", b"src/secret.ts"))
    put_capture(captured, transcript=secret)
    said = json.loads(memtui("review", "--json").out)
    assert "secret.ts" not in said["text"]
    assert said["note"].startswith("drafted from the capture alone: ")


def test_a_person_accepts(memtui: Memtui, captured: Project, says: Says) -> None:
    says("maybe", "Y")
    result = memtui("review")
    assert result.code == 0
    assert "# Memory: " in result.out
    assert (captured.compacts / memory_name(NAME)).exists()


def test_a_person_edits(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    _edits(
        monkeypatch, tmp_path, "t = '# Memory: Tax\\n\\n## Summary\\nRounded.\\n\\n## Goal\\nRight tax\\n'"
    )
    says("e", "y")
    result = memtui("review")
    assert result.code == 0
    assert "Summary: Rounded." in result.out
    memory = parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8"))
    assert memory.replace(extra=()) == MemoryFile(title="Tax", goal="Right tax")
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == "Rounded."


def test_an_edit_that_is_no_memory_file_can_be_mended(
    memtui: Memtui, captured: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    _edits(monkeypatch, tmp_path, "t = ''", "t = '# Memory: Mended' + t")
    says("e", "y", "y")
    result = memtui("review")
    assert "This is not a memory file: " in result.out
    assert parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8")).title == "Mended"


@pytest.mark.parametrize(
    "editor",
    [
        "import os, sys; os.unlink(sys.argv[1])",
        "import os, sys; open(sys.argv[1], 'wb').write(b'\\xff'); os.utime(sys.argv[1], (1, 1))",
    ],
)
def test_what_an_editor_does_to_its_file_leaves_the_draft(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, says: Says, editor: str
) -> None:
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", editor]))
    says("e", "n")
    result = memtui("review")
    assert (result.code, result.err) == (0, "")
    assert "is gone, or not UTF-8; the text is unchanged." in result.out


def test_hostile_words_reach_the_terminal_clean(memtui: Memtui, captured: Project) -> None:
    path = transcript_of(captured)
    hostile = json.dumps("Round \x1b]0;x\x07 the \u202e[/b] tax")[1:-1]
    path.write_text(path.read_text("utf-8").replace("Round the tax per line", hostile), "utf-8")
    out = memtui("review").out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "␛]0;x␇" in out
