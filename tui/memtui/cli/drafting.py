"""The draft of a review: from the transcript if it can be read, else from the capture alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from memtui.extract.drafts import draft_memory, draft_summary
from memtui.extract.facts import Facts, read_facts
from memtui.extract.records import Prompt
from memtui.formats.capture import Capture
from memtui.formats.memory import MemoryFile, parse_memory, render_memory
from memtui.formats.model import FormatError, Section
from memtui.formats.sections import name_of
from memtui.store.transcripts import TranscriptProblem, check_transcript

_SUMMARY = "Summary"
_AHEAD = re.compile(r"\s*\**summary:\**(?P<summary>.*?)(?=^#)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
"""What stands before a memory file's title."""


class Draft(NamedTuple):
    """What a review will write if the person accepts it."""

    memory: MemoryFile
    summary: str
    note: str = ""
    """Why the transcript was not used; "" when it was."""


def draft_of(capture: Capture, claude: Path) -> Draft:
    """Draft the review of a capture.

    Args:
        capture: what the hook wrote down.
        claude: Claude Code's configuration folder: no transcript outside it is opened.
    """
    note = ""
    try:
        path = check_transcript(capture.transcript, claude)
        facts = read_facts(path, until=capture.timestamp)
    except TranscriptProblem as problem:
        note = f"drafted from the capture alone: {problem}"
        facts = _facts_of(capture)
    except OSError as error:
        note = f"drafted from the capture alone: {path} cannot be read: {error.strerror}"
        facts = _facts_of(capture)
    return Draft(draft_memory(facts), draft_summary(facts), note)


def as_text(draft: Draft) -> str:
    """A draft as one text to edit: the memory file, with the summary as its first section."""
    summary = Section(heading=_SUMMARY, text=draft.summary, after="")
    return render_memory(draft.memory.replace(extra=(summary, *draft.memory.extra)))


def from_text(text: str, note: str = "") -> Draft:
    """Read an edited draft.

    Raises:
        FormatError: it is no memory file any more.
    """
    memory = parse_memory(text)
    ours = [section for section in memory.extra if name_of(section.heading) == name_of(_SUMMARY)]
    rest = tuple(section for section in memory.extra if section not in ours)
    return Draft(memory.replace(extra=rest), " ".join(section.text for section in ours).strip(), note)


def from_review(text: str) -> Draft:
    """Read a review that somebody else has written: a memory file, with ``Summary: ...`` before it or not.

    Raises:
        FormatError: it is no memory file, or has no title or no goal.
    """
    ahead = _AHEAD.match(text)
    draft = from_text(text[ahead.end() :] if ahead else text)
    if not draft.memory.title:
        raise FormatError("it has no title (# Memory: ...)")
    if not draft.memory.goal:
        raise FormatError("it does not say what the goal was (## Goal)")
    summary = ahead["summary"] if ahead else draft.summary
    return draft._replace(summary=" ".join(summary.split()))


def _facts_of(capture: Capture) -> Facts:
    """What the capture itself says of the session."""
    timestamp = capture.timestamp.isoformat()
    prompt = Prompt(text=capture.first_message, kind="typed", timestamp=timestamp)
    return Facts(
        session_id=capture.session_id,
        prompts=(prompt,) if capture.first_message else (),
        first_prompt=capture.first_message,
        ended=timestamp,
    )
