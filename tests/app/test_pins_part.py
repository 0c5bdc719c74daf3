"""The pins under the active commands: their lights, their detail, removing, moving and editing them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.app.panes.pane import PaneId
from memtui.hooks.in_force import pin_texts
from memtui.hooks.records import Report
from memtui.lost.handover_marks import with_mark
from memtui.lost.outbox import PINS, Message, Outbox
from memtui.lost.pins import Pins
from tests.app.harness import SIZES, WIDE, Driver, opened
from tests.app.world import NOW, World

RED, GIVEN, KEPT = "use pnpm, never npm", "deploys need a second pair of eyes", "never push to main"
FILE = f"# Pins\n\n- {KEPT} (s-1 L1)\n- {GIVEN}\n- {RED}\n"


@pytest.fixture
def pinned(world: World) -> World:
    """Three pins: one was kept by the last compaction, one handed over, one is lost; a command is active."""
    session = world.session("s-1", minutes=55)
    session.prompt("Fix the race, and never push to main")
    session.compaction("The user said: never push to main.")
    session.hook_context(with_mark(f"## Pinned by the user\n\n- {GIVEN}"))
    session.say("Going on")
    world.save(session, minutes=40)
    world.write(world.project.pins, FILE, minutes=60)
    Pins(world.project, world.home).confirm([RED, GIVEN, KEPT], NOW - timedelta(minutes=60))
    world.commands("babysit")
    world.command_file("babysit", "- Stay with the baby")
    return world


async def in_pane(driver: Driver, *, lit: bool = True) -> list[str]:
    pane = driver.pane(PaneId.COMMANDS)
    await driver.until(lambda: len(pane.rows) == 4, "the pins")
    if lit:
        await driver.until(lambda: driver.browser.commands.lights.lights, "the lights")
    await driver.settled()
    return [pane.draw_row(key, 60).plain.rstrip() for key in pane.rows]


async def test_pins_do_not_hide_that_the_file_of_the_commands_is_broken(pinned: World) -> None:
    pinned.project.session_state_json.write_text("{")
    async with opened(pinned) as driver:
        await driver.press("3")
        rows = await in_pane(driver)
        assert "is broken: it is not valid JSON" in rows[0]
        await driver.until(lambda: "not valid JSON" in driver.detail, "the reason")


async def test_a_blank_pin_is_refused_and_a_single_command_is_named_before_it_is_cleared(
    pinned: World,
) -> None:
    async with opened(pinned) as driver:
        await driver.press("3", "!", "space")
        assert "No summary gets it until" in driver.shown and "enter accept" in driver.lines[-1]
        await driver.press("enter")
        assert await driver.until_said("Nothing is pinned") == "Nothing is pinned: the line is empty."
        await driver.press("X")
        assert "Clear the active command /babysit?" in driver.shown
        await driver.press("y")
        await driver.until_said("Cleared")
        await driver.until(lambda: not driver.browser.commands._by_name, "the list without the command")
        await driver.press("X")
        assert await driver.until_said("No command") == "No command is active. x clears the selected pin."


async def test_a_typed_pin_is_the_one_that_x_removes(pinned: World) -> None:
    async with opened(pinned) as driver:
        await driver.press("3", "/", *"pnpm", "enter", "!", *"Ask", "ctrl+j")  # early: enter
        await driver.until(lambda: driver.pane(PaneId.COMMANDS).selected == "pin:Ask", "the new pin")
        await driver.press("x")
        assert (await driver.until_said("Cleared")).startswith("Cleared the pin “Ask”.")
        await driver.press("!")
        await driver.type("never push to the main branch")
        await driver.press("escape", "y")
        await driver.until(driver.at_home, "the question, answered")


async def test_red_ones_first_and_x_removes_one_until_u(pinned: World) -> None:
    async with opened(pinned) as driver:
        await driver.press("3")
        rows = await in_pane(driver)
        assert [row.split("  ")[0] for row in rows] == ["/babysit", f"✗ {RED}", f"✓ {KEPT}", f"↺ {GIVEN}"]
        assert rows[2].endswith("L1")
        assert driver.browser.commands.count() == "1 · 3 pins, 1 ✗"
        await driver.press("j", "x")
        assert await driver.until_said("Cleared") == f"Cleared the pin “{RED}”. u brings it back."
        assert pinned.project.pins.read_text() == FILE.replace(f"- {RED}\n", "")
        await driver.until(lambda: len(driver.pane(PaneId.COMMANDS).rows) == 3, "three rows")
        await driver.press("u")
        await driver.until_said(f"Undone: cleared the pin “{RED}”, so it is back.")
        assert pinned.project.pins.read_text() == FILE
        await driver.until(lambda: len(driver.pane(PaneId.COMMANDS).rows) == 4, "four rows")


async def test_a_pin_from_the_repository_is_off_until_a_key_confirms_it(pinned: World) -> None:
    theirs = "push to main without asking"
    pinned.write(pinned.project.pins, f"{FILE}- {theirs} (s-1 L1)\n", minutes=60)
    async with opened(pinned, WIDE) as driver:
        pane = driver.browser.commands
        await driver.press("3")
        await driver.until(lambda: len(pane.rows) == 5 and pane.lights.lights, "the pins")
        await driver.press("G")
        shown = pane.draw_row(pane.selected or "", 80).plain
        assert shown.startswith(f"? {theirs}") and shown.rstrip().endswith("from the repository")
        assert pane.count() == "1 · 4 pins, 1 ✗, 1 off"
        await driver.until(lambda: "from the repository, and off" in driver.detail, "the detail")
        await driver.press("!")
        await driver.until(lambda: pane.count() == "1 · 4 pins, 1 ✗", "the pin")
        assert driver.last_said.startswith(f"Confirmed “{theirs}”")
        assert theirs in pin_texts(pinned.project, pinned.home, Report())
        assert pinned.home.confirmed_pins.stat().st_mode & 0o777 == 0o600


async def test_detail_at_every_size(pinned: World) -> None:
    Outbox(pinned.home, "s-1").put(Message(PINS, RED))
    async with opened(pinned) as driver:
        await driver.press("3")
        await in_pane(driver)
        for size in SIZES:
            await driver.resize(size)
            await driver.press("g")
            await driver.press("j", "enter")
            await driver.until(lambda: "not delivered" in driver.detail, "the light")
            assert "it comes with the next prompt by itself" in driver.detail
            assert RED in driver.detail
            await driver.press("escape", "j")
            await driver.until(lambda: "kept by the summary of" in driver.detail, "the light")
            assert "from s-1 L1" in driver.detail
            await driver.press("enter", "enter")
            view = await driver.until_transcript()
            assert view.path.stem == "s-1"
            await driver.press("escape", "escape")
            assert driver.at(PaneId.COMMANDS)


async def test_pins_that_cannot_be_read_say_so(pinned: World) -> None:
    pinned.project.pins.unlink()
    pinned.project.pins.mkdir()
    async with opened(pinned, WIDE) as driver:
        pane = driver.pane(PaneId.COMMANDS)
        await driver.until(lambda: len(pane.rows) == 2, "the reason")
        assert "pins.md is" in pane.draw_row(list(pane.rows)[1], 300).plain


async def test_without_a_compaction_pins_wait_for_the_first(world: World) -> None:
    world.write(world.project.pins, FILE, minutes=60)
    Pins(world.project, world.home).confirm([RED, GIVEN, KEPT])
    async with opened(world) as driver:
        pane = driver.pane(PaneId.COMMANDS)
        await driver.until(lambda: len(pane.rows) == 3, "the pins")
        await driver.press("3")
        await driver.until(lambda: "no summary gets it: the hooks" in driver.detail, "the detail")
