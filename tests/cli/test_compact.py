"""`memtui compact`: a session to a text, asked about and stored."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.cli import compact as module
from memtui.cli import output
from memtui.cli.output import RECOVERY_BOX
from memtui.documents.recovery import parse_recovery
from memtui.ground.project import Project, claude_config, memtui_home, transcript_slug
from memtui.store.memories import MemoryStore
from tests.cli.conftest import Memtui, Says
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
ID = "CMEM-20260102-120000"


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "system_clock", lambda: NOW)


def backend() -> MemoryStore:
    return MemoryStore(memtui_home(), lambda: NOW)


def write_session(root: Path, name: str = "5e55-1d", words: str = "Round the tax per line, please") -> Path:
    session = Transcript(cwd=str(root), session_id=name)
    session.user(words)
    session.edit(f"{root}/src/tax.ts")
    return session.write(claude_config() / "projects" / transcript_slug(root), f"{name}.jsonl")


@pytest.fixture
def used(project: Project) -> Project:
    """A project with one session."""
    write_session(project.root)
    return project


def test_an_unchanged_session_is_stored_once(memtui: Memtui, used: Project) -> None:
    memtui("compact", "--force")
    again = memtui("compact", "--force")
    assert (again.code, again.err) == (0, "")
    assert f"Already stored as {ID}: the session has not changed since." in again.out
    answer = json.loads(memtui("compact", "--force", "--json").out)
    assert (answer["id"], answer["message"]) == (ID, f"Already stored as {ID}")
    assert backend().list().total == 1
    assert "Already stored" not in memtui("compact", "--force", "--tags", "tax").out
    assert "Already stored" not in memtui("compact", "--force", "--description", "Other words").out
    write_session(used.root, words="Round the tax per item, please")
    assert "Already stored" not in memtui("compact", "--force").out
    assert backend().list().total == 4


def test_force_stores_and_shows_the_box(memtui: Memtui, used: Project) -> None:
    result = memtui("compact", "--force")
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith(f"{RECOVERY_BOX.format(ID)}\n")
    assert "Checklist: " in result.out
    stored = backend().get(ID)
    assert parse_recovery(stored.body.decode()).objective == (
        '"Round the tax per line, please" (first asked, L1)'
    )
    assert (stored.meta.source, stored.meta.session_id, stored.meta.tags) == ("compact", "5e55-1d", ())
    assert (stored.meta.description, stored.meta.project) == (
        "Round the tax per line, please",
        str(used.root),
    )


def test_print_stores_nothing_and_gives_the_bytes_that_are_stored(memtui: Memtui, used: Project) -> None:
    printed = memtui("compact", "--print")
    assert printed.code == 0
    assert backend().list().total == 0
    memtui("compact", "--force")
    assert backend().get(ID).body.decode() == printed.out


def test_without_a_terminal_the_text_is_shown_and_nothing_stored(memtui: Memtui, used: Project) -> None:
    result = memtui("compact")
    assert result.code == 1
    assert result.err == "memtui: nothing was stored; store the text with --force.\n"
    assert parse_recovery(result.out).working_files[0].path == f"{used.root}/src/tax.ts"
    assert backend().list().total == 0


def test_a_person_accepts(memtui: Memtui, used: Project, says: Says) -> None:
    says("what", "y")
    result = memtui("compact")
    assert (result.code, "?:" in result.err + result.out) == (0, False)
    assert "memtui: the answers are y, e and n, not what.\n" in result.err
    assert "## Objective" in result.out
    assert RECOVERY_BOX.format(ID) in result.out
    assert backend().list().total == 1


def _edits(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Let the editor give these texts, one after another."""
    given = iter(texts)
    monkeypatch.setattr("click.edit", lambda text, extension: next(given))


def test_a_person_edits(memtui: Memtui, used: Project, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    _edits(monkeypatch, "no recovery text", "## Objective\nMine\n")
    says("e", "y", "y")
    assert "This is not a recovery text: " in memtui("compact").out
    assert backend().get(ID).body == b"## Objective\nMine\n"


def test_json(memtui: Memtui, used: Project) -> None:
    draft = memtui("compact", "--json")
    assert draft.code == 1
    said = json.loads(draft.out)
    assert (said["operation"], said["id"], said["message"]) == ("compact", "", "Nothing was stored")
    stored = json.loads(memtui("compact", "--json", "--force", "--tags", "x").out)
    assert (stored["id"], stored["message"]) == (ID, f"Created memory: {ID}")
    assert stored["text"] == said["text"] == backend().get(ID).body.decode()
    assert (stored["project"], stored["session_id"], stored["tags"]) == (str(used.root), "5e55-1d", ["x"])
    assert stored["transcript"].endswith("5e55-1d.jsonl")
    assert [each["number"] for each in stored["checklist"]] == list(range(1, 14))
    assert json.loads(memtui("compact", "--json", "--print").out)["text"] == said["text"]


def test_a_session_of_another_project(memtui: Memtui, used: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    path = write_session(other, "0-other", "Paint the fence in green")
    result = memtui("compact", "--transcript", str(path), "--force")
    assert result.code == 0
    assert f"The session worked in {other}, and the memory is kept as one of that project." in result.out
    assert backend().get(ID).meta.project == str(other)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--engine", "magic"), "Invalid value for '--engine'"),
        (("--session", "a", "--transcript", "pyproject.toml"), "name the session once"),
        (("--transcript", "."), "Invalid value for '--transcript': File '.' is a directory."),
    ],
)
def test_invalid_arguments(memtui: Memtui, used: Project, words: tuple[str, ...], reason: str) -> None:
    (used.root / "pyproject.toml").touch()
    result = memtui("compact", *words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"memtui: {reason}")


def test_without_any_session(memtui: Memtui, project: Project) -> None:
    result = memtui("compact")
    assert (result.code, result.out) == (1, "")
    assert "has no session" in result.err


def test_on_a_terminal_the_id_is_copied(
    memtui: Memtui, used: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("PATH", os.devnull)
    result = memtui("compact", "--force")
    assert "\x1b]52;c;Q01FTS0yMDI2MDEwMi0xMjAwMDA=\a" in result.out
    assert result.out.endswith(f"Sent {ID} to the terminal (it cannot confirm)\n")
