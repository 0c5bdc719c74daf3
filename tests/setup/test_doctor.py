"""What the doctor finds, and that it harms nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.demo.transcript import TranscriptWriter
from memtui.files import private_folder
from memtui.formats.capture_text import capture_name, render_pending
from memtui.hooks.log import Run, record
from memtui.project import Places, transcript_slug
from memtui.setup import doctor as doctor_module
from memtui.setup import mcp_check, trying, wiring
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.doctor import diagnose
from memtui.setup.findings import Level
from memtui.setup.settings import EVENTS, PURPOSES, own_command
from memtui.setup.trying import BARE_PATH, probe
from memtui.setup.wiring import is_wired, look
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.commands_file import CommandsFile
from tests.setup.conftest import NOW, clock
from tests.setup.conftest import Run as Runner

Probes = list[tuple[str, str]]


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Probes:
    """Commands and servers are not started, and all is well with them; returns what would have been."""
    asked: Probes = []

    def answer(command: str, path: str) -> str:
        asked.append((command, path))
        return ""

    monkeypatch.setattr(wiring, "probe", answer)
    monkeypatch.setattr(mcp_check, "_answers", lambda words, path: "")
    monkeypatch.setattr(wiring, "is_this_script", lambda name, path: True)
    return asked


def _found(places: Places, check: str, **env: str) -> list[tuple[Level, str]]:
    return [
        (finding.level, finding.message)
        for finding in diagnose(places, clock, {"PATH": "/bin", **env}, "linux")
        if finding.check == check
    ]


def _settings(places: Places, scope: Scope, value: object) -> Path:
    path = settings_file(places, scope).path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def _hooks(command: str, *events: str, matcher: str = "") -> dict[str, object]:
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
    return {"hooks": {event: [group] for event in events}}


def _capture(places: Places, *, days: float, transcript: Path, session: str = "a") -> Path:
    moment = NOW - timedelta(days=days)
    private_folder(places.project.compacts, within=places.project.root)
    path = places.project.compacts / capture_name(moment)
    path.write_text(
        render_pending(timestamp=moment, session_id=session, transcript=str(transcript), first_message="x")
    )
    return path


def _transcript(places: Places, compactions: int, *, written_days_ago: float = 0) -> Path:
    folder = places.claude / "projects" / transcript_slug(places.project.root)
    folder.mkdir(parents=True, exist_ok=True)
    writer = TranscriptWriter(
        "a", cwd=str(places.project.root), branch="main", started=NOW - timedelta(days=9)
    )
    writer.prompt("Go")
    for number in range(compactions):
        writer.at(NOW - timedelta(days=8 - number))
        writer.compaction("s")
    path = folder / "a.jsonl"
    path.write_text(writer.take())
    stamp = (NOW - timedelta(days=written_days_ago)).timestamp()
    os.utime(path, (stamp, stamp))
    return path


def test_before_anything_is_installed(places: Places, probes: Probes) -> None:
    findings = list(diagnose(places, clock, {"PATH": "/bin"}, "linux"))
    assert {(finding.check, finding.level) for finding in findings} == {
        ("settings", Level.OK), ("hooks", Level.WARNING), ("runs", Level.NOTE), ("folders", Level.OK),
        ("compactions", Level.OK), ("pending", Level.OK), ("clipboard", Level.NOTE), ("watching", Level.OK),
        ("mcp", Level.NOTE), ("receipts", Level.OK),
    }  # fmt: skip
    assert next(finding for finding in findings if finding.check == "hooks").advice == "Run `memtui init`."
    assert not is_wired(places) and probes == []
    assert not places.home.state.exists()


@pytest.mark.parametrize("scope", tuple(Scope))
def test_after_init(places: Places, init: Runner, probes: Probes, scope: Scope) -> None:
    init(scope, sys.executable)
    assert is_wired(places)
    assert _found(places, "hooks") == [
        (
            Level.OK,
            f"{', '.join(EVENTS)}: memtui runs once ({scope} settings)",
        )
    ]
    assert _found(places, "commands") == [
        (Level.OK, f"{', '.join(EVENTS.values())}: the commands of the {scope} settings run")
    ]
    assert {path for _, path in probes} == {BARE_PATH}


def test_two_scopes_start_it_twice(places: Places, init: Runner, probes: Probes) -> None:
    init(Scope.PROJECT)
    init(Scope.SHARED)
    found = _found(places, "hooks")
    assert [level for level, _ in found] == [Level.WARNING] * len(EVENTS)
    assert found[0][1].startswith("PreCompact starts memtui 2 times: ")


def test_the_same_command_in_two_scopes_runs_once(places: Places, init: Runner, probes: Probes) -> None:
    init(Scope.PROJECT)
    init(Scope.USER)
    assert [level for level, _ in _found(places, "hooks")] == [Level.OK]


def test_a_missing_hook_is_broken(places: Places, probes: Probes) -> None:
    _settings(places, Scope.USER, _hooks("nice memtui-hook pre-compact", "PreCompact", matcher="manual"))
    assert [level for level, _ in _found(places, "hooks")] == [
        Level.OK, Level.NOTE, Level.BROKEN, Level.BROKEN, Level.BROKEN, Level.BROKEN
    ]  # fmt: skip
    (finding,) = _found(places, "commands")
    assert finding[0] is Level.NOTE and finding[1].endswith("by a custom command, which was not tried")
    assert probes == []


@pytest.mark.parametrize("text", ["{,}", "[]", "\ufeff//"])
def test_settings_that_cannot_be_read_are_broken(places: Places, probes: Probes, text: str) -> None:
    path = _settings(places, Scope.SHARED, text)
    ((level, message),) = _found(places, "settings")
    assert level is Level.BROKEN and message.startswith(f"{path} is not ")


def test_the_time_limit_of_an_older_version_is_mentioned(
    places: Places, init: Runner, probes: Probes
) -> None:
    init()
    path = settings_file(places, Scope.PROJECT).path
    path.write_text(path.read_text().replace('"timeout": 60', '"timeout": 10'))
    said = [message for level, message in _found(places, "hooks") if level is Level.NOTE]
    assert said == ["PreCompact has the time limit of an older memtui: 10 seconds"]
    init()
    assert all(level is Level.OK for level, _ in _found(places, "hooks"))


def test_settings_behind_a_link_are_not_followed(places: Places, probes: Probes, tmp_path: Path) -> None:
    (tmp_path / "theirs.json").write_text("{}")
    (places.project.root / ".claude").mkdir()
    path = places.project.root / ".claude" / "settings.local.json"
    path.symlink_to(tmp_path / "theirs.json")
    ((level, message),) = _found(places, "settings")
    assert level is Level.WARNING and message.startswith(f"{path} leads out of the project")


def test_hooks_that_are_turned_off_are_broken(places: Places, probes: Probes) -> None:
    path = _settings(places, Scope.USER, {"disableAllHooks": True})
    assert _found(places, "settings") == [(Level.BROKEN, f"{path} turns all hooks off")]
    _settings(places, Scope.USER, {"disableAllHooks": False})
    assert _found(places, "settings") == [(Level.OK, "The one settings file can be read")]


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
    monkeypatch.setattr(wiring, "is_this_script", lambda name, path: path == found_on)
    monkeypatch.setattr(wiring, "probe", lambda command, path: why if path == found_on else "wrong path")
    assert {found for found, _ in _found(places, "commands", PATH="/my/bin")} == {level}


def test_another_interpreter_is_not_started(places: Places, probes: Probes) -> None:
    planted = places.project.root / "tools" / "python3"
    planted.parent.mkdir()
    planted.touch()
    outside = places.project.root.parent / "python3"
    outside.symlink_to(planted)
    for python in (planted, outside):
        _settings(places, Scope.SHARED, _hooks(own_command(str(python), "pre-compact"), "PreCompact"))
        ((level, message),) = _found(places, "commands")
        assert level is Level.WARNING and "which lies in the project; it was not tried" in message
    _settings(places, Scope.SHARED, _hooks(own_command("/bin/sh", "pre-compact"), "PreCompact"))
    ((level, message),) = _found(places, "commands")
    assert level is Level.WARNING and message.endswith(f"runs this ({sys.executable}); it was not tried")
    assert probes == []
    _settings(places, Scope.SHARED, _hooks(own_command(sys.executable, "pre-compact"), "PreCompact"))
    assert [level for level, _ in _found(places, "commands")] == [Level.OK]


def test_a_command_that_is_more_than_ours_is_not_started(places: Places, probes: Probes) -> None:
    command = own_command("/usr/bin/python3", "pre-compact") + "; touch /tmp/planted"
    _settings(places, Scope.SHARED, _hooks(command, "PreCompact"))
    assert [level for level, _ in _found(places, "commands")] == [Level.NOTE]
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
        monkeypatch.setattr(trying, "_SECONDS", 0.05)
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
    assert _found(places, "runs") == [
        (Level.OK, "Last PreCompact 2 h ago, 41 ms"),
        (Level.WARNING, "Last SessionStart 8 h ago, 30 ms: the disk is full"),
        (Level.WARNING, "Last SessionEnd 9 h ago, 1200 ms"),
        (Level.NOTE, "2 of the last 4 runs had a problem: the disk is full"),
    ]
    ran(0, "pre-compact", 5, "read-only")
    assert _found(places, "runs")[0] == (Level.BROKEN, "Last PreCompact now, 5 ms: read-only")


def test_a_log_that_cannot_be_read_is_reported(places: Places, probes: Probes) -> None:
    places.home.hook_log.mkdir(parents=True)
    assert [level for level, _ in _found(places, "runs")] == [Level.WARNING]


def test_compactions_against_captures(places: Places, probes: Probes) -> None:
    transcript = _transcript(places, 3)
    _capture(places, days=8, transcript=transcript)
    _capture(places, days=7, transcript=transcript)
    assert _found(places, "compactions") == [(Level.WARNING, "3 auto-compactions, 2 captures")]
    _capture(places, days=6, transcript=transcript)
    assert _found(places, "compactions") == [(Level.OK, "3 auto-compactions, all captured")]


def test_captures_that_wait_too_long_are_reported(places: Places, probes: Probes) -> None:
    transcript = _transcript(places, 0)
    _capture(places, days=6.9, transcript=transcript)
    assert _found(places, "pending") == [(Level.OK, "1 capture pending, none for more than 7 days")]
    _capture(places, days=9, transcript=transcript)
    _capture(places, days=8, transcript=transcript)
    assert _found(places, "pending") == [
        (Level.NOTE, "2 captures pending for more than 7 days, the oldest from 9 d ago")
    ]


@pytest.mark.parametrize(
    ("days", "kept", "said"),
    [(1, None, ""), (22, None, ""), (23.5, None, "in 6 days (after 30 days)"), (29.5, None, "any day now"),
     (40, None, "any day now"), (40, 90, ""), (85.5, 90, "in 4 days (after 90 days)"), (1, 0, "")],
)  # fmt: skip
def test_transcripts_about_to_be_deleted_are_reported(
    places: Places, probes: Probes, days: float, kept: int | None, said: str
) -> None:
    path = _capture(places, days=1, transcript=_transcript(places, 0, written_days_ago=days))
    _settings(places, Scope.USER, {"cleanupPeriodDays": 10})
    if kept is not None:
        _settings(places, Scope.SHARED, {"cleanupPeriodDays": kept})
    else:
        settings_file(places, Scope.USER).path.unlink()
    found = _found(places, "transcripts") if kept != 0 else []
    assert bool(found) == bool(said)
    if said:
        assert found[0][0] is Level.WARNING
        assert said in found[0][1] and path.name in found[0][1]


def test_transcripts_of_which_there_is_a_copy_are_no_reason_to_worry(places: Places, probes: Probes) -> None:
    transcript = _transcript(places, 0, written_days_ago=29)
    _capture(places, days=1, transcript=transcript)
    assert _found(places, "transcripts") != []
    Archive(places.home, clock).keep(transcript, ArchiveSettings())
    assert _found(places, "transcripts") == []
    transcript.unlink()
    assert _found(places, "transcripts") == []


def test_transcripts_that_are_gone_are_reported(places: Places, probes: Probes) -> None:
    _capture(places, days=1, transcript=Path("/etc/passwd"))
    assert _found(places, "transcripts") == [
        (Level.NOTE, "1 pending capture without a transcript that can be read")
    ]


def test_a_broken_capture_is_reported(places: Places, probes: Probes) -> None:
    path = _capture(places, days=1, transcript=_transcript(places, 0))
    path.write_text("nothing")
    ((level, message),) = _found(places, "captures")
    assert level is Level.WARNING and message.startswith(str(path))


def test_folders_that_others_can_look_into_are_reported(places: Places, probes: Probes) -> None:
    _capture(places, days=1, transcript=_transcript(places, 0))
    assert _found(places, "folders") == [(Level.OK, "Captures and memories are closed to others")]
    places.project.compacts.chmod(0o755)
    (places.project.compacts / ".gitignore").unlink()
    subprocess.run(["git", "init", "-q", str(places.project.root)], check=True, timeout=60)
    assert _found(places, "folders") == [
        (Level.WARNING, f"Others can look into {places.project.compacts}"),
        (Level.WARNING, f"git may commit what is in {places.project.compacts}"),
    ]


def test_a_linked_captures_folder_is_broken(places: Places, probes: Probes, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (places.project.root / ".project").symlink_to(tmp_path / "secrets")
    assert [level for level, _ in _found(places, "folders")] == [Level.BROKEN]
    assert [level for level, _ in _found(places, "captures")] == [Level.BROKEN]


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
    assert _found(places, "clipboard", **env, PATH=str(tmp_path)) == [(level, message)]


def test_a_file_system_without_events_is_reported(
    places: Places, probes: Probes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_module, "silent_file_system", lambda folder: "nfs4")
    ((level, message),) = _found(places, "watching")
    assert level is Level.NOTE and "nfs4" in message


def test_looking_changes_nothing(places: Places, init: Runner) -> None:
    init(Scope.PROJECT, sys.executable)
    init(Scope.SHARED)
    _capture(places, days=1, transcript=_transcript(places, 2))
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
    assert [bool(wired.problem) for wired in look(places)] == [True] * 3
    assert not is_wired(places)
    assert set(EVENTS) == set(PURPOSES)


def test_active_commands_without_rules_are_reported(places: Places, probes: Probes) -> None:
    assert _found(places, "active") == []
    commands = CommandsFile(places.project)
    for name in ("nosuch", "mine", "bare"):
        commands.activate(name, NOW)
    folder = places.claude / "commands"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("<!-- COMPACT_SUMMARY_START -->x<!-- COMPACT_SUMMARY_END -->")
    (folder / "bare.md").write_text("x")
    found = _found(places, "active")
    assert [level for level, _ in found] == [Level.WARNING, Level.WARNING, Level.OK]
    assert found[0][1] == "/nosuch is active, but there is no command file of that name"
    assert "has no COMPACT_SUMMARY markers" in found[1][1]
    assert found[2][1] == "/mine: the rules outlive a compaction"
    places.project.session_state_json.write_text("{")
    assert [level for level, _ in _found(places, "active")] == [Level.WARNING]


def test_long_rules_are_a_warning(places: Places, probes: Probes) -> None:
    folder = places.project.command_folders[1]
    folder.mkdir(parents=True)
    text = f"<!-- COMPACT_SUMMARY_START -->{'Ask first. ' * 1_000}<!-- COMPACT_SUMMARY_END -->"
    (folder / "babysit.md").write_text(text)
    CommandsFile(places.project).activate("babysit", NOW)
    levels = [level for level, _ in _found(places, "active")]
    assert levels == [Level.WARNING, Level.OK]


def test_what_takes_a_moment_is_named_before(places: Places, init: Runner, probes: Probes) -> None:
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
