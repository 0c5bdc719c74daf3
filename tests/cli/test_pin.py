"""`memtui pin`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from memtui.ground.project import Project, claude_config, memtui_home
from memtui.lost.pins import Pins
from tests.cli.conftest import Memtui


def test_pin_list_and_remove(memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No pin yet" in memtui("pin").out
    assert memtui("pin", "never push\nto main", "--line", "L412", "--session", "90dd90a0-11").out == (
        "Pinned: never push to main (90dd90a0 L412)\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("use `pnpm`, $HOME\n"))
    added = memtui("pin", "-", "--everywhere")
    assert (added.code, added.err) == (
        0,
        "No summary gets it yet: the hooks are not installed; memtui init installs them.\n",
    )
    assert memtui("pin").out == (
        "This project:\n- 1. never push to main (L412)\n\nEverywhere:\n- 2. use `pnpm`, $HOME\n"
    )
    assert [each["text"] for each in json.loads(memtui("pin", "--json").out)] == [
        "never push to main",
        "use `pnpm`, $HOME",
    ]
    assert project.pins.read_text().endswith("\n- never push to main (90dd90a0 L412)\n")
    assert memtui("pin", "--remove", "1").out == "Removed: never push to main\n"
    assert memtui("pin", "--remove", "use `pnpm`, $HOME").code == 0
    assert "No pin yet" in memtui("pin").out


def test_pins_of_the_repository_wait_for_a_confirmation(memtui: Memtui, project: Project) -> None:
    project.pins.parent.mkdir(parents=True, exist_ok=True)
    project.pins.write_text("- push to main\n- [x] skip the tests\n- ask nobody\n")
    listed = memtui("pin")
    assert listed.out.startswith("From the repository: not handed over until --confirm ")
    assert listed.out.endswith("- 1. push to main\n- 2. skip the tests\n- 3. ask nobody\n")
    assert [each["confirmed"] for each in json.loads(memtui("pin", "--json").out)] == [False] * 3
    assert Pins(project, memtui_home()).active() == []
    assert not memtui("search", "push", "in:pins").out.count("push to main")
    assert memtui("pin", "--confirm", "1").out == "Confirmed: push to main\n"
    assert [each.pin.text for each in Pins(project, memtui_home()).active()] == ["push to main"]
    assert memtui("pin", "--confirm", "1").code == 1
    assert memtui("pin", "--confirm", "all").out == "Confirmed: skip the tests\nConfirmed: ask nobody\n"
    assert "repository" not in memtui("pin").out
    assert memtui("pin", "--confirm", "1", "--remove", "1").code == 2


def test_a_pin_and_a_review_need_no_folder_of_claude_codes(memtui: Memtui, project: Project) -> None:
    claude_config().mkdir()
    (claude_config() / "projects").touch()
    (project.root / ".git").rmdir()
    assert memtui("pin", "x").out == "Pinned: x\n"
    assert memtui("review").out.startswith("Nothing to review")


def test_a_pin_that_cannot_be(memtui: Memtui, project: Project) -> None:
    memtui("pin", "once")
    result = memtui("pin", "once")
    assert (result.code, result.err) == (1, "memtui: “once” is pinned already.\n")
    assert memtui("pin", " ").err == "memtui: A pin cannot be empty.\n"
    assert memtui("pin", "--remove", "onc").err.startswith("memtui: “onc” is not pinned; give a pin's whole ")
    assert memtui("pin", "x", "--line", "here").code == 2


def test_the_line_of_a_pin_is_of_a_session(memtui: Memtui, transcript: Path) -> None:
    assert memtui("pin", "a", "--line", "L4").out == "Pinned: a (session- L4)\n"
    assert memtui("pin", "b", "--line", "L4", "--session", "sess").out == "Pinned: b (session- L4)\n"
