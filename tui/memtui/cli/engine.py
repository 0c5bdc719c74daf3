"""``--engine``: who writes a draft, and how the person at the terminal waits for a model."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import click

from memtui.clean import clean_line
from memtui.cli.output import say
from memtui.engines.choice import Engine

_Command = TypeVar("_Command", bound=Callable[..., Any])

_ENDING = ("SIGTERM", "SIGHUP")


def engine_option(function: _Command) -> _Command:
    """The option itself; the command gets one of `Engine`'s words."""
    return click.option(
        "--engine",
        type=click.Choice([each.value for each in Engine]),
        default=Engine.FACTS.value,
        show_default=True,
        help="Who words it: the facts of the transcript alone, or claude -p under the same rules.",
    )(function)


@contextmanager
def asking() -> Iterator[Callable[[], bool]]:
    """Say what is waited for; gives a function that tells whether the person has called it off.

    ctrl+c calls the question off, and nothing else: the draft from the facts stands. A second one ends
    memtui, and so does a signal to end; the model's process goes with it.

    Raises:
        SystemExit: a signal to end came, with its exit code; only when the block is left. An exception in the
            middle of starting the model would leave it running.
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
        if hasattr(signal, name):  # not all of them on Windows
            number = getattr(signal, name)
            before[number] = signal.signal(number, end)
    try:
        yield called_off.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if ended:
            sys.exit(128 + ended)


def stands(problem: str, *notes: str) -> str:
    """The note on a draft, and why the model had no part in it; "" when there is nothing to say."""
    mine = f"from the facts: {clean_line(problem)}" if problem else ""
    return "; ".join(note for note in (mine, *notes) if note)
