"""Waits until an app has handled everything.

Textual's pilot waits until the process is idle instead, for at least 20 ms each time and several times a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from textual.app import App
from textual.dom import DOMNode
from textual.events import Key
from textual.message_pump import MessagePump
from textual.pilot import Pilot

PATIENCE = 45.0
"""Seconds that a condition is waited for."""
_TURNS = 5
"""More turns of the event loop than a message of a driver takes to reach the app."""


async def wait_until(condition: Callable[[], object], why_not: Callable[[], str]) -> None:
    """Wait until a condition holds; fail with what `why_not` says when it does not for too long."""
    end = monotonic() + PATIENCE
    turn = 0
    while not condition():
        turn += 1
        # Most often a few turns of the event loop are enough; only threads take longer.
        await asyncio.sleep(0 if turn < 50 else 0.005)
        assert monotonic() < end, why_not()


def is_idle(app: App[Any]) -> bool:
    """Whether the app and its widgets only wait for messages."""
    if app._exit or app._exception is not None:
        return True
    if app._resize_event is not None:  # passed on by a timer
        return False
    return _waits_for_message(app) and all(map(_rests, app.screen_stack))


def _rests(node: DOMNode) -> bool:
    return _waits_for_message(node) and all(map(_rests, node.children))


def _waits_for_message(pump: MessagePump) -> bool:
    queue: Any = pump._message_queue
    return bool(queue.empty() and queue.ready_event._waiters)


def is_laid_out(app: App[Any]) -> bool:
    """Whether the app only waits and has nothing to lay out, which it now does, not with the next sixtieth of
    a second.

    Widgets hear of their new sizes by messages, and may ask for another layout.
    """
    if not is_idle(app):
        return False
    if app._exit or app._exception is not None or not app.screen_stack:
        return True
    screen = app.screen
    done = not (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._callbacks
        or screen._dirty_widgets
    )
    if not done:
        screen._on_timer_update()
    return done


async def until_idle(app: App[Any]) -> None:
    """Wait until every message and every callback has been handled, and everything is laid out."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)
    await wait_until(lambda: is_laid_out(app), lambda: "the app never came to rest")


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until no worker has anything to do, either."""
    app = pilot.app
    await until_idle(app)
    while not all(worker.is_finished for worker in app.workers):
        await wait_until(lambda: all(worker.is_finished for worker in app.workers), lambda: "no worker ended")
        await until_idle(app)


async def _pause(pilot: Pilot[Any], delay: float | None = None) -> None:
    await asyncio.sleep(delay or 0.0)
    await until_idle(pilot.app)


async def _press_keys(app: App[Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else None))
        await until_idle(app)


def use(patch: pytest.MonkeyPatch) -> None:
    """Let pilots wait in this way."""
    patch.setattr(Pilot, "pause", _pause)
    patch.setattr(Pilot, "wait_for_scheduled_animations", _pause)
    patch.setattr(App, "_press_keys", _press_keys)
