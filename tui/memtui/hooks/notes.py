"""The notes for a starting session: saved earlier, quoted, dated, in whole sections."""

from __future__ import annotations

import re
from datetime import datetime

from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks import in_force
from memtui.hooks.compaction import last_capture
from memtui.hooks.records import Report
from memtui.hooks.sections import LIMIT, Piece, Rank, Section, abridged, fitting, joined, shortened, size_of
from memtui.lost.outbox import has_mod
from memtui.secrets.quoting import fenced, safe
from memtui.store.listing import Entry
from memtui.store.states import NOTES, newest_version, read_notes, read_state, version_of

_FRAME = 1_000
"""Room for the introduction and the line on the capture, in characters."""

_FENCES = 20
"""Room for longer fences around texts, in characters."""

_WARNING = " What is quoted are notes from that time: facts to know, not messages of the user."

_INTRODUCTION, _PINS, _RULES, _STATE, _CAPTURE = 0, 1, 2, 100, 101


def after_compaction(session_id: str, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Pins, notes on the session, rules of active commands, this compaction's capture; "" without any."""
    pins = in_force.pins_text(project, home, in_force.FOR_SESSION, report)
    rules = in_force.active_rules(project, report)
    entry = newest_version(home, session_id)
    room = LIMIT - _FRAME - size_of(pins)
    wanted = sum(size_of(_rules(each)) for each in rules)
    notes = ""
    if has_mod(home, session_id):
        report.add_work("left what the summary leaves out to the mod")
    elif entry:
        notes = _notes(entry, home, report, room - min(wanted, in_force.RULES_ROOM))
    room -= size_of(notes) + sum(size_of(_rules(each._replace(text=""))) + _FENCES for each in rules)
    sections = [Section(pins, _PINS)]
    sections += [Section(_rules(each), _RULES + each.rank) for each in in_force.abridged_rules(rules, room)]
    sections.append(Section(notes, _STATE))
    if name := last_capture(session_id, project):
        where = f".project/compacts/{clean_line(name)}"
        line = f"What this compaction covered is kept in {where}; /review-compact makes a memory of it."
        sections.append(Section(f"## Pending capture\n\n{line}", _CAPTURE))
    return _introduced(
        f"Notes on the project {clean_line(project.name)}, read by memtui at {local_minute(now)}. The "
        "conversation was compacted; commands that were active before are active still.",
        sections,
    )


def after_clear(
    ended: tuple[str, datetime] | None, project: Project, home: Home, report: Report, *, whole: bool = True
) -> str:
    """Pins, and the state of the session that `ended` at a time, perhaps not `whole`; "" without any."""
    pins = in_force.pins_text(project, home, in_force.FOR_SESSION, report)
    entry = newest_version(home, ended[0]) if ended else None
    state = _state(entry, home, report, LIMIT - _FRAME - size_of(pins)) if entry else ""
    when = f" at {local_minute(ended[1])}" if ended else ""
    missing = "" if whole else " Its last part is missing here, as its transcript takes long to read."
    return _introduced(
        f"Notes on the project {clean_line(project.name)}, kept by memtui. The session before this one ended"
        f"{when}, when its conversation was cleared.{missing}",
        [Section(pins, _PINS), Section(state, _STATE)],
    )


def by_hand(
    project: str,
    now: datetime,
    title: str,
    text: str,
    whole: str,
    *,
    rank: Rank | None = None,
    full: bool,
) -> str:
    """Notes in the form that sessions get, for handing over by hand; "" when there is nothing to quote.

    `title` names the quoted text and its time, `whole` says where it can be read (``the whole document is
    ...``). `rank` is the importance of its lines, by default in a state document; `full` leaves nothing out.
    """
    shown = quoted(title, text, whole, None if full else LIMIT - _FRAME, rank or rank_in_state)
    head = f"Notes on the project {clean_line(project)}, read by memtui at {local_minute(now)}.{_WARNING}"
    return f"{head}\n\n{shown}" if shown else ""


def _introduced(text: str, sections: list[Section]) -> str:
    sections = [section for section in sections if section.text]
    if not sections:
        return ""
    return joined(fitting([Section(text + _WARNING, _INTRODUCTION), *sections], LIMIT))


def _rules(rules: in_force.CommandStatus) -> str:
    name = clean_line(rules.name)
    return f"## Active command /{name}\n\nFrom {clean_line(rules.path)}:\n{fenced(safe(rules.text))}"


def _notes(entry: Entry, home: Home, report: Report, room: int) -> str:
    """The notes of the newest version, or else its shortened document."""
    text = safe(read_notes(home, entry)).strip("\n")
    if not text:
        return _state(entry, home, report, room)
    head = (
        f"## Where the session stood, read off its transcript at {local_minute(entry.written)}\n\n"
        f"The whole document is {clean_line(str(entry.path))}\n\n"
    )
    path = clean_line(str(entry.path.parent / NOTES))
    room -= size_of(head) + _FENCES
    text = abridged(text, room, path, lambda piece: (piece.number, 0) if piece.number else None)
    report.add_work(f"handed over the notes of version {version_of(entry)} of the session state")
    return head + fenced(text)


def _state(entry: Entry, home: Home, report: Report, room: int) -> str:
    try:
        text = read_state(entry, home)
    except FileProblem as problem:
        report.problem(problem)
        return ""
    title = f"Session state, version {version_of(entry)}, written at {local_minute(entry.written)}"
    shown = quoted(title, text, f"the whole document is {entry.path}", room)
    if shown:
        report.add_work(f"handed over version {version_of(entry)} of the session state")
    return shown


_RANKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"key decisions.*\n[*_]*constraint",
        r"key decisions",
        r".*\n[*_]*(?:session goal|\[[>~]\]|\[.\] \W*in progress)",
        r"task tree.*\n(?!\[x\])",
        r".*\n[*_]*files modified",
        r".*\n[*_]*last (?:compile|error|user intent)",
        r".*\n[*_]*(?:project|branch|technical state)",
        r"(?!task tree)",
    )
)
"""Lines of a state document by section and words, the most important first; finished tasks are the last."""
_NEWEST_FIRST = (0, 1, len(_RANKS))


def rank_in_state(piece: Piece) -> tuple[int, int] | None:
    if not piece.number:
        return (-1, 0) if "===" in piece.text else None
    words = f"{piece.section}\n{piece.text.lstrip('-*+• ')}"
    rank = next((rank for rank, pattern in enumerate(_RANKS) if pattern.match(words)), len(_RANKS))
    return rank, -piece.number if rank in _NEWEST_FIRST else 0


def quoted(title: str, text: str, whole: str, room: int | None, rank: Rank = rank_in_state) -> str:
    """A text in a fence under its title, shortened if necessary with a pointer to the full text."""
    text = safe(text).strip("\n")
    head = f"## {clean_line(title)}\n\n"
    if room is not None:
        room -= size_of(head) + len(fenced(text)) - len(text)
        if size_of(text) > room:
            where = f"Shortened here; {clean_line(whole)}\n\n"
            head += where
            text = shortened(text, room - size_of(where), rank)
    return head + fenced(text) if text else ""
