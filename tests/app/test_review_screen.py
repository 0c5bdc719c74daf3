"""r: the review is filled with a draft, changed by keys, and saved whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import TextArea

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import ConfirmScreen, ReadingScreen
from memtui.app.screens.review import (
    FIELDS,
    EvidencePane,
    FormField,
    ReviewScreen,
    _full_text,
    from_fields,
    to_fields,
    written,
)
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.documents.capture import parse_capture, render_capture, reviewed
from memtui.documents.events import EvidenceGroup, EvidenceItem
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.engines.drafts import Reworded
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from memtui.transcript.records import Facts
from tests.app.harness import NARROW, SHORT, SIZES, WIDE, Driver, opened
from tests.app.reviewing import drafted, everything, memory_path, start, target, texts
from tests.app.world import FIRST, World, told_apart


def test_lost_lines_that_are_read_together_stand_one_below_the_other() -> None:
    assert _full_text(EvidenceItem("Ask first · then merge (L7)", "lost")) == "Ask first\nthen merge (L7)"
    assert _full_text(EvidenceItem("a · b", "todo")) == "a · b"


async def test_a_field_is_typed_on_at_the_end_of_its_draft(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        draft = review.form.fields["title"].text
        await driver.press("!")
        assert review.form.fields["title"].text == f"{draft}!"


async def test_ctrl_s_writes_the_memory_file_and_the_capture_and_u_takes_them_back(full: World) -> None:
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
        stored = driver.app.model.backend.get(recovery_id)
        assert (stored.meta.source, stored.meta.description) == ("review", FIRST)
        change = driver.app.model.changes.last()
        assert change and change.stored == (recovery_id,)  # it is asked for where others have it
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
        assert driver.pane(PaneId.MEMORIES).subject_of(f"{recovery_id}.md").transcript
        await driver.until(lambda: FIRST in "\n".join(driver.drawn(PaneId.MEMORIES)), "its title")
        after_all = everything(full)
        assert after_all.pop(name)
        assert {**after_all, path.name: before[path.name]} == before
        await driver.press("u")
        await driver.until_said("Undone: reviewed 05 Mar 13:10 Fix the token")
        assert everything(full) == before
        assert [each.meta.source for each in driver.app.model.backend.list().items] == ["import"] * 2
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 3, "the capture's return")


async def test_typed_text_is_saved_unchanged(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "exclamation_mark", "tab", "tab")
        assert driver.screen.focused is review.form.fields["learnings"]
        await driver.press("down", "end", "enter", *"- another", "enter", *"  goes on", "tab")
        await driver.press("f7", *"New goal", "enter", *"in two lines", "tab")
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


async def test_a_fact_is_added_to_the_field_edited_last(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("tab", "tab", "tab", "tab")
        assert target(review) == "title"
        before = texts(review)
        await driver.press("f2")
        assert target(review) == "questions"
        assert review.facts.listing.has_focus
        await driver.press("g", "space")
        assert driver.last_said == "Added to Open questions / issues."
        assert texts(review) == {
            **before,
            "questions": "\n".join(filter(None, (before["questions"], "- src/tokens.py"))),
        }
        await driver.press("space")
        assert driver.last_said == "Taken out of Open questions / issues."
        assert texts(review) == before
        await driver.press("f2")
        assert driver.screen.focused is review.form.fields["questions"]
        await driver.press("shift+tab", "f2", "j", "space")
        assert driver.last_said == "Added to Goal."
        field = review.form.fields["goal"]
        assert field.text.endswith("Understood: one refresh at a time. (L10 12:25)")
        field.text = "Retry the test until test passes"
        assert field.toggle("test") and field.text == "Retry the test until test passes"


async def test_tab_leads_from_the_facts_to_the_form_behind_them(full: World) -> None:
    async with opened(full, size=NARROW) as driver:
        review = await start(driver)
        for key, field in (("tab", "title"), ("shift+tab", "key_files")):
            await driver.press("f2", key)
            assert driver.screen.focused is review.form.fields[field]


async def test_what_was_typed_before_the_draft_came_is_not_lost_unasked(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = threading.Event()
    read = ReviewScreen._read

    def slowly(screen: ReviewScreen, transcript: Path) -> tuple[Facts, tuple[EvidenceGroup, ...]]:
        assert typed.wait(10)
        return read(screen, transcript)

    monkeypatch.setattr(ReviewScreen, "_read", slowly)
    async with opened(full) as driver:
        await driver.pilot.press("r", "f2", "shift+tab", "shift+tab", *"mys")
        typed.set()
        await driver.until(lambda: driver.review.form.fields["goal"].text, "the draft")
        assert driver.review.form.fields["title"].text == "mys"
        await driver.press("escape")
        assert isinstance(driver.screen, ConfirmScreen)


async def test_lines_that_are_pasted_stay_lines_and_a_space_is_a_space(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("home", "space")
        assert review.form.fields["title"].text == f" {FIRST}"
        field = review.form.fields["learnings"]
        for end in ("\r", "\r\n", "\n"):  # most terminals paste a return between lines
            field.text = ""
            field.focus()
            await driver.settled()
            driver.app.post_message(Paste(f"one{end}two{end}three"))
            await driver.until(lambda: field.text == "one\ntwo\nthree", f"the lines between {end!r}")


async def test_a_broken_capture_says_why_and_a_reviewed_one_where_its_memory_is(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("G", "r")
        assert driver.at_home()
        assert driver.last_said == "This capture cannot be reviewed: it is broken: it has no Timestamp line."
        await driver.press("g", "A", "j", "j", "r")
        assert driver.at_home()
        name = full.capture_path(3000).name.replace("-autocompact", "-memory")
        assert (
            driver.last_said == f"This capture is already reviewed: its memory is {name}. e edits the file."
        )


async def test_without_a_transcript_the_capture_itself_makes_the_draft(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("j", "r")
        await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
        assert driver.review.form.fields["title"].text == "Make the export stream"
        assert "No facts: " in driver.review.facts.listing.empty
        await driver.press("space")
        assert driver.last_said == "No fact is selected."
        await driver.press("f3")
        assert "is gone" in driver.last_said
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")


def test_form_and_memory_are_the_same_thing() -> None:
    memory = MemoryFile(
        title="T",
        goal="a\n\nb",
        learnings=("one\ntwo", "- dash"),
        questions=("q",),
        confidence="High",
        key_files=("k",),
    )
    draft = Reworded(memory, "S")
    assert from_fields(to_fields(draft), memory) == draft


async def test_a_narrower_window_wraps_a_field_anew(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a text with as many lines as before, painted before the field has heard of its new width."""
    heard = TextArea._on_resize
    async with opened(full, size=WIDE) as driver:
        review = await start(driver)
        summary = review.form.fields["summary"]
        summary.text = " ".join(["everywhere"] * 9)
        review.form.fields["learnings"].text = "\n" * WIDE[1]  # the form scrolls in both windows
        await driver.settled()
        monkeypatch.setattr(TextArea, "_on_resize", lambda field: driver.paint() and heard(field))
        await driver.resize(NARROW)
        await driver.settled()
        assert summary.wrapped_document.height == 2
        assert driver.shown.count("everywhere") == 9


