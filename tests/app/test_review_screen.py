"""r: the review is filled with a draft, changed by keys, and saved whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste

from memtui.app.keys.commands import PaneId
from memtui.app.screens.confirm import ConfirmScreen
from memtui.app.screens.review import ReviewScreen
from memtui.app.screens.review_fields import FormField
from memtui.app.screens.review_form import FIELDS, Draft, from_fields, to_fields
from memtui.app.screens.transcript import TranscriptScreen
from memtui.documents.memory_draft import draft_memory, draft_summary
from memtui.formats.capture import parse_capture, render_capture, reviewed
from memtui.formats.memory import MemoryFile, render_memory
from memtui.reading.facts import Facts, read_facts
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from tests.app.harness import NARROW, SHORT, SIZES, WIDE, Driver, opened
from tests.app.world import FIRST, World, told_apart


async def start(driver: Driver) -> ReviewScreen:
    """Review the newest capture, and wait for its draft."""
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.field("title").text, "the draft")
    await driver.pilot.pause()
    return driver.review


def drafted(world: World) -> Draft:
    """What memtui would write without a person."""
    capture = parse_capture(world.capture_path(10).read_text())
    facts = read_facts(Path(capture.transcript), until=capture.timestamp)
    return Draft(draft_memory(facts), draft_summary(facts))


def texts(review: ReviewScreen) -> dict[str, str]:
    return {field.name: review.field(field.name).text for field in FIELDS}


def target(review: ReviewScreen) -> str:
    """The one field that says that space adds to it."""
    (name,) = [field.name for field in FIELDS if str(review.field(field.name).border_subtitle)]
    return name


def memory_path(world: World) -> Path:
    path = world.capture_path(10)
    return path.with_name(path.name.replace("-autocompact", "-memory"))


def everything(world: World) -> dict[str, bytes]:
    """The captures and memory files."""
    return {path.name: path.read_bytes() for path in world.project.compacts.glob("*.md")}


async def test_the_form_is_filled_with_the_draft(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        assert texts(review) == to_fields(drafted(full))
        assert review.field("title").text == FIRST
        assert "src/tokens.py" in review.field("key_files").text
        assert driver.screen.focused is review.field("title")
        assert "Evidence" in driver.shown
        assert "src/tokens.py" in driver.shown


async def test_ctrl_s_writes_the_memory_file_and_the_capture(full: World) -> None:
    before = everything(full)
    path, draft = full.capture_path(10), drafted(full)
    capture = parse_capture(path.read_text())
    async with opened(full) as driver:
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until(driver.at_home, "the end of the review")
        name = memory_path(full).name
        text, recovery_id = told_apart(memory_path(full).read_text())
        assert await driver.until_said("Reviewed") == (
            f"Reviewed: {recovery_id} is in Memories (2); u takes it back."
        )
        assert text == render_memory(draft.memory)
        stored = driver.browser.browser.backend.get(recovery_id)
        assert (stored.meta.source, stored.meta.description) == ("review", FIRST)
        await driver.until(lambda: f"{recovery_id}.md" in driver.pane(PaneId.MEMORIES).rows, "its row")
        after = reviewed(capture, summary=draft.summary, memory=name)
        assert path.read_text() == render_capture(after)
        # The row moves from one pane to the other.
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 2, "the capture's leaving")
        assert FIRST not in "\n".join(driver.drawn(PaneId.PENDING))
        # One row stands for both, and reads the capture's transcript.
        await driver.until(lambda: name not in driver.pane(PaneId.MEMORIES).rows, "one row")
        await driver.press("2")
        assert driver.pane(PaneId.MEMORIES).select(f"{recovery_id}.md")
        await driver.until(lambda: f"review {name}" in driver.detail, "the detail")
        assert driver.pane(PaneId.MEMORIES).subject(f"{recovery_id}.md").transcript
        await driver.until(lambda: FIRST in "\n".join(driver.drawn(PaneId.MEMORIES)), "its title")
        after_all = everything(full)
        assert after_all.pop(name)
        assert {**after_all, path.name: before[path.name]} == before


async def test_u_takes_a_review_back_to_the_byte(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")
        await driver.press("u")
        await driver.until_said("Undone: reviewed 20260305_141007")
        assert everything(full) == before
        assert [each.meta.source for each in driver.browser.browser.backend.list().items] == ["import"] * 2
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 3, "the capture's return")


async def test_what_is_typed_is_what_is_saved(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "exclamation_mark", "tab", "tab")
        assert driver.screen.focused is review.field("goal")
        await driver.press("f7", *"New goal", "enter", *"in two lines", "tab")
        await driver.press("down", "end", "enter", *"- another", "enter", *"  goes on", "tab")
        await driver.press("a", "enter", "b", "enter", "ctrl+s")
        await driver.until_said("Reviewed")
        draft = drafted(full).memory
        assert told_apart(memory_path(full).read_text())[0] == render_memory(
            draft.replace(
                title=f"{FIRST}!",
                goal="New goal\nin two lines",
                learnings=(*draft.learnings, "another\ngoes on"),
                questions=("a", "b", *draft.questions),
            )
        )


@pytest.mark.parametrize("key", ["space", "enter"])
async def test_a_fact_is_added_to_the_field_edited_last(full: World, key: str) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("tab", "tab", "tab", "tab")
        assert target(review) == "questions"
        before = texts(review)
        await driver.press("f2")
        assert review.facts.listing.has_focus
        await driver.press("g", key)
        assert driver.last_said == "Added to Open questions / issues."
        assert texts(review) == {
            **before,
            "questions": "\n".join(filter(None, (before["questions"], "- src/tokens.py"))),
        }
        await driver.press(key)
        assert driver.last_said == "Open questions / issues has it already."
        await driver.press("f2")
        assert driver.screen.focused is review.field("questions")
        await driver.press("shift+tab", "shift+tab", "f2", "j", "j", key)
        assert driver.last_said == "Added to Goal."
        assert review.field("goal").text.endswith("Understood: one refresh at a time. (L10 12:25)")


async def test_at_first_a_fact_goes_to_the_learnings_and_no_field_is_replaced(full: World) -> None:
    async with opened(full) as driver:
        await driver.until(
            lambda: "What it covers" in driver.detail, "facts that are known before the review"
        )
        review = await start(driver)
        assert target(review) == "learnings"
        before = texts(review)
        await driver.press("f2", "space")
        assert driver.last_said == "Added to Learnings."
        assert {**texts(review), "learnings": ""} == {**before, "learnings": ""}


async def test_what_was_typed_before_the_draft_came_is_not_lost_unasked(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = threading.Event()
    read = ReviewScreen._read

    def slowly(screen: ReviewScreen, transcript: Path) -> Facts:
        assert typed.wait(10)
        return read(screen, transcript)

    monkeypatch.setattr(ReviewScreen, "_read", slowly)
    async with opened(full) as driver:
        await driver.pilot.press("r", "m", "y", "s")
        typed.set()
        await driver.until(lambda: driver.review.field("goal").text, "the draft")
        assert driver.review.field("title").text == "mys"
        await driver.press("escape")
        assert isinstance(driver.screen, ConfirmScreen)


async def test_a_second_ctrl_s_and_escape_come_too_late(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = threading.Event()
    write = CaptureStore.review

    def slowly(store: CaptureStore, entry: Entry, *, memory: MemoryFile, summary: str) -> Path:
        assert pressed.wait(10)
        return write(store, entry, memory=memory, summary=summary)

    monkeypatch.setattr(CaptureStore, "review", slowly)
    async with opened(full) as driver:
        await start(driver)
        await driver.pilot.press("ctrl+s", "ctrl+s", "escape")
        pressed.set()
        await driver.until(driver.at_home, "the end of the review")
        await driver.until_said("Reviewed")
        assert not [said for said in driver.said if "Not saved" in said]
        await driver.press("u")
        await driver.until_said("Undone: review")


async def test_headings_of_the_evidence_are_no_facts(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("f2", "g")
        listing = review.facts.listing
        chosen = []
        for _ in range(len(listing.rows)):
            chosen.append(listing.selected)
            await driver.press("j")
        assert all("." in str(key) for key in chosen)
        assert len(set(chosen)) == sum("." in key for key in listing.rows)


async def test_space_in_a_field_is_a_space(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("home", "space")
        assert review.field("title").text == f" {FIRST}"


async def test_tab_goes_through_every_field(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        seen = []
        for _ in range(len(FIELDS) + 1):
            focused = driver.screen.focused
            seen.append(focused.field.name if isinstance(focused, FormField) else "evidence")
            await driver.press("tab")
        assert seen == [*(field.name for field in FIELDS), "evidence"]
        assert driver.screen.focused is review.field("title")


@pytest.mark.parametrize("size", SIZES)
async def test_every_field_is_in_sight_when_it_has_the_focus(full: World, size: tuple[int, int]) -> None:
    async with opened(full, size) as driver:
        review = await start(driver)
        for field in FIELDS:
            assert driver.screen.focused is review.field(field.name)
            label = field.label.split(":")[0].split(" (")[0]
            form_field = review.field(field.name)

            def in_sight(label: str = label, form_field: FormField = form_field) -> bool:
                region = form_field.region
                whole = region.y >= 0 and (region.bottom <= size[1] - 1 or region.y == 0)
                return whole and any(label in line for line in driver.lines)

            await driver.until(in_sight, field.label)
            await driver.press("tab")


@pytest.mark.parametrize("size", [NARROW, SHORT])
async def test_in_a_narrow_window_f2_goes_between_form_and_evidence(
    full: World, size: tuple[int, int]
) -> None:
    async with opened(full, size) as driver:
        review = await start(driver)
        assert all(key in driver.lines[-1] for key in ("ctrl+s save", "f2 facts", "esc leave"))
        assert driver.has("#field-title")
        assert not driver.has("#evidence")
        await driver.press("f2")
        assert driver.has("#evidence")
        assert all(key in driver.lines[-1] for key in ("ctrl+s save", "f2 form", "esc leave"))
        assert "src/tokens.py" in driver.shown
        await driver.press("space", "f2")
        assert not driver.has("#evidence")
        assert driver.screen.focused is review.field("learnings")


async def test_the_footer_names_every_key_that_acts_where_the_focus_is(full: World) -> None:
    async with opened(full, NARROW) as driver:
        await start(driver)
        assert driver.lines[-1].strip().split("  ") == [
            "ctrl+s save",
            "tab next field",
            "f4 ask claude",
            "? help",
            "f2 facts",
            "esc leave",
        ]
        await driver.press("f2")
        assert "space add fact" in driver.lines[-1]
        assert "? help" in driver.lines[-1]
        await driver.press("f2")
        assert "tab next field" in driver.lines[-1]


async def test_tab_from_the_last_field_shows_the_evidence_in_a_narrow_window(full: World) -> None:
    async with opened(full, NARROW) as driver:
        await start(driver)
        await driver.press("shift+tab")
        focused = driver.screen.focused
        assert focused is not None
        assert focused.region.area > 0


async def test_f3_opens_the_transcript_and_comes_back(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "f3")
        assert isinstance(driver.screen, TranscriptScreen)
        await driver.until(lambda: "Never refresh twice" in driver.shown, "the transcript")
        await driver.press("escape")
        assert driver.app.screen is review
        assert review.field("title").text == f"{FIRST}x"


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])  # most terminals paste a return between lines
async def test_lines_that_are_pasted_stay_lines(full: World, end: str) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        field = review.field("learnings")
        field.text = ""
        field.focus()
        await driver.settled()
        driver.app.post_message(Paste(f"one{end}two{end}three"))
        await driver.until(lambda: field.text == "one\ntwo\nthree", "the lines")


async def test_a_title_is_needed(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("f7", "delete", "tab", "ctrl+s")
        assert driver.last_said == "Give the memory a title first."
        assert driver.app.screen is review
        assert driver.screen.focused is review.field("title")
        assert everything(full) == before


# -- leaving ------------------------------------------------------------------------------------------------


async def test_escape_leaves_at_once_when_nothing_would_be_lost(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        await start(driver)
        await driver.press("escape")
        await driver.until(driver.at_home)
        assert driver.at(PaneId.PENDING)
        assert everything(full) == before


async def test_escape_asks_when_something_would_be_lost(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "escape")
        assert isinstance(driver.screen, ConfirmScreen)
        assert "What you wrote is not saved." in driver.shown
        await driver.press("n")
        assert driver.app.screen is review
        assert review.field("title").text == f"{FIRST}x"
        await driver.press("escape", "enter")  # the button that keeps has the focus
        assert driver.app.screen is review
        await driver.press("escape", "y")
        await driver.until(driver.at_home)
        assert everything(full) == before
        await driver.press("u")
        assert driver.last_said.startswith("Nothing to undo")


# -- what cannot be reviewed --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_the_whole_question_and_both_answers_show(full: World, size: tuple[int, int]) -> None:
    async with opened(full, size) as driver:
        await start(driver)
        await driver.press("x", "escape")
        await driver.until(lambda: isinstance(driver.screen, ConfirmScreen), "the question")
        await driver.settled()
        asked = driver.screen.query_one("#question").region
        rows = (row[asked.x : asked.right].strip() for row in driver.lines[asked.y : asked.bottom])
        assert " ".join(rows) == "Leave the review? What you wrote is not saved."
        assert any("Leave (y)" in row and "Stay (n)" in row for row in driver.lines)


async def test_a_reviewed_capture_says_where_its_memory_is(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("R", "j", "j", "r")
        assert driver.at_home()
        name = full.capture_path(3000).name.replace("-autocompact", "-memory")
        assert (
            driver.last_said == f"This capture is reviewed already: its memory is {name}. e edits the file."
        )


async def test_a_broken_capture_says_why(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("G", "r")
        assert driver.at_home()
        assert driver.last_said == "This capture cannot be reviewed: it is broken: it has no Timestamp line."


async def test_without_a_transcript_the_capture_itself_makes_the_draft(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("j", "r")
        await driver.until(lambda: driver.review.field("title").text, "the draft")
        assert driver.review.field("title").text == "Make the export stream"
        assert "No facts: " in driver.review.facts.listing.empty
        await driver.press("f2", "space")
        assert driver.last_said == "No fact is selected."
        await driver.press("f3")
        assert "is gone" in driver.last_said
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")


def touched(world: World) -> None:
    path = world.capture_path(10)
    path.write_text(path.read_text().replace(FIRST, "Something else"))


def reviewed_elsewhere(world: World) -> None:
    path = world.capture_path(10)
    path.write_text(render_capture(reviewed(parse_capture(path.read_text()), summary="Mine", memory="m.md")))


def deleted(world: World) -> None:
    world.capture_path(10).unlink()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (touched, "has changed since it was listed; look at it again"),
        (reviewed_elsewhere, "is reviewed already; nothing was changed"),
        (deleted, "does not exist"),
    ],
)
async def test_what_changed_meanwhile_is_refused_and_nothing_is_lost(
    full: World, change: Callable[[World], None], reason: str
) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x")
        change(full)
        before = everything(full)
        filled = texts(review)
        await driver.press("ctrl+s")
        said = await driver.until_said("Not saved: ")
        assert reason in said
        assert driver.app.screen is review
        assert texts(review) == filled
        assert everything(full) == before


async def test_a_capture_that_changed_can_be_reviewed_once_it_is_read_again(full: World) -> None:
    async with opened(full) as driver:
        await start(driver)
        touched(full)
        await driver.press("ctrl+s")
        await driver.until_said("Not saved")
        await driver.press("escape")
        driver.browser.feed.live.hint("compacts")
        await driver.until(lambda: "Something else" in driver.shown, "the change")
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")


async def test_a_memory_file_that_is_there_already_is_not_overwritten(full: World) -> None:
    memory_path(full).write_text("# Memory: Somebody's own\n")
    async with opened(full) as driver:
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed: ")
        assert list(full.project.compacts.glob("*-memory-2.md"))
        assert memory_path(full).read_text() == "# Memory: Somebody's own\n"


def test_form_and_memory_are_the_same_thing() -> None:
    memory = MemoryFile(
        title="T",
        goal="a\n\nb",
        learnings=("one\ntwo", "- dash"),
        questions=("q",),
        confidence="High",
        key_files=("k",),
    )
    draft = Draft(memory, "S")
    assert from_fields(to_fields(draft), memory) == draft


async def test_the_mouse_saves_too(full: World) -> None:
    async with opened(full, WIDE) as driver:
        await start(driver)
        await driver.pilot.click(offset=(driver.lines[-1].index("save"), WIDE[1] - 1))
        await driver.until_said("Reviewed")


async def test_quitting_asks_when_something_would_be_lost(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("r")
        await driver.until(lambda: driver.review.unsaved is False and bool(driver.review.field("title").text))
        await driver.press("x")
        await driver.press("ctrl+q")
        await driver.until(lambda: "Leave the review?" in driver.shown)
        assert not driver.app.left
