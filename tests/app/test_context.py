"""The context of a session: in the status line, as a chart, and its alarms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from memtui.app.details.session import COLUMNS, context_chart
from memtui.app.listings import StateView
from memtui.app.readings import Readings
from memtui.app.screens.dialogs import legend
from memtui.app.status import context_line
from memtui.app.widgets.wrap import short_tokens
from memtui.ground.project import Places, Project, memtui_home
from memtui.lost.context_gauge import Gauge, learned_limit
from memtui.lost.receipts import Arrival, Receipt
from memtui.transcript.records import CompactionFact, ContextSize, Source
from tests.app.harness import SHORT, opened
from tests.app.world import NOW, World
from tests.transcripts import Transcript


def drawn(gauge: Gauge, width: int) -> str:
    return Content.assemble(*context_line(gauge, "$accent", width)).plain


def test_the_line_at_each_width() -> None:
    gauge = Gauge(137_000, 200_000, 200_000, 9)
    assert drawn(gauge, 120) == "  ctx ▮▮▮▮▮▯▯▯ 137k/200k · ~9 turns left"
    assert drawn(gauge, 80) == "  ctx 137k/200k · ~9 turns left"
    assert drawn(gauge, 40) == "  ctx 137k/200k"
    assert drawn(Gauge(137_000), 120) == "  ctx 137k"
    assert "104k · compacts at 155-177k · ~9 turns left" in drawn(Gauge(104_000, 155_000, 177_000, 9), 140)
    assert drawn(Gauge(), 120) == "  ctx ?"
    assert Content.assemble(*context_line(Gauge(), "", 120, "session 1 ")).plain == "  session 1 ctx ?"
    assert drawn(Gauge(199_000, 200_000, 200_000, 1), 120).endswith("~1 turn left")


def full_session(world: World, *, returns: bool = False) -> None:
    session = world.session("s-1", minutes=30)
    session.prompt("Fix the race")
    session.tasks(["Find it"])
    for _ in range(3):
        session.say("working " * 2_000)
    world.save(session, minutes=0)


async def test_the_bell_rings_once_for_each_mark_that_is_passed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.configure("[warn]\nat = [1, 2]\nbell = true\n")
    full_session(world)
    rung: list[bool] = []
    async with opened(world) as driver:
        monkeypatch.setattr(type(driver.app), "bell", lambda app: rung.append(True))
        feed = bar = driver.browser.bar
        from memtui.app.readings import ContextState

        for tokens in (0, 1_000, 1_100, 3_000, 3_100, 100, 3_000):
            feed._show_watched("s-2", ContextState(Gauge(tokens, 100_000)))
        assert len(rung) == 3  # at 1 %, at 2 %, and again after a compaction
        assert bar.context and bar.context[1] == "$error"
        feed._show_watched("s-2", ContextState(Gauge(3_000, 100_000), ("compaction loop", "open again")))
        assert len(rung) == 4 and "compaction loop  open again" in bar.render().plain


async def test_in_the_strip_of_tabs_it_gives_way_before_the_counts_unless_it_warns(world: World) -> None:
    from memtui.app.readings import ContextState

    world.capture(5, "Make the export stream")
    async with opened(world, SHORT) as driver:
        feed = driver.browser.bar
        feed._show_watched("s-2", ContextState(Gauge(20_000, 100_000)))
        await driver.until(lambda: "20% ● live" in driver.lines[0], "the context")
        await driver.resize((60, 12))
        await driver.until(lambda: "ctx 20% ● live" in driver.lines[0], "its name where there is room")
        await driver.resize(SHORT)
        assert legend(driver.screen)["the first line"]["%"] == "how full the context is"
        await driver.press("slash", *"export stream", "enter")
        await driver.until(lambda: "(/export…)" in driver.lines[0], "the filter")
        await driver.press("4", "slash", *"a goal of it", "enter")
        await driver.until(
            lambda: "● live" in driver.lines[0] and "%" not in driver.lines[0], "the live mark"
        )
        feed._show_watched("s-2", ContextState(Gauge(95_000, 100_000)))
        await driver.until(lambda: "95% ●" in driver.lines[0], "the warning")


async def test_a_receipt_is_shown_after_a_compaction(world: World) -> None:
    from memtui.app.readings import ContextState

    full_session(world)
    async with opened(world) as driver:
        feed = bar = driver.browser.bar
        await driver.until(lambda: bar.context, "the context")

        def shown(minutes: float, arrival: Arrival, reason: str = "") -> tuple[str, str]:
            receipt = Receipt(
                NOW - timedelta(minutes=minutes), "s-2", "session-start", arrival, reason=reason
            )
            feed._show_watched("s-2", ContextState(Gauge(3_000, 100_000), receipt=receipt))
            return bar.receipt

        assert shown(3, "whole") == ("received 13:17, whole", "$success")
        await driver.settled()
        assert "received 13:17, whole" in driver.lines[0]
        assert shown(61, "whole") == ("", "")
        assert shown(3, "unknown") == ("", "")
        feed._watched = ContextState(Gauge(3_000, 100_000, turns=9))
        for days, turns in ((0, 9), (2, None)):  # none is left of a session that is over
            feed.apply(StateView(active=NOW - timedelta(days=days), transcript=feed._transcript))
            assert bar.context and bar.context[0].turns == turns
        reason = "no hook ran: it is not installed"
        assert shown(300, "missing", reason) == (f"not received: {reason}", "$error")


async def test_a_short_window_says_that_nothing_was_received(world: World) -> None:
    from memtui.app.readings import ContextState

    full_session(world)
    async with opened(world, SHORT) as driver:
        receipt = Receipt(NOW, "s-2", "session-start", "missing", reason="no hook ran")
        for _ in range(2):
            driver.browser.bar._show_watched("s-2", ContextState(Gauge(3_000, 100_000), receipt=receipt))
        assert driver.app.said.count("Not received: no hook ran") == 1


def places_in(folder: Path) -> Places:
    return Places(Project(folder), memtui_home({"MEMTUI_HOME": str(folder / "m")}), folder / "c")


def test_a_loop_and_a_task_that_is_open_again_are_both_said(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    readings = Readings(places)
    ship = {"content": "Ship it", "status": "pending"}
    made = Transcript()
    made.tool("TodoWrite", todos=[{"content": "Write the tests", "status": "completed"}, ship])
    made.compaction()
    assert readings.context(made.write(tmp_path), (), lambda: False).alarms == ()
    made.compaction()
    made.compaction()
    made.tool("TodoWrite", todos=[{"content": "write the tests.", "status": "pending"}, ship])
    assert Readings(places).context(made.write(tmp_path), (), lambda: False).alarms == (
        "compaction loop: 3 within 10 minutes, no file changed",
        "done before, open again: write the tests.",
    )


START = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)


def _sizes(*tokens: int) -> list[ContextSize]:
    return [ContextSize(_at(minute), number) for minute, number in enumerate(tokens)]


def _at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def _compaction(minute: float, *, trigger: str = "auto", pre_tokens: int | None = None) -> CompactionFact:
    return CompactionFact(trigger, pre_tokens, None, Source(timestamp=_at(minute)))


def test_a_curve_with_its_compaction_and_the_limit_learned_from_it() -> None:
    sizes = _sizes(20_000, 60_000, 120_000, 160_000, 30_000, 80_000)
    assert context_chart(sizes, [_compaction(3.5, pre_tokens=167_000)]).text.split("\n") == [
        "Context size · now 80k tokens",
        "▁▁▁▁▁▁▃▃▃▃▃▃▆▆▆▆▆▇▇▇▇▇▼▂▂▂▂▂▂▄▄▄▄▄",
        "09:00                        09:05",
        "▼ 1 compaction · limit 167k · most 160k",
    ]


def test_the_limit_is_the_largest_context_that_was_compacted_by_itself() -> None:
    asked = _compaction(1, trigger="manual", pre_tokens=170_000)
    assert learned_limit([asked, _compaction(2, pre_tokens=155_000), _compaction(3)]) == 155_000
    sizes = _sizes(20_000, 60_000)
    assert context_chart(sizes, [asked]).lines[-1].text == "▼ 1 compaction · none automatic · most 60k"
    assert context_chart(sizes, []).lines[-1].text == "no compaction yet · most 60k"


def test_times_of_two_days_have_their_dates_and_one_request_has_no_chart() -> None:
    assert not len(context_chart(_sizes(5_000), []))
    sizes = [ContextSize(_at(0), 1_000), ContextSize(_at(24 * 60), 2_000)]
    assert "02 Jan 09:00          03 Jan 09:00" in context_chart(sizes, []).text.split("\n")
    assert not len(context_chart([], [_compaction(1)]))


def test_the_peak_of_many_requests_is_seen() -> None:
    tokens = [1_000] * 400
    tokens[201] = 180_000
    rows = context_chart(_sizes(*tokens), []).text.split("\n")
    assert rows[1].count("█") == 1 and rows[3].endswith("most 180k")


@given(
    st.lists(st.integers(0, 2_000_000), max_size=120),
    st.lists(st.floats(-10, 200), max_size=5),
    st.integers(0, 3_000_000),
)
def test_any_numbers(tokens: list[int], minutes: list[float], limit: int) -> None:
    chart = context_chart(_sizes(*tokens), [_compaction(at, pre_tokens=limit) for at in minutes])
    assert not chart.lines or len(chart.lines[1].text) == COLUMNS


def test_short_numbers() -> None:
    numbers = (0, 999, 1_000, 12_499, 999_499, 999_500, 12_000_000)
    assert [short_tokens(number) for number in numbers] == ["0", "999", "1k", "12k", "999k", "1.0M", "12.0M"]
