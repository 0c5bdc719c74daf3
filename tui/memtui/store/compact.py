"""Drafting recovery texts and storing them under Recovery IDs: of sessions, and of captures in a review."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memtui.documents.capture import Capture
from memtui.documents.markdown import Section, name_of, render_items
from memtui.documents.memory import MemoryMeta
from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary, render_memory
from memtui.documents.recovery import REVIEWED, Plan, Recovery, is_unknown, parse_recovery, render_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.documents.work import title_of
from memtui.ground.clean import without_surrogates
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileMissing, FileOutside, FileProblem, read_within
from memtui.ground.project import Places, Project
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry, scan
from memtui.store.memories import MemoryStore
from memtui.store.sessions import captured_transcript, find_transcript, refuse_strange, session_root
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts


@dataclass(frozen=True, slots=True)
class Compacted:
    """A recovery text that is not stored yet."""

    text: str
    note: str = ""
    """A remark on its origin, or ""."""
    session_id: str = ""
    description: str = ""
    transcript: Path | None = None
    root: Path = Path()
    """Root of the project it belongs to; a session of that may have worked elsewhere."""
    facts: Facts | None = field(default=None, compare=False, repr=False)
    """The facts it was made from; None for a text from elsewhere."""
    engine: str = "facts"


def draft(
    places: Places,
    *,
    transcript: Path | None = None,
    session: str = "",
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Compacted:
    """Draft a recovery text: of a transcript, the named session, else the newest; see `read_facts`."""
    path = transcript or find_transcript(places, session)
    facts = read_facts(path, progress=progress, cancelled=cancelled)
    refuse_strange(path, facts)
    root = session_root(facts, places.project)
    recovery, note = drafted(facts, Project(root), current=transcript is None and not session)
    return Compacted(
        text=render_recovery(recovery),
        note=note,
        session_id=facts.session_id,
        description=title_of(facts).rstrip(".。"),
        transcript=path,
        root=places.project.root if transcript is None else root,
        facts=facts,
    )


def drafted(facts: Facts, project: Project, *, current: bool) -> tuple[Recovery, str]:
    """The recovery text of facts, and a note on read problems or "".

    It has the plan of the project's workflow session; unless the facts are of the `current` session, only of
    one that they name.
    """
    identifier, plan, note = _workflow(facts, project, current=current)
    return draft_recovery(facts, project.root, session_id=identifier, workflow=plan), note


def keep(
    places: Places,
    clock: Clock,
    compacted: Compacted,
    *,
    description: str = "",
    tags: tuple[str, ...] = (),
    source: str = "compact",
) -> MemoryMeta:
    """Store a recovery text under a Recovery ID; without a description it has the draft's."""
    parse_recovery(compacted.text)
    return MemoryStore(places.home, clock).create(
        without_surrogates(compacted.text).encode(),
        str(compacted.root),
        description=description or compacted.description,
        tags=tags,
        session_id=compacted.session_id,
        source=source,
    )


def stored_already(
    places: Places, compacted: Compacted, *, description: str = "", tags: tuple[str, ...] = ()
) -> str:
    """The Recovery ID of the same text of the same session with these tags and description, or ""."""
    backend = MemoryStore(places.home, system_clock)
    body = without_surrogates(compacted.text).encode()
    for listed in backend.list(str(compacted.root), tags, limit=50).items:
        meta = listed.meta
        same = meta.session_id == compacted.session_id and description in ("", meta.description)
        with suppress(FileProblem):
            if same and not listed.problem and backend.get(meta.id).body == body:
                return meta.id
    return ""


def _workflow(facts: Facts, project: Project, *, current: bool) -> tuple[str, Plan | None, str]:
    """The id and plan of the active workflow session changed last that has a plan.

    Without such a plan, the id of the one changed last and no plan; "" without any session. The third value
    is a sentence on a plan that cannot be read, or "".
    """
    first, note = "", ""
    try:
        for identifier in active_sessions(project):
            if current or _names(facts, identifier):
                first = first or identifier
                if (content := read_plan(project, identifier)).strip():
                    return identifier, Plan(source="workflow", content=content), note
    except FileProblem as problem:
        note = f"without the workflow's plan: {problem}"
    return first, None, note


def _names(facts: Facts, identifier: str) -> bool:
    """Whether a session's words, files or commands name a workflow session."""
    return (
        any(identifier in file.path for file in (*facts.modified_files, *facts.read_files))
        or any(identifier in turn.ask for turn in facts.asked)
        or any(identifier in command.text for command in facts.commands)
    )


