"""The doctor's findings; it changes nothing."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.ground.project import Places
from memtui.hooks.log import Run, record
from memtui.setup import command_probe, hooks_check, mcp_check
from memtui.setup import doctor as doctor_module
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.command_probe import BARE_PATH, probe
from memtui.setup.commands_check import check_active
from memtui.setup.doctor import diagnose
from memtui.setup.findings import Level
from memtui.setup.hook_settings import EVENTS, PURPOSES, own_command
from memtui.setup.hooks_check import has_all_hooks, read_all_settings
from memtui.store.commands_file import CommandsFile
from tests.setup.conftest import NOW, Probes, clock
from tests.setup.conftest import Run as Runner
from tests.setup.doctoring import diagnosed, write_capture, write_settings, write_transcript


def _hooks(command: str, *events: str, matcher: str = "") -> dict[str, object]:
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
    return {"hooks": {event: [group] for event in events}}


def test_before_anything_is_installed(places: Places, probes: Probes) -> None:
    findings = list(diagnose(places, clock, {"PATH": "/bin"}, "linux"))
    assert {(finding.check, finding.level) for finding in findings} == {
        ("settings", Level.OK), ("hooks", Level.WARNING), ("runs", Level.NOTE), ("folders", Level.OK),
        ("compactions", Level.OK), ("pending", Level.OK), ("clipboard", Level.NOTE), ("watching", Level.OK),
        ("mcp", Level.NOTE), ("receipts", Level.OK),
    }  # fmt: skip
    assert next(finding for finding in findings if finding.check == "hooks").advice == "Run `memtui init`."
    assert not has_all_hooks(places) and probes == []
    assert not places.home.state.exists()


@pytest.mark.parametrize("scope", tuple(Scope))
def test_after_init(places: Places, init: Runner, probes: Probes, scope: Scope) -> None:
    init(scope, sys.executable)
    assert has_all_hooks(places)
    assert diagnosed(places, "hooks") == [
        (
            Level.OK,
            f"{', '.join(EVENTS)}: memtui runs once ({scope} settings)",
        )
    ]
    assert diagnosed(places, "commands") == [
        (Level.OK, f"{', '.join(EVENTS.values())}: the commands of the {scope} settings run")
    ]
    assert {path for _, path in probes} == {BARE_PATH}


def test_two_scopes_start_it_twice(places: Places, init: Runner, probes: Probes) -> None:
    init(Scope.PROJECT)
    init(Scope.SHARED)
    found = diagnosed(places, "hooks")
    assert [level for level, _ in found] == [Level.WARNING] * len(EVENTS)
    assert found[0][1].startswith("PreCompact starts memtui 2 times: ")


def test_the_same_command_in_two_scopes_runs_once(places: Places, init: Runner, probes: Probes) -> None:
    init(Scope.PROJECT)
    init(Scope.USER)
    assert [level for level, _ in diagnosed(places, "hooks")] == [Level.OK]


def test_a_missing_hook_is_broken(places: Places, probes: Probes) -> None:
    write_settings(places, Scope.USER, _hooks("nice memtui-hook pre-compact", "PreCompact", matcher="manual"))
    assert [level for level, _ in diagnosed(places, "hooks")] == [
        Level.OK, Level.NOTE, Level.BROKEN, Level.BROKEN, Level.BROKEN, Level.BROKEN
    ]  # fmt: skip
    (finding,) = diagnosed(places, "commands")
    assert finding[0] is Level.NOTE and finding[1].endswith("by a custom command, which was not tried")
    assert probes == []


@pytest.mark.parametrize("text", ["{,}", "[]", "\ufeff//"])
def test_settings_that_cannot_be_read_are_broken(places: Places, probes: Probes, text: str) -> None:
    path = write_settings(places, Scope.SHARED, text)
    ((level, message),) = diagnosed(places, "settings")
    assert level is Level.BROKEN and message.startswith(f"{path} is not ")


def test_the_time_limit_of_an_older_version_is_mentioned(
    places: Places, init: Runner, probes: Probes
) -> None:
    init()
    path = settings_file(places, Scope.PROJECT).path
    path.write_text(path.read_text().replace('"timeout": 60', '"timeout": 10'))
    said = [message for level, message in diagnosed(places, "hooks") if level is Level.NOTE]
    assert said == ["PreCompact has the time limit of an older memtui: 10 seconds"]
    init()
    assert all(level is Level.OK for level, _ in diagnosed(places, "hooks"))


def test_settings_behind_a_link_are_not_followed(places: Places, probes: Probes, tmp_path: Path) -> None:
    (tmp_path / "theirs.json").write_text("{}")
    (places.project.root / ".claude").mkdir()
    path = places.project.root / ".claude" / "settings.local.json"
    path.symlink_to(tmp_path / "theirs.json")
    ((level, message),) = diagnosed(places, "settings")
    assert level is Level.WARNING and message.startswith(f"{path} leads out of the project")


def test_hooks_that_are_turned_off_are_broken(places: Places, probes: Probes) -> None:
    path = write_settings(places, Scope.USER, {"disableAllHooks": True})
    assert diagnosed(places, "settings") == [(Level.BROKEN, f"{path} turns all hooks off")]
    write_settings(places, Scope.USER, {"disableAllHooks": False})
    assert diagnosed(places, "settings") == [(Level.OK, "The one settings file can be read")]


@pytest.mark.parametrize(
    ("found_on", "why", "level"),
    [
        ("/my/bin", "", Level.NOTE),
        (BARE_PATH, "", Level.OK),
        (BARE_PATH, "ends with 127", Level.BROKEN),
        ("/my/bin", "ends with 127", Level.BROKEN),
    ],
)
def test_the_shared_command_depends_on_the_path(
    places: Places, init: Runner, monkeypatch: pytest.MonkeyPatch, found_on: str, why: str, level: Level
) -> None:
    init(Scope.SHARED)
    monkeypatch.setattr(mcp_check, "_answers", lambda words, path: "")
    monkeypatch.setattr(hooks_check, "is_this_script", lambda name, path: path == found_on)
    monkeypatch.setattr(hooks_check, "probe", lambda command, path: why if path == found_on else "wrong path")
    assert {found for found, _ in diagnosed(places, "commands", PATH="/my/bin")} == {level}


def test_another_interpreter_is_not_started(places: Places, probes: Probes) -> None:
    planted = places.project.root / "tools" / "python3"
    planted.parent.mkdir()
    planted.touch()
    outside = places.project.root.parent / "python3"
    outside.symlink_to(planted)
    for python in (planted, outside):
        write_settings(places, Scope.SHARED, _hooks(own_command(str(python), "pre-compact"), "PreCompact"))
        ((level, message),) = diagnosed(places, "commands")
        assert level is Level.WARNING and "which lies in the project; it was not tried" in message
    write_settings(places, Scope.SHARED, _hooks(own_command("/bin/sh", "pre-compact"), "PreCompact"))
    ((level, message),) = diagnosed(places, "commands")
    assert level is Level.WARNING and message.endswith(f"runs this ({sys.executable}); it was not tried")
    assert probes == []
    write_settings(places, Scope.SHARED, _hooks(own_command(sys.executable, "pre-compact"), "PreCompact"))
    assert [level for level, _ in diagnosed(places, "commands")] == [Level.OK]


def test_a_command_that_is_more_than_ours_is_not_started(places: Places, probes: Probes) -> None:
    command = own_command("/usr/bin/python3", "pre-compact") + "; touch /tmp/planted"
    write_settings(places, Scope.SHARED, _hooks(command, "PreCompact"))
    assert [level for level, _ in diagnosed(places, "commands")] == [Level.NOTE]
    assert probes == []


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo no >&2; exit 3", "ends with 3: no"),
        ("/no/such/python -I -m memtui.hooks pre-compact", "ends with 127: "),
        ("true", "does not start memtui"),
        ("exec sleep 60", "does not end within 0 s"),
        ('mkdir -p "$MEMTUI_HOME/state"; [ "$PATH" = /bin ] && : >"$MEMTUI_HOME/state/hooks.jsonl"', ""),
        ("cat", "does not start memtui"),
    ],
)
def test_a_command_is_tried_as_claude_code_runs_it(
    command: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in command:
        monkeypatch.setattr(command_probe, "_SECONDS", 0.05)
    assert probe(command, "/bin").startswith(why) and (why or not probe(command, "/bin"))


def test_the_last_runs_are_reported(places: Places, probes: Probes) -> None:
    log, root = places.home.hook_log, str(places.project.root)
    hour = timedelta(hours=1)

    def ran(hours: float, event: str, ms: int, outcome: str = "ok", project: str = root) -> None:
        at = (NOW - hours * hour).isoformat()
        record(log, Run(at=at, event=event, ms=ms, outcome=outcome, project=project))

    ran(9, "session-end", 1_200)
    ran(8, "session-start", 30, "the disk is full")
    ran(3, "pre-compact", 900, "the disk is full")
    ran(2, "pre-compact", 41)
    ran(1, "pre-compact", 70, "elsewhere", "/other")
    assert diagnosed(places, "runs") == [
        (Level.OK, "Last PreCompact 2 h ago, 41 ms"),
        (Level.WARNING, "Last SessionStart 8 h ago, 30 ms: the disk is full"),
        (Level.WARNING, "Last SessionEnd 9 h ago, 1200 ms"),
        (Level.NOTE, "2 of the last 4 runs had a problem: the disk is full"),
    ]
    ran(0, "pre-compact", 5, "read-only")
    assert diagnosed(places, "runs")[0] == (Level.BROKEN, "Last PreCompact now, 5 ms: read-only")


def test_a_log_that_cannot_be_read_is_reported(places: Places, probes: Probes) -> None:
    places.home.hook_log.mkdir(parents=True)
    assert [level for level, _ in diagnosed(places, "runs")] == [Level.WARNING]


@pytest.mark.parametrize(
    ("env", "level", "message"),
    [
        ({"WAYLAND_DISPLAY": "w"}, Level.OK, "Copies with wl-copy"),
        (
            {"DISPLAY": ":0"},
            Level.NOTE,
            "Copies are sent to the terminal (OSC 52), which cannot confirm them",
        ),
        ({"DISPLAY": ":0", "TMUX": "x"}, Level.OK, "Copies into the tmux buffer (paste with prefix ])"),
    ],
)
def test_the_clipboards_road_is_reported(
    places: Places, probes: Probes, tmp_path: Path, env: dict[str, str], level: Level, message: str
) -> None:
    tool = tmp_path / "wl-copy"
    tool.touch(0o700)
    assert diagnosed(places, "clipboard", **env, PATH=str(tmp_path)) == [(level, message)]


def test_a_file_system_without_events_is_reported(
    places: Places, probes: Probes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_module, "silent_file_system", lambda folder: "nfs4")
    ((level, message),) = diagnosed(places, "watching")
    assert level is Level.NOTE and "nfs4" in message


def test_looking_changes_nothing(places: Places, init: Runner) -> None:
    init(Scope.PROJECT, sys.executable)
    init(Scope.SHARED)
    write_capture(places, days=1, transcript=write_transcript(places, 2))
    top = places.project.root.parent
    before = {path: path.lstat() for path in [*top.rglob("*"), *places.home.state.parent.rglob("*")]}
    findings = list(diagnose(places, clock))
    after = {path: path.lstat() for path in [*top.rglob("*"), *places.home.state.parent.rglob("*")]}
    assert {path: status.st_mtime_ns for path, status in after.items()} == {
        path: status.st_mtime_ns for path, status in before.items()
    }
    assert all(finding.message for finding in findings)
    commands = [finding for finding in findings if finding.check == "commands"]
    assert commands[0].level is Level.OK and "project settings" in commands[0].message


def test_looking_at_wiring_never_fails(places: Places) -> None:
    for scope in Scope:
        path = settings_file(places, scope).path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir()
    assert [bool(settings.problem) for settings in read_all_settings(places)] == [True] * 3
    assert not has_all_hooks(places)
    assert set(EVENTS) == set(PURPOSES)


def test_active_commands_without_rules_are_reported(places: Places, probes: Probes) -> None:
    assert diagnosed(places, "active") == []
    commands = CommandsFile(places.project)
    for name in ("nosuch", "mine", "bare"):
        commands.activate(name, NOW)
    folder = places.claude / "commands"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("<!-- COMPACT_SUMMARY_START -->x<!-- COMPACT_SUMMARY_END -->")
    (folder / "bare.md").write_text("x")
    found = diagnosed(places, "active")
    assert [level for level, _ in found] == [Level.WARNING, Level.WARNING, Level.OK]
    assert found[0][1] == "/nosuch is active, but there is no command file of that name"
    assert "has no COMPACT_SUMMARY markers" in found[1][1]
    assert found[2][1] == "/mine: the rules outlive a compaction"
    state = places.project.session_state_json
    state.write_text(state.read_text().replace('"nosuch"', '"$(rm x)"'))
    advice = [each.advice for each in check_active(places)]
    assert any("`memtui command clear '$(rm x)'`" in each for each in advice)
    places.project.session_state_json.write_text("{")
    assert [level for level, _ in diagnosed(places, "active")] == [Level.WARNING]


def test_long_rules_are_a_warning(places: Places, probes: Probes) -> None:
    folder = places.project.command_folders[1]
    folder.mkdir(parents=True)
    text = f"<!-- COMPACT_SUMMARY_START -->{'Ask first. ' * 1_000}<!-- COMPACT_SUMMARY_END -->"
    (folder / "babysit.md").write_text(text)
    CommandsFile(places.project).activate("babysit", NOW)
    levels = [level for level, _ in diagnosed(places, "active")]
    assert levels == [Level.WARNING, Level.OK]


def test_slow_checks_are_announced(places: Places, init: Runner, probes: Probes) -> None:
    init()
    shown: list[str] = []
    for finding in diagnose(places, clock, {"PATH": "/bin"}, "linux", waiting=shown.append):
        shown += [finding.check]
    assert shown[shown.index("commands") - 1] == "the commands of the hooks"
    assert shown[shown.index("mcp") - 1].startswith("the MCP server")


def test_the_hook_for_typed_commands_is_tried_with_one() -> None:
    command = own_command(sys.executable, "user-prompt-submit")
    assert probe(command, BARE_PATH) == ""
    off = "cd $MEMTUI_HOME; mkdir config; printf '[hooks]\\ntyped_commands = false' >config/config.toml; "
    assert probe(off + command, BARE_PATH) == "does not register a typed command"
