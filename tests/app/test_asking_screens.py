"""f4 in the review and in the compact screen: a model words the draft, and overwrites no edits."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from memtui.app.panes.pane import PaneId
from memtui.app.screens.compact import CompactScreen
from memtui.app.screens.dialogs import ConfirmScreen, StoredScreen
from memtui.documents.memory import parse_stored
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.documents.recovery import parse_recovery, render_recovery
from memtui.store.compact import draft
from tests.app.harness import NARROW, WIDE, Driver, opened
from tests.app.world import World
from tests.engines.stand_in import StandIn

MEMORY = MemoryFile(
    title="One refresh at a time",
    goal="Two tabs must not refresh at once.",
    learnings=("The lock has to be\x1b[2J per session.",),
    confidence="High — tried with two tabs.",
)


@pytest.fixture
def recovery(full: World) -> str:
    """A model's version of the recovery text."""
    drafted = parse_recovery(draft(full.places).text)
    return render_recovery(drafted.replace(objective="Worded by a model."))


def framed(text: str) -> str:
    return f"Here:\n<document>\n{text}\n</document>\n"


async def compacting(driver: Driver) -> TextArea:
    await driver.press("c")
    await driver.until(lambda: isinstance(driver.screen, CompactScreen), "the screen")
    assert isinstance(driver.screen, CompactScreen)
    area = driver.screen.text_area
    await driver.until(lambda: area.text, "the draft")
    return area


async def reviewing(driver: Driver) -> None:
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")


async def asked(driver: Driver, claude: StandIn) -> None:
    """Press f4 and wait until the program runs."""
    await driver.press("f4")
    await driver.until((claude.notes / "child").exists, "the question")


async def test_f4_rewords_the_recovery_text_and_ctrl_s_stores_it(
    full: World, claude: StandIn, recovery: str
) -> None:
    claude.says(framed(recovery))
    async with opened(full) as driver:
        area = await compacting(driver)
        await driver.press("f4")
        await driver.until_said("Claude wrote this text: read it before you store it.")
        assert "Worded by a model." in area.text
        await driver.press("escape")
        assert isinstance(driver.screen, ConfirmScreen)
        await driver.press("n", "ctrl+s")
        await driver.until(lambda: isinstance(driver.screen, StoredScreen), "the id")
        stored = [parse_stored(path.read_bytes()) for path in full.home.memories.rglob("CMEM-*.md")]
        (new,) = [each for each in stored if each.meta.source == "compact"]
        assert parse_recovery(new.body.decode()).objective == "Worded by a model. (no source)"


async def test_a_text_that_was_changed_stays(full: World, claude: StandIn, recovery: str) -> None:
    claude.says(framed(recovery))
    claude.does(
        f'touch "{claude.notes}/child"\nwhile [ ! -e "{claude.notes}/go" ]; do sleep 0.02; done\n'
        f'cat "{claude.notes}/answer"'
    )
    async with opened(full) as driver:
        area = await compacting(driver)
        await asked(driver, claude)
        await driver.press("x")
        mine = area.text
        (claude.notes / "go").touch()
        await driver.until_said("you have changed the text meanwhile: yours stays")
        assert area.text == mine
        (claude.notes / "question").unlink()
        await driver.press("f4")
        await driver.until_said("claude is not asked")
        assert not (claude.notes / "question").exists()


@pytest.mark.parametrize("key", ["c", "r"])
async def test_esc_calls_the_model_off_and_leaves_only_then(full: World, claude: StandIn, key: str) -> None:
    claude.hangs()
    async with opened(full, NARROW) as driver:
        await (compacting(driver) if key == "c" else reviewing(driver))
        await asked(driver, claude)
        screen = driver.screen
        await driver.press("f4")
        await driver.until_said("Claude is already working")
        await driver.press("escape")
        await driver.until_said("Called off: the draft from the facts is kept.")
        assert driver.screen is screen
        assert "esc leave" in driver.shown
        await driver.until(lambda: not claude.child_runs(), "the end of the program")
        await driver.press("escape")
        await driver.until(driver.at_home, "the way back")


@pytest.mark.parametrize("key", ["c", "r"])
async def test_where_it_fails_the_draft_stands_and_one_line_says_why(
    full: World, claude: StandIn, key: str
) -> None:
    claude.says("", code=3, errors="\x1b[2Jno credits\n")
    async with opened(full, WIDE) as driver:
        await (compacting(driver) if key == "c" else reviewing(driver))
        before = [area.text for area in driver.screen.query(TextArea)]
        await driver.press("f4")
        said = await driver.until_said("no credits")
        assert said.startswith("Claude ended with exit code 3: ")
        assert said.endswith(": the draft from the facts is kept.")
        assert [area.text for area in driver.screen.query(TextArea)] == before


async def test_f4_rewords_the_fields_that_nobody_changed(full: World, claude: StandIn) -> None:
    claude.says(framed(f"Summary: Refreshes took turns.\n\n{render_memory(MEMORY)}"))
    async with opened(full) as driver:
        await reviewing(driver)
        await driver.press("f2", "tab")
        assert driver.screen.focused is driver.review.form.fields["goal"]
        await driver.press("home", *"Mine ")
        goal = driver.review.form.fields["goal"].text
        await driver.press("f4")
        said = await driver.until_said("Claude wrote this draft")
        assert said.endswith("What you changed stays: Goal.")
        review = driver.review
        assert review.form.fields["title"].text == MEMORY.title
        assert review.form.fields["summary"].text == "Refreshes took turns."
        assert review.form.fields["goal"].text == goal
        assert review.form.fields["learnings"].text.startswith("- The lock has to be")
        assert "\x1b" not in review.form.fields["learnings"].text
        assert review.form.fields["confidence"].text == MEMORY.confidence
        assert "src/tokens.py" in review.form.fields["key_files"].text  # of the draft: it was changed
        await driver.press("ctrl+s")
        await driver.until(driver.at_home, "the end of the review")
        await driver.until(lambda: MEMORY.title in "\n".join(driver.drawn(PaneId.MEMORIES)), "its title")


async def test_without_the_program_it_says_so(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    async with opened(full) as driver:
        await compacting(driver)
        await driver.press("f4")
        await driver.until_said("The program claude is not on PATH: the draft from the facts is kept.")
