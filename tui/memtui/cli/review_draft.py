"""The draft of a review: from the transcript if it can be read, else from the capture alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memtui.cli.engine import draft_note
from memtui.documents.memory_draft import draft_memory, draft_summary
from memtui.engines.engine_choice import Engine
from memtui.flows.review import capture_facts
from memtui.formats.capture import Capture
from memtui.formats.memory import MemoryFile, parse_memory, render_memory
from memtui.formats.model import FormatError, Section
from memtui.formats.sections import name_of
from memtui.ground.project import Places
from memtui.transcript.facts import Facts

_SUMMARY = "Summary"
_AHEAD = re.compile(r"\s*\**summary:\**(?P<summary>.*?)(?=^#)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
"""The beginning of a memory file's title line."""


class Draft(NamedTuple):
    """The draft of a review, written when accepted."""

    memory: MemoryFile
    summary: str
    note: str = ""
    """Why the transcript was not used; "" if it was."""
    facts: Facts | None = None
    """The facts it was made from; None for a review written elsewhere."""
    engine: str = ""
    """The origin of the wording; "" for a review written elsewhere."""


def draft_of(capture: Capture, places: Places) -> Draft:
    """Draft the review of a capture.

    Args:
        capture: the capture to review.
        places: no transcript outside Claude Code's folder and the archive is opened.
    """
    facts, note = capture_facts(capture, places)
    return Draft(draft_memory(facts), draft_summary(facts), note, facts, Engine.FACTS)


def by_claude(draft: Draft, capture: Capture, places: Places, called_off: Callable[[], bool]) -> Draft:
    """A draft improved by the model; if that fails, the draft itself with a note.

    Args:
        draft: the facts-only draft.
        capture: the capture under review.
        places: where transcripts are.
        called_off: whether to stop waiting; polled.
    """
    from memtui.flows.draft_model import review_by_claude

    assert draft.facts is not None
    reworded = review_by_claude(
        capture, draft.memory, draft.summary, draft.facts, places, cancelled=called_off
    )
    if reworded.problem:
        problem = f"drafted {draft_note(reworded.problem)}"
        return draft._replace(note="; ".join(filter(None, (problem, draft.note))))
    return draft._replace(memory=reworded.memory, summary=reworded.summary, engine=Engine.CLAUDE)


def as_text(draft: Draft) -> str:
    """A draft as one text to edit: the memory file, with the summary as its first section."""
    summary = Section(heading=_SUMMARY, text=draft.summary, after="")
    return render_memory(draft.memory.replace(extra=(summary, *draft.memory.extra)))


def from_text(text: str) -> Draft:
    """Read an edited draft.

    Raises:
        FormatError: it is no longer a memory file.
    """
    memory = parse_memory(text)
    ours = [section for section in memory.extra if name_of(section.heading) == name_of(_SUMMARY)]
    rest = tuple(section for section in memory.extra if section not in ours)
    return Draft(memory.replace(extra=rest), " ".join(section.text for section in ours).strip())


def from_review(text: str) -> Draft:
    """Read a review written elsewhere: a memory file, optionally with ``Summary: ...`` before it.

    Raises:
        FormatError: it is not a memory file, or has no title or no goal.
    """
    ahead = _AHEAD.match(text)
    draft = from_text(text[ahead.end() :] if ahead else text)
    if not draft.memory.title:
        raise FormatError("it has no title (# Memory: ...)")
    if not draft.memory.goal:
        raise FormatError("it does not say what the goal was (## Goal)")
    summary = ahead["summary"] if ahead else draft.summary
    return draft._replace(summary=" ".join(summary.split()))
