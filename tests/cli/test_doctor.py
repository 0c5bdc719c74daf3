"""`memtui doctor`: one line a check, with what to do, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui import __version__
from memtui.ground.project import Project, claude_config, memtui_home
from memtui.hooks.records import Run, record
from memtui.plugin import doctor
from memtui.plugin.doctor import Said
from memtui.plugin.installing import settings_block
from tests.app.widgets.records import said, text, user, write
from tests.cli.conftest import Memtui
from tests.faults import read_only

Settings = Callable[[dict[str, object]], None]
check_server = doctor._check_server


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_check_server", lambda env, record: Said("ok", "answers"))


@pytest.fixture
def settings(project: Project) -> Settings:
    def put(content: dict[str, object]) -> None:
        path = project.root / ".claude" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))

    return put


@pytest.fixture
def plugin(project: Project) -> Path:
    """The plugin, installed and enabled."""
    folder = claude_config()
    (folder / "plugins").mkdir(parents=True)
    installed = {"version": 2, "plugins": {"memtui@memtui": [{"scope": "user", "version": "0.0.9"}]}}
    (folder / "plugins" / "installed_plugins.json").write_text(json.dumps(installed))
    (folder / "settings.json").write_text(json.dumps({"enabledPlugins": {"memtui@memtui": True}}))
    return folder


def _found(memtui: Memtui) -> dict[str, tuple[str, str]]:
    return {
        each["check"]: (each["level"], each["message"]) for each in json.loads(memtui("doctor", "--json").out)
    }


def _ran(project: Project, session: str, detail: str = "", outcome: str = "ok", ms: int = 20) -> None:
    at = "2026-01-02T10:00:00+00:00"
    record(memtui_home().hook_log, Run(at, "session-start", ms, outcome, detail, session, str(project.root)))


def test_each_finding_says_what_to_do(memtui: Memtui, project: Project) -> None:
    result = memtui("doctor")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("warning  installed: memtui is not installed into Claude Code: ")
    assert "\n         Run `memtui init`.\n" in result.out


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "settings.json is not valid JSON"), ('{"disableAllHooks": true}', "turns all hooks off")],
)
def test_something_broken_ends_with_1(memtui: Memtui, project: Project, content: str, words: str) -> None:
    (project.root / ".claude").mkdir()
    (project.root / ".claude" / "settings.json").write_text(content)
    result = memtui("doctor")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("broken   installed: ") and words in result.out


def test_the_server_is_started_where_init_recorded_it(tmp_path: Path) -> None:
    answer = json.dumps({"result": {"serverInfo": {"version": __version__}}})
    (tmp_path / "memtui").write_text(f"#!/bin/sh\necho '{answer}'\n")
    (tmp_path / "memtui").chmod(0o700)
    record = tmp_path / "program"
    record.write_text(f"{tmp_path}\n")
    record.chmod(0o600)
    said = check_server({"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, record)
    assert said == Said("ok", "The MCP server answers")


def test_the_plugin_enabled_and_turned_off_here(memtui: Memtui, plugin: Path, settings: Settings) -> None:
    assert _found(memtui)["installed"] == ("ok", "The plugin is installed and enabled (user)")
    settings({"enabledPlugins": {"memtui@memtui": False}})
    assert _found(memtui)["installed"] == ("warning", "The plugin is installed, but not enabled")


def test_an_entry_that_the_plugin_leaves_its_job_to_is_named(
    memtui: Memtui, plugin: Path, settings: Settings
) -> None:
    command = "\x1b]0;x\x07bash scripts/precompact-context.sh"
    settings({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}})
    level, message = _found(memtui)["entries"]
    assert level == "note" and "the plugin leaves the rules to it" in message
    assert "\x1b" not in memtui("doctor").out


def test_entries_of_the_settings_alone_are_an_installation(memtui: Memtui, settings: Settings) -> None:
    settings(settings_block())
    found = _found(memtui)
    assert found["installed"] == ("ok", "The hooks are in Claude Code's settings") and "entries" not in found


def test_a_program_that_the_launcher_cannot_find_is_broken(
    memtui: Memtui, plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _found(memtui)["program"][0] == "broken"
    assert memtui("doctor").code == 1
    memtui("init", "--yes")
    assert _found(memtui)["program"][0] == "ok"


def test_hooks_are_judged_by_the_newest_session(memtui: Memtui, transcripts: Path) -> None:
    project = Project(Path.cwd())
    assert "hooks" not in _found(memtui)
    (project.root / ".claude").mkdir()
    (project.root / ".claude" / "settings.json").write_text(json.dumps(settings_block()))
    assert _found(memtui)["hooks"][0] == "note"
    write(transcripts / "5e55-1a.jsonl", user("Fix it", cwd=str(project.root)), said(text("Done")))
    _ran(project, "5e55-0f")
    assert _found(memtui)["hooks"] == ("warning", "No hook ran in the newest session, 5e55-1a")
    _ran(project, "5e55-1a")
    assert _found(memtui)["hooks"][0] == "ok"
    _ran(project, "5e55-1a", detail="the plugin is of version 0.0.9")
    level, message = _found(memtui)["hooks"]
    assert level == "warning" and "0.0.9" in message and __version__ in message
    _ran(project, "5e55-1a", ms=2_000)
    assert _found(memtui)["hooks"] == ("warning", "The last session-start took 2000 ms")
    _ran(project, "5e55-1a", outcome="disk full")
    assert _found(memtui)["hooks"] == ("warning", "The last session-start: disk full")


@pytest.mark.parametrize("which", ["project", "home"])
def test_a_place_that_cannot_be_written_is_broken(memtui: Memtui, project: Project, which: str) -> None:
    assert _found(memtui)["writable"][0] == "ok"
    folder = project.root if which == "project" else Path.home()
    with read_only(folder):
        result = memtui("doctor")
    assert (result.code, result.err) == (1, "")
    assert f"broken   writable: {folder}" in result.out
    assert "cannot be written: the disk is read-only\n         What compactions leave out is" in result.out


def test_settings_that_the_app_cannot_use_are_named(memtui: Memtui) -> None:
    config = memtui_home().config / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[keys]\nlots = "x"\n')
    level, said = _found(memtui)["settings"]
    assert level == "warning" and said == f"{config}: [keys] 'lots' is not a command; did you mean lost?"
    config.write_text('[keys]\nlots = "x"\nlost = "l l"\n[app]\ntheme = "nrod"\n')
    out = memtui("doctor").out
    assert "did you mean lost?" in out and "'l l' is not a key" in out and "did you mean nord?" in out
    config.write_text('[keys]\nlost = "x"\n')
    assert _found(memtui)["settings"][0] == "ok"


def test_a_broken_configuration_is_told_once(memtui: Memtui) -> None:
    config = memtui_home().config / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("theme = [\n")
    result = memtui("doctor")
    assert result.code == 1 and result.out.count("config.toml") == 1
    assert f"broken   settings: {config} is not valid TOML: " in result.out


def test_what_is_not_installed_is_told_once(memtui: Memtui, project: Project) -> None:
    out = memtui("doctor").out
    assert (out.count("install"), out.count("hook")) == (2, 0)  # the check's name and its message


def test_a_program_gets_a_list(memtui: Memtui, project: Project) -> None:
    found = json.loads(memtui("doctor", "--json").out)
    assert all(list(finding) == ["check", "level", "message", "advice"] for finding in found)
