"""The option ``--engine``, and waiting for a model at the terminal."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import click

from memtui.cli.output import say
from memtui.engines.engine_choice import Engine
from memtui.ground.clean import clean_line

_Command = TypeVar("_Command", bound=Callable[..., Any])

_ENDING = ("SIGTERM", "SIGHUP")


def engine_option(function: _Command) -> _Command:
    """The option itself; the command gets one of `Engine`'s words."""
    return click.option(
        "--engine",
        type=click.Choice([each.value for each in Engine]),
        default=Engine.FACTS.value,
        show_default=True,
        help="How to word it: from the facts alone, or by claude -p under the same rules.",
    )(function)


@contextmanager
def asking() -> Iterator[Callable[[], bool]]:
    """Announce the wait; yields a function that returns whether it has been cancelled.

    The first ctrl+c only cancels the model: the draft from the facts is kept. A second one ends memtui, and
    so does a termination signal, together with the model's process.

    Raises:
        SystemExit: on leaving the block after a termination signal, with its exit code. Raised earlier, it
        could interrupt the start of the model and leave it running.
    """
    called_off = threading.Event()
    ended = 0

    def call_off(number: int, frame: FrameType | None) -> None:
        called_off.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ended
        ended = number
        called_off.set()

    if sys.stderr.isatty():
        say("Asking claude: that may take some minutes. ctrl+c keeps the draft from the facts.", err=True)
    before = {signal.SIGINT: signal.signal(signal.SIGINT, call_off)}
    for name in _ENDING:
        if hasattr(signal, name):  # some do not exist on Windows
            number = getattr(signal, name)
            before[number] = signal.signal(number, end)
    try:
        yield called_off.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if ended:
            sys.exit(128 + ended)


def draft_note(problem: str, *notes: str) -> str:
    """The notes on a draft and the reason why the model was not used, as one text; "" if there are none."""
    mine = f"from the facts: {clean_line(problem)}" if problem else ""
    return "; ".join(note for note in (mine, *notes) if note)
