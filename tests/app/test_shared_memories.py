"""Others' memories in the app: their authors, actions on them, and versions from two machines."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memtui.app.keys.commands import PaneId
from memtui.app.screens import versions as screen_module
from memtui.app.screens.versions import VersionsScreen
from memtui.app.widgets.status_bar import StatusBar
from memtui.flows import syncing
from memtui.flows.memory_versions import memory_versions
from memtui.flows.syncing import open_sharing as opened_remote
from memtui.formats.shared_record import render_record
from memtui.share.remotes import NamedRemote, Remotes
from memtui.store.memory_files import FilesBackend
from tests.app.harness import NARROW, opened
from tests.app.memories import path_of, rows
from tests.app.world import NOW, World, clock
from tests.share.memory_remote import MemoryRemote
from tests.share.records import outgoing, record

THEIRS = "CMEM-20260102-000007@laptop-1a2b"


@pytest.fixture
def remote(world: World, monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    """A remote in memory that has one memory of another person's, which is here already."""
    monkeypatch.setattr(screen_module, "_PAUSE", 0.0)
    monkeypatch.setattr(screen_module, "_LOOK", 3600.0)
    remote = MemoryRemote()
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    Remotes(world.home).add("team", NamedRemote(url="/x"))
    bring(world, remote)
    return remote


def bring(
    world: World, remote: MemoryRemote, body: bytes = b"## Objective\nTheirs\n", hours: int = 0
) -> None:
    """Let the other person share a text of it, and fetch that."""
    at = NOW - timedelta(days=1) + timedelta(hours=hours)
    remote.put([outgoing(record(7, body, project=world.root.name, at=at))])
    opened_remote(world.home, clock).sync()


def store(world: World) -> FilesBackend:
    return FilesBackend(world.home, clock)


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


async def test_a_local_overwrite_becomes_a_version_beside_theirs(world: World, remote: MemoryRemote) -> None:
    path = path_of(world, THEIRS)
    path.write_bytes(path.read_bytes().replace(b"Theirs", b"With my correction"))
    bring(world, remote, b"## Objective\nTheirs, second text\n", hours=1)
    assert b"With my correction" in path.read_bytes()
    versions = memory_versions(world.home, clock, store(world), THEIRS)
    assert sorted((each.author, each.shown, each.sent) for each in versions) == [
        ("", True, False),
        ("ann", False, True),
        ("ann", False, True),
    ]
    async with opened(world) as driver:
        await driver.press("2", "V")
        await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the versions")
        await driver.until(lambda: "here · not sent" in driver.shown)
        await driver.until(lambda: "second text" in driver.shown or "correction" in driver.shown)


async def own_elsewhere(world: World, remote: MemoryRemote) -> str:
    """A memory of this machine, whose text another machine of the same person has changed, too."""
    mine = world.memory(30, "Mine", body="## Objective\nFix the cart\n\n## Pending\n- one\n")
    sharing = opened_remote(world.home, clock)
    sharing.share(mine)
    sharing.sync()
    return mine


async def test_two_machines_texts_are_two_versions_with_their_difference(
    world: World, remote: MemoryRemote
) -> None:
    Remotes(world.home).remove("team")
    Remotes(world.home).add("team", NamedRemote(url="/x", sync="all"))
    mine = await own_elsewhere(world, remote)
    name = next(each for each in remote.rows if each.startswith(mine))
    memory = name.rsplit(".", 2)[0]
    changed = record(
        0,
        b"## Objective\nFix the big cart\n\n## Pending\n- one\n",
        memory=memory,
        machine="desk-9f",
        author="bob",
        at=NOW + timedelta(hours=1),
    )
    remote.put([outgoing(changed)])
    opened_remote(world.home, clock).sync()
    async with opened(world, NARROW) as driver:
        await driver.press("2")
        while driver.pane(PaneId.MEMORIES).selected != f"{mine}.md":
            await driver.press("j")
        await driver.press("V")
        await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the versions")
        await driver.until(lambda: "here · bob on desk-9f" in driver.shown)
        await driver.until(lambda: "v1 → v2 by bob on desk-9f" in driver.shown)
        assert "Fix the big cart" in driver.shown
        assert f"Versions of {mine}" in driver.shown


async def test_a_memory_with_one_text_says_so(world: World) -> None:
    mine = world.memory(1, "Mine")
    async with opened(world) as driver:
        await driver.press("2", "V")
        assert (await driver.until_said("one text")).startswith(f"{mine} has one text only")


async def test_equal_ids_stand_side_by_side(world: World, remote: MemoryRemote) -> None:
    mine = world.memory(1, "Mine")
    remote.put(
        [outgoing(record(memory=f"{mine}@desk-9f", machine="desk-9f", author="bob", project="harbor"))]
    )
    opened_remote(world.home, clock).sync()
    async with opened(world) as driver:
        drawn = driver.drawn(PaneId.MEMORIES, 90)
        assert [line for line in drawn if line.startswith(mine)] == [
            line for line in drawn if "Mine" in line or "⇅bob" in line
        ]
        assert sum(line.startswith(mine) for line in drawn) == 2


def test_hostile_authors_are_harmless(world: World, remote: MemoryRemote, tmp_path: Path) -> None:
    remote.put([outgoing(record(9, author="\x1b]0;x\x07 (team)", machine="desk-9f", project="harbor"))])
    done = opened_remote(world.home, clock).sync()
    assert done.memories == 1
    versions = memory_versions(world.home, clock, store(world), "CMEM-20260102-000009@desk-9f")
    assert len(versions) == 1


async def test_memories_of_the_project_itself_show_with_who_added_them(world: World) -> None:
    made = record(3, body=b"## Objective\nFrom the repository\n", author="dana", description="Ship it")
    path = world.write(world.project.shared / f"{made.memory}.md", render_record(made))
    async with opened(world) as driver:
        await driver.until(lambda: rows(driver) == [made.memory])
        await driver.until(lambda: "⇅dana Ship it" in driver.drawn(PaneId.MEMORIES, 90)[0])
        await driver.press("2")
        await driver.until(lambda: "shared by dana (project)" in driver.detail)
        path.unlink()
        driver.browser.host.hint("shared")
        await driver.until(lambda: rows(driver) == [])


async def test_memories_that_cannot_be_imported_are_reported_until_fixed(world: World) -> None:
    world.memory(1, "My own")
    path = world.write(world.project.shared / "CMEM-20260102-000000@laptop.md", "<<<<<<< ours\n")
    async with opened(world) as driver:
        bar = driver.browser.query_one(StatusBar)
        await driver.until(lambda: bar.remotes.long == "⇅ project: 1 unread")
        assert await driver.until_said("is not a shared memory") == (
            f"{path} is not a shared memory: it has no front matter. `memtui doctor` lists all such problems."
        )
        path.unlink()
        driver.browser.host.hint("shared")
        await driver.until(lambda: bar.remotes.long == "")
        await driver.until(lambda: "My own" in driver.shown)
