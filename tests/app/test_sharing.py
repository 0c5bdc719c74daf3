"""Sharing: + shares memories, ctrl+s syncs; remotes in the status line; others' memories and versions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from memtui.app.listings import RemoteState
from memtui.app.panes.pane import PaneId
from memtui.app.screens import versions as screen_module
from memtui.app.screens.versions import VersionsScreen
from memtui.app.sharing import Exchange, sync_status
from memtui.app.status import StatusBar
from memtui.share import sync as share_sync
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.sync import Sharing, Synced, open_sharing
from memtui.store.memories import MemoryStore
from tests.app.harness import NARROW, SHORT, Driver, opened
from tests.app.memories import rows
from tests.app.world import NOW, World, clock
from tests.share.memory_remote import MemoryRemote

THEIRS = "CMEM-20260102-000007@laptop-1a2b"
SECRET = "one\nGITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n"


@pytest.fixture
def remote(world: World, monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    """A remote in memory, named team."""
    remote = MemoryRemote()
    monkeypatch.setattr(share_sync, "open_remote", lambda *_: remote)
    Remotes(world.home).add("team", NamedRemote(url="https://x"))
    return remote


def status(driver: Driver) -> str:
    return driver.browser.query_one(StatusBar).remotes.long


async def shared(driver: Driver, *keys: str) -> None:
    """Press + and say yes."""
    await driver.press(*keys, "+")
    await driver.until(lambda: driver.has("#yes"), "the question")
    await driver.press("enter")


async def test_a_memory_is_shared_and_sent(world: World, remote: MemoryRemote) -> None:
    first, second = world.memory(1, "First"), world.memory(2, "Second")
    async with opened(world) as driver:
        await driver.until(lambda: status(driver) == "⇅ team: not synced yet")
        await driver.press("2", "+")
        await driver.until(lambda: driver.has("#yes"), "the question")
        assert f"Share {first} with team? Others may read it from the next sync on" in driver.shown
        await driver.press("n")
        await driver.press("+")
        await driver.until(lambda: driver.has("#yes"), "the question")
        await driver.press("enter")
        assert await driver.until_said("goes") == f"{first} goes to team with the next sync: ctrl+s."
        assert remote.lines == {}
        await driver.press("u")
        assert f"`memtui remote forget {first}` removes it" in await driver.until_said("stays shared")
        await driver.press("ctrl+s")
        assert await driver.until_said("sent") == "team: sent 1, fetched 0."
        assert [key[:20] for key in remote.lines] == [first]
        await driver.until(lambda: status(driver) == "⇅ team now")
        assert "⇅ team now  ● live" in driver.lines[0]
        third = world.memory(3, "Third")
        driver.app.hint("memories")
        await driver.until(lambda: third in rows(driver))
        await shared(driver, "space", "space", "space")
        assert await driver.until_said("go to") == (
            "2 memories go to team with the next sync: ctrl+s."
            f" Not shared: {first} is shared with team already, as it is."
        )
        await driver.press("escape")
        assert driver.pane(PaneId.MEMORIES).marked == frozenset()
        await driver.press("ctrl+s")
        await driver.until_said("sent 2")
        assert {key[:20] for key in remote.lines} == {first, second, third}


async def test_without_a_remote_it_says_how_to_add_one(world: World) -> None:
    world.memory(1, "First")
    async with opened(world) as driver:
        for key in ("+", "ctrl+s"):
            await driver.press("2", key)
            await driver.until(lambda: len(driver.said) > 0)
            assert "memtui remote add NAME URL" in driver.said.pop()
        assert status(driver) == ""


async def test_among_several_remotes_one_is_named(world: World, remote: MemoryRemote) -> None:
    Remotes(world.home).add("home", NamedRemote(url="https://y"))
    first = world.memory(1, "First")
    async with opened(world) as driver:
        await driver.press("2", "+")
        await driver.until(lambda: driver.has("#answer"), "the question")
        assert "home, team " in driver.shown
        await driver.type("nowhere")
        await driver.press("enter")
        await driver.until(lambda: "There is no remote 'nowhere'." in driver.shown)
        await driver.type("home")
        await driver.pilot.click("#yes")
        assert (await driver.until_said("goes")).startswith(f"{first} goes to home ")


async def test_a_secret_is_named_by_line_and_kind_and_keeps_only_its_memory(
    world: World, remote: MemoryRemote
) -> None:
    secret, good = world.memory(1, "Secret", body=SECRET), world.memory(2, "Good")
    async with opened(world) as driver:
        await shared(driver, "2")
        said = await driver.until_said("not shared")
        assert said.startswith(f"{secret} is not shared. It holds a secret: ")
        assert "(line 2)" in said
        await shared(driver, "g", "space", "space")
        said = await driver.until_said("Not shared")
        assert said.startswith(f"{good} goes to team with the next sync: ctrl+s. Not shared: {secret} ")
        await driver.press("ctrl+s")
        await driver.until_said("sent 1")


async def test_a_remote_out_of_reach_is_shown_and_named(world: World, remote: MemoryRemote) -> None:
    remote.away = True
    async with opened(world, SHORT) as driver:
        await driver.press("2", "ctrl+s")
        assert await driver.until_said("reached") == "team: memory cannot be reached."
        await driver.until(lambda: status(driver) == "⇅ team: unreachable")
        assert "⇅! ● live" in driver.lines[0]
        remote.away = False
        await driver.press("1")
        await driver.pilot.click(offset=(driver.lines[0].index("⇅"), 0))
        await driver.until(lambda: "⇅ ● live" in driver.lines[0])


@pytest.mark.parametrize(("width", "mark"), [(140, "⇅ team now"), (80, "⇅ team now"), (40, "⇅ now")])
async def test_the_mark_shortens(world: World, remote: MemoryRemote, width: int, mark: str) -> None:
    open_sharing(world.home, clock).sync()
    async with opened(world, (width, 24)) as driver:
        await driver.until(lambda: driver.lines[0].endswith(f" {mark}  ● live "))


async def test_a_broken_list_of_remotes_shows(world: World) -> None:
    world.write(world.home.config / "remotes.json", "{")
    async with opened(world, NARROW) as driver:
        await driver.until(lambda: status(driver) == "⇅ remotes.json: failed")
        await driver.press("2", "ctrl+s")
        assert "remotes.json is broken" in await driver.until_said("broken")


async def test_when_set_it_syncs_by_itself_and_what_is_shared_goes_at_once(
    world: World, remote: MemoryRemote
) -> None:
    world.configure("[sync]\nminutes = 5\n")
    remote.add(THEIRS, body=b"## Objective\nTheirs\n", project=world.root.name)
    async with opened(world) as driver:
        await driver.until(lambda: status(driver) == "⇅ team now")
        await driver.until(lambda: len(rows(driver)) == 1)
        mine = world.memory(1, "Mine")
        driver.app.hint("memories")
        await driver.until(lambda: f"{mine}.md" in driver.pane(PaneId.MEMORIES).rows)
        await shared(driver, "2", "G" if rows(driver)[0] != mine else "g")
        assert await driver.until_said("goes") == f"{mine} goes to team now."
        await driver.until(lambda: len(remote.lines) == 2)


async def test_an_unknown_failure_of_the_thread_is_logged_and_shown_once(
    world: World, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.configure("[sync]\nminutes = 5\n")
    tries: list[str] = []

    def sync(exchange: Exchange, sharing: Sharing, changed: Callable[[], None]) -> Synced:
        tries.append(sharing.name)
        raise RuntimeError("no such thing")

    monkeypatch.setattr(Exchange, "_sync", sync)
    async with opened(world) as driver:
        said = await driver.until_said("syncing with team")
        assert driver.app.log_file.path.read_text().count("RuntimeError: no such thing") == 1
        assert str(driver.app.log_file.path) in said
        driver.browser.bar.refresh_remotes(300.0)
        await driver.settled()
        assert tries == ["team"]
        world.home.failure_log.unlink()


def test_the_mark_of_the_remotes() -> None:
    ago = NOW - timedelta(minutes=2)
    team, home = RemoteState("team", ago), RemoteState("home", NOW - timedelta(hours=3))
    assert sync_status([], NOW) == ("", "", "")
    assert sync_status([team], NOW)[:2] == ("⇅ team 2 m ago", "⇅ 2m")
    assert sync_status([team, home], NOW)[:2] == ("⇅ 2 remotes 3 h ago", "⇅ 3h")
    assert sync_status([team, RemoteState("new")], NOW)[:2] == ("⇅ 2 remotes: not synced yet", "⇅ not synced")
    lost = RemoteState("home", ago, "git@host:x cannot be used: ssh: connect to host", "unreachable")
    assert sync_status([team, lost], NOW) == ("⇅ home: unreachable", "⇅ home: unreachable", "$error")
    assert sync_status([lost, lost], NOW).long == "⇅ home: unreachable +1"
    assert sync_status([team._replace(doing="↑1 ↓500")], NOW)[:2] == ("⇅ team ↑1 ↓500", "⇅ ↑1 ↓500")
    assert sync_status([team._replace(problem="anything")], NOW).long == "⇅ team: failed"


@pytest.fixture
def theirs(world: World, monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    """A remote in memory that has one memory of another person's, which is here already."""
    monkeypatch.setattr(screen_module, "_PAUSE", 0.0)
    remote = MemoryRemote()
    monkeypatch.setattr(share_sync, "open_remote", lambda *_: remote)
    Remotes(world.home).add("team", NamedRemote(url="https://x"))
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


