"""`memtui init` and `memtui uninstall`: shown, asked, done, and undone without a trace."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memtui.ground.project import Project, claude_config, memtui_home
from memtui.plugin.installing import EVENTS, FOLDER
from memtui.store.archive_settings import archive_settings
from tests.cli.conftest import Memtui, Says

CLAUDE = """#!{python} -I
import json, os, sys
from pathlib import Path
words = sys.argv[1:]
home = Path(os.environ["CLAUDE_CONFIG_DIR"])
with (home / "said").open("a") as file:
    file.write(" ".join(words) + "\\n")
if (home / "broken").exists():
    sys.exit("\\x1b[31mno network")
(home / "plugins").mkdir(exist_ok=True)
known, installed = home / "plugins" / "known_marketplaces.json", home / "plugins" / "installed_plugins.json"
def change(path, default, act):
    value = json.loads(path.read_text()) if path.exists() else default
    act(value)
    path.write_text(json.dumps(value))
settings = Path(".claude/settings.local.json") if "local" in words else home / "settings.json"
settings.parent.mkdir(exist_ok=True)
record = {{"scope": words[-1]}} | ({{"projectPath": os.getcwd()}} if "local" in words else {{}})
if words[1:3] == ["marketplace", "add"]:
    change(known, {{}}, lambda value: value.update(memtui={{"installLocation": words[3]}}))
elif words[1:3] == ["marketplace", "remove"]:
    change(known, {{}}, lambda value: value.pop("memtui"))
elif words[1] == "install":
    change(installed, {{"plugins": {{}}}}, lambda value: value["plugins"].update({{words[2]: [record]}}))
    change(settings, {{}}, lambda value: value.setdefault("enabledPlugins", {{}}).update({{words[2]: True}}))
elif words[1] == "uninstall":
    change(installed, {{"plugins": {{}}}}, lambda value: value["plugins"].pop(words[2]))
    change(settings, {{}}, lambda value: value["enabledPlugins"].pop(words[2]))
