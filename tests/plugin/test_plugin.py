"""The plugin's folder, and its launcher as Claude Code starts it: never in the way, whatever is missing."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from memtui import __version__
from memtui.documents.recovery import parse_recovery
from memtui.plugin.installing import COMMANDS, EVENTS, FOLDER, is_untouched, slash_command

ROOT = Path(__file__).parents[2]
START = b'{"hook_event_name": "SessionStart", "source": "startup"}'
ECHO = '#!/bin/sh\ncat >/dev/null; echo "$0 $*, plugin $MEMTUI_PLUGIN, parent $PPID"\n'


def _program(folder: Path, text: str = ECHO, name: str = "memtui-hook") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def _launch(
    tmp_path: Path, *words: str, path: str = "", given: bytes = START, shell: str = "/bin/sh"
) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(tmp_path), "PATH": f"{path}:/usr/bin:/bin", "PLUGIN": str(FOLDER)}
    return subprocess.run(
        [shell, FOLDER / "launch", *words], env=env, input=given.decode(), text=True, capture_output=True,
        cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip


def test_the_versions_are_one() -> None:
    manifest = json.loads((FOLDER / ".claude-plugin" / "plugin.json").read_text())
    launcher = re.search(r"^MEMTUI_PLUGIN=(.*)$", (FOLDER / "launch").read_text(), re.MULTILINE)
    assert launcher is not None
    assert manifest["version"] == launcher[1] == __version__


def test_both_marketplaces_name_the_folder() -> None:
    for base in (ROOT, FOLDER):
        (plugin,) = json.loads((base / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
        assert (base / plugin["source"]).resolve() == FOLDER.resolve()


def test_the_hooks_run_the_launcher() -> None:
    hooks = json.loads((FOLDER / "hooks" / "hooks.json").read_text())["hooks"]
    found = {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}
    assert found == {event: f'exec "${{CLAUDE_PLUGIN_ROOT}}/launch" {name}' for event, name in EVENTS.items()}
    assert os.access(FOLDER / "launch", os.X_OK)


def test_the_program_on_the_path_takes_its_place(tmp_path: Path) -> None:
    program = _program(tmp_path / "it's my bin")
    done = _launch(tmp_path, "session-start", path=str(program.parent))
    expected = f"{program} session-start, plugin {__version__}, parent {os.getpid()}\n"
    assert (done.returncode, done.stdout) == (0, expected)


def test_a_relative_folder_on_the_path_is_passed_over(tmp_path: Path) -> None:
    _program(tmp_path)
    done = _launch(tmp_path, "pre-compact", path=".")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("mode", "believed"), [(0o600, True), (0o620, False), (0o602, False)])
def test_the_recorded_program_is_the_second_choice(tmp_path: Path, mode: int, believed: bool) -> None:
    program = _program(tmp_path / "my tools")
    record = tmp_path / ".local" / "share" / "memtui" / "program"
    record.parent.mkdir(parents=True)
    record.write_text(f"{program.parent}\n")
    record.chmod(mode)
    done = _launch(tmp_path, "pre-compact")
    assert done.returncode == 0 and bool(done.stdout) == believed


def test_a_link_is_not_believed_as_a_record(tmp_path: Path) -> None:
    program = _program(tmp_path / "tools")
    record = tmp_path / ".local" / "share" / "memtui" / "program"
    record.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text(f"{program.parent}\n")
    record.symlink_to(tmp_path / "elsewhere")
    assert _launch(tmp_path, "pre-compact").stdout == ""


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_without_a_program_it_says_so_once_a_session(tmp_path: Path, source: str) -> None:
    given = json.dumps({"source": source, "prompt": "a" * 100_000}).encode()
    done = _launch(tmp_path, "session-start", given=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (source in ("startup", "resume"))
    if done.stdout:
        assert "pipx install memtui" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_a_program_whose_interpreter_is_gone_does_no_harm(tmp_path: Path, shell: str) -> None:
    program = _program(tmp_path / "bin", "#!/gone/python3\n")
    done = _launch(tmp_path, "pre-compact", path=str(program.parent), shell=shell)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_server_without_a_program_says_why(tmp_path: Path) -> None:
    done = _launch(tmp_path, "mcp")
    assert done.returncode == 1 and "pipx install memtui" in done.stderr
    program = _program(tmp_path / "bin", name="memtui")
    assert _launch(tmp_path, "mcp", path=str(program.parent)).stdout.startswith(f"{program} mcp, ")


@pytest.mark.parametrize(
    "name", [str(path.relative_to(FOLDER / "commands")) for path in (FOLDER / "commands").rglob("*.md")]
)
def test_a_command_can_be_used_by_claude_code(name: str) -> None:
    _, head, body = (FOLDER / "commands" / name).read_text().split("---\n", 2)
    fields = yaml.safe_load(head)
    assert "name" not in fields  # compact.md would take the place of /compact (Claude Code fact)
    assert isinstance(fields["argument-hint"], str) and "Bash(memtui " in fields["allowed-tools"]
    assert body.count("$ARGUMENTS") == body.count("$") == 1
    # Both would have Claude Code run or read something before anybody has read the text.
    assert "!`" not in body and "@" not in body


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_commands_start_this_memtui_and_are_known_again(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    made = slash_command(name)
    own = (FOLDER / "commands" / name).read_bytes()
    starts = re.findall(rb"(?:Bash\(|`|\n)memtui [a-z]+", own)
    assert starts and made.count(b" -P -m memtui ") == len(starts)
    assert not re.search(rb"(?:Bash\(|`|\n)memtui [a-z]+", made)
    assert is_untouched(made) and is_untouched(made.replace(b"\n", b"\r\n"))
    assert not is_untouched(made.replace(b"description: ", b"description: My ", 1))
    assert not is_untouched(own)


def test_the_format_that_the_compact_command_asks_for_is_the_one_that_is_read() -> None:
    text = (FOLDER / "commands" / "memory" / "compact.md").read_text()
    recovery = parse_recovery(text.split("````markdown\n")[1].split("````")[0])
    assert (recovery.preamble, recovery.extra) == ("", ())
    assert [file.role for file in recovery.working_files] == ["main implementation", "unit tests"]
    box = [line for line in text.split("\n") if line[:1] in "╔║╚" and line]
    assert len(box) == 8 and {len(line) for line in box} == {78}