async def test_every_field_is_in_sight_when_it_has_the_focus(full: World) -> None:
    async with opened(full) as driver:
        for size in SIZES:
            await driver.resize(size)
            review = await start(driver)
            for field in FIELDS:
                assert driver.screen.focused is review.form.fields[field.name], size
                label = field.label.split(":")[0].split(" (")[0]
                form_field = review.form.fields[field.name]

                def in_sight(label: str = label, form_field: FormField = form_field) -> bool:
                    region = form_field.region
                    height = driver.app.size.height
                    whole = region.y >= 0 and (region.bottom <= height - 1 or region.y == 0)
                    return whole and any(label in line for line in driver.lines)

                await driver.until(in_sight, f"{field.label} at {size}")
                await driver.press("tab")
            await driver.press("escape")
            await driver.until(driver.at_home, "the end of the review")


async def test_what_is_optional_or_empty_takes_one_line_until_it_has_the_focus(full: World) -> None:
    async with opened(full, size=WIDE) as driver:
        review = await start(driver)
        review.form.fields["key_files"].text = "- one.py\n- two.py"
        review.form.fields["questions"].text = ""
        review.form.fields["learnings"].text = "- first\n- second"
        await driver.until(lambda: "Key files: one.py; two.py" in driver.shown, "the gist of a list")
        assert "Open questions / issues: nothing yet" in driver.shown
        assert "- second" in driver.shown and "- two.py" not in driver.shown
        review.form.fields["key_files"].focus()
        await driver.until(lambda: "- two.py" in driver.shown, "the field's lines")
        await driver.press("tab")
        await driver.until(lambda: "- two.py" not in driver.shown, "one line again")


