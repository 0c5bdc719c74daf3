"""Facts of a transcript, read in one pass and without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.extract.records import (
    Action,
    Answer,
    Command,
    CompactionFact,
    ContextSize,
    Correction,
    ErrorFact,
    FileFact,
    PlanFact,
    Prompt,
    Statement,
    Todo,
)


class Cancelled(Exception):
    """`read_facts` was told to stop."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a transcript says about a session."""

    path: str = ""
    session_id: str = ""
    versions: tuple[str, ...] = ()
    """Claude Code versions, in order of appearance."""
    models: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    """Working folders, in order of appearance."""
    branches: tuple[str, ...] = ()
    cwd: str = ""
    """The last one."""
    branch: str = ""
    """The last one."""
    title: str = ""
    """The title that Claude Code gave the session, if any."""
    prompts: tuple[Prompt, ...] = ()
    """All real words of the user, the first one included."""
    first_prompt: str = ""
    modified_files: tuple[FileFact, ...] = ()
    read_files: tuple[FileFact, ...] = ()
    """Read and never modified."""
    shell_files: tuple[str, ...] = ()
    """Absolute paths that shell commands evidently wrote; not part of `modified_files`."""
    commands: tuple[Command, ...] = ()
    todos: tuple[Todo, ...] = ()
    plans: tuple[PlanFact, ...] = ()
    """Oldest first; the last one is the plan."""
    errors: tuple[ErrorFact, ...] = ()
    answers: tuple[Answer, ...] = ()
    corrections: tuple[Correction, ...] = ()
    decisions: tuple[Statement, ...] = ()
    constraints: tuple[Statement, ...] = ()
    compactions: tuple[CompactionFact, ...] = ()
    last_action: Action | None = None
    last_text: str = ""
    """The last thing the model said."""
    context_sizes: tuple[ContextSize, ...] = ()
    started: str = ""
    ended: str = ""
    lines: int = 0
    """Lines read."""
    skipped_lines: int = 0
    """Lines too long, torn or not JSON."""


def read_facts(
    path: Path,
    *,
    until: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Facts:
    """Read the facts of a transcript.

    Args:
        path: a Claude Code transcript (JSONL).
        until: stop before the first compaction at or after this time: a capture covers what precedes its
            compaction. Without such a compaction the file is read to its end.
        progress: called now and then with the bytes read and the file's size.
        cancelled: asked now and then; when it answers True the reading ends with `Cancelled`.

    Raises:
        OSError: the file cannot be read.
        Cancelled: `cancelled` answered True.
    """
    raise NotImplementedError


def to_json(facts: Facts) -> dict[str, Any]:
    """Facts as one JSON object (`memtui facts --json`)."""
    raise NotImplementedError