async def test_it_says_by_whom_it_was_shared(world: World, theirs: MemoryRemote) -> None:
    mine = world.memory(1, "My own")
    async with opened(world) as driver:
        assert rows(driver) == [mine, THEIRS]
        await driver.press("2", "G")
        await driver.until(lambda: "shared by ann (team)" in driver.detail)
        wide = driver.drawn(PaneId.MEMORIES, 120)
        assert wide[1].startswith("02 Jan 00:00 ⇅ ann Fix the cart")
        assert "⇅" not in wide[0]
        assert f"Recovery ID {THEIRS}" in driver.detail
        await driver.press("/", *"ann")
        await driver.until(lambda: rows(driver) == [THEIRS])


async def test_two_machines_texts_are_two_versions_with_their_difference(
    world: World, theirs: MemoryRemote
) -> None:
    mine = world.memory(30, "Mine", body="## Objective\nFix the cart\n\n## Pending\n- one\n")
    sharing = open_sharing(world.home, clock)
    sharing.share(mine)
    sharing.sync()
    changed = b"## Objective\nFix the big cart\n\n## Pending\n- one\n"
    theirs.add(sharing.key(mine), body=changed, author="bob", machine="desk-9f")
    sharing.sync()
    async with opened(world, NARROW) as driver:
        await driver.press("2")
        while driver.pane(PaneId.MEMORIES).selected != f"{mine}.md":
            await driver.press("j")
        await driver.press("v")
        await driver.until(lambda: isinstance(driver.screen, VersionsScreen), "the versions")
        for size in (NARROW, (120, 30)):
            await driver.resize(size)
            await driver.until(lambda: "here · bob on desk-9f" in driver.shown)
        await driver.until(lambda: "v1 → v2 by bob on desk-9f" in driver.shown)
        assert "big" in driver.shown and "{+" in driver.shown
        assert f"Versions of {mine}" in driver.shown


