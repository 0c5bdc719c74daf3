"""A session to a recovery text, and a recovery text to a Recovery ID."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.clean import without_surrogates
from memtui.clock import Clock, system_clock
from memtui.documents.goal import title_of
from memtui.documents.recovery_draft import draft_recovery
from memtui.engines.choice import Engine
from memtui.files import FileProblem
from memtui.flows.sessions import find_transcript, refuse_strange, session_root
from memtui.formats.recovery import Plan, Recovery, parse_recovery, render_recovery
from memtui.formats.stored_memory import MemoryMeta
from memtui.project import Places, Project
from memtui.reading.facts import Facts, read_facts
from memtui.reading.short_text import one_line, shortened
from memtui.store.base import Filter, New
from memtui.store.changes import unrecorded
from memtui.store.memory_files import FilesBackend
from memtui.store.workflow import active_sessions, read_plan

if TYPE_CHECKING:
    from memtui.store.changes import Wrote

_DESCRIPTION = 80

_NEWEST = 50
"""Memories of a project among which the same one is looked for."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A recovery text that is not stored yet."""

    text: str
    note: str = ""
    """What a person should know of how it was made; "" for nothing."""
    session_id: str = ""
    """Claude Code's session."""
    description: str = ""
    """What the session is about, on one line."""
    transcript: Path | None = None
    root: Path = Path()
    """The project's root that the text names."""
    facts: Facts | None = field(default=None, compare=False, repr=False)
    """What it was made from; None for a text that came from elsewhere."""
    engine: str = Engine.FACTS
    """Who worded it."""


def draft(
    places: Places,
    *,
    transcript: Path | None = None,
    session: str = "",
    facts: Facts | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Compacted:
    """Draft the recovery text of a session: the named one, else the project's newest.

    Args:
        places: where things are.
        transcript: the session's transcript, of whichever project.
        session: the session's id, or its beginning; looked for among the project's transcripts.
        facts: what `transcript` says, when that has been read already.
        progress: told now and then the bytes read and the size of the transcript.
        cancelled: asked now and then; see `read_facts`.

    Raises:
        FileProblem: there is no such session, or the file is no transcript.
        OSError: the transcript cannot be read.
        ReadingCancelledError: `cancelled` answered True.
    """
    newest = transcript is None and not session and facts is None
    if transcript is None and facts is None:
        transcript = find_transcript(places, session)
    if facts is None:
        assert transcript is not None
        facts = read_facts(transcript, progress=progress, cancelled=cancelled)
        refuse_strange(transcript, facts)
    root = session_root(facts, places.project)
    recovery, note = drafted(facts, Project(root), current=newest)
    return Compacted(
        text=render_recovery(recovery),
        note=note,
        session_id=facts.session_id,
        description=describe(facts),
        transcript=transcript,
        root=root,
        facts=facts,
    )


def drafted(facts: Facts, project: Project, *, current: bool) -> tuple[Recovery, str]:
    """The recovery text of facts, with the plan of the workflow session that belongs to them.

    Args:
        facts: what the transcript says.
        project: whose workflow sessions are looked at.
        current: the facts are those of the session that goes on now; of an earlier one only a workflow
            session counts that it names itself.

    Returns:
        The text, and a note on what could not be read, "" when all could.
    """
    identifier, plan, note = _workflow(facts, project, current=current)
    return draft_recovery(facts, project.root, session_id=identifier, workflow=plan), note


def keep(
    places: Places,
    clock: Clock,
    compacted: Compacted | str,
    *,
    description: str = "",
    tags: tuple[str, ...] = (),
    source: str = "compact",
    wrote: Wrote = unrecorded,
) -> MemoryMeta:
    """Store a recovery text under a Recovery ID.

    Args:
        places: where things are.
        clock: gives the id its time.
        compacted: a draft, or any recovery text.
        description: what lists show; the draft's own when "".
        tags: tags.
        source: who made it.
        wrote: records the change.

    Raises:
        FormatError: the text is no recovery text.
        FileProblem: it cannot be written; nothing was changed.
    """
    if isinstance(compacted, str):
        compacted = Compacted(text=compacted, root=places.project.root)
    parse_recovery(compacted.text)
    new = New(
        body=without_surrogates(compacted.text).encode(),
        project=str(compacted.root),
        description=description or compacted.description,
        tags=tags,
        session_id=compacted.session_id,
        source=source,
    )
    return FilesBackend(places.home, clock, wrote).create(new)


def stored_already(
    places: Places, compacted: Compacted, *, description: str = "", tags: tuple[str, ...] = ()
) -> str:
    """The Recovery ID under which the same text of the same session is stored; "" when it is not.

    A memory with another description than the given one, or without one of the tags, is not the same.
    """
    backend = FilesBackend(places.home, system_clock)
    body = without_surrogates(compacted.text).encode()
    for listed in backend.list(Filter(project=str(compacted.root), tags=tags), limit=_NEWEST).items:
        meta = listed.meta
        if listed.problem or meta.session_id != compacted.session_id:
            continue
        if description and meta.description != description:
            continue
        with suppress(FileProblem):
            if backend.get(meta.id).body == body:
                return meta.id
    return ""


def describe(facts: Facts) -> str:
    """What a session is about, on one line."""
    return shortened(one_line(title_of(facts)), _DESCRIPTION).rstrip(".。")


def _workflow(facts: Facts, project: Project, *, current: bool) -> tuple[str, Plan | None, str]:
    """The id and plan of the active workflow session changed last that has a readable plan.

    Returns:
        Where none has one, the id of the session changed last and no plan; "" without any session. The
        third is a sentence on the first plan that could not be read, "" when there is none.
    """
    note = ""
    try:
        sessions = active_sessions(project)
    except FileProblem as problem:
        return "", None, _unread(problem)
    ids = [one.id for one in sessions if current or _names(facts, one.id)]
    for identifier in ids:
        try:
            content = read_plan(project, identifier)
        except FileProblem as problem:
            note = note or _unread(problem)
            continue
        if content.strip():
            return identifier, Plan(source="workflow", content=content), note
    return (ids[0] if ids else ""), None, note


def _unread(problem: FileProblem) -> str:
    return f"without the workflow's plan: {problem}"


def _names(facts: Facts, identifier: str) -> bool:
    """Whether a session has to do with a workflow session: its words, files or commands name it."""
    return (
        any(identifier in file.path for file in (*facts.modified_files, *facts.read_files))
        or any(identifier in prompt.text for prompt in facts.prompts)
        or any(identifier in command.text for command in facts.commands)
    )
