"""The palette hands the current session over to another agent, and removes the handoff again."""

from __future__ import annotations

from tests.app.harness import Driver, opened
from tests.app.world import World


async def run(driver: Driver, action: str) -> None:
    await driver.app.screen.run_action(f"screen.run('{action}')")


async def test_the_palette_writes_and_removes_an_agents_section(world: World) -> None:
    file = world.write(world.root / "AGENTS.md", "# Rules\n")
    writer = world.session("s-1", minutes=9)
    writer.prompt("Keep every session valid")
    world.save(writer, minutes=3)
    async with opened(world) as driver:
        await driver.until(lambda: "4 Session state drafted" in driver.shown, "the session")
        await run(driver, "handoff_codex")
        said = await driver.until_said("handoff")
        assert said == "The handoff of session s-1 is in AGENTS.md. u removes it again."
        assert "Keep every session valid" in file.read_text() and file.read_text().startswith(
            "# Rules\n\n<!--"
        )
        await run(driver, "end_handoff")
        assert await driver.until_said("Removed") == "Removed the handoff from AGENTS.md. u restores it."
        assert file.read_text() == "# Rules\n"
        await driver.press("u")
        await driver.until_said("Undone")
        assert "Keep every session valid" in file.read_text()
        await driver.press("u")
        await driver.until(lambda: file.read_text() == "# Rules\n", "the second undo")
        await run(driver, "end_handoff")
        await driver.until_said("No file holds a handoff.")


async def test_without_a_session_there_is_nothing_to_hand_over(world: World) -> None:
    async with opened(world) as driver:
        await run(driver, "copy_handoff")
        await driver.until_said("There is no session to hand over.")
