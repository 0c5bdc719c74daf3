"""The scope of a search: this session, this project, everywhere; and resuming a session that was found."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from memtui.app.screens import search
from memtui.app.screens.transcript import TranscriptScreen
from memtui.ground.project import Places
from memtui.lost.pins import Pins
from memtui.store.claude_memory import ClaudeMemories
from memtui.store.search import Scope, Searcher
from memtui.store.search_documents import Kind
from memtui.store.search_query import parse_search
from tests.app.harness import WIDE, opened
from tests.app.searching import (
    browser_of,
    found,
    idle,
    kinds_of,
    look_for,
    replaced,
    screen,
    session_elsewhere,
)
from tests.app.world import KEPT, STATE, World, clock

RESUMED = "6f0e1b72-3c48-4d9a-8e15-b7c2d4a9f031"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_PAUSE", 0.0)
    monkeypatch.setattr("memtui.store.search._FRESH", -1.0)
    monkeypatch.setattr("memtui.store.search._BUDGET", 60.0)


async def test_a_session_is_opened_at_its_line_and_copied(full: World) -> None:
    async with opened(full, WIDE) as driver:
        await look_for(driver, "refresh")
        results = screen(driver)
        assert results.selected is not None and results.selected.line == 1
        assert "Refresh" in driver.shown or "refresh" in driver.shown
        await driver.press("enter")
        await driver.until_transcript()
        reader = driver.screen
        assert isinstance(reader, TranscriptScreen)
        await driver.until(lambda: " of " in reader.finder.place, "the hit")
        # A search from the reader begins with the same words, and leads back to it.
        await driver.press("s")
        assert screen(driver) is not results
        assert screen(driver).query_one(Input).value == "refresh"
        await driver.press("escape", "escape")
        assert screen(driver) is results
        assert results.results.selected == "session s-1 L1 ask"
        assert results.query_one(Input).value == "refresh"
        # y copies the session, Y the command that resumes it.
        if results.focused is not results.results:  # a widget learns later that it has focus again
            await driver.press("shift+tab")
        await driver.press("y")
        await driver.until(lambda: driver.app.clipboard == "s-1", "the copy")
        # A name that is no id of Claude Code's is never part of a command.
        await driver.press("Y")
        assert driver.app.clipboard == "s-1" and "named by a UUID" in driver.last_said
        await driver.press("G", "R")
        assert driver.last_said == "Only a session can be resumed."


async def test_the_command_of_a_session_is_copied_and_run(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = full.session(RESUMED)
    session.prompt("Weigh the anchors")
    full.save(session, minutes=5)
    async with opened(full, WIDE) as driver:
        await look_for(driver, "anchors")
        await driver.press("shift+tab", "Y")
        await driver.until(lambda: driver.app.clipboard == f"claude --resume {RESUMED}", "the copy")
        # R resumes it.
        copied: list[str] = []
        monkeypatch.setattr(driver.app, "copy_text", lambda text, name="": copied.append(text))
        monkeypatch.setenv("PATH", "/nowhere")
        await driver.press("R")
        assert len(copied) == 1 and copied[0].endswith(f"claude --resume {RESUMED}")


async def test_tab_searches_all_kinds_everywhere_and_in_this_session_alone(full: World) -> None:
    (full.root / ".project" / "pins.md").write_text("- refresh once (s-1 L9)\n- refresh twice\n")
    full.memory(1, "Refresh", session="s-1")
    own = f"memory {full.memory(2, 'Refresh', session='s-7')}"
    other = World(full.base, "elsewhere")
    other.save(session_elsewhere(other))
    other.capture(5, "Refresh the paint", session="s-9")
    other.reviewed_capture(7, "Another", KEPT.replace(goal="Refresh it"))
    reviewed = other.capture_path(7)
    reviewed.write_text(reviewed.read_text().replace("s-1", "s-9"))
    other.memory(3, "Refresh the paint", session="s-9")
    other.state(replaced(STATE, "Refresh the paint", other), session="s-9")
    (other.root / ".project" / "pins.md").write_text("- refresh the paint\n")
    for world in (full, other):
        folder = ClaudeMemories(Places(world.project, world.home, world.claude), clock).folder
        world.write(folder / "paint.md", "---\nname: paint\n---\n\nRefresh it\n")
    Pins(full.project, full.home).confirm(["refresh once", "refresh twice", "refresh the paint"])
    async with opened(full) as driver:
        await look_for(driver, "refresh")
        assert "this project" in driver.lines[0]
        seen = {}
        for _ in range(3):
            await driver.press("tab")
            await driver.until(lambda: idle(driver), "the search")
            await driver.settled()
            seen[screen(driver)._scope] = set(found(driver))
        session, project, everywhere = (seen[scope] for scope in Scope)
        assert session < project
        assert project < everywhere
        assert kinds_of(session) == {"session", "memory", "capture", "state", "pin"}
        rest = {key for key in project - session if not key.startswith("session")}
        assert rest == {"pin pin 2", own, "Claude's memory paint.md"}
        assert kinds_of(everywhere - project) == set(map(str, Kind))


async def test_everywhere_leaves_out_what_is_private_but_for_the_project_itself(full: World) -> None:
    other = World(full.base, "elsewhere")
    other.save(session_elsewhere(other))
    other.capture(5, "Refresh the paint", session="s-9")
    full.write(full.home.config / "config.toml", f'[archive]\nprivate = ["{full.base}"]\n')
    searcher = Searcher(browser_of(full).places)

    def names(scope: Scope) -> set[str]:
        groups = searcher.search(parse_search("refresh"), scope)
        return {result.key for group in groups for result in group.results}

    assert names(Scope.EVERYWHERE) == names(Scope.PROJECT) != set()
    full.write(full.home.config / "config.toml", "")
    assert kinds_of(names(Scope.EVERYWHERE) - names(Scope.PROJECT)) == {"session", "capture"}
