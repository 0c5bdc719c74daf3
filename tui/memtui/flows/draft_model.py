"""A recovery text or a memory file as a model words it: the draft from the facts stands where it fails.

Both can be called from any thread, and end soon after `cancelled` answers True.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.engines.choice import Engine, improved
from memtui.engines.claude import Claude
from memtui.flows.compact import Compacted
from memtui.formats.capture import Capture
from memtui.formats.memory import MemoryFile
from memtui.formats.recovery import parse_recovery, render_recovery
from memtui.reading.facts import Facts
from memtui.store.transcripts import TranscriptProblem, check_transcript


@dataclass(frozen=True, slots=True)
class Reworded:
    """The review of a capture, from the facts or as the model words it."""

    memory: MemoryFile
    summary: str
    problem: str = ""
    """Why the model had no part in it, in one clause; "" when it had."""


def compact_by_claude(
    compacted: Compacted, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Compacted, str]:
    """Let ``claude -p`` improve on the draft of a recovery text.

    Args:
        compacted: what `memtui.flows.compact.draft` made: with its facts.
        cancelled: asked while waiting for the answer.

    Returns:
        The text as the model words it, and ""; or the draft as it was, and why in one clause.
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
    claude: Path,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Reworded:
    """Let ``claude -p`` improve on the draft of a review.

    Args:
        capture: what is reviewed; the model sees the conversation up to its compaction.
        memory: the memory file as the facts make it.
        summary: the summary likewise.
        facts: what both were made from.
        claude: Claude Code's configuration folder: no transcript outside it is opened.
        cancelled: asked while waiting for the answer.
    """
    transcript: Path | None = None
    with suppress(TranscriptProblem):  # the facts are the capture's own then
        transcript = check_transcript(capture.transcript, claude)

    def ask() -> tuple[MemoryFile, str]:
        model = Claude(transcript, until=capture.timestamp, cancelled=cancelled)
        return model.memory(memory, summary, facts)

    (better, told), problem = improved((memory, summary), ask)
    return Reworded(better, told, problem)