async def test_a_memory_of_ones_own_shows_who_has_it(world: World, theirs: MemoryRemote) -> None:
    mine, other = world.memory(30, "Mine"), world.memory(31, "Not shared")
    sharing = open_sharing(world.home, clock)
    sharing.share(mine)
    sharing.sync()
    async with opened(world) as driver:
        await driver.until(lambda: any("⇅ team Mine" in each for each in driver.drawn(PaneId.MEMORIES, 90)))
        assert all("⇅" not in each for each in driver.drawn(PaneId.MEMORIES, 90) if other in each)


async def test_a_shared_memory_is_asked_for_before_it_goes_for_all(
    world: World, theirs: MemoryRemote
) -> None:
    async with opened(world) as driver:
        changes, backend = driver.app.model.changes, store(world)
        changes.add_stored(f"stored {THEIRS}", backend, THEIRS)
        for key, way in (("u", driver.app.action_undo), ("D", driver.browser.memories.action_delete)):
            await driver.press("2")
            way()  # a key would be waited for, and undoing waits for the answer
            await driver.until(lambda: "Shared with team: the next sync" in driver.shown, key)
            await driver.press("n")
            assert rows(driver) == [THEIRS]
        await driver.press("D", "y")
        await driver.until_said("in the trash")
        driver.app.action_undo()
        await driver.until(lambda: rows(driver) == [THEIRS], "its return")
        driver.app.action_undo(True)
        await driver.until(lambda: f"Redo: deleted {THEIRS}? Shared with team" in driver.shown, "redo")


async def test_a_deletion_from_afar_is_said(world: World, theirs: MemoryRemote) -> None:
    gone = f"{THEIRS} was deleted by ann: it is in the trash here."
    theirs.add(THEIRS, deleted=True)
    world.configure("[sync]\nminutes = 5\n")
    async with opened(world) as driver:
        assert await driver.until_said("deleted") == f"team: {gone}"


def test_what_every_exchange_finds_is_said_once(
    world: World, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, found = list[str](), iter([["a"], ["a"], [], ["a"]])
    monkeypatch.setattr(Sharing, "sync", lambda _: Synced(notes=next(found)))
    monkeypatch.setattr(share_sync, "keep_syncing", lambda sync, *_: [sync() for _ in range(4)])
    Exchange(world.home, clock, threading.Event()).keep_syncing("team", 1.0, lambda: None, said.append)
    assert said == ["team: a.", "team: a."]


async def test_a_memory_with_one_text_says_so(world: World) -> None:
    mine = world.memory(1, "Mine")
    async with opened(world) as driver:
        await driver.press("2", "v")
        assert (await driver.until_said("one text")).startswith(f"{mine} has one text only")