async def test_in_a_narrow_window_f2_goes_between_form_and_evidence(full: World) -> None:
    async with opened(full, SHORT) as driver:
        review = await start(driver)
        assert "^s save" in driver.lines[-1]
        assert driver.has("#field-title")
        assert not driver.has("#evidence")
        await driver.press("f2")
        assert driver.has("#evidence")
        assert "^s save" in driver.lines[-1]
        assert "src/tokens.py" in driver.shown
        await driver.press("space", "f2")
        assert not driver.has("#evidence")
        assert (
            driver.screen.focused is review.form.fields["title"]
            and "src/tokens.py" in review.form.fields["title"].text
        )


async def test_f3_opens_the_transcript_and_comes_back(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "f3")
        assert isinstance(driver.screen, TranscriptScreen)
        await driver.until(lambda: "Never refresh twice" in driver.shown, "the transcript")
        await driver.press("escape")
        assert driver.app.screen is review
        assert review.form.fields["title"].text == f"{FIRST}x"
        await driver.press("f2")
        await driver.until(lambda: review.facts.selected, "the facts")
        fact = next(key for key, item in review.facts._items.items() if getattr(item, "line", 0) == 1)
        review.facts.listing.select(fact)
        await driver.press("f3")
        await driver.until(lambda: driver.lines[-2].endswith(" L1 ─╯"), "the line of the fact")


async def test_escape_asks_when_something_would_be_lost_and_a_title_is_needed(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "escape")
        assert isinstance(driver.screen, ConfirmScreen)
        assert "What you wrote is not saved." in driver.shown
        await driver.press("n")
        assert driver.app.screen is review
        assert review.form.fields["title"].text == f"{FIRST}x"
        await driver.press("escape", "enter")  # the button that keeps has the focus
        assert driver.app.screen is review
        await driver.press("escape", "y")
        await driver.until(driver.at_home)
        assert everything(full) == before
        await driver.press("u")
        assert driver.last_said.startswith("Nothing to undo")
        review = await start(driver)
        await driver.press("f7", "delete", "tab", "ctrl+s")
        assert driver.last_said == "Give the memory a title first."
        assert driver.app.screen is review
        assert driver.screen.focused is review.form.fields["title"]
        assert everything(full) == before


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
        (reviewed_elsewhere, "is already reviewed; nothing was changed"),
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


async def test_a_second_ctrl_s_and_escape_come_too_late(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = threading.Event()
    write = CaptureStore.review

    def slowly(store: CaptureStore, entry: Entry, *, memory: str, summary: str) -> Path:
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


async def at_facts(driver: Driver) -> EvidencePane:
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
    await driver.press("g")
    return driver.review.facts


async def test_the_selected_fact_is_shown_in_full_and_brackets_go_from_group_to_group(full: World) -> None:
    async with opened(full) as driver:
        facts = await at_facts(driver)
        item = facts.selected
        assert item is not None
        assert item.text.rstrip("…") in driver.screen.query_one("#fact", DocumentView).document.text
        for size in SIZES:
            await driver.resize(size)
            assert driver.has("#fact"), size
            whole = facts.whole.text
            await driver.press("enter")
            assert isinstance(driver.screen, ReadingScreen), size
            assert driver.screen.query_one(DocumentView).document.text == whole, size
            await driver.press("escape")
            assert driver.app.screen.focused is facts.listing, size
        groups = sorted({key.split(".")[0] for key in facts.listing.rows}, key=int)
        assert len(groups) > 1
        for group in groups[1:]:
            await driver.press("]")
            assert facts.listing.selected == f"{group}.0"
        await driver.press("]")
        assert facts.listing.selected == f"{groups[-1]}.0"
        await driver.press("[")
        assert facts.listing.selected == f"{groups[-2]}.0"


def test_a_todo_is_written_without_its_box() -> None:
    for box in ("[ ]", "[x]", "[>]"):
        assert written(EvidenceItem(f"{box} Run [x] tests", "todo")) == "Run [x] tests"
    assert written(EvidenceItem("[x] is a box", "prompt")) == "[x] is a box"


def test_a_command_in_the_draft_is_used_whatever_stands_between_it_and_its_line() -> None:
    facts = EvidencePane(lambda text: text in "- `make test`: 2 times, last: ok (L7)")
    facts._items = {"0.0": EvidenceItem("make test (L7)", "command")}
    assert facts._draw("0.0", 40).plain.endswith(" used")
