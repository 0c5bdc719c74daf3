"""Installing and uninstalling: every byte is restored."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.json_text import add_member, root_of, style_of
from memtui.ground.files import FileOutside, FileProblem, FileUnreadable
from memtui.ground.project import Places
from memtui.setup.claude_files import Scope
from memtui.setup.file_change import diff
from memtui.setup.hook_settings import EVENTS, find_hooks
from memtui.setup.install import apply, plan_init, plan_uninstall
from memtui.setup.slash_commands import slash_command
from tests.disk import mode_of, names
from tests.setup.conftest import NOW, PYTHON, Run
from tests.setup.installing import settings_path, tree, wrote
from tests.setup.strategies import FEW, files

SCOPES = tuple(Scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_into_nothing_and_out_again(places: Places, init: Run, uninstall: Run, scope: Scope) -> None:
    top = places.project.root.parent if scope is not Scope.USER else places.claude.parent
    places.home.state.mkdir(parents=True)
    before = {name for name in tree(top) if "memtui" not in name}
    plan = init(scope)
    commands = ["review-compact.md", "pin.md", "rescue.md", "compact.md"]
    settings_name = "settings.local.json" if scope is Scope.PROJECT else "settings.json"
    server = [] if scope is Scope.USER else [".mcp.json"]
    assert [change.target.path.name for change in plan.changes] == [*commands, settings_name, *server]
    hooks = find_hooks(settings_path(places, scope).read_text())
    assert [(hook.event, hook.runs, hook.ours) for hook in hooks] == [
        (event, name, True) for event, name in EVENTS.items()
    ]
    assert init(scope).changes == ()
    uninstall(scope)
    assert {name for name in tree(top) if "memtui" not in name} == before
    assert uninstall(scope).changes == ()
    assert names(places.home.state / "installed") == [".gitignore"]


def test_the_commands_of_each_scope(places: Places, init: Run) -> None:
    for scope in SCOPES:
        init(scope)
    commands = {
        scope: {hook.command for hook in find_hooks(settings_path(places, scope).read_text())}
        for scope in SCOPES
    }
    own = {f"'/opt/my tools/python3' -I -m memtui.hooks {name}" for name in EVENTS.values()}
    assert commands[Scope.PROJECT] == commands[Scope.USER] == own
    assert commands[Scope.SHARED] == {
        f"if command -v memtui-hook >/dev/null 2>&1; then exec memtui-hook {name}; fi"
        for name in EVENTS.values()
    }


@pytest.mark.parametrize("name", EVENTS.values())
def test_a_teammate_without_memtui_is_not_disturbed(places: Places, init: Run, name: str) -> None:
    init(Scope.SHARED)
    hooks = find_hooks(settings_path(places, Scope.SHARED).read_text())
    command = next(hook.command for hook in hooks if hook.runs == name)
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={"PATH": "/nonexistent"}, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_teams_hook_is_a_child_of_claude_code_itself(places: Places, init: Run, tmp_path: Path) -> None:
    init(Scope.SHARED)
    tool = wrote(tmp_path / "bin/memtui-hook", "#!/bin/sh\necho $PPID\n")
    tool.chmod(0o700)
    for hook in find_hooks(settings_path(places, Scope.SHARED).read_text()):
        result = subprocess.run(
            ["/bin/sh", "-c", hook.command],
            env={"PATH": str(tool.parent)},
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert int(result.stdout) == os.getpid()


def test_settings_come_back_byte_for_byte(places: Places) -> None:
    (places.project.root / ".git").rmdir()  # or git is asked each time
    path = wrote(settings_path(places), "")
    seconds = count()

    def ticking() -> datetime:
        return NOW + timedelta(seconds=next(seconds))

    # Tried with files; the texts alone are tried more often in test_settings.py.
    @FEW
    @given(files, st.sampled_from(["nothing", "theirs", "no record"]))
    def check(text: str, meanwhile: str) -> None:
        path.write_bytes(text.encode())
        for _ in range(2):
            apply(plan_init(places, Scope.PROJECT, python=PYTHON, which="x"), places, ticking)
        installed = path.read_bytes().decode()
        assert len(find_hooks(installed)) == len(EVENTS)
        if meanwhile == "theirs":
            theirs = add_member(installed, root_of(installed), "theirs", {"a": []}, style_of(installed))
            path.write_bytes(theirs.encode())
        if meanwhile == "no record":
            for record in (places.home.state / "installed").glob("*.json"):
                record.unlink()
        apply(plan_uninstall(places, Scope.PROJECT), places, ticking)
        after = path.read_bytes().decode()
        assert find_hooks(after) == []
        if meanwhile == "nothing":
            assert after == text
        if meanwhile == "theirs":
            mixed = {**json.loads(text.removeprefix("\ufeff")), "theirs": {"a": []}}
            assert json.loads(after.removeprefix("\ufeff")) == mixed

    check()


@pytest.mark.parametrize("scope", SCOPES)
def test_a_link_stays_a_link(places: Places, init: Run, uninstall: Run, scope: Scope) -> None:
    base = places.project.root if scope is not Scope.USER else places.claude.parent
    real = wrote(base / "dotfiles" / "real.json", '{"model":"opus"}')
    middle = base / "dotfiles" / "middle.json"
    middle.symlink_to(real)
    path = settings_path(places, scope)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(middle, path.parent))
    init(scope)
    assert path.is_symlink() and middle.is_symlink()
    assert json.loads(real.read_text())["hooks"].keys() == EVENTS.keys()
    uninstall(scope)
    assert real.read_text() == '{"model":"opus"}'
    assert path.is_symlink() and not any(name.startswith(".memtui") for name in names(real.parent))


@pytest.mark.parametrize("scope", [Scope.PROJECT, Scope.SHARED])
@pytest.mark.parametrize("what", ["file", "folder", "dangling", "circle"])
def test_a_link_out_of_the_project_is_refused(
    places: Places, scope: Scope, what: str, tmp_path: Path
) -> None:
    outside = wrote(tmp_path / "outside" / "settings.json", "{}")
    (outside.parent / settings_path(places, scope).name).write_text("{}")
    path = settings_path(places, scope)
    if what == "folder":
        path.parent.symlink_to(outside.parent)
    else:
        path.parent.mkdir()
        path.symlink_to({"file": outside, "dangling": tmp_path / "new.json", "circle": path}[what])
    before = tree(tmp_path)
    for plan in (plan_init, plan_uninstall):
        with pytest.raises(FileOutside, match="in a circle" if what == "circle" else "out of the project"):
            plan(places, scope)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "text", ["// c\n{}", '{"a": 1,}', "[]", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "{", "\xff"]
)
def test_invalid_settings_files_are_untouched(places: Places, text: str) -> None:
    path = settings_path(places)
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileUnreadable, match=r"settings\.local\.json is not edited: it (is|has) "):
        plan_init(places, Scope.PROJECT)
    assert path.read_bytes() == text.encode("latin-1")
    assert not (places.project.root / ".claude" / "commands").exists()
    assert not places.home.state.exists()


def test_a_folder_in_the_place_of_the_file_is_refused(places: Places) -> None:
    settings_path(places).mkdir(parents=True)
    with pytest.raises(FileProblem):
        plan_init(places, Scope.PROJECT)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640])
def test_the_mode_is_kept(places: Places, init: Run, uninstall: Run, mode: int) -> None:
    path = wrote(settings_path(places), "{}\n")
    path.chmod(mode)
    init()
    assert mode_of(path) == mode
    uninstall()
    assert mode_of(path) == mode


def test_new_files_have_sensible_modes_under_any_umask(places: Places, init: Run) -> None:
    old = os.umask(0o000)
    try:
        init(Scope.PROJECT)
        init(Scope.SHARED)
        init(Scope.PROJECT, python="/other/python3")
    finally:
        os.umask(old)
    assert mode_of(settings_path(places)) == 0o600
    assert mode_of(settings_path(places, Scope.SHARED)) == 0o644
    for folder in ("installed", "backups"):
        for path in [places.home.state, places.home.state / folder, *(places.home.state / folder).iterdir()]:
            assert mode_of(path) & 0o077 == 0


def test_a_backup_is_kept_outside_the_project(places: Places, init: Run, uninstall: Run) -> None:
    path = wrote(settings_path(places), '{"model": "opus"}\r\n')
    init()
    backup = next(each for each in (places.home.state / "backups").iterdir() if each.suffix == ".json")
    assert backup.name.startswith("20260102_101500-") and backup.name.endswith("-settings.local.json")
    assert backup.read_bytes() == b'{"model": "opus"}\r\n'
    uninstall()
    made = names(places.home.state / "backups")
    assert sum(name.endswith("-settings.local.json") for name in made) == 2
    assert names(path.parent) == ["settings.local.json"]


def test_another_interpreter_updates_the_entry(places: Places, init: Run, uninstall: Run) -> None:
    path = wrote(settings_path(places), '{"a": 1}')
    init(python="/old/python3")
    init(python="/new/python3")
    text = path.read_text()
    assert "/old/" not in text and len(find_hooks(text)) == len(EVENTS)
    uninstall()
    assert path.read_text() == '{"a": 1}'


def test_an_edited_command_stays_unless_told(places: Places, init: Run, uninstall: Run) -> None:
    init()
    path = places.project.root / ".claude" / "commands" / "review-compact.md"
    path.write_text(path.read_text().replace("Review one", "Please review one"))
    assert init().notes == (f"{path} was edited; it stays as it is.",)
    plan = uninstall()
    assert plan.kept == (path,) and path.exists() and not settings_path(places).exists()
    uninstall(edited=[path])
    assert not (places.project.root / ".claude").exists()


def test_somebody_elses_command_of_this_name_stays(places: Places, init: Run, uninstall: Run) -> None:
    path = wrote(places.project.root / ".claude" / "commands" / "review-compact.md", "mine")
    assert init().notes == (f"{path} is not memtui's; it stays as it is.",)
    assert uninstall(edited=[path]).kept == ()
    assert path.read_text() == "mine"


def test_an_older_version_of_the_command_is_updated(places: Places, init: Run, uninstall: Run) -> None:
    path = places.project.root / ".claude" / "commands" / "review-compact.md"
    wrote(path, slash_command("review-compact.md", "old-memtui").decode(), newline="\r\n")
    assert len(init().changes) == 6
    assert path.read_bytes() == slash_command("review-compact.md")
    uninstall()
    assert not path.exists()


def test_folders_that_were_made_go_after_an_update_too(places: Places, init: Run, uninstall: Run) -> None:
    init(python="/old/python3")
    (places.project.root / ".claude" / "commands" / "review-compact.md").write_bytes(
        slash_command("review-compact.md", "old")
    )
    assert len(init().changes) == 3
    uninstall()
    assert not (places.project.root / ".claude").exists()


def test_the_command_names_a_program_that_the_shell_finds(places: Places) -> None:
    for which, expected in (
        ("/bin/memtui", "`memtui captures"),
        ("", "'/opt/my tools/python3' -I -m memtui captures"),
    ):
        plan = plan_init(places, Scope.PROJECT, python=PYTHON, which=which)
        text = (plan.changes[0].after or b"").decode()
        assert expected in text
    shared = plan_init(places, Scope.SHARED, python=PYTHON, which="")
    assert shared.changes[0].after == slash_command("review-compact.md")


def test_git_is_asked_whether_it_ignores_what_is_made(places: Places) -> None:
    root = places.project.root
    subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=60)
    notes = plan_init(places, Scope.PROJECT, python=PYTHON, which="x").notes
    assert [note.split(":")[0] for note in notes] == [
        "git does not ignore .claude/commands/review-compact.md",
        "git does not ignore .claude/commands/pin.md",
        "git does not ignore .claude/commands/rescue.md",
        "git does not ignore .claude/commands/memory/compact.md",
        "git does not ignore .claude/settings.local.json",
        "git does not ignore .mcp.json",
    ]
    (root / ".gitignore").write_text(".claude/\n.mcp.json\n")
    assert plan_init(places, Scope.PROJECT, python=PYTHON, which="x").notes == ()
    (root / ".gitignore").unlink()
    assert plan_init(places, Scope.SHARED, which="x").notes == ()


def test_a_passing_interpreter_is_reported(places: Places) -> None:
    passing = f"{tempfile.gettempdir()}/uv/bin/python3"
    assert any("temporary folder" in note for note in plan_init(places, Scope.PROJECT, python=passing).notes)
    assert not any("temporary folder" in note for note in plan_init(places, Scope.PROJECT, python="/p").notes)


def test_the_interpreter_that_runs_is_the_one_that_is_named(places: Places) -> None:
    plan = plan_init(places, Scope.USER, which="x")
    hooks = find_hooks((plan.changes[4].after or b"").decode())
    assert all(
        hook.command.startswith(f"{shlex.quote(sys.executable)} -I -m memtui.hooks ") for hook in hooks
    )


def test_without_an_interpreter_nothing_is_planned(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(FileUnreadable, match="absolute path of a Python"):
        plan_init(places, Scope.PROJECT)


def test_the_diff_shows_what_changes(places: Places) -> None:
    wrote(settings_path(places), '{\n  "a": "\x85\u2028"\n}')
    command, _, _, _, settings_change, _ = plan_init(places, Scope.PROJECT, python="/p", which="x").changes
    assert diff(command, "c.md").startswith("--- /dev/null\n+++ c.md\n@@ -0,0 +1,")
    assert diff(settings_change, "s.json").startswith(
        '--- s.json\n+++ s.json\n@@ -1,3 +1,68 @@\n {\n-  "a": "\x85\u2028"\n+  "a": "\x85\u2028",\n'
    )
    assert diff(settings_change).endswith('"memtui"\n+  ]\n }\n\\ No newline at end of file\n')


def test_records_that_are_broken_count_as_none(places: Places, init: Run, uninstall: Run) -> None:
    path = wrote(settings_path(places), '{"a": 1}')
    init()
    for record in (places.home.state / "installed").glob("*.json"):
        record.write_text('{"before": 3}')
    uninstall()
    assert path.read_text() == '{"a": 1}'
