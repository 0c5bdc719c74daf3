"""The losses of a compaction in its capture's row and detail, and the screen that hands them back."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import replace
from functools import partial

import pytest
from textual.events import Key

from memtui.app import app
from memtui.app.base import FATE_SIGNS
from memtui.app.details.lost import draw_item, items_of, lost_document, quotes_of
from memtui.app.panes.pane import PaneId
from memtui.app.panes.pending import PendingPane
from memtui.app.readings import Readings
from memtui.app.screens.dialogs import legend
from memtui.app.screens.lost import LostScreen
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.lost.outbox import NOTE, RESCUE, Message, Outbox
from memtui.lost.pins import Pins
from memtui.lost.records import Aftermath, Row
from memtui.plugin.installing import settings_block
from memtui.transcript.records import CompactionFact, Source
from tests.app.harness import SHORT, SIZES, WIDE, Driver, opened
from tests.app.world import World

MIDDLE = (110, 30)
SUMMARY = """This session is being continued from a previous conversation.

Summary:
1. Primary Request: "Fix the token refresh race"
2. Files: src/tokens.py was changed.
3. docs/ghost.md describes it.
"""


RULE = "Never refresh twice: the provider revokes both tokens."


@pytest.fixture
def lossy(world: World) -> World:
    """A capture whose compaction kept the first request and one of two files."""
    root = str(world.root)
    session = world.session("s-1", minutes=55)
    session.prompt("Fix the token refresh race")
    session.edit(f"{root}/src/tokens.py", "a", "b")
    session.edit(f"{root}/src/clock.py", "a", "b")
    session.prompt(RULE)
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    for text in "bcdefg":  # edited so often that its loss counts
        session.edit(f"{root}/src/clock.py", text, text * 2)
    session.compaction(SUMMARY + "And so on.\n" * 60)
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    world.save(session, minutes=40)
    world.capture(56, "Fix the token refresh race")
    return world


async def aftermath(driver: Driver) -> LostScreen:
    """Open the screen and wait for its rows."""
    await driver.press("l")
    screen = driver.app.screen
    assert isinstance(screen, LostScreen)
    await driver.until(lambda: screen.listing.rows, "the rows")
    await driver.settled()
    return screen


async def test_losses_show_once_the_summary_is_written(world: World) -> None:
    session = world.session("s-1", minutes=55)
    session.prompt(RULE)
    world.save(session, minutes=40)
    world.capture(56, "Fix the token refresh race")
    async with opened(world) as driver:
        await driver.press("l")
        screen = driver.app.screen
        assert isinstance(screen, LostScreen)
        await driver.until(lambda: "yet" in screen.listing.empty, "that there is no summary")
        before, size = driver.last_said, screen._unread_size
        driver.app.say("another word")
        session.prompt("go on")
        world.save(session, minutes=39)
        await driver.until(lambda: screen._unread_size > size, "a second reading")
        assert driver.last_said == "another word" != before
        session.compaction(SUMMARY)
        world.save(session, minutes=38)
        await driver.until(lambda: screen.listing.rows, "the losses")


async def unfold(driver: Driver, screen: LostScreen, name: str) -> None:
    """Unfold the rows under a title."""
    screen.listing.select(name)
    await driver.press("space")
    await driver.settled()


async def test_row_and_detail_begin_with_what_was_lost(lossy: World) -> None:
    async with opened(lossy) as driver:
        await driver.until(lambda: "LOST" in driver.detail, "the losses")
        await driver.until(lambda: "✗ 3" in driver.shown, "the number of losses")
        lines = driver.detail.splitlines()
        first = lines.index("LOST  3")
        assert lines[first + 1] == "  ✗ pytest -q (L7, needed again 1 call later)"
        assert lines[first + 2] == "  ✗ Never refresh twice: the provider revokes both tokens. (L6)"
        assert "⚠ only the summary says docs/ghost.md: no record names this file" in driver.detail
        assert "▸ KEPT  2" in driver.detail
        drawn = driver.drawn(PaneId.PENDING, 50)[0]
        driver.browser.query_one(PendingPane).losses.clear()
        uncounted = driver.drawn(PaneId.PENDING, 50)[0]
        assert drawn == uncounted.removesuffix("  …") + "✗ 3", "nothing moves once it is counted"
        await driver.press("enter", "tab", "enter")
        await driver.until(lambda: "▾ KEPT" in driver.detail, "the fold")
        assert "✓ Fix the token refresh race (L1)" in driver.detail


async def test_losses_are_counted_once_the_compaction_ends_that_began_with_the_capture(lossy: World) -> None:
    transcript = lossy.transcript_path("s-1")
    whole = transcript.read_bytes()
    lossy.write(transcript, whole[: whole.rindex(b"\n", 0, whole.index(b"compact_boundary")) + 1])
    lossy.capture(50, "Another", session="s-2")
    async with opened(lossy) as driver:
        await driver.until(lambda: len(driver.browser.query_one(PendingPane).losses) == 2, "the attempts")
        lossy.write(transcript, whole)
        driver.browser.model.health.expire()
        driver.app.hint("transcripts")
        await driver.until(lambda: "✗ 3" in driver.drawn(PaneId.PENDING, 50)[1], "the number of losses")


async def test_slash_filters_the_rows_and_escape_shows_all_again(lossy: World) -> None:
    async with opened(lossy) as driver:
        screen = await aftermath(driver)
        await driver.press(*"/twice")
        await driver.until(lambda: "pytest -q" not in str(screen.listing.rows), "the filter")
        assert RULE in driver.shown and "Lost  1" in screen._items.values()
        await driver.press("enter", "ctrl+a")
        assert [row.text for row in screen.ticked.values()] == [RULE]
        await driver.press("escape")
        assert "Lost  3" in screen._items.values()
        assert screen.selected is not None and screen.is_current


async def test_what_is_folded_or_maybe_kept_is_not_ticked_with_all(lossy: World) -> None:
    row, few = (Row("rule", f"Ask {text}", Source(7), worth=text) for text in (99.0, 1.0))
    rows = (row, few, replace(few, text="Ask", double=True), replace(row, text="Wait", state="maybe"))
    made = Aftermath("s-1", 1, CompactionFact("auto", 1000, 10, Source(9), "Summary"), rows)
    async with opened(lossy) as driver:
        screen = await aftermath(driver)
        screen.aftermath = made
        screen.show_filtered()
        await driver.press("ctrl+a")
        assert [*screen.ticked.values()] == [row]
        for title in ("Lost, of less weight", "Maybe: the summary has some of it"):
            await unfold(driver, screen, title)
        await driver.press("ctrl+a")
        assert [*screen.ticked.values()] == [row, few]
        assert "▾ Lost, of less weight  2 · 1 ticked" in driver.shown and "▣ × Ask 1.0" in driver.shown


async def test_a_review_begins_with_what_was_lost(lossy: World) -> None:
    async with opened(lossy) as driver:
        await driver.press("r")
        await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
        await driver.settled()
        rows = driver.review.facts.listing
        assert driver.shown.index("Lost by the compaction 3") < driver.shown.index("Files modified 2")
        assert rows.selected == "0.0"
        assert "f2 form" in driver.shown
        await driver.press("space", "f2")
        assert "f2 facts" in driver.shown
        assert driver.review.form.fields["learnings"].text.endswith("\n- pytest -q (L7 12:25)")


async def test_rows_at_every_size(lossy: World) -> None:
    async with opened(lossy) as driver:
        for size in (*SIZES, MIDDLE):
            await driver.resize(size)
            screen = await aftermath(driver)
            assert "pytest -q" in driver.shown, size
            more = "" if size == SHORT else " · 05 Mar 12:24 Fix the token refresh race"
            assert str(screen.listing.border_title) == f"Lost 3{more}", size
            if size == SHORT:
                assert "space tick" in driver.lines[-1] and driver.shown.count("▢") == 3
                assert screen.listing.outer_size.height == 7
                await driver.press("space")
                assert "Lost 3 · 1 ticked" in driver.shown and "w hand over" in driver.lines[-1]
            if size in (WIDE, MIDDLE):
                await driver.press("space", "ctrl+a")  # all, not none, as not all are ticked
                assert "▢" not in driver.shown
                assert " of 8,300 characters ─╯" in driver.shown
                await driver.press("ctrl+a")
            await driver.press("escape")
            assert driver.at_home(), size


async def test_the_evidence_of_a_kept_row_is_marked(lossy: World) -> None:
    async with opened(lossy) as driver:
        screen = await aftermath(driver)
        view = screen.query_one("#summary", DocumentView)
        assert "✗ lost · L7 12:25" in driver.shown
        await driver.press("down")
        await driver.until(lambda: RULE in driver.shown, "the whole row beside the list")
        await driver.pilot.click("#rows", offset=(9, driver.line_of("Kept: Files changed")))  # at once
        assert "✓ src/tokens.py" in driver.shown
        await driver.press("down", "space")
        assert driver.last_said == "Only what is lost can be ticked."
        (marked,) = [line for line in view.document.lines if any(s.role == "hit" for s in line.spans)]
        span = next(each for each in marked.spans if each.role == "hit")
        assert marked.text.startswith("▶ ") and "src/tokens.py" in marked.text[span.start : span.end]
        await driver.until(lambda: marked.text in driver.shown, "the passage")
        await driver.press("tab")
        assert driver.app.screen.focused is view
        await driver.press("escape", "escape")
        assert driver.at_home()
        await aftermath(driver)
        await driver.press("enter")  # no passage is near a row that is lost
        assert isinstance(driver.app.screen, TranscriptScreen)


def test_lines_read_together_stand_one_below_the_other_and_answers_behind_their_question() -> None:
    row = Row("rule", "Ask first · then merge", Source(7), parts=("a", "b"))
    assert quotes_of(row) == ["Ask first", "then merge"]
    assert quotes_of(replace(row, parts=())) == ["Ask first · then merge"]  # its own sign
    compaction = CompactionFact("auto", 1000, 10, Source(9), "Summary")
    rows = [replace(row, worth=99.0)] * 12 + [row] * 2 + [replace(row, state="maybe")]
    shown = lost_document(Aftermath("s", 1, compaction, tuple(rows)), (), (), []).text
    assert "  ✗ Ask first\n    then merge (L7)" in shown
    assert "  and 2 more, 2 of less weight, 1 maybe kept (l shows them)" in shown
    row = Row("answer", "A. At commit time", Source(62), about="Which timing do you want?")
    assert draw_item(row, 0, 60).plain == "▢ × “Which timing do you want?” → A. At commit time      L62"
    assert draw_item(row, 0, 36).plain == "▢ × “Which t…” → A. At commit t… L62"
    assert row.key in items_of(Aftermath("s", 1, compaction, (row,)), (), "which commit")


async def test_ticked_rows_are_handed_over_and_taken_back(lossy: World) -> None:
    async with opened(lossy) as driver:
        screen = await aftermath(driver)
        first = screen.listing.selected
        await driver.press("space")
        assert [*screen.ticked] == [first] and screen.listing.selected == first
        await driver.press("down")
        selected = screen.listing.selected
        await driver.pilot.click("#rows", offset=(2, 1 + screen.listing.index))  # its box
        assert len(screen.ticked) == 2 and screen.listing.selected == selected
        assert screen.focused is screen.listing
        assert "2 ticked · " in driver.shown
        await driver.press("w")
        await driver.until_said("2 lines wait for the next prompt of session s-1, but no hooks are installed")
        (message,) = Outbox(lossy.home, "s-1").waiting()
        assert driver.shown.count("⏳") == 3 and "│  ⏳ " in driver.shown  # above the rows, and at them
        await driver.press("g", "space")
        await driver.until_said("This line waits already")
        await driver.press("down", "down", "space", "escape", "l")
        await driver.until(lambda: driver.shown.count("▣") == 1, "the tick, as it was left")
        await driver.press("w")
        await driver.until_said("1 line waits for")
        await driver.press("u")
        await driver.until_said("Undone: handed over")
        assert "- pytest -q (L7)" in message.text and message.rows == 2
        await driver.press("u")
        await driver.until_said("Undone: handed over 2 lines, so that no longer waits.")
        assert Outbox(lossy.home, "s-1").waiting() == []
        await driver.until(lambda: driver.shown.count("▣") == 3, "the ticks, as by w")
        await driver.press("ctrl+r")
        await driver.until_said("Redone: handed over 2 lines.")
        assert len(Outbox(lossy.home, "s-1").waiting()) == 1
    Outbox(lossy.home, "of-another-project").put(Message(RESCUE, "- never", rows=5))
    async with opened(lossy) as driver:  # another run sees what waits
        await driver.until(lambda: "⏳ 2 lines wait" in driver.shown, "only those of this project")
        await driver.pilot.click(offset=(driver.lines[0].index("⏳") + 2, 0))
        await driver.until(lambda: isinstance(driver.screen, LostScreen), "what waits, by a click")
        await driver.press("escape")
        await driver.pilot.click(offset=(driver.lines[0].index("ctx") + 1, 0))
        assert driver.at(PaneId.STATE)
        await driver.press("1")
        note = Outbox(lossy.home, "s-1").put(Message(NOTE, "- a note", rows=1))
        screen = await aftermath(driver)
        assert all(each in driver.shown for each in ("3 lines wait for", "w takes back what waits"))
        await driver.press("w")
        await driver.until_said("3 lines taken back; u hands over again.")
        assert Outbox(lossy.home, "s-1").waiting() == [] and "⏳" not in driver.shown
        assert driver.shown.count("▣") == 2
        await driver.press("space", "w")  # all but the first one
        await driver.until_said("1 line waits for the next prompt")
        (rest,) = Outbox(lossy.home, "s-1").waiting()
        assert RULE in rest.text and "pytest" not in rest.text
        await driver.press("u", "u")
        await driver.until(lambda: "⏳ 3 lines wait" in driver.shown, "all of them again")
        assert "▣" not in driver.shown
        note.path.unlink()
        await driver.press("escape")
        await driver.until(lambda: "⏳ 2 lines wait for a hook: none is" in driver.shown, "the first line")
        await driver.until(lambda: "(l, then w takes them back)" in driver.detail, "the detail")
        assert "\n ⏳ pytest -q (L7" in driver.detail and "\n  ✗ src/clock.py" in driver.detail
        await driver.resize((80, 24))
        await driver.until(lambda: "⏳" in driver.lines[0], "that they wait, in the first line, too")
        assert "no hooks: i installs them   ● live" in driver.lines[0]


async def test_what_is_typed_while_the_rows_are_read_is_for_them(
    lossy: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(lossy) as driver:
        await driver.settled()
        read, go = Readings.aftermath, threading.Event()
        monkeypatch.setattr(Readings, "aftermath", lambda *given: (go.wait(30), read(*given))[1])
        with monkeypatch.context() as impatient:
            impatient.setattr(app, "_PATIENCE", 0.3)
            began, its = time.monotonic(), driver.app
            for key in ("l", *["j"] * 20, "escape"):
                its.post_message(Key(key, None))
            await driver.until(
                lambda: its.typed_at > began and driver.at_home() and not its._typed, "all keys"
            )
            assert time.monotonic() - began < 5
        for key in ("l", "space"):
            driver.app.post_message(Key(key, None))
        await driver.until(lambda: driver.app._waiting, "the key that waits")
        screen = driver.app.screen
        assert isinstance(screen, LostScreen)
        go.set()
        await driver.until(lambda: screen.ticked, "the tick")


async def test_what_was_delivered_waits_no_more(lossy: World) -> None:
    async with opened(lossy, size=SHORT) as driver:
        await aftermath(driver)
        await driver.press("space", "w")
        await driver.until(lambda: "⏳ 1 line waits" in driver.shown, "the notice, above the rows")
        assert "w take back" in driver.lines[-1]
        await driver.press("down", "space")
        await driver.until(lambda: "w hand over" in driver.lines[-1], "the footer")
        for message in Outbox(lossy.home, "s-1").waiting():
            message.path.unlink()
        await driver.until(lambda: "⏳" not in driver.shown, "the delivery")


async def test_with_the_hooks_what_is_handed_over_will_arrive(lossy: World) -> None:
    settings = json.dumps(settings_block())
    lossy.write(lossy.root / ".claude" / "settings.json", settings)
    async with opened(lossy) as driver:
        await aftermath(driver)
        await driver.press("w")
        await driver.until_said("Nothing is ticked")
        await driver.press("space", "w")
        await driver.until_said("1 line waits for the next prompt of session s-1; u takes it back.")
        await driver.press("!")
        await driver.until_said(": it goes into every summary from now on; u takes it back.")


def is_seen(driver: Driver, text: str) -> bool:
    return text in driver.shown


async def test_lost_lines_are_seen_and_found_where_the_transcript_opens(world: World) -> None:
    session = world.session("s-1", minutes=55)
    session.envelope["gitBranch"] = "fix-hinge"
    session.prompt("Fix the race\n\nIt fails twice a day.\n\n**Never** refresh twice in a second")
    session.slash("ship", text="Ship it.\n\n" + "Look around.\n\n" * 60 + "NEVER push to `main` (ask first)")
    session.bash("ls", "look", "a.py")
    session.compaction("Summary: none of it.")
    for number in range(60):
        session.say(f"Answer {number}")
    world.save(session, minutes=40)
    world.capture(56, "Fix the race")
    async with opened(world) as driver:
        screen = await aftermath(driver)
        assert screen.aftermath is not None
        for text, seen in {
            "branch fix-hinge": "▼ COMPACTED",
            "Never refresh": "**Never** refresh twice in a second",
            "NEVER push to `main` (ask first)": "NEVER push to main (ask first)",
        }.items():
            rows = (each.key for each in screen.aftermath.missing if text in each.text)
            assert screen.listing.select(next(rows))
            await driver.press("o")
            await driver.until(partial(is_seen, driver, seen), seen)
            assert "branch" in text or f"/{text}" in driver.lines[-2]
            await driver.press(*(() if "main" in text else ("escape",)))
        await driver.press("/")
        await driver.type("push to main")
        await driver.until(lambda: "1 of 1" in driver.shown, "the hit")


async def test_who_hands_over_to_a_session_that_sleeps_is_told(lossy: World) -> None:
    path = lossy.transcript_path("s-1")
    status = path.stat()
    os.utime(path, (status.st_atime, status.st_mtime - 3 * 86_400))
    lossy.write(lossy.root / ".claude" / "settings.json", json.dumps(settings_block()))
    async with opened(lossy) as driver:
        await aftermath(driver)
        await driver.press("space", "w")
        await driver.until_said("quiet for 3 d (S, then R resumes it): Y copies a prompt for another.")


async def test_pin_and_prompt(lossy: World, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    async with opened(lossy, WIDE) as driver:
        monkeypatch.setattr(type(driver.app), "copy_text", lambda app, text, name="": copied.append(text))
        await driver.until(lambda: RULE in driver.detail, "the losses")
        await driver.press("enter", "j", "!")  # of the detail it takes the marked line
        await driver.until_said("Pinned")
        pins = Pins(lossy.project, lossy.home)
        assert [(each.pin.text, each.pin.line) for each in pins.all()] == [(RULE, 6)]
        await aftermath(driver)
        await driver.until(lambda: "pinned L6" in driver.shown, "the mark")
        await driver.press("down", "!")
        await driver.until_said("” is pinned already.")
        await driver.press("space", "Y")
        assert "L12 names line 12 of Claude Code's transcript s-1.jsonl." in copied[0]
        assert f"## Rules\n\n```text\n- {RULE} (L6)\n```" in copied[0]
        await driver.press("w")
        await driver.until_said("but no hooks are installed (i): Y copies a prompt for another.")
        await driver.press("Y")  # nothing is ticked now: of what waits
        assert copied[1:] == copied[:1]
        await driver.press("u")
        await driver.until_said("Undone: handed over")
        await driver.press("u")
        await driver.until_said("Undone: pinned “Never refresh twice")
        assert pins.all() == []


async def test_a_capture_without_its_compaction_says_so(world: World) -> None:
    session = world.session("s-1", minutes=55)
    session.prompt("Fix the token refresh race")
    world.save(session, minutes=50)
    world.capture(10, "Fix the token refresh race")
    async with opened(world) as driver:
        await driver.press("l")
        await driver.until_said("has no compaction with a summary yet")
        assert "✗" not in driver.browser.pending.draw_row(driver.browser.pane.selected or "", 80).plain


async def test_captures_have_titles_that_people_understand(lossy: World) -> None:
    session = lossy.session("s-2", minutes=300)
    session.prompt("/plan-implement")
    session.prompt("Move the clock into its own service")
    session.compaction(SUMMARY)
    lossy.save(session, minutes=290)
    lossy.capture(301, "/plan-implement", session="s-2")
    lossy.capture(57, "Fix the token refresh race")
    async with opened(lossy) as driver:
        await driver.until(lambda: "Move the clock into" in driver.shown, "a title other than the command")
        drawn = [row.partition("Fix")[0].rpartition(" · ")[0][-1:] for row in driver.drawn(PaneId.PENDING)]
        assert drawn[:2] == ["2", "1"]  # of one session, which begins alike


async def test_a_capture_is_not_named_by_a_persona(world: World) -> None:
    world.capture(56, "You are a careful reviewer.\n\nCheck the rounding")
    async with opened(world) as driver:
        assert any(row.endswith("Check the rounding") for row in map(str.strip, driver.drawn(PaneId.PENDING)))


async def test_the_detail_takes_the_title_of_its_row_once_that_is_known(world: World) -> None:
    session = world.session("s-2", minutes=300)
    session.prompt("/plan-implement")
    session.prompt("Move the clock into its own service")
    session.compaction(SUMMARY)
    world.save(session, minutes=290)
    world.capture(301, "/plan-implement", session="s-2")
    async with opened(world) as driver:
        detail = driver.browser.detail
        await driver.until(lambda: "Move the clock" in str(detail.border_title), "the title")


async def test_the_legend_has_the_sign_of_what_may_be_kept_only_before_a_row(lossy: World) -> None:
    lossy.memory(1, "Why does the token race? It is refreshed twice")
    async with opened(lossy, WIDE) as driver:
        await driver.until(lambda: "race? It" in driver.shown, "a question")
        assert not any("?" in signs for signs in legend(driver.screen).values())
        await driver.press("l")
        await driver.until(lambda: "▢ ✗" in driver.shown, "the losses")
        assert legend(driver.screen)[""]["✗"] == FATE_SIGNS["✗"]
