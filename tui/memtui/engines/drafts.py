"""Documents worded by a model, checked, with the facts-only draft as fallback.

What asks can be called from any thread, and ends soon after `cancelled` returns True.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from memtui.documents.capture import Capture
from memtui.documents.checklist import CheckedText
from memtui.documents.memory_draft import draft_memory
from memtui.documents.memory_file import MemoryFile
from memtui.documents.recovery import parse_recovery, render_recovery, section_lines
from memtui.documents.recovery_draft import draft_recovery
from memtui.documents.session_state import SessionState
from memtui.engines.ask import Engine, EngineError, improved
from memtui.engines.check import NO_SOURCE, CitedLines
from memtui.engines.claude import Claude, StateAnswer
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.compact import Compacted
from memtui.store.reviews import capture_facts
from memtui.store.sessions import captured_transcript
from memtui.store.state_updates import update_state
from memtui.store.states import StoredState
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts


@dataclass(frozen=True, slots=True)
class Reworded:
    """The review of a capture, from the facts or worded by the model."""

    memory: MemoryFile
    summary: str
    problem: str = ""
    """Why the model was not used, in one clause; "" if it was."""


def compact_by_claude(
    compacted: Compacted, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Compacted, str]:
    """Let ``claude -p`` improve the draft of a recovery text.

    Args:
        compacted: the result of `memtui.flows.compact.draft`, with its facts.
        cancelled: polled while waiting.

    Returns:
        The improved text, and ""; or the unchanged draft, and the reason in one clause.
    """
    facts = compacted.facts
    assert facts is not None

    def ask() -> Compacted:
        claude = Claude(compacted.transcript, cancelled=cancelled)
        better = claude.recovery(parse_recovery(compacted.text), facts)
        return replace(compacted, text=render_recovery(better), engine=Engine.CLAUDE)

    return improved(compacted, ask)


def review_by_claude(
    capture: Capture,
    memory: MemoryFile,
    summary: str,
    facts: Facts,
    places: Places,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Reworded:
    """Let ``claude -p`` improve the draft of a review.

    Args:
        capture: the capture; the model sees the conversation up to its compaction.
        memory: the memory file made from facts.
        summary: the summary made from facts.
        facts: the facts for both.
        places: no transcript outside Claude Code's folder and the archive is opened.
        cancelled: polled while waiting.
    """
    transcript: Path | None = None
    with suppress(FileProblem):  # then the facts are the capture's own
        transcript = captured_transcript(places, capture.transcript)

    def ask() -> tuple[MemoryFile, str]:
        model = Claude(transcript, until=capture.timestamp, cancelled=cancelled)
        return model.memory(memory, summary, facts)

    (better, worded), problem = improved((memory, summary), ask)
    return Reworded(better, worded, problem)


_CITING = ("Decisions", "Constraints", "Known Issues")
"""Sections of a recovery text whose statements cite lines."""


def cited_review(memory: MemoryFile, text: str, capture: Capture, places: Places) -> MemoryFile:
    """A memory file with its valid citations; statements without one end with ``(no source)``.

    Args:
        memory: the model's memory file.
        text: its original text.
        capture: the reviewed capture.
        places: no transcript outside Claude Code's folder and the archive is opened.
    """
    transcript: Path | None = None
    with suppress(FileProblem):
        transcript = captured_transcript(places, capture.transcript)
    cited = CitedLines.of(transcript, text, capture.timestamp)
    drafted = draft_memory(capture_facts(capture, places)[0])
    return memory.replace(
        learnings=_checked(memory.learnings, drafted.learnings, cited),
        questions=_checked(memory.questions, drafted.questions, cited),
    )


def unsourced_lines(text: str, transcript: Path, root: Path) -> list[int]:
    """Lines of a recovery text with statements that lack a valid citation and are not marked.

    Raises:
        FormatError: the text holds none of the sections of a recovery text.
        OSError: the transcript cannot be read.
    """
    checked = CheckedText(parse_recovery(text), section_lines(text))
    draft = draft_recovery(read_facts(transcript), root)
    drafted = {*draft.decisions, *draft.constraints, *draft.known_issues}
    cited = CitedLines.of(transcript, text)
    return [
        line
        for title in _CITING
        for line, item in checked.items(title)
        if item not in drafted and not item.endswith(NO_SOURCE) and cited.checked(item).endswith(NO_SOURCE)
    ]


def _checked(statements: Iterable[str], drafted: tuple[str, ...], cited: CitedLines) -> tuple[str, ...]:
    return tuple(each if each in drafted else cited.checked(each) for each in statements)


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
