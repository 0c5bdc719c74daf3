"""What a model wrote by itself and hands to memtui: whether the lines that it cites hold its words.

A statement of the draft from the facts needs no citation; its line is the fact's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memtui.documents.checked_text import CheckedText
from memtui.documents.memory_draft import draft_memory
from memtui.documents.recovery_draft import draft_recovery
from memtui.engines.citations import NO_SOURCE, CitedLines
from memtui.files.problems import FileProblem
from memtui.flows.review import capture_facts
from memtui.flows.sessions import captured_transcript
from memtui.formats.capture import Capture
from memtui.formats.memory import MemoryFile
from memtui.formats.recovery import parse_recovery, section_lines
from memtui.project import Places
from memtui.reading.facts import read_facts

_CITING = ("Decisions", "Constraints", "Known Issues")
"""Sections of a recovery text whose statements cite lines."""


def cited_review(memory: MemoryFile, text: str, capture: Capture, places: Places) -> MemoryFile:
    """A memory file with the citations that hold; a statement without one ends with ``(no source)``.

    Args:
        memory: what the model wrote.
        text: the same as it wrote it.
        capture: what it reviewed.
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
    """Lines of a recovery text with statements that cite no line which holds their words, and do not say so.

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
