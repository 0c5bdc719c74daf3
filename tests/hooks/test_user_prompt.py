"""A typed slash command becomes active by itself; every other prompt costs next to nothing."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"prompt": "/', b'{"prompt": ["/x"]}', b"[" * 99_999])
def test_no_input_blocks_a_prompt(world: World, data: bytes) -> None:
    done = world.run(EVENT, data)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "docs" not in names(world.project.root)


def test_a_closed_input_blocks_nothing(world: World) -> None:
    shell = f'exec "$0" "$@" {EVENT} <&-'
    done = world.run("", command=["/bin/sh", "-c", shell, *MEMTUI_HOOK])
    assert (done.code, done.out, done.err) == (0, "", "")