def with_review(recovery: Recovery, memory: MemoryFile, summary: str, facts: Facts) -> Recovery:
    """A recovery text whose notes begin with what a reviewer added to the drafts.

    Learnings that the reviewer changed stand there whole, as those kept of the draft were chosen, too.
    """
    drafted = draft_memory(facts)
    asked = [line for line in memory.questions if line not in drafted.questions]
    added = [summary] if summary != draft_summary(facts) else []
    added += memory.learnings if memory.learnings != drafted.learnings else ()
    added += [f"Open: {line}" for line in asked]
    added += [f"Confidence: {memory.confidence}"] if memory.confidence != drafted.confidence else []
    added += [f"Key file: {path}" for path in memory.key_files if path not in drafted.key_files]
    changes: dict[str, object] = {}
    if memory.goal and memory.goal != drafted.goal:
        changes["objective"] = memory.goal
    if asked:
        named = (issue for issue in recovery.known_issues if not is_unknown(issue))
        changes["known_issues"] = (*asked, *named)
    if lines := render_items(filter(None, added)):
        reviewed = "\n  ".join((REVIEWED, *lines.split("\n")))
        changes["notes"] = f"{reviewed}\n\n{recovery.notes}".strip()
    return recovery.replace(**changes) if changes else recovery


def facts_of_capture(capture: Capture) -> Facts:
    """The session's id, its first words, and when it was captured."""
    timestamp = capture.timestamp.isoformat()
    return Facts(
        from_capture=True, session_id=capture.session_id, first_prompt=capture.first_message, ended=timestamp
    )


class Reviewed(NamedTuple):
    """The results of a review."""

    memory_path: Path
    memory: MemoryFile
    """The memory file, with the section that names the Recovery ID."""
    recovery_id: str


def capture_facts(capture: Capture, places: Places) -> tuple[Facts, str]:
    """The facts up to a capture's compaction; without a transcript the capture's own, with the reason."""
    try:
        path = captured_transcript(places, capture.transcript)
        return read_facts(path, until=capture.timestamp), ""
    except FileProblem as problem:
        note = f"drafted from the capture alone: {problem}"
    except OSError as error:
        note = f"drafted from the capture alone: {path} cannot be read: {error.strerror}"
    return facts_of_capture(capture), note


def review(
    places: Places,
    clock: Clock,
    store: CaptureStore,
    entry: Entry,
    *,
    memory: MemoryFile,
    summary: str,
    facts: Facts | None = None,
) -> Reviewed:
    """Accept a review: write the memory file, mark the capture, store the recovery text.

    The recovery text is stored first, and removed again if the rest fails. A process killed in between leaves
    an unused memory, never a capture that names a missing one. `facts` are those up to the compaction, if
    already read.
    """
    capture = store.load(entry)
    if capture.status != "pending":
        raise FileProblem(entry.path, "is already reviewed; nothing was changed")
    if facts is None:
        facts, _ = capture_facts(capture, places)
    recovery, _ = drafted(facts, Project(session_root(facts, places.project)), current=False)
    text = render_recovery(with_review(recovery, memory, summary, facts))
    # It belongs to where its capture is, although the session may have worked elsewhere.
    root = places.project.root
    compacted = Compacted(text, session_id=capture.session_id, description=memory.title, root=root)
    identifier = keep(places, clock, compacted, source="review").id
    restore = f'Recovery ID: {identifier}\n\nTo restore: "Please import memory {identifier}"'
    others = (each for each in memory.extra if name_of(each.heading) != name_of("Recovery"))
    memory = memory.replace(extra=(*others, Section(heading="Recovery", text=restore)))
    try:
        path = store.review(entry, memory=render_memory(memory), summary=summary)
    except BaseException:
        with suppress(FileProblem):
            MemoryStore(places.home, clock).delete(identifier)
        raise
    return Reviewed(path, memory, identifier)


_WORKFLOW = re.compile(r"WFS-[^\x00-\x1f\x7f]{1,200}")
_ACTIVE, _PLAN = ".workflow/active", "IMPL_PLAN.md"


def active_sessions(project: Project) -> list[str]:
    """The ids of the active workflow sessions, ``WFS-...``, last changed first."""
    try:
        found = scan(project.root / _ACTIVE, _WORKFLOW, within=project.root)
    except FileOutside:
        return []
    changed = {each.name: each.mtime_ns for each in found if each.path.is_dir()}
    for each in found:
        with suppress(OSError):
            changed[each.name] = max(each.mtime_ns, os.lstat(each.path / _PLAN).st_mtime_ns)
    return sorted(changed, key=lambda name: (changed[name], name), reverse=True)


def read_plan(project: Project, session_id: str) -> str:
    """The text of a workflow session's plan; "" if it has none."""
    folder = project.root / _ACTIVE
    if session_id not in active_sessions(project):
        raise FileProblem(folder, f"holds no workflow session called {session_id!r}")
    with suppress(FileMissing):
        data = read_within(folder / session_id / _PLAN, project.root, limit=1 << 20)
        return data.decode("utf-8", "replace")
    return ""
