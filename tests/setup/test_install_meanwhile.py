"""Installing and uninstalling while other programs edit the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.files import FileChanged, replacing
from memtui.ground.project import Places
from memtui.setup import file_change as changes_module
from memtui.setup.claude_files import Scope
from memtui.setup.hook_settings import EVENTS, find_hooks
from memtui.setup.install import apply, plan_init, plan_uninstall
from tests.setup.conftest import PYTHON, Run, clock
from tests.setup.installing import settings_path, wrote


def test_an_edit_between_two_inits_stays(places: Places, init: Run, uninstall: Run) -> None:
    path = wrote(settings_path(places), '{"a": 1, "hooks": {"Stop": []}}')
    init(python="/old/python3")
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    init(python="/new/python3")
    uninstall()
    assert path.read_text() == '{"a": 2, "hooks": {"Stop": []}}'


def test_settings_that_others_filled_meanwhile_are_not_removed(
    places: Places, init: Run, uninstall: Run
) -> None:
    init()
    path = settings_path(places)
    path.write_text(path.read_text().replace("{\n", '{\n  "model": "opus",\n', 1))
    uninstall()
    assert path.read_text() == '{\n  "model": "opus"\n}\n'


def test_settings_that_were_only_formatted_meanwhile_are_removed(
    places: Places, init: Run, uninstall: Run
) -> None:
    init()
    path = settings_path(places)
    path.write_text(json.dumps(json.loads(path.read_text())))
    uninstall()
    assert not (places.project.root / ".claude").exists()


def test_a_file_that_changed_since_it_was_shown_is_left_alone(places: Places) -> None:
    path = wrote(settings_path(places), '{"a": 1}')
    plan = plan_init(places, Scope.PROJECT, which="x")
    path.write_text('{"a": 2}')
    with pytest.raises(FileChanged):
        apply(plan, places, clock)
    assert path.read_text() == '{"a": 2}'


def test_a_file_that_changed_since_its_removal_was_shown_stays(places: Places, init: Run) -> None:
    init()
    plan = plan_uninstall(places, Scope.PROJECT)
    path = wrote(settings_path(places), '{"a": 2}')
    with pytest.raises(FileChanged):
        apply(plan, places, clock)
    assert path.read_text() == '{"a": 2}'


def test_a_file_made_since_it_was_shown_is_left_alone(places: Places) -> None:
    plan = plan_init(places, Scope.PROJECT, which="x")
    path = wrote(settings_path(places), '{"a": 2}')
    with pytest.raises(FileChanged):
        apply(plan, places, clock)
    assert path.read_text() == '{"a": 2}'


@pytest.mark.parametrize("how", ["in the old file", "over ours", "over ours, ours kept"])
def test_a_concurrent_write_is_not_lost(
    places: Places, monkeypatch: pytest.MonkeyPatch, uninstall: Run, how: str
) -> None:
    path = wrote(settings_path(places), '{"a": 1}')
    plan = plan_init(places, Scope.PROJECT, python=PYTHON, which="x")
    real = replacing.replace_expected
    done: list[bool] = []

    def racing(target: Path, data: bytes, **options: object) -> object:
        with target.open("r+b") as theirs:
            replaced = real(target, data, **options)  # type: ignore[arg-type]
            if not done:
                done.append(True)
                if how == "in the old file":
                    theirs.write(b'{"a": 2}')
                elif how == "over ours":
                    target.write_bytes(b'{"a": 2}')
                else:
                    target.write_bytes(data.replace(b'"a": 1', b'"a": 2'))
            return replaced

    monkeypatch.setattr(changes_module, "replace_expected", racing)
    apply(plan, places, clock)
    text = path.read_text()
    assert json.loads(text)["a"] == 2
    assert len(find_hooks(text)) == len(EVENTS)
    uninstall()
    assert path.read_text() == '{"a": 2}'
