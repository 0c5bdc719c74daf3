"""Drafting recovery texts, and storing them under Recovery IDs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memtui.documents.memory import MemoryMeta
from memtui.documents.recovery import Plan, Recovery, draft_recovery, parse_recovery, render_recovery
from memtui.documents.work import title_of
from memtui.ground.clean import without_surrogates
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, Project
from memtui.store.memories import Filter, MemoryStore, New
from memtui.store.sessions import find_transcript, refuse_strange, session_root
from memtui.store.workflow_sessions import active_sessions, read_plan
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line, shortened

_DESCRIPTION = 80

_NEWEST = 50
"""The most memories of a project that are searched for the same text."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A recovery text that is not stored yet."""

    text: str
    note: str = ""
    """A remark on its origin, or ""."""
    session_id: str = ""
    """Claude Code's session."""
    description: str = ""
    """A one-line description of the session."""
    transcript: Path | None = None
    root: Path = Path()
    """The project's root named in the text."""
    facts: Facts | None = field(default=None, compare=False, repr=False)
    """The facts it was made from; None for a text from elsewhere."""
    engine: str = "facts"
    """The engine that worded it."""


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
        places: the project and the folders.
        transcript: the session's transcript, of any project.
        session: the id of one of the project's sessions, or its beginning.
        facts: the facts of `transcript`, if already read.
        progress: receives the bytes read and the size of the transcript.
        cancelled: polled; see `read_facts`.

    Raises:
        FileProblem: there is no such session, or the file is not a transcript.
        OSError: the transcript cannot be read.
        ReadingCancelledError: `cancelled` returned True.
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
        facts: the facts of the transcript.
        project: the project with the workflow sessions.
        current: the facts are those of the current session; an earlier one only gets a workflow session that
        it names itself.

    Returns:
        The text, and a note on read problems or "".
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
) -> MemoryMeta:
    """Store a recovery text under a Recovery ID.

    Args:
        places: the project and the folders.
        clock: gives the id its time.
        compacted: a draft, or any recovery text.
        description: the title in lists; the draft's own when "".
        tags: tags.
        source: the command that made it.

    Raises:
        FormatError: the text is not a recovery text.
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
    return MemoryStore(places.home, clock).create(new)


def stored_already(
    places: Places, compacted: Compacted, *, description: str = "", tags: tuple[str, ...] = ()
) -> str:
    """The Recovery ID under which the same text of the same session is stored, or "".

    A memory with a different description, or without one of the tags, does not count.
    """
    backend = MemoryStore(places.home, system_clock)
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
    """A one-line description of a session."""
    return shortened(one_line(title_of(facts)), _DESCRIPTION).rstrip(".。")


def _workflow(facts: Facts, project: Project, *, current: bool) -> tuple[str, Plan | None, str]:
    """The id and plan of the active workflow session changed last that has a readable plan.

    Returns:
        If no plan is readable, the id of the session changed last and no plan; "" without any session. The
        third value is a sentence on the first unreadable plan, or "".
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
    """Whether a session's words, files or commands name a workflow session."""
    return (
        any(identifier in file.path for file in (*facts.modified_files, *facts.read_files))
        or any(identifier in turn.ask for turn in facts.asked)
        or any(identifier in command.text for command in facts.commands)
    )
