"""The reader: finds, goes to turns, compactions and lines, unfolds, marks, copies, and comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.app.screens.lost import LostScreen
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.input_line import InputLine
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from tests.app.harness import NARROW, SHORT, WIDE, Driver, opened
from tests.app.world import World


@pytest.fixture
def long(full: World) -> World:
    """The first capture's transcript has three turns, a compaction, tools, and much between them."""
    session = full.session("s-1", minutes=55)
    session.prompt("Where it begins")
    session.bash("make test", "run the tests", "\n".join(f"row {number}" for number in range(30)))
    for number in range(100):
        session.say(f"Answer {number} " + "word " * 40)
    session.prompt("The second ask")
    session.edit(str(full.root / "a.py"), "the old line", "the new line")
    session.compaction("What came before.\nThe needle is here.")
    for number in range(100, 200):
        session.say(f"Answer {number} " + "word " * 40)
    session.prompt("The third ask: a Needle")
    session.say("The end of it: needle")
    full.transcript_path("s-1").unlink()
    full.save(session)
    return full


async def reading(driver: Driver) -> TranscriptView:
    await driver.press("o")
    assert isinstance(driver.screen, TranscriptScreen)
    view = await driver.until_transcript()
    await driver.until(lambda: "turn" in driver.lines[0], "the index")
    return view


async def find(driver: Driver, text: str, shown: str) -> None:
    await driver.press("/")
    await driver.type(text)
    await driver.until(lambda: shown in driver.shown, shown)


def row(view: TranscriptView) -> str:
    return view.document.lines[view.cursor.line].text


async def test_finding_as_one_types_goes_on_and_comes_round(long: World) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        assert "n next" not in driver.lines[-1]  # there is no hit to go to
        await find(driver, "needle", "of 3")
        await driver.press("enter")
        await driver.until(lambda: "n next  N before" in driver.lines[-1], "the keys that go from hit to hit")
        assert not driver.screen.query_one(InputLine).has_class("-open")

        async def place(key: str) -> str:
            before = row(view)
            await driver.press(key)
            await driver.until(lambda: row(view) != before and "of 3" in driver.lines[-2], "the next place")
            return driver.lines[-2].split("/needle")[1].split("·")[0].strip()

        places = [await place(key) for key in "nnn"]
        assert sorted(places) == ["1 of 3", "2 of 3", "3 of 3"]
        assert driver.last_said == "No hit after this one: round again."
        assert [await place(key) for key in "NN"] == [places[1], places[0]]
        await driver.press("G")
        await find(driver, "Answer", "200 of 200")  # the nearest one, as none follows


async def test_esc_returns_to_the_start_of_the_search_and_hits_unfold_blocks(long: World) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        before = row(view)
        await find(driver, "row 17", "row 17")
        await driver.press("escape")
        await driver.until(lambda: row(view) == before, "the place before")
        assert "/row" not in driver.lines[-2]
        await find(driver, "nowhere at all", "not found")
        await driver.press("escape")
        await find(driver, "Needle", "1 of 1")  # capitals count when one is typed
        await driver.press("escape")
        await find(driver, "row 17", "row 17")
        await driver.press("enter")
        assert row(view).strip() == "row 17"
        assert "1 of 1" in driver.lines[-2]


async def test_turns_and_compactions(long: World) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        assert "Where it begins · turn 3 of 3" in driver.lines[0]
        await driver.press("[")
        assert "third ask" in row(view) or "second ask" in row(view)
        await driver.press("[", "[")
        await driver.until(lambda: "Where it begins" in row(view), "the first turn")
        assert "turn 1 of 3" in driver.lines[0]
        await driver.press("[")
        assert driver.last_said == "This is the first turn."
        await driver.press("]")
        await driver.until(lambda: "The second ask" in row(view), "the second turn")
        await driver.press("}")
        await driver.until(lambda: "COMPACTED" in row(view), "the compaction")
        assert "(1 of 1)" in row(view)
        await driver.press("}")
        assert driver.last_said == "This is the last compaction."


async def test_l_at_a_compaction_shows_what_it_lost(long: World) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        await driver.press("l")
        assert driver.last_said == "This is not a compaction: } and { go to one."
        await driver.press("{")
        await driver.until(lambda: "COMPACTED" in row(view), "the compaction")
        await driver.press("l")
        assert isinstance(driver.screen, LostScreen)
        await driver.until(lambda: "Lost 3" in driver.lines[0], "the aftermath")
        await driver.press("escape")
        assert isinstance(driver.screen, TranscriptScreen)
        assert "COMPACTED" in row(view)


async def test_a_number_goes_to_a_line(long: World) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        await driver.press("5", "0")
        assert "50" in driver.lines[-2]
        await driver.press("G")
        await driver.until(lambda: "L50" in driver.lines[-2], "line 50")
        await driver.press("2", "escape")
        assert isinstance(driver.screen, TranscriptScreen)
        await driver.press("G")
        await driver.until(lambda: view.bar.percent == 100, "the end")


