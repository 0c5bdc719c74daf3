"""Drafts by ``claude -p``, whose answers are checked by the rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memtui.documents.conversation import conversation
from memtui.engines.answers import memory_in, recovery_in, state_in
from memtui.engines.citations import CitedLines
from memtui.engines.known_names import Known
from memtui.engines.process import PATIENCE, ask
from memtui.engines.prompts import memory_prompt, recovery_prompt, state_prompt
from memtui.engines.rules import ruled_memory, ruled_recovery
from memtui.engines.state_rules import StateAnswer
from memtui.formats.memory import MemoryFile, render_memory
from memtui.formats.recovery import Recovery, render_recovery
from memtui.formats.session_state import SessionState, render_session_state
from memtui.transcript.facts import Facts

_CONVERSATION = 120_000
"""Length of the conversation shown to the model in characters: some 30,000 tokens."""
_SUMMARY = 400


class Claude:
    """The model behind ``claude -p``.

    Every method takes a draft made from facts and returns an improved one, or the parts for it. On
    `EngineError` the draft is to be used; the error gives the reason in one clause.

    Args:
        transcript: the source of the facts; None if it was deleted.
        until: where the facts end, see `read_facts`.
        patience: maximum seconds for an answer.
        cancelled: whether to stop waiting; polled.
    """

    def __init__(
        self,
        transcript: Path | None,
        *,
        until: datetime | None = None,
        patience: float = PATIENCE,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._transcript = transcript
        self._until = until
        self._patience = patience
        self._cancelled = cancelled

    def memory(self, draft: MemoryFile, summary: str, facts: Facts) -> tuple[MemoryFile, str]:
        """A memory file and its summary."""
        text = f"Summary: {summary}\n\n{render_memory(draft)}"
        prompt = memory_prompt(facts, text, self._words())
        said = self._ask(prompt)
        answer, words = memory_in(said)
        known = Known(facts, prompt, self._cited(said))
        return ruled_memory(answer, draft, known), known.marked(words, _SUMMARY) or summary

    def recovery(self, draft: Recovery, facts: Facts) -> Recovery:
        """A recovery text."""
        prompt = recovery_prompt(facts, render_recovery(draft), self._words())
        said = self._ask(prompt)
        return ruled_recovery(recovery_in(said), draft, Known(facts, prompt, self._cited(said)))

    def state(self, draft: SessionState, previous: SessionState | None, facts: Facts) -> StateAnswer:
        """The model's part of a session state; `draft` is the next version made from facts alone."""
        before = render_session_state(previous) if previous is not None else ""
        prompt = state_prompt(facts, render_session_state(draft), before, self._words())
        said = self._ask(prompt)
        return StateAnswer(state_in(said), prompt, facts.lines, self._cited(said))

    def _ask(self, prompt: str) -> str:
        return ask(prompt, patience=self._patience, cancelled=self._cancelled)

    def _cited(self, answer: str) -> CitedLines:
        return CitedLines.of(self._transcript, answer, self._until)

    def _words(self) -> str:
        if self._transcript is None:
            return "(the transcript is gone)"
        try:
            return conversation(self._transcript, _CONVERSATION, until=self._until)
        except OSError:
            return "(the transcript cannot be read)"
