"""Notes for a new session, requested by the user, from an earlier session or a memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from memtui.documents.markdown import name_of
from memtui.documents.recovery import REVIEWED, is_elsewhere, mapped, parse_recovery, review_first
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, local_minute, parse_iso
from memtui.ground.project import Places, Project
from memtui.ground.text import FormatError
from memtui.hooks.notes import by_hand
from memtui.hooks.sections import Piece
from memtui.secrets.secrets import Hit, find, masked
from memtui.share.contract import shared_root
from memtui.store.freshness import note_on
from memtui.store.memories import MemoryStore
from memtui.store.state_updates import current_state, documents_of

_RANKS = {
    **dict.fromkeys(("session id", "project root", "objective"), 0),
    **dict.fromkeys(("decisions", "constraints"), 1),
    "pending": 2,
    "working files": 3,
    "execution plan": 4,
    "last action": 5,
    "known issues": 5,
    "changes made": 6,
    "dependencies": 7,
    "notes": 8,
    "reference files": 9,
}
"""The sections of a recovery text (seed 004), the most important first."""


@dataclass(frozen=True, slots=True)
class Restored:
    """Notes to hand over."""

    text: str
    """Clean, quoted, below 9,000 characters unless the whole text was requested."""
    name: str
    """Its source, in a few words."""
    secrets: tuple[Hit, ...] = ()
    """The secrets masked in it, by the lines of the original."""


def restore_session(places: Places, clock: Clock, *, session: str = "", full: bool = False) -> Restored:
    """Notes from the current state of a session; `full` leaves nothing out."""
    current = current_state(places, documents_of(places, session=session))
    whole = f"`memtui restore {quote(clean_line(current.session_id))} --full` prints all of it"
    ended = parse_iso(current.facts.ended) if current.facts else None
    title = f"Session state, at {local_minute(ended)}" if ended else "Session state"
    notes = by_hand(places.project.name, clock(), title, masked(current.text), whole, full=full)
    return Restored(notes, f"the state of session {current.session_id[:8]}", find(current.text))


def restore_memory(places: Places, clock: Clock, memory_id: str, *, full: bool = False) -> Restored:
    """Notes from a stored memory, by the beginning or end of its id; `full` leaves nothing out."""
    backend = MemoryStore(places.home, clock)
    memory = backend.get(backend.find(memory_id, project=str(places.project.root)))
    title = f"Memory {memory.meta.id}, stored at {local_minute(memory.meta.created)}"
    whole = f"`memtui restore --id {memory.meta.id} --full` prints all of it"
    body = memory.body.decode("utf-8", "replace")
    of = Project(Path(memory.meta.project or places.project.root))
    root = places.project.root if of.name == places.project.name else of.root
    text = masked(_here(review_first(body), root))
    notes = by_hand(of.name, clock(), title, text, whole, rank=rank_in_recovery, full=full)
    first = note_on(memory, places.project.root)
    return Restored(f"{first}\n\n{notes}" if first else notes, f"memory {memory.meta.id}", find(body))


def _here(text: str, here: Path) -> str:
    """A text with another machine's paths mapped to this one's, or naming the root of relative ones."""
    try:
        root = parse_recovery(text).project_root.strip()
    except FormatError:
        root = shared_root(here.name)
        if root not in text:
            return text
    if root == ".":  # shared with the code
        return f"(Relative paths are paths below {here}.)\n\n{text}"
    if not here.is_absolute() or not is_elsewhere(root, here):  # fetched: only a name is known
        return text
    return f"(Paths below {root} are shown as paths below {here}.)\n\n{mapped(text, root, here)}"


def rank_in_recovery(piece: Piece) -> tuple[int, int] | None:
    """How important a line of a recovery text is, by its section."""
    if piece.text.startswith(REVIEWED):  # what a person wrote
        return -1, 0
    return (_RANKS.get(name_of(piece.section), 6), 0) if piece.number else None