async def test_a_block_is_copied_as_markdown(long: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(long) as driver:
        view = await reading(driver)
        copied: list[str] = []
        monkeypatch.setattr(driver.app, "copy_text", lambda text, name="": copied.append(text))
        await driver.press("[", "[")
        await driver.until(lambda: "The second ask" in row(view) or "third" in row(view), "an ask")
        view.put_line(next(n for n, line in enumerate(view.document.lines) if "● Edit" in line.text))
        await driver.press("y")
        assert (
            copied[-1]
            == f"**Edit** `{long.root}/a.py`\n\n```diff\n-the old line\n+the new line\n```\n\n"
            + copied[-1].split("```\n\n", 1)[1]
        )


async def test_t_leaves_tools_out_and_shows_them_again(long: World) -> None:
    async with opened(long, NARROW) as driver:
        view = await reading(driver)
        assert "● Edit" in view.document.text
        await driver.press("t")
        await driver.until(lambda: "without tools" in driver.lines[-2], "no tools")
        assert "● Edit" not in view.document.text and "Answer 198" in view.document.text
        await driver.press("t")
        assert "● Edit" in view.document.text


async def test_a_subagents_transcript_opens_inside(full: World) -> None:
    session = full.session("s-1", minutes=1)
    session.prompt("Look around")
    path = full.save(session)
    agent = path.with_suffix("") / "subagents" / "agent-ab12.jsonl"
    agent.parent.mkdir(parents=True)
    task = {"type": "user", "isSidechain": True, "agentId": "ab12", "message": {"content": "t"}}
    said = {
        "type": "assistant",
        "isSidechain": True,
        "agentId": "ab12",
        "message": {"id": "m", "content": [{"type": "text", "text": "I looked around"}]},
    }
    agent.write_text("".join(json.dumps(each) + "\n" for each in (task, said)))
    ended = {
        "type": "user",
        "toolUseResult": {"agentId": "ab12"},
        "message": {"content": [{"type": "tool_result", "tool_use_id": "x", "content": "done"}]},
    }
    with path.open("a") as file:
        file.write(json.dumps(ended) + "\n")
    async with opened(full) as driver:
        view = await reading(driver)
        assert row(view).strip() == "▸ its own transcript"
        await driver.press("enter")
        await driver.until(lambda: "I looked around" in driver.shown, "the subagent")
        await driver.press("escape")
        assert "Look around" in driver.shown
        at = next(number for number, text in enumerate(driver.lines) if "its own transcript" in text)
        await driver.pilot.click(offset=(driver.lines[at].index("its own"), at))
        await driver.until(lambda: "I looked around" in driver.shown, "the subagent")
        await driver.press("escape")
        assert "Look around" in driver.shown, "it was opened once"
        agent.unlink()
        await driver.press("enter")
        assert driver.last_said == "The transcript of this subagent no longer exists."


async def test_what_leaves_the_reader_is_masked_and_the_screen_shows_it_as_it_is(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "ghp_" + "a1B2" * 9
    session = full.session("s-1", minutes=1)
    session.prompt("The token is")
    session.say(f"It is {secret}")
    full.save(session)
    left: list[str] = []

    def leaves(app: object, text: str, *, name: str = "") -> str:
        left.append(text)
        return name

    monkeypatch.setattr("memtui.app.base.BaseApp.copy_text", leaves)
    async with opened(full) as driver:
        await reading(driver)
        assert secret in driver.shown
        await driver.press("y")
        monkeypatch.setattr(driver.screen, "get_selected_text", lambda: f"is {secret}")
        await driver.press("y", "ctrl+c")
    assert left == ["It is [masked: github token]\n", *["is [masked: github token]"] * 2]


async def test_a_capture_of_an_archived_session_is_read_from_the_archive(long: World) -> None:
    transcript = long.transcript_path("s-1")
    Archive(long.home).keep(transcript, ArchiveSettings())
    transcript.unlink()
    async with opened(long) as driver:
        await driver.until(lambda: "a.py" in driver.shown, "the facts")
        await reading(driver)
        assert "The end of it: needle" in driver.shown


async def test_e_in_capitals_writes_the_session_to_a_file(
    long: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    async with opened(long) as driver:
        await reading(driver)
        await driver.press("E")
        await driver.until(lambda: "Export this session to a file" in driver.shown, "the question")
        proposed = driver.app.screen.query_one(Input)
        assert proposed.value == str(tmp_path / "session-s-1.html")
        proposed.value = "s.md"
        await driver.press("enter")
        assert (await driver.until_said("Wrote")).startswith(f"Wrote {tmp_path / 's.md'}, ")
        assert "The end of it: needle" in (tmp_path / "s.md").read_text()
        await driver.press("E")
        await driver.until(lambda: "Export this session to a file" in driver.shown, "the question")
        driver.app.screen.query_one(Input).value = str(tmp_path / "s.md")
        await driver.press("enter")
        await driver.until_said("already exists: name another file")


async def test_at_every_size_the_frame_says_where_one_is(long: World) -> None:
    async with opened(long) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            await driver.press("o")
            await driver.until_transcript()
            await driver.until(lambda: "100 %" in driver.lines[0], f"the place at {size}")
            assert driver.lines[0].lstrip("╭─ ").startswith("s-1"), size
            await driver.press("escape")
            assert driver.at_home(), size
