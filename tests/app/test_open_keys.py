"""o opens the transcript, e the file in the editor; failures are explained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.app.panes.detail import linked
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.terminal import editor_command
from memtui.app.widgets.document import from_markdown
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.transcript_view import TranscriptView
from tests.app.harness import SHORT, Driver, opened
from tests.app.world import World, captured_session


async def until_read(driver: Driver) -> TranscriptView:
    assert isinstance(driver.screen, TranscriptScreen)
    return await driver.until_transcript()


@pytest.fixture
def long(full: World) -> World:
    """The first capture's transcript has a thousand answers."""
    session = full.session("s-1", minutes=55)
    session.prompt("Where it begins")
    for number in range(1000):
        session.say(f"Answer {number} " + "word " * 40)
    full.transcript_path("s-1").unlink()
    full.save(session)
    return full


async def test_reading_back_to_the_beginning_and_forth(long: World) -> None:
    async with opened(long, SHORT) as driver:
        await driver.press("o")
        await until_read(driver)
        await driver.press("k", "pageup")
        assert "Answer 999" not in driver.shown
        await driver.press("g")
        await driver.until(lambda: "Where it begins" in driver.shown, "the beginning")
        await driver.press("G")
        await driver.until(lambda: "Answer 999" in driver.shown, "the end")


async def test_the_transcript_follows_what_is_added(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("o")
        await until_read(driver)
        session = full.session("s-1", minutes=1)
        session.prompt("A thought that came later")
        full.save(session)
        await driver.until(lambda: "A thought that came later" in driver.shown, "the addition")


Change = Callable[[World], object]


def gone(world: World) -> None:
    world.transcript_path("s-1").unlink()


def elsewhere(world: World) -> None:
    outside = world.write(world.base / "secret.jsonl", '{"type": "user"}\n')
    capture = world.capture_path(10)
    capture.write_text(capture.read_text().replace(str(world.transcript_path("s-1")), str(outside)))


def linked_elsewhere(world: World) -> None:
    outside = world.write(world.base / "secret.jsonl", '{"type": "user"}\n')
    gone(world)
    world.transcript_path("s-1").symlink_to(outside)


def no_transcript(world: World) -> None:
    capture = world.capture_path(10)
    capture.write_text(capture.read_text().replace(str(world.transcript_path("s-1")), "/etc/passwd"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (gone, "is gone"),
        (elsewhere, "lies outside"),
        (linked_elsewhere, "lies outside"),
        (no_transcript, "is not the path of a transcript"),
    ],
)
async def test_a_transcript_that_is_not_opened_says_why(full: World, change: Change, reason: str) -> None:
    change(full)
    async with opened(full) as driver:
        await driver.press("1", "o")
        assert driver.at_home()
        assert reason in driver.last_said
        assert f"No facts: {driver.last_said}" in driver.detail


async def test_o_in_the_other_panes(full: World) -> None:
    captured_session(full, "s-old", "Migrate billing", minutes=3000)
    async with opened(full) as driver:
        await driver.press("3", "o")
        assert driver.last_said == "An active command names no transcript."
        await driver.press("2", "o")
        assert driver.last_said == "This memory does not say which transcript it was made from."
        await driver.press("2", "j", "o")  # a review's memory file leads to its capture's transcript
        await until_read(driver)
        assert "Migrate billing" in driver.shown
        await driver.press("escape", "4", "o")
        await until_read(driver)


@pytest.mark.parametrize(
    ("env", "command"),
    [
        ({"EDITOR": "nano"}, ["nano"]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"EDITOR": "'/opt/my editor/ed' -n"}, ["/opt/my editor/ed", "-n"]),
        ({"EDITOR": "it's"}, ["it's"]),
        ({"EDITOR": "  ", "VISUAL": ""}, []),
        ({}, []),
    ],
)
def test_the_editor_is_the_persons_own(env: dict[str, str], command: list[str]) -> None:
    assert editor_command({"PATH": "/nowhere", **env}) == command


def test_without_a_choice_an_editor_that_is_there_is_taken(tmp_path: Path) -> None:
    (tmp_path / "vi").write_text("#!/bin/sh\n")
    (tmp_path / "vi").chmod(0o755)
    assert editor_command({"PATH": str(tmp_path)}) == ["vi"]


FILES = [
    ("1", "20260305_141007-autocompact.md"),
    ("1G", "-autocompact.md"),
    ("2", "CMEM-20260305-135007.md"),
    ("3", "agileflow/babysit.md"),
    ("3G", "session-state.json"),
    ("4", "v0007.md"),
]


async def test_e_names_the_file_where_no_editor_can_take_the_terminal(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "ed")
    async with opened(full) as driver:
        for number, (keys, name) in enumerate(FILES, 1):
            await driver.press(*keys, "e")
            said = driver.last_said
            assert said.startswith("This terminal cannot step aside for an editor. The file is "), keys
            assert said.endswith(f"{name}."), keys
            assert len(driver.said) == number, keys
        monkeypatch.delenv("EDITOR")
        monkeypatch.setenv("PATH", "/nowhere")
        await driver.press("4", "e")
        path = full.home.states / "s-1" / "v0007.md"
        assert driver.last_said == f"No editor found: set EDITOR. The file is {path}."


async def test_u_puts_front_matter_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    recovery_id = world.memory(1, "Edited", tags=("kept",))
    (path,) = world.home.memories.rglob(f"{recovery_id}.md")
    before = path.read_bytes()
    monkeypatch.setattr("memtui.app.terminal.edit_file", lambda *_: path.write_bytes(b"x" + before))
    async with opened(world) as driver:
        await driver.press("2", "e")
        assert "lacks front matter, so tags" in driver.last_said
        await driver.press("u")
        await driver.until(lambda: path.read_bytes() == before, "the old text")


async def test_enter_on_a_source_line_opens_the_transcript_there(long: World) -> None:
    async with opened(long) as driver:
        view = driver.screen.query_one("#detail", DocumentView)
        view.show(linked(from_markdown("- Answer 500 was said (L502)\n- nothing to see")))
        view.focus()
        await driver.press("enter")
        await driver.until(lambda: "L502" in driver.lines[-2], "the line")
        assert isinstance(driver.screen, TranscriptScreen)
        assert "Answer 500" in driver.shown
        await driver.press("escape")
        assert driver.at_home()
        view.show(linked(from_markdown("- one (L2)\n- two (L3)\n- three (L4)")))
        await driver.settled()
        await driver.pilot.click("#detail", offset=(4, 3))
        await driver.until(lambda: not driver.at_home(), "the line that was clicked")
        await driver.press("escape")
        assert view.document.lines[view.marked].text.endswith("three (L4)"), "! takes it, too"


def test_only_source_lines_lead_there() -> None:
    document = linked(from_markdown("L1 cache\n\nSQL12 and L0\n\nsee L476 14:53, L9"))
    assert [line.link for line in document.lines if line.link] == ["source:1", "source:476"]
