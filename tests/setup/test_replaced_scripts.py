"""The scripts that memtui replaces: recognised, replaced on request, put back by uninstall."""

from __future__ import annotations

import json

import pytest

from memtui.ground.project import Places
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.hooks_check import check_originals, read_all_settings
from memtui.setup.install import apply, plan_init, plan_uninstall
from memtui.setup.replaced_scripts import find_originals, replace_scripts, restore_scripts
from tests.setup.conftest import PYTHON, Run, clock


def _group(*commands: str) -> dict[str, object]:
    return {"matcher": "", "hooks": [{"type": "command", "command": command} for command in commands]}


SEEDS = {
    "model": "opus",
    "hooks": {
        "PreCompact": [
            _group("bash scripts/precompact-context.sh"),
            _group("$CLAUDE_PROJECT_DIR/.claude/hooks/precompact-capture.sh", "echo mine"),
        ],
        "SessionStart": [_group("node scripts/clear-active-command.js")],
    },
}
TEXT = json.dumps(SEEDS, indent=4) + "\r\n"


def test_found_taken_and_put_back() -> None:
    assert [(each.event, each.script) for each in find_originals(TEXT)] == [
        ("PreCompact", "precompact-context.sh"),
        ("PreCompact", "precompact-capture.sh"),
        ("SessionStart", "clear-active-command.js"),
    ]
    done = replace_scripts(TEXT)
    assert find_originals(done.text) == [] and "echo mine" in done.text and len(done.created) == 3
    assert replace_scripts(done.text) == (done.text, ())
    again = restore_scripts(done.text, done.created)
    assert {each.script for each in find_originals(again)} == {each.script for each in find_originals(TEXT)}
    assert restore_scripts(again, done.created) == again
    assert len(find_originals(restore_scripts("{}", done.created))) == 3
    assert restore_scripts(done.text, None) == done.text


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": []}', '{"hooks": {"PreCompact": [7, {"hooks": {}}]}}'])
def test_nothing_is_found_in_other_settings(text: str) -> None:
    assert find_originals(text) == []


def test_a_name_that_only_contains_one_is_another_script() -> None:
    text = json.dumps({"hooks": {"PreCompact": [_group("bash my-precompact-context.sh")]}})
    assert find_originals(text) == []


@pytest.mark.parametrize("where", [Scope.SHARED, Scope.PROJECT])
def test_uninstall_gives_back_every_byte(places: Places, uninstall: Run, where: Scope) -> None:
    path = settings_file(places, where).path
    path.parent.mkdir()
    path.write_bytes(TEXT.encode())
    apply(plan_init(places, Scope.PROJECT, python=PYTHON, which="x", replacing=True), places, clock)
    assert find_originals(path.read_text()) == []
    assert not plan_init(places, Scope.PROJECT, python=PYTHON, which="x", replacing=True).changes
    backups = [backup.read_bytes() for backup in (places.home.state / "backups").glob("*settings*")]
    assert TEXT.encode() in backups
    uninstall()
    assert path.read_bytes() == TEXT.encode()


def test_scripts_are_restored_into_changed_settings(places: Places, uninstall: Run) -> None:
    path = settings_file(places, Scope.SHARED).path
    path.parent.mkdir()
    path.write_text(TEXT)
    apply(plan_init(places, Scope.PROJECT, python=PYTHON, which="x", replacing=True), places, clock)
    path.write_text(path.read_text().replace("opus", "sonnet"))
    uninstall()
    assert len(find_originals(path.read_text())) == 3 and "sonnet" in path.read_text()
    assert plan_uninstall(places, Scope.PROJECT).changes == ()


def test_the_doctor_warns_of_both(places: Places, init: Run) -> None:
    path = settings_file(places, Scope.SHARED).path
    path.parent.mkdir()
    path.write_text(TEXT)
    assert list(check_originals(read_all_settings(places))) == []
    init()
    found = list(check_originals(read_all_settings(places)))
    assert len(found) == 3 and "starts precompact-context.sh, too" in found[0].message
    assert path.read_bytes() == TEXT.encode()
