"""The status line shows how full the context is, and warns once."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest
from textual.content import Content

from memtui.app.settings import SettingsError, Warn, load_settings
from memtui.app.status import context_line
from memtui.lost.context_gauge import Gauge
from memtui.lost.receipts import Arrival, Receipt
from tests.app.harness import SHORT, opened
from tests.app.test_own_keys import configure
from tests.app.world import NOW, World

ALL = list(product((False, True), repeat=3))


def drawn(gauge: Gauge, width: int) -> str:
    return Content.assemble(*context_line(gauge, "$accent", width)).plain


def test_the_line_at_each_width() -> None:
    gauge = Gauge(137_000, 200_000, 200_000, 9)
    assert drawn(gauge, 120) == "  ctx ▮▮▮▮▮▯▯▯ 137k/200k · ~9 turns"
    assert drawn(gauge, 80) == "  ctx 137k/200k · ~9 turns"
    assert drawn(gauge, 40) == "  ctx 137k/200k"
    assert drawn(Gauge(137_000), 120) == "  ctx 137k/?"
    assert "104k · compacts at 155-177k · ~9 turns" in drawn(Gauge(104_000, 155_000, 177_000, 9), 140)
    assert drawn(Gauge(), 120) == "  ctx ?"
    assert drawn(Gauge(199_000, 200_000, 200_000, 1), 120).endswith("~1 turn")


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
    configure(world, "[warn]\nat = [1, 2]\nbell = true\n")
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
        assert (len(rung), bar.alarm) == (4, "compaction loop  open again")


def test_the_flag_of_tmux_is_apart_from_the_bell() -> None:
    rings = [Warn(bell=bell, tmux=tmux).sends_bell(in_tmux=within) for bell, tmux, within in ALL]
    assert rings == [False, False, False, True, True, True, True, True]


def test_settings(world: World) -> None:
    assert load_settings(world.home).warn == Warn((90,), False)
    configure(world, "[warn]\nat = [95, 80]\nbell = true\n")
    assert load_settings(world.home).warn == Warn((80, 95), True)
    configure(world, "[warn]\ntmux = true\n")
    assert load_settings(world.home).warn == Warn((90,), False, True)
    for wrong in ("at = 90", "at = [0]", "at = []", 'bell = "yes"', "tmux = 1"):
        path = configure(world, f"[warn]\n{wrong}\n")
        with pytest.raises(SettingsError, match="warn"):
            load_settings(world.home)
        assert path


async def test_in_the_strip_of_tabs_it_gives_way_before_the_counts_unless_it_warns(world: World) -> None:
    from memtui.app.readings import ContextState

    world.capture(5, "Make the export stream")
    async with opened(world, SHORT) as driver:
        feed = driver.browser.bar
        feed._show_watched("s-2", ContextState(Gauge(20_000, 100_000)))
        await driver.until(lambda: "20% ● live" in driver.lines[0], "the context")
        await driver.press("slash", *"export stream", "enter")
        await driver.until(lambda: "/export… " in driver.lines[0], "the filter")
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