"""
ADD = f"plugin marketplace add {FOLDER}"


@pytest.fixture
def claude(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Claude Code on the PATH; returns its configuration folder."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLAUDE.format(python=sys.executable))
    program.chmod(0o755)
    folder = tmp_path / "claude"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return folder


def _said(claude: Path) -> list[str]:
    return (claude / "said").read_text().splitlines() if (claude / "said").exists() else []


@pytest.mark.parametrize(("option", "scope"), [((), "user"), (("--project",), "local")])
def test_installed_once_and_taken_away(
    memtui: Memtui, project: Project, claude: Path, option: tuple[str, ...], scope: str
) -> None:
    result = memtui("init", "--yes", *option)
    assert (result.code, result.err) == (0, "")
    assert _said(claude) == [ADD, f"plugin install memtui@memtui --scope {scope}"]
    assert result.out.startswith(f"  claude {ADD}\n  claude plugin install memtui@memtui --scope {scope}\n")
    base = claude if scope == "user" else project.root / ".claude"
    assert {path.name for path in (base / "commands").rglob("*.md")} == {"review-compact.md", "compact.md"}
    assert memtui("init", "--yes", *option).out == "Nothing to do: memtui is installed.\n"
    assert 'Claude Code leaves an empty "enabledPlugins" in ' in memtui("uninstall", "--yes").out
    assert _said(claude)[2:] == [
        f"plugin uninstall memtui@memtui --scope {scope}",
        "plugin marketplace remove memtui",
    ]
    assert not (base / "commands").exists()
    assert not (memtui_home().data / "program").exists()
    assert memtui("uninstall", "--yes").out == "Nothing to do: memtui is not installed.\n"


def test_nothing_is_done_unasked(memtui: Memtui, claude: Path, says: Says) -> None:
    result = memtui("init")
    asks = "memtui: Nothing was changed, as only --yes answers without a terminal: Do this?\n"
    assert (result.code, result.err) == (1, asks)
    says("n")
    assert memtui("init").out.endswith("Nothing was changed.\n")
    assert _said(claude) == [] and not (claude / "commands").exists()
    says("y", "n")
    assert memtui("init").code == 0 and len(_said(claude)) == 2
    assert archive_settings(memtui_home()).keep is False
    says()  # it is asked once
    assert memtui("init").code == 0


def test_without_claude_the_lines_to_type_are_printed(
    memtui: Memtui, claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (claude / "settings.json").write_text('{"enabledPlugins": {}}')
    result = memtui("init", "--yes")
    assert result.code == 1 and "leaves an empty" not in result.out
    assert result.err.startswith("memtui: claude is not on the PATH: type the /plugin lines above, or ")
    lines = f"/{ADD}", "/plugin install memtui@memtui"
    assert "prompt.\n  {}\n  {}\n".format(*lines) in result.out and result.out.count("/plugin install") == 1
    assert "prompt: {}, then {}\n".format(*lines) in memtui("doctor").out
    assert (claude / "commands" / "review-compact.md").exists()


def test_what_claude_refuses_is_one_sentence(memtui: Memtui, claude: Path) -> None:
    (claude / "broken").touch()
    result = memtui("init", "--yes")
    assert result.code == 1
    assert result.err.endswith("bin/claude plugin marketplace add " + f"{FOLDER}: ␛[31mno network.\n")
    assert not (claude / "commands").exists()


def test_a_plugin_that_is_read_from_a_folder_that_is_gone_is_found_again(
    memtui: Memtui, claude: Path
) -> None:
    memtui("init", "--yes")
    (claude / "plugins" / "known_marketplaces.json").write_text('{"memtui": {"installLocation": "/gone"}}')
    memtui("init", "--yes")
    assert _said(claude)[2:] == [ADD]


def test_commands_of_others_and_edited_ones_stay(memtui: Memtui, claude: Path) -> None:
    mine = claude / "commands" / "review-compact.md"
    mine.parent.mkdir()
    mine.write_text("mine")
    assert f"Note: {mine} is not memtui's, or was edited; it stays as it is." in memtui("init", "--yes").out
    other = claude / "commands" / "memory" / "compact.md"
    other.write_text(other.read_text().replace("# Memory", "# My memory"))
    assert f"Note: {other} was edited; it stays." in memtui("uninstall", "--yes").out
    assert mine.read_text() == "mine" and other.exists()


def test_printed_for_use_without_plugins(memtui: Memtui, project: Project) -> None:
    block = json.loads(memtui("init", "--print").out)
    assert set(block["hooks"]) == set(EVENTS)
    (group,) = block["hooks"]["PreCompact"]
    assert group == {"matcher": "", "hooks": [{"type": "command", "command": "memtui-hook pre-compact"}]}


SETTINGS = """\
{
    "model": "opus",
    "hooks": {
        "PreCompact": [
            {"matcher": "", "hooks": [{"type": "command", "command": "bash scripts/precompact-context.sh"}]},
            {"matcher": "auto", "hooks": [
                {"type": "command", "command": ".claude/hooks/precompact-capture.sh"},
                {"type": "command", "command": "say é"}]}
        ],
        "SessionStart": [{"hooks": [{"type": "command", "command": "node scripts/clear-active-command.js"}]}]
    }
}"""


def test_replaced_entries_come_back_byte_for_byte(memtui: Memtui, project: Project, claude: Path) -> None:
    path = project.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    shown = memtui("init", "--yes").out
    assert shown.count("the plugin leaves that to it.") == 3 and path.read_text() == SETTINGS
    assert f"  change {path}\n" in memtui("init", "--yes", "--replace").out
    left = {"matcher": "auto", "hooks": [{"type": "command", "command": "say é"}]}
    assert json.loads(path.read_text()) == {"model": "opus", "hooks": {"PreCompact": [left]}}
    assert path.read_text().startswith('{\n    "model": "opus",\n    "hooks"') and "é" in path.read_text()
    assert f"  change {path}\n" in memtui("uninstall", "--yes").out
    assert path.read_text() == SETTINGS


def test_settings_that_were_changed_since_are_not_put_back(
    memtui: Memtui, project: Project, claude: Path
) -> None:
    path = project.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    kept = memtui("init", "--yes", "--replace").out.split("as it was before is in ")[1].split(".json")[0]
    path.write_text(path.read_text().replace("opus", "sonnet"))
    memtui("uninstall", "--yes")
    assert "sonnet" in path.read_text() and "precompact" not in path.read_text()
    assert json.loads(Path(f"{kept}.json").read_text())["before"] == SETTINGS


def test_entries_of_an_earlier_memtui_go_with_the_rest(
    memtui: Memtui, project: Project, claude: Path
) -> None:
    path = project.root / ".claude" / "settings.local.json"
    path.parent.mkdir()
    command = "/opt/python3 -I -m memtui.hooks pre-compact"
    hooks = {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}
    path.write_text(json.dumps({"hooks": hooks, "model": "opus"}))
    memtui("uninstall", "--yes")
    assert json.loads(path.read_text()) == {"model": "opus"}
    assert claude_config() == claude
