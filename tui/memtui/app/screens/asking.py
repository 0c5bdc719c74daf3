"""Asking a model to improve a draft: one question at a time, which can be cancelled."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar, cast

from textual.screen import Screen

from memtui.app.base import BaseApp
from memtui.app.model_question import BUSY, Ask, ModelQuestion, reason_not_used

Answer = TypeVar("Answer")


class Improvable(Protocol[Answer]):
    """A screen's draft."""

    def refusal(self) -> str:
        """Why the model cannot be asked now; "" if it can."""

    def question(self) -> Ask[Answer]:
        """The function that asks the model."""

    def take(self, answer: Answer) -> None:
        """Show the model's answer, or why there is none."""


class Asking(Generic[Answer]):
    """Asks one question at a time: f4 asks; esc, or leaving the screen, cancels it."""

    def __init__(
        self,
        screen: Screen[Any],
        draft: Improvable[Answer],
    ) -> None:
        """Make the object.

        Args:
            screen: the screen with the draft.
            draft: makes the question and takes the answer.
        """
        self._screen = screen
        self._draft = draft
        self._model = ModelQuestion()
        self.gone = False
        """The screen is closed."""

    @property
    def _app(self) -> BaseApp:
        return cast(BaseApp, self._screen.app)

    def say(self, text: str, *, warn: bool = False) -> None:
        self._app.say(text, severity="warning" if warn else "information")

    def say_failed(self, problem: str) -> None:
        self.say(f"{reason_not_used(problem)}: the draft from the facts is kept.", warn=True)

    def end(self) -> None:
        self.gone = True
        self.call_off()

    def call_off(self) -> bool:
        """Cancel the open question; False if there is none."""
        return self._model.cancel()

    def ask(self) -> None:
        if refusal := BUSY if self._model.is_open else self._draft.refusal():
            self.say(refusal, warn=True)
        else:
            self._model.begin()
            self._screen.run_worker(self._ask(self._draft.question()), group="model", exit_on_error=False)

    async def _ask(self, ask: Ask[Answer]) -> None:
        self.say("Asking claude: that may take some minutes. esc cancels.")
        with self._app.reporting("asking claude", wanted=lambda: not self.gone):
            answer = await self._model.ask(ask)
            if not self.gone:
                self._draft.take(answer)
