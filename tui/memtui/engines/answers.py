"""Extracting the document from a model's answer."""

from __future__ import annotations

import re

from memtui.engines.process import EngineError
from memtui.formats.memory import MemoryFile, parse_memory
from memtui.formats.model import FormatError
from memtui.formats.recovery import Recovery, parse_recovery
from memtui.formats.session_state import SessionState, parse_session_state
from memtui.ground.clean import clean
from memtui.secrets.secrets import masked

OPENING, CLOSING = "<document>", "</document>"
"""The lines around the document that the prompts ask for; text outside them is chatter."""

_FENCE = re.compile(r"^(`{3,})([a-z]*)\s*$", re.MULTILINE)
_MEMORY = re.compile(r"^# Memory:", re.MULTILINE)
_RECOVERY = re.compile(r"^## Session ID", re.MULTILINE)
_STATE = re.compile(r"^=== SESSION STATE", re.MULTILINE)
_STATE_END = re.compile(r"^=== END STATE ===", re.MULTILINE)


def memory_in(answer: str) -> tuple[MemoryFile, str]:
    """The memory file in an answer, and the summary before it.

    Raises:
        EngineError: it is missing or incomplete.
    """
    text = _document(answer, _MEMORY)
    start = _MEMORY.search(text)
    head = text[: start.start()] if start else ""
    summary = head.partition("Summary:")[2]
    try:
        memory = parse_memory(text[start.start() :] if start else text)
    except FormatError as error:
        raise EngineError(f"claude's answer is no memory file: {error}") from error
    if not (memory.title and memory.goal and memory.confidence):
        raise EngineError("claude's answer is incomplete")
    return memory, " ".join(summary.split())


def recovery_in(answer: str) -> Recovery:
    """The recovery text in an answer.

    Raises:
        EngineError: it is missing or incomplete.
    """
    text = _document(answer, _RECOVERY)
    try:
        recovery = parse_recovery(text)
    except FormatError as error:
        raise EngineError(f"claude's answer is not a recovery text: {error}") from error
    if not recovery.objective or not re.search(r"^## Notes", text, re.MULTILINE):
        raise EngineError("claude's answer is incomplete")
    return recovery.replace(preamble="")


def state_in(answer: str) -> SessionState:
    """The session state document in an answer.

    Raises:
        EngineError: it is missing or incomplete.
    """
    text = _document(answer, _STATE)
    try:
        state = parse_session_state(text)
    except FormatError as error:
        raise EngineError(f"claude's answer is no session state: {error}") from error
    if not state.identity.goal or not _STATE_END.search(text):
        raise EngineError("claude's answer is incomplete")
    return state


def _document(answer: str, beginning: re.Pattern[str]) -> str:
    """The document in an answer, cleaned and without secrets."""
    text = masked(clean(answer.replace("\r\n", "\n")))
    start, end = text.find(OPENING), text.rfind(CLOSING)
    if start >= 0 and end > start:
        text = text[start + len(OPENING) : end].strip("\n")
    elif start >= 0:
        raise EngineError("claude's answer is cut off")
    fences = [block for block in _fenced(text) if beginning.search(block)]
    if fences and (start < 0 or text.lstrip().startswith("`")):
        text = max(fences, key=len)
    found = beginning.search(text)
    if found is None:
        raise EngineError("claude's answer holds no document of the kind asked for")
    return text


def _fenced(text: str) -> list[str]:
    """The blocks between fences: each ends at the next bare fence of the length it began with."""
    blocks: list[str] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1] == opened[1] and not fence[2]:
            blocks.append(text[opened.end() : fence.start()].strip("\n"))
            opened = None
    return blocks
