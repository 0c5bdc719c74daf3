"""The review of a capture: memory file, reviewed capture and stored recovery text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.documents.capture import Capture
from memtui.documents.format import Section, name_of
from memtui.documents.memory_file import MemoryFile, draft_memory
from memtui.documents.recovery import Recovery, is_unknown, render_recovery
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, Project
from memtui.store.captures import AlreadyReviewed, CaptureStore
from memtui.store.compact import Compacted, drafted, keep
from memtui.store.listing import Entry
from memtui.store.memories import MemoryStore
from memtui.store.sessions import captured_transcript, session_root
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts


def with_review(recovery: Recovery, memory: MemoryFile, facts: Facts) -> Recovery:
    """A recovery text with a reviewer's additions to the draft of the memory file.

    The draft's own lines are already in the recovery text, each in its section.
    """
    drafted = draft_memory(facts)
    learnt = [line for line in memory.learnings if line not in drafted.learnings]
    asked = [line for line in memory.questions if line not in drafted.questions]
    changes: dict[str, object] = {}
    if memory.goal and memory.goal != drafted.goal:
        changes["objective"] = memory.goal
    if asked:
        named = (issue for issue in recovery.known_issues if not is_unknown(issue))
        changes["known_issues"] = (*named, *asked)
    if learnt:
        learned = "**From the review**\n" + "\n".join(f"- {line}" for line in learnt)
        changes["notes"] = f"{learned}\n\n{recovery.notes}".strip()
    return recovery.replace(**changes) if changes else recovery


def facts_of_capture(capture: Capture) -> Facts:
    """The session's id, its first words, and when it was captured."""
    timestamp = capture.timestamp.isoformat()
    return Facts(
        from_capture=True,
        session_id=capture.session_id,
        first_prompt=capture.first_message,
        ended=timestamp,
    )


_RECOVERY = "Recovery"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The results of a review."""

    memory_path: Path
    memory: MemoryFile
    """The memory file, with the section that names the Recovery ID."""
    recovery_id: str


def capture_facts(capture: Capture, places: Places) -> tuple[Facts, str]:
    """The facts up to a capture's compaction; without a transcript the capture's own, with the reason.

    Args:
        capture: the capture.
        places: no transcript outside Claude Code's folder and the archive is opened.
    """
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
    an unused memory, never a capture that names a missing one.

    Args:
        places: the project and the folders.
        clock: gives the time of the Recovery ID.
        store: the project's captures.
        entry: the capture as it was listed.
        memory: the accepted memory file.
        summary: one or two sentences for the capture.
        facts: the facts up to the compaction, if already read.

    Raises:
        AlreadyReviewed, CaptureProblem, FileProblem: see `CaptureStore.review`; nothing was changed.
    """
    capture = store.load(entry)
    if capture.status != "pending":
        raise AlreadyReviewed(entry.path, "is already reviewed; nothing was changed")
    if facts is None:
        facts, _ = capture_facts(capture, places)
    root = session_root(facts, places.project)
    recovery, _ = drafted(facts, Project(root), current=False)
    text = render_recovery(with_review(recovery, memory, facts))
    compacted = Compacted(text, session_id=capture.session_id, description=memory.title, root=root)
    backend = MemoryStore(places.home, clock)
    identifier = keep(places, clock, compacted, source="review").id
    memory = naming(memory, identifier)
    try:
        path = store.review(entry, memory=memory, summary=summary)
    except BaseException:
        with suppress(FileProblem):
            backend.delete(identifier)
        raise
    return Reviewed(path, memory, identifier)


def naming(memory: MemoryFile, identifier: str) -> MemoryFile:
    """The memory file with its last section, which names the Recovery ID."""
    text = f'Recovery ID: {identifier}\n\nTo restore: "Please import memory {identifier}"'
    others = tuple(each for each in memory.extra if name_of(each.heading) != name_of(_RECOVERY))
    return memory.replace(extra=(*others, Section(heading=_RECOVERY, text=text)))
