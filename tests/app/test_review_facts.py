"""The review: fields as high as their text, facts in full, marks of what is used, groups."""

from __future__ import annotations

import pytest

from memtui.app.screens import review
from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.screens.review_parts import EvidencePane, written
from memtui.app.widgets.document_view import DocumentView
from memtui.documents.events import EvidenceItem
from tests.app.harness import SIZES, Driver, opened
from tests.app.world import World


async def start(driver: Driver) -> EvidencePane:
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.field("title").text, "the draft")
    await driver.press("g")
    return driver.review.facts


async def test_the_selected_fact_is_shown_in_full_and_w_reads_the_whole_of_it(full: World) -> None:
    async with opened(full) as driver:
        facts = await start(driver)
        item = facts.selected
        assert item is not None
        assert item.text.rstrip("…") in driver.screen.query_one("#fact", DocumentView).document.text
        for size in SIZES:
            await driver.resize(size)
            assert driver.has("#fact"), size
            whole = facts.whole.text
            await driver.press("z")
            assert isinstance(driver.screen, ReadingScreen), size
            assert driver.screen.query_one(DocumentView).document.text == whole, size
            await driver.press("escape")
            assert driver.app.screen.focused is facts.listing, size


async def test_brackets_go_from_group_to_group(full: World) -> None:
    async with opened(full) as driver:
        facts = await start(driver)
        groups = sorted({key.split(".")[0] for key in facts.listing.rows}, key=int)
        assert len(groups) > 1
        for group in groups[1:]:
            await driver.press("]")
            assert facts.listing.selected == f"{group}.0"
        await driver.press("]")
        assert facts.listing.selected == f"{groups[-1]}.0"
        await driver.press("[")
        assert facts.listing.selected == f"{groups[-2]}.0"


async def test_a_fact_in_the_form_is_marked_as_used(full: World) -> None:
    async with opened(full) as driver:
        facts = await start(driver)
        await driver.press("G")
        item = facts.selected
        assert item is not None
        for name in driver.review.form.texts:
            driver.review.field(name).text = ""
        await driver.press("k", "j")
        assert not any(line.split("│")[1].rstrip().endswith("used") for line in driver.lines if "│" in line)
        await driver.press("space")
        await driver.until(
            lambda: any("used" in line.split("│")[1] for line in driver.lines if "│" in line), "used"
        )


def test_a_todo_is_written_without_its_box() -> None:
    for box in ("[ ]", "[x]", "[>]"):
        assert written(EvidenceItem(f"{box} Run [x] tests", "todo")) == "Run [x] tests"
    assert written(EvidenceItem("[x] is a box", "prompt")) == "[x] is a box"


async def test_a_bug_in_the_facts_is_reported_where_they_would_stand(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(review, "evidence", broken)
    async with opened(full) as driver:
        await driver.press("1", "g", "r")
        await driver.until(lambda: "No facts could be read." in driver.shown, "the reason")
        assert "a bug" in full.home.failure_log.read_text()
        full.home.failure_log.unlink()
