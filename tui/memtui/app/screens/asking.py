"""Asking a model, and the base of screens with a draft that it may improve and that is saved once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from textual import work
from textual.screen import ScreenResultType

from memtui.app.base import OwnScreen
from memtui.ground.clean import clean_line

Answer = TypeVar("Answer")
Ask = Callable[[Callable[[], bool]], Answer]
"""Asks the model, in a thread; receives a `cancelled()` callback."""

BUSY = "Claude is already working; esc cancels."


class ModelQuestion:
    """The current question of a screen to the model, if any."""

    def __init__(self) -> None:
        self._cancelled: threading.Event | None = None

    @property
    def is_open(self) -> bool:
        return self._cancelled is not None

    async def ask(self, ask: Ask[Answer]) -> Answer:
        """Put the question, and wait for the answer. Only while no other one is open."""
        cancelled = self._cancelled = threading.Event()
        try:
            return await asyncio.to_thread(ask, cancelled.is_set)
        finally:
            cancelled.set()  # the thread may still run: the waiting worker ends with its widget
            self._cancelled = None

    def cancel(self) -> bool:
        """Cancel the question; False if there is none, or it is already cancelled."""
        if self._cancelled is None or self._cancelled.is_set():
            return False
        self._cancelled.set()
        return True


def reason_not_used(problem: str) -> str:
    """Why a model was not used, as the beginning of a sentence."""
    reason = "called off" if problem == "cancelled" else clean_line(problem)
    return f"{reason[:1].upper()}{reason[1:]}"


class DraftScreen(OwnScreen[ScreenResultType], Generic[ScreenResultType, Answer]):
    """A draft to edit: f4 asks a model to improve it, one question at a time; esc cancels that, or leaves."""

    LEAVING: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._model_question = ModelQuestion()
        self.saving = False

    def question(self) -> Ask[Answer] | str:
        """What to ask the model, or why it cannot be asked now."""
        raise NotImplementedError

    def take(self, answer: Answer) -> None:
        """Show the model's answer, or why there is none."""
        raise NotImplementedError

    async def save(self) -> None:
        raise NotImplementedError

    def say_failed(self, problem: str) -> None:
        self.app.warn(f"{reason_not_used(problem)}: the draft from the facts is kept.")

    def on_unmount(self) -> None:
        self._model_question.cancel()

    @work(group="model", exit_on_error=False)
    async def action_ask_model(self) -> None:
        question = BUSY if self._model_question.is_open else self.question()
        if isinstance(question, str):
            self.app.warn(question)
            return
        self.app.say("Asking claude: that may take some minutes. esc cancels.")
        with self.app.reporting("asking claude", wanted=lambda: self.is_running):
            answer = await self._model_question.ask(question)
            if self.is_running:
                self.take(answer)

    @work(group="save", exit_on_error=False)
    async def action_save(self) -> None:
        """Save, once: a second ctrl+s meanwhile has no effect."""
        if not self.saving:
            self.saving = True
            try:
                await self.save()
            finally:
                self.saving = False

    @work(group="leave", exclusive=True, exit_on_error=False)
    async def action_leave(self) -> None:
        """Cancel a pending question; else leave without saving, asking first if there are edits."""
        if self.saving or self._model_question.cancel():
            return  # a running save is finished in a moment, and can be undone
        if not self.unsaved or await self.app.confirmed(self.LEAVING, yes="Leave", no="Stay"):
            self.dismiss(None)
