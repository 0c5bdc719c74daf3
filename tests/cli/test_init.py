"""`memtui init` and `memtui uninstall`: shown, asked, done."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from memtui.cli import init, installing, uninstall
from memtui.ground.project import Project, claude_config, memtui_home
from memtui.setup.hook_settings import EVENTS
from tests.cli.conftest import Memtui


@pytest.fixture
def settings(project: Project) -> Path:
    path = project.root / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text('{"model": "\x85opus"}\r\n', newline="")
    return path


def _answers(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    for module in (init, installing, uninstall):
        monkeypatch.setattr(module, "can_answer", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{word}\n" for word in words)))


def test_yes_installs_and_the_second_time_there_is_nothing_to_do(memtui: Memtui, settings: Path) -> None:
    before = settings.read_bytes()
    result = memtui("init", "--yes", "--diff")
    assert (result.code, result.err) == (0, "")
    assert f"--- {settings}\n+++ {settings}\n" in result.out
    assert result.out.index(f"\nchanged  {settings}  +") < result.out.index("\n+++ ")
    assert json.loads(settings.read_text())["enabledMcpjsonServers"] == ["memtui"]
    assert "memtui is installed for this project. `memtui doctor`" in result.out
    assert "\x85" not in result.out
    backup = result.out.partition("Backup: ")[2].splitlines()[0]
    assert Path(backup).read_bytes() == before and Path(backup).is_relative_to(memtui_home().state)
    assert set(json.loads(settings.read_text())["hooks"]) == set(EVENTS)
    again = memtui("init", "--yes")
    assert (again.code, again.out) == (0, "Nothing to do: memtui is installed for this project.\n")
    assert memtui("uninstall", "--yes").code == 0
    assert settings.read_bytes() == before
    again = memtui("uninstall", "--yes")
    assert (again.code, again.out) == (0, "Nothing to do: memtui is not installed for this project.\n")


@pytest.mark.parametrize("word", ["init", "uninstall"])
def test_a_dry_run_only_shows(memtui: Memtui, settings: Path, word: str) -> None:
    if word == "uninstall":
        memtui("init", "--yes")
    before = settings.read_bytes()
    result = memtui(word, "--dry-run")
    assert (result.code, result.err) == (0, "")
    assert f"changed  {settings}  +" in result.out and "installed for" not in result.out
    assert "+++" not in result.out and f"+++ {settings}\n" in memtui(word, "--dry-run", "--diff").out
    assert settings.read_bytes() == before


@pytest.mark.parametrize("word", ["init", "uninstall"])
def test_without_a_terminal_nothing_changes(memtui: Memtui, settings: Path, word: str) -> None:
    if word == "uninstall":
        memtui("init", "--yes")
    before = settings.read_bytes()
    result = memtui(word)
    assert result.code == 1 and f"changed  {settings}  +" in result.out
    assert result.err == "memtui: nothing was changed; accept the changes with --yes.\n"
    assert settings.read_bytes() == before


def test_the_person_is_asked(memtui: Memtui, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings.read_bytes()
    _answers(monkeypatch, "n")
    assert memtui("init").out.endswith("Nothing was changed.\n")
    assert settings.read_bytes() == before
    _answers(monkeypatch, "d", "y", "y")
    result = memtui("init")
    assert result.code == 0 and f"+++ {settings}\n" in result.out
    assert settings.read_bytes() != before


@pytest.mark.parametrize(("answer", "stays"), [("n", True), ("y", False)])
def test_an_edited_command_is_asked_about(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch, answer: str, stays: bool
) -> None:
    memtui("init", "--yes")
    path = project.root / ".claude" / "commands" / "review-compact.md"
    path.write_text(path.read_text().replace("Review one", "Please review one"))
    _answers(monkeypatch, answer, "y")
    result = memtui("uninstall")
    assert (result.code, path.exists()) == (0, stays)
    assert (f"Note: {path} was edited; it stays.\n" in result.out) == stays


def test_with_yes_an_edited_command_stays(memtui: Memtui, project: Project) -> None:
    memtui("init", "--yes")
    path = project.root / ".claude" / "commands" / "review-compact.md"
    path.write_text(path.read_text().replace("Review one", "Please review one"))
    assert f"Note: {path} was edited; it stays.\n" in memtui("uninstall", "--yes").out
    assert path.exists() and not (project.root / ".claude" / "settings.local.json").exists()


@pytest.mark.parametrize(
    ("scope", "file"), [("project", "settings.local.json"), ("shared", "settings.json"), ("user", "")]
)
def test_each_scope_has_its_file(memtui: Memtui, project: Project, scope: str, file: str) -> None:
    path = project.root / ".claude" / file if file else claude_config() / "settings.json"
    assert memtui("init", f"--{scope}", "--yes").code == 0
    assert "hooks" in json.loads(path.read_text())
    assert (path.parent / "commands" / "review-compact.md").exists()
    assert memtui("uninstall", f"--{scope}", "--yes").code == 0
    assert not path.exists()


def test_two_scopes_at_once_are_a_usage_error(memtui: Memtui, project: Project) -> None:
    result = memtui("init", "--user", "--shared")
    assert (result.code, result.out) == (2, "")
    assert "Name one of --project, --shared and --user." in result.err


@pytest.mark.parametrize("word", ["init", "uninstall"])
def test_settings_that_are_no_json_are_refused_in_one_sentence(
    memtui: Memtui, settings: Path, word: str
) -> None:
    settings.write_text('{"a": 1,}  // mine')
    result = memtui(word, "--yes")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"memtui: {settings} is not edited: it is not valid JSON (line 1).\n"
    assert settings.read_text() == '{"a": 1,}  // mine'


def test_another_project_can_be_named(memtui: Memtui, project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert memtui("init", "--yes", "--root", str(other)).code == 0
    assert (other / ".claude" / "settings.local.json").exists()
    assert not (project.root / ".claude").exists()


def test_without_an_approval_claude_code_asks(memtui: Memtui, project: Project) -> None:
    result = memtui("init", "--yes", "--no-approve")
    assert result.out.endswith("asks once before it starts a server of .mcp.json: say yes to memtui's.\n")
    settings = json.loads((project.root / ".claude" / "settings.local.json").read_text())
    assert "enabledMcpjsonServers" not in settings


def test_leftovers_of_a_killed_run_are_swept(memtui: Memtui, project: Project) -> None:
    memtui("init", "--yes")
    folder = project.root / ".claude" / "commands"
    places = (project.root, folder.parent, folder, folder / "memory", *memtui_home().state.glob("*/"))
    temps = [place / f".memtui-{os.getpid()}-0123456789ab.tmp" for place in places]
    for temp in temps:
        temp.touch()
        os.utime(temp, (0, 0))
    assert memtui("init", "--dry-run").code == 0
    assert all(temp.exists() for temp in temps)
    memtui("init", "--yes")
    assert not [temp for temp in temps if temp.exists() and temp.parent.name != "locks"]
    # Killed between a file and its folder.
    for path in (folder / "memory" / "compact.md", folder / "review-compact.md"):
        path.unlink()
    memtui("uninstall", "--yes")
    assert not folder.parent.exists()


def test_as_json(memtui: Memtui, project: Project) -> None:
    settings = str(project.root / ".claude" / "settings.local.json")
    refused = memtui("init", "--json")
    assert (refused.code, json.loads(refused.out)["done"]) == (1, False)
    planned = memtui("init", "--json", "--dry-run")
    assert (planned.code, planned.err, json.loads(planned.out)["done"]) == (0, "", False)
    assert not (project.root / ".claude").exists()
    done = json.loads(memtui("init", "--json", "--yes").out)
    assert done["done"] and done["scope"] == "project"
    assert {"path": settings, "action": "new"} in done["changes"]
    assert json.loads(memtui("init", "--json").out)["changes"] == []
    gone = json.loads(memtui("uninstall", "--json", "--yes").out)
    assert {"path": settings, "action": "removed"} in gone["changes"]


def test_scripts_that_do_the_same_are_replaced_if_wanted(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = project.root / ".claude" / "settings.json"
    shared.parent.mkdir()
    handler = {"type": "command", "command": "bash scripts/precompact-context.sh"}
    before = json.dumps({"hooks": {"PreCompact": [{"matcher": "", "hooks": [handler]}]}})
    shared.write_text(before)
    said = memtui("init", "--yes").out
    assert (
        "starts precompact-context.sh, which memtui's hooks stand in for.\n" in said and "--replace" in said
    )
    assert shared.read_text() == before
    _answers(monkeypatch, "y", "y", "y")
    assert memtui("init").code == 0
    assert "precompact-context.sh" not in shared.read_text()
    assert memtui("uninstall", "--yes").code == 0
    assert shared.read_text() == before


def test_init_says_where_sessions_are_kept_and_how_much_that_is(
    memtui: Memtui, transcript: Path, tmp_path: Path
) -> None:
    transcript.write_bytes(transcript.read_bytes() * 10_000)
    (tmp_path / "claude" / "settings.json").write_text('{"cleanupPeriodDays": 12}')
    archive = tmp_path / "memtui" / "data" / "archive"
    said = memtui("init", "--dry-run").out
    beyond = f"beyond the 12 days after which Claude Code deletes them, in {archive}"
    size = transcript.stat().st_size
    assert f"Sessions are kept, compressed, {beyond}: this project's 1 session ({size / 1e6:.1f} MB)" in said
    assert f" takes about {round(size / 7e3)} kB." in said
    memtui("archive")
    assert " kB are there.\n" in memtui("init", "--dry-run").out
    assert "[archive] in config.toml may say keep = false" in memtui("init", "--yes").out


@pytest.mark.parametrize("before", ["", '[app]\ntheme = "nord"', "[archive] # mine\nbudget_gb = 1\n[keys]\n"])
def test_a_person_may_say_no_to_the_archive_and_take_that_back(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    config = tmp_path / "memtui" / "config" / "config.toml"
    if before:
        config.parent.mkdir(parents=True)
        config.write_text(before)
    _answers(monkeypatch, "y", "n")
    done = memtui("init")
    assert done.code == 0
    assert f"Sessions are not kept: {config} says so.\n" in done.out
    assert tomllib.loads(config.read_text())["archive"]["keep"] is False
    assert memtui("archive").out.startswith("Nothing is kept")
    memtui("uninstall", "--yes")
    _answers(monkeypatch, "y")  # is not asked again
    assert "Sessions are not kept beyond the 30 days" in memtui("init").out
    changes = json.loads(memtui("log", "--json").out)
    change = next(each for each in changes if each["what"] == "turned the archive off")
    assert memtui("undo", change["id"]).code == 0
    assert (config.read_text() if config.exists() else "") == before


def test_a_person_who_says_yes_keeps_sessions(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answers(monkeypatch, "y", "")
    assert "Keep copies of sessions" in memtui("init").out
    assert not (tmp_path / "memtui" / "config").exists()
    assert "of 1 session." in memtui("archive").out


def test_settings_that_cannot_be_read_do_not_keep_the_hooks_from_being_installed(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "memtui" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[archive\n")
    _answers(monkeypatch, "y")
    done = memtui("init")
    assert done.code == 0
    assert f"Note: no sessions are kept: {config} is not valid TOML" in done.out


def test_a_config_that_would_say_something_else_is_left(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "memtui" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("archive = {budget_gb = 1}\n")
    _answers(monkeypatch, "y", "n")
    done = memtui("init")
    assert done.code == 1 and "write keep = false below [archive] yourself" in done.err
    assert config.read_text() == "archive = {budget_gb = 1}\n"
