"""A screen with a draft that a model may improve on, while the person goes on working."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import on, work
from textual.screen import Screen

from memtui.app.keys.screen_commands import CommandTable
from memtui.app.model_question import BUSY, Ask, ModelQuestion, why
from memtui.app.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from memtui.app.host import HostApp

Result = TypeVar("Result")
Answer = TypeVar("Answer")


class AskingScreen(Screen[Result], Generic[Result, Answer]):
    """Asks one question at a time: f4 asks, esc calls it off, and leaving the screen does, too."""

    if TYPE_CHECKING:
        app: HostApp

    TABLE: ClassVar[CommandTable]
    """The commands; the last one is esc."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = False
        """Nobody sees this screen any more."""
        self._model = ModelQuestion()

    def refusal(self) -> str:
        """Why the model cannot be asked now; "" when it can."""
        raise NotImplementedError

    def question(self) -> Ask[Answer]:
        """What asks the model."""
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

    @property
    def part(self) -> str:
        """The part of the screen that has the focus, as the table names it."""
        return "form"

    def show_keys(self) -> None:
        """Show what the keys do now: esc calls off what is being asked."""
        keys = self.TABLE.bar(self.part)
        if self._model.is_open:
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
        """Call off the question that is open; False when there is none."""
        return self._model.cancel()

    def action_ask_model(self) -> None:
        """Let `claude -p` improve on the draft."""
        if refusal := BUSY if self._model.is_open else self.refusal():
            self.say(refusal, warn=True)
        else:
            self._model.begin()
            self._ask_model(self.question())

    @work(group="model", exit_on_error=False)
    async def _ask_model(self, ask: Ask[Answer]) -> None:
        self.show_keys()
        self.say("Asking claude: that may take some minutes. esc calls it off.")
        try:
            with self.app.reporting("asking claude", wanted=lambda: not self.gone):
                answer = await self._model.ask(ask)
                if not self.gone:
                    self.take(answer)
        finally:
            if not self.gone:
                self.show_keys()
