"""Recovery texts and memory files worded by a model, with the facts-only draft as fallback.

Both functions can be called from any thread, and end soon after `cancelled` returns True.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.documents.capture import Capture
from memtui.documents.memory_file import MemoryFile
from memtui.documents.recovery import parse_recovery, render_recovery
from memtui.engines.ask import Engine, improved
from memtui.engines.claude import Claude
from memtui.flows.compact import Compacted
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.store.sessions import captured_transcript
from memtui.transcript.facts import Facts


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
