"""The memories that Claude keeps for itself, in the pane of memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.screens.compact import CompactScreen
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.screens.versions import VersionsScreen
from memtui.store.claude_memory import INDEX
from memtui.store.memories import MemoryStore
from tests.app.harness import NARROW, WIDE, Driver, opened
from tests.app.world import World, clock
from tests.transcript_writer import TranscriptWriter

OLD = """\
---
name: squash
description: Commits are squashed
metadata:
  type: feedback
---

Squash often.
"""
NEW = OLD.replace("Squash often.", "Always squash, see `src/gone.py`.")


@pytest.fixture
def folder(world: World) -> Path:
    """Claude's folder with one memory of two versions, written by a session, and its index."""
    folder = world.claude_memories.folder
    folder.mkdir(parents=True)
    (world.root / "src").mkdir(exist_ok=True)
    session: TranscriptWriter = world.session("s-1", minutes=55)
    session.prompt("Fix the import")
    session.write(str(folder / "squash.md"), OLD)
    session.prompt("no, always squash")
    session.write(str(folder / "squash.md"), NEW)
    world.save(session, minutes=40)
    (folder / "squash.md").write_text(NEW, "utf-8")
    (folder / INDEX).write_text("- [squash](squash.md) - Commits are squashed\n", "utf-8")
    return folder


async def at_it(driver: Driver) -> None:
    await driver.press("2")
    pane = driver.pane(PaneId.MEMORIES)
    await driver.until(lambda: "claude:squash.md" in pane.rows, "the row")
    pane.select("claude:squash.md")
    await driver.until(lambda: "Claude's memory squash" in driver.shown, "the detail")


async def test_rows_heading_and_where_it_comes_from(world: World, folder: Path) -> None:
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        assert "Claude 1, 1 new" in driver.shown
        await driver.until(lambda: "no, always squash" in driver.detail, "its origin")
        assert "feedback · " in driver.detail
        assert "in “Fix the import” (L5), after: “no, always squash”" in driver.detail.replace("\n", " ")
        assert "△ It names src/gone.py, which this project no longer has." in driver.detail
        assert "recalled in 0 of 1 recent session" in driver.detail
        await driver.press("enter")
        await driver.until(lambda: "Claude 1" in driver.shown and "1 new" not in driver.shown, "seen")


async def test_approved_and_taken_back(world: World, folder: Path) -> None:
    memories = world.claude_memories
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        await driver.until(lambda: "a approve" in driver.lines[-1], "its keys")
        assert "copy id" not in driver.lines[-1]
        await driver.press("a")
        await driver.until_said("squash is approved. u takes it back.")
        assert memories.get("squash").seen == "approved"
        await driver.press("u")
        await driver.until(lambda: memories.get("squash").seen == "new", "the undo")


async def test_to_the_trash_and_back(world: World, folder: Path) -> None:
    index = (folder / INDEX).read_text()
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        await driver.press("D", "y")
        await driver.until(lambda: not (folder / "squash.md").exists(), "the deletion")
        await driver.until_said("in the trash")
        assert (folder / INDEX).read_text() == ""
        await driver.press("u")
        await driver.until(lambda: (folder / "squash.md").exists(), "the undo")
        assert ((folder / "squash.md").read_text(), (folder / INDEX).read_text()) == (NEW, index)


async def test_a_version_is_brought_back(world: World, folder: Path) -> None:
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        await driver.press("v")
        await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the versions")
        await driver.until(lambda: "v1 → v2 ─" in driver.shown, "both")
        assert "here · written" in driver.shown
        await driver.press("j", "enter")
        await driver.until(lambda: "Bring v1 of squash back?" in driver.shown, "the question")
        await driver.press("y")
        await driver.until(lambda: (folder / "squash.md").read_text() == OLD, "the old text")


async def test_the_transcript_of_it_and_keys_without_a_meaning(world: World, folder: Path) -> None:
    async with opened(world, NARROW) as driver:
        await driver.press("2")
        pane = driver.pane(PaneId.MEMORIES)
        await driver.until(lambda: "claude:squash.md" in pane.rows, "the row")
        pane.select("claude:squash.md")
        await driver.press("y")
        assert "memory of Claude's own" in driver.last_said
        await driver.press("enter")
        await driver.until(lambda: "no, always" in driver.shown, "its origin")
        await driver.press("escape", "o")
        await driver.until(lambda: isinstance(driver.screen, TranscriptScreen), "the reader")


