"""A screen with a draft that a model may improve on, while the person goes on working."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.screen import Screen

from memtui.app.widgets.key_bar import KeyBar
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.host import HostApp

Result = TypeVar("Result")
Answer = TypeVar("Answer")

Keys = tuple[tuple[str, str, str], ...]
"""(key, label, action) of a bottom line."""


def why(problem: str) -> str:
    """Why a model had no part in something, as the beginning of a sentence."""
    told = "called off" if problem == "cancelled" else clean_line(problem)
    return f"{told[:1].upper()}{told[1:]}"


class AskingScreen(Screen[Result], Generic[Result, Answer]):
    """Asks one question at a time: f4 asks, esc calls it off, and leaving the screen does, too."""

    if TYPE_CHECKING:
        app: HostApp

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f4", "ask_model", "ask claude", show=False, priority=True),
    ]
    KEYS: ClassVar[Keys] = ()
    """Of the bottom line; the last one is esc."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = False
        """Nobody sees this screen any more."""
        self._called_off: threading.Event | None = None
        """Of the question that is open."""

    def refusal(self) -> str:
        """Why the model cannot be asked now; "" when it can."""
        raise NotImplementedError

    def question(self) -> Callable[[Callable[[], bool]], Answer]:
        """What asks the model, in a thread; it is given what tells that nobody waits any more."""
        raise NotImplementedError

    def take(self, answer: Answer) -> None:
        """Show what the model answered, or why it has not."""
        raise NotImplementedError

    def say(self, text: str, *, warn: bool = False) -> None:
        """Tell the person what happened, in one line."""
        self.app.say(text, severity="warning" if warn else "information")

    def say_failed(self, problem: str) -> None:
        """Tell why the model had no part in the draft."""
        self.say(f"{why(problem)}: the draft from the facts stands.", warn=True)

    def keys(self) -> Keys:
        """Of the bottom line, where the focus is."""
        return self.KEYS

    def show_keys(self) -> None:
        """Show what the keys do now: esc calls off what is being asked."""
        keys = self.keys()
        if self._called_off is not None:
            key, _, action = keys[-1]
            keys = (*(each for each in keys[:-1] if each[0] != "f4"), (key, "stop asking claude", action))
        self.query_one(KeyBar).keys = keys

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    def on_unmount(self) -> None:
        """What reads or asks for this screen ends with it."""
        self.gone = True
        self.call_off()

    def call_off(self) -> bool:
        """Wait for the model no longer; False when nobody does."""
        if self._called_off is None or self._called_off.is_set():
            return False
        self._called_off.set()
        return True

    def action_ask_model(self) -> None:
        """Let `claude -p` improve on the draft."""
        refusal = "Claude is at it already: esc calls it off." if self._called_off else self.refusal()
        if refusal:
            self.say(refusal, warn=True)
        else:
            self._called_off = threading.Event()
            self._ask_model(self.question(), self._called_off)

    @work(group="model", exit_on_error=False)
    async def _ask_model(
        self, ask: Callable[[Callable[[], bool]], Answer], called_off: threading.Event
    ) -> None:
        self.show_keys()
        self.say("Asking claude: that may take some minutes. esc calls it off.")
        try:
            with self.app.reporting("asking claude", wanted=lambda: not self.gone):
                answer = await asyncio.to_thread(ask, called_off.is_set)
                if not self.gone:
                    self.take(answer)
        finally:
            self._called_off = None
            if not self.gone:
                self.show_keys()
