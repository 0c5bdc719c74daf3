"""Others' memories in the app: their authors, actions on them, and versions from two machines."""

from __future__ import annotations

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.screens import versions as screen_module
from memtui.app.screens.versions import VersionsScreen
from memtui.share import sync as share_sync
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.sync import open_sharing
from memtui.store.memories import MemoryStore
from tests.app.harness import NARROW, opened
from tests.app.memories import rows
from tests.app.world import World, clock
from tests.share.memory_remote import MemoryRemote

THEIRS = "CMEM-20260102-000007@laptop-1a2b"


@pytest.fixture
def remote(world: World, monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    """A remote in memory that has one memory of another person's, which is here already."""
    monkeypatch.setattr(screen_module, "_PAUSE", 0.0)
    monkeypatch.setattr(screen_module, "_LOOK", 3600.0)
    remote = MemoryRemote()
    monkeypatch.setattr(share_sync, "open_remote", lambda *_: remote)
    Remotes(world.home).add("team", NamedRemote(url="/x"))
    bring(world, remote)
    return remote


def bring(world: World, remote: MemoryRemote, body: bytes = b"## Objective\nTheirs\n") -> None:
    """Let the other person share a text of it, and fetch that."""
    remote.add(
        THEIRS, body=body, description="Fix the cart", project=world.root.name, machine="laptop-1a2b",
        created="2026-01-02T00:00:07+00:00",
    )  # fmt: skip
    open_sharing(world.home, clock).sync()


def store(world: World) -> MemoryStore:
    return MemoryStore(world.home, clock)


async def test_it_says_by_whom_it_was_shared(world: World, remote: MemoryRemote) -> None:
    mine = world.memory(1, "My own")
    async with opened(world) as driver:
        assert rows(driver) == [mine, THEIRS]
        await driver.press("2", "G")
        await driver.until(lambda: "shared by ann (team)" in driver.detail)
        wide, narrow = driver.drawn(PaneId.MEMORIES, 90), driver.drawn(PaneId.MEMORIES, 50)
        assert wide[1].startswith("CMEM-20260102-000007  ⇅ann Fix the cart")
        assert "⇅ann Fix the cart" in narrow[1]
        assert "⇅" not in wide[0]
        assert f"Recovery ID {THEIRS}" in driver.detail
        await driver.press("/", *"ann")
        await driver.until(lambda: rows(driver) == [THEIRS])


async def test_two_machines_texts_are_two_versions_with_their_difference(
    world: World, remote: MemoryRemote
) -> None:
    mine = world.memory(30, "Mine", body="## Objective\nFix the cart\n\n## Pending\n- one\n")
    sharing = open_sharing(world.home, clock)
    sharing.share(mine)
    sharing.sync()
    changed = b"## Objective\nFix the big cart\n\n## Pending\n- one\n"
    remote.add(sharing.names.key(mine), body=changed, author="bob", machine="desk-9f")
    sharing.sync()
    async with opened(world, NARROW) as driver:
        await driver.press("2")
        while driver.pane(PaneId.MEMORIES).selected != f"{mine}.md":
            await driver.press("j")
        await driver.press("v")
        await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the versions")
        await driver.until(lambda: "here · bob on desk-9f" in driver.shown)
        await driver.until(lambda: "v1 → v2 by bob on desk-9f" in driver.shown)
        assert "big" in driver.shown and "{+" in driver.shown
        assert f"Versions of {mine}" in driver.shown


async def test_a_memory_of_ones_own_shows_who_has_it(world: World, remote: MemoryRemote) -> None:
    mine, other = world.memory(30, "Mine"), world.memory(31, "Not shared")
    sharing = open_sharing(world.home, clock)
    sharing.share(mine)
    sharing.sync()
    async with opened(world) as driver:
        await driver.until(lambda: any("⇅team Mine" in each for each in driver.drawn(PaneId.MEMORIES, 90)))
        assert all("⇅" not in each for each in driver.drawn(PaneId.MEMORIES, 90) if other in each)


async def test_a_memory_with_one_text_says_so(world: World) -> None:
    mine = world.memory(1, "Mine")
    async with opened(world) as driver:
        await driver.press("2", "v")
        assert (await driver.until_said("one text")).startswith(f"{mine} has one text only")


async def test_hostile_authors_are_harmless(world: World, remote: MemoryRemote) -> None:
    remote.add(
        "CMEM-20260102-000009@desk-9f", body=b"x", author="\x1b]0;x\x07 (team)", project=world.root.name
    )
    assert open_sharing(world.home, clock).sync().fetched == 1
    async with opened(world) as driver:
        await driver.until(lambda: len(rows(driver)) == 2)
        assert all("\x1b" not in each and "\x07" not in each for each in driver.drawn(PaneId.MEMORIES, 90))
