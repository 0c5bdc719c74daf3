"""A session's next state worded by a model, with the facts-only draft as fallback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memtui.documents.session_state import SessionState
from memtui.engines.ask import EngineError
from memtui.engines.claude import Claude, StateAnswer
from memtui.ground.clock import Clock
from memtui.ground.project import Places
from memtui.store.state_updates import update_state
from memtui.store.states import StoredState
from memtui.transcript.facts import Facts


class Asked(NamedTuple):
    """The result of asking the model."""

    stored: StoredState | None = None
    """The written version; None if there was nothing new."""
    problem: str = ""
    """Why the model was not used, in one clause; "" if it was."""


def update_by_claude(
    places: Places,
    clock: Clock,
    *,
    transcript: Path,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Asked:
    """Write the next version of a session's state document, worded by ``claude -p``.

    If claude is missing, slow, wrong or cancelled, the facts-only version is written.

    Args:
        places: the project and the folders.
        clock: gives the time of reading.
        transcript: the session's.
        progress: see `update_state`.
        cancelled: polled while waiting.

    Raises:
        FileProblem: something of the session cannot be read or written.
    """
    asking = _Asking(Claude(transcript, cancelled=cancelled))
    stored = update_state(places, clock, transcript=transcript, progress=progress, improve=asking)
    return Asked(stored, asking.problem)


class _Asking:
    """Asks once; if another program writes a version meanwhile, the answer is used for the next one."""

    def __init__(self, claude: Claude) -> None:
        self.problem = ""
        self._claude = claude
        self._answer: StateAnswer | None = None

    def __call__(self, draft: SessionState, previous: SessionState | None, facts: Facts) -> SessionState:
        if self._answer is None and not self.problem:
            try:
                self._answer = self._claude.state(draft, previous, facts)
            except EngineError as error:
                self.problem = str(error)
        return self._answer.into(draft, facts) if self._answer is not None else draft
