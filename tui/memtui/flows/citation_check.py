"""Checking the citations in a text that a model wrote on its own.

A statement of the facts-only draft needs no citation; its line is that of the fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memtui.documents.checked_text import CheckedText
from memtui.documents.memory_draft import draft_memory
from memtui.documents.recovery_draft import draft_recovery
from memtui.engines.citations import NO_SOURCE, CitedLines
from memtui.flows.review import capture_facts
from memtui.flows.sessions import captured_transcript
from memtui.formats.capture import Capture
from memtui.formats.memory import MemoryFile
from memtui.formats.recovery import parse_recovery, section_lines
from memtui.ground.files.problems import FileProblem
from memtui.ground.project import Places
from memtui.transcript.facts import read_facts

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