async def test_one_is_stored_under_a_recovery_id_and_taken_back(world: World, folder: Path) -> None:
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        await driver.press("c")
        await driver.until(lambda: "as “squash: Commits are squashed”?" in driver.shown, "the question")
        assert "Always squash, see src/gone.py." in driver.shown
        await driver.press("n")
        assert not list(world.home.memories.rglob("CMEM-*"))
        await driver.press("c")
        await driver.until(lambda: "Recovery ID, as" in driver.shown, "the question")
        await driver.press("y")
        said = await driver.until_said("Stored as CMEM-")
        store = MemoryStore(world.home, clock)
        made = store.get(said.split()[2].rstrip("."))
        assert made.body == b"Always squash, see `src/gone.py`.\n"
        assert (made.meta.tags, made.meta.source) == (("feedback",), "claude")
        assert made.meta.project == str(world.root)
        await driver.press("u")
        await driver.until(lambda: store.list().total == 0, "the undo")
        assert (folder / "squash.md").read_text() == NEW


async def test_a_stored_one_is_given_to_claude_and_taken_back(world: World, folder: Path) -> None:
    index = (folder / INDEX).read_text()
    stored = world.memory(5, "Keys: rotate them / weekly", tags=("reference",))
    async with opened(world, WIDE) as driver:
        await driver.press("2")
        pane = driver.pane(PaneId.MEMORIES)
        await driver.until(lambda: "weekly" in driver.shown, "the row")
        pane.select(f"{stored}.md")
        await driver.until(lambda: "c give Claude" in driver.lines[-1], "the footer")
        await driver.resize((80, 24))
        await driver.press("c")
        await driver.until(lambda: "Give Claude this memory as keys-rotate-them-weekly.md?" in driver.shown)
        await driver.until(lambda: "j reads on" in driver.shown, "the hint")
        assert driver.line_of("Give it (y)") > driver.line_of("Objective") > 0
        await driver.press("y")
        await driver.until_said("keys-rotate-them-weekly.md is among Claude's memories")
        memory = world.claude_memories.get("keys-rotate-them-weekly")
        assert (memory.kind, memory.seen) == ("reference", "seen")
        assert memory.description == "Keys: rotate them / weekly"
        line = "- [keys-rotate-them-weekly](keys-rotate-them-weekly.md) - Keys: rotate them / weekly\n"
        assert (folder / INDEX).read_text() == index + line
        await driver.press("u")
        await driver.until(lambda: not memory.path.exists(), "the undo")
        assert (folder / INDEX).read_text() == index


async def test_the_index_is_not_stored_and_without_a_row_c_compacts(world: World, folder: Path) -> None:
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        driver.pane(PaneId.MEMORIES).select(f"claude:{INDEX}")
        await driver.press("c")
        assert driver.last_said == "MEMORY.md lists memories and is none itself."
        await driver.press("1", "c")
        await driver.until(lambda: isinstance(driver.screen, CompactScreen), "the session's text")


async def test_help_explains_the_signs_of_the_rows(world: World, folder: Path) -> None:
    async with opened(world, WIDE) as driver:
        await at_it(driver)
        await driver.until(lambda: "f △ squash" in driver.shown, "its trouble")
        await driver.press("question_mark")
        await driver.until(lambda: "Help for Memories" in driver.shown, "the help")
        for sign, meaning in (
            ("●", "a memory of Claude's that is new or has changed"),
            ("△", "names files that have changed or are gone, or something"),
            ("≡", "the index of Claude's memories"),
            ("f", "your feedback, as Claude noted it"),
        ):
            assert f"{sign:<14}{meaning}" in driver.shown


async def test_where_claude_keeps_none_help_says_where_it_would(world: World) -> None:
    folder = world.claude_memories.folder
    async with opened(world, WIDE) as driver:
        await driver.press("2")
        memories = driver.browser.memories
        await driver.until(lambda: memories.about.endswith(f"it would in {folder}."), "where")
        await driver.press("question_mark")
        await driver.until(lambda: "keeps no memories" in driver.shown, "the help")
        await driver.press("escape")
        folder.mkdir(parents=True)
        (folder / "squash.md").write_text(OLD, "utf-8")
        driver.app.hint("claude")
        await driver.until(lambda: "Claude 1, 1 new" in driver.shown and "keeps no" not in memories.about)
