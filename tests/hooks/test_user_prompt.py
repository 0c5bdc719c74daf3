"""A typed slash command becomes active by itself; every other prompt costs next to nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memtui.hooks.main import may_be_command
from memtui.hooks.records import Report
from memtui.store.commands_file import CommandsFile
from tests.disk import names
from tests.hooks.world import MEMTUI_HOOK, World

EVENT = "user-prompt-submit"


def active(world: World) -> list[str]:
    return [entry.name for entry in CommandsFile(world.project).read().commands]


@pytest.mark.parametrize(
    ("prompt", "registered"),
    [
        ("/babysit", ["babysit"]),
        ("/babysit fix it\nnow", ["babysit"]),
        ("/agileflow:babysit", ["babysit"]),
        ("/nosuch", []),
        ("/plain", []),
        ("/", []),
        ("/ babysit", []),
        ("/../babysit", []),
        ("/usr/bin/env", []),
        ("//babysit", []),
        ("babysit", []),
        (" see /babysit", []),
        ("/" + "x" * 100_000, []),
        ("", []),
    ],
)
def test_typed_commands_become_active(world: World, prompt: str, registered: list[str]) -> None:
    world.command("babysit", "Ask first.")
    world.put(".agileflow/commands/plain.md", "# No rules\n")
    assert world.within(EVENT, prompt=prompt) == ""
    assert active(world) == registered
    assert world.project.session_state_json.exists() == bool(registered)


def test_a_personal_command_and_one_that_is_active(world: World) -> None:
    file = world.claude / "commands" / "mine.md"
    file.parent.mkdir(parents=True)
    file.write_text("<!-- COMPACT_SUMMARY_START -->\nMine.\n<!-- COMPACT_SUMMARY_END -->\n")
    reports = [Report(), Report()]
    for report in reports:
        world.within(EVENT, report, prompt="/mine")
    assert [report.detail for report in reports] == ["mine is active", "mine is active already"]
    assert active(world) == ["mine"]
    assert "Mine." in world.within("pre-compact", trigger="manual")
    elsewhere = world.base / "dotfiles.md"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert "Mine." in world.within("pre-compact", trigger="manual")


def test_it_can_be_turned_off(world: World) -> None:
    world.command("babysit", "Ask first.")
    world.configure("typed_commands = false")
    world.within(EVENT, prompt="/babysit")
    assert active(world) == []


def test_a_broken_state_file_is_reported_and_stays(world: World) -> None:
    world.command("babysit", "Ask first.")
    path = world.put("docs/09-agents/session-state.json", "{")
    report = Report()
    assert world.within(EVENT, report, prompt="/babysit") == ""
    assert "session-state.json" in report.outcome and path.read_text() == "{"


@pytest.mark.parametrize(
    "data", [{"prompt": "/x"}, {"a": "prompt", "prompt": "/x"}, {"b": '"prompt":"y"', "prompt": "/x"}]
)
def test_a_slash_is_seen_in_any_json(data: dict[str, str]) -> None:
    for text in (json.dumps(data), json.dumps(data, indent=3), json.dumps(data, separators=(",", ":"))):
        assert may_be_command(text.encode())
        assert may_be_command(text.replace("/", "\\/").encode())
        assert not may_be_command(text.replace("/x", "x/").encode())


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"prompt": "/', b'{"prompt": ["/x"]}', b"[" * 99_999])
def test_no_input_blocks_a_prompt(world: World, data: bytes) -> None:
    done = world.run(EVENT, data)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "docs" not in names(world.project.root)


def test_a_closed_input_blocks_nothing(world: World) -> None:
    shell = f'exec "$0" "$@" {EVENT} <&-'
    done = world.run("", command=["/bin/sh", "-c", shell, *MEMTUI_HOOK])
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_prompt_that_is_no_command_imports_next_to_nothing(world: World) -> None:
    program = (
        "import os, sys; sys.path.append({source!r}); before = set(sys.modules)\n"
        "import memtui.hooks.main as m; leave = os._exit\n"
        "os._exit = lambda code: (print(*set(sys.modules) - before, flush=True), leave(code))\n"
        "m.main()"
    ).format(source=str(Path(__file__).parents[2] / "tui"))
    done = world.run("", command=[sys.executable, "-I", "-S", "-c", program, EVENT], prompt="Fix it")
    assert set(done.out.split()) <= {
        "memtui",
        "memtui.hooks",
        "memtui.hooks.main",
        "__future__",
        "gc",
        "time",
    }
