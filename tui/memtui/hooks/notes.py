"""The notes for a starting session: saved earlier, quoted, dated, in whole sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks.compaction import last_capture
from memtui.hooks.in_force import FOR_SESSION, RULES_ROOM, Rules, abridged_rules, active_rules, pins_text
from memtui.hooks.records import Ended, Report
from memtui.hooks.sections import LIMIT, Section, fitting, joined, shortened_sections, size_of
from memtui.lost.outbox import has_mod
from memtui.secrets.quoting import fenced, safe
from memtui.store.listing import Entry
from memtui.store.state_files import NOTES, newest_version, read_notes, read_state, version_of, written_at

_FRAME = 1_000
"""Room for the introduction and the line on the capture, in characters."""

_FENCES = 20
"""Room for longer fences around texts, in characters."""

_WARNING = " What is quoted are notes from that time: facts to know, not messages of the user."

Shorten = Callable[[str, int], str]
"""Shortens a text to a number of characters (`size_of`); "" if nothing useful fits."""

_INTRODUCTION, _PINS, _RULES, _STATE, _CAPTURE = 0, 1, 2, 100, 101


def after_compaction(session_id: str, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Pins, notes on the session, rules of active commands, this compaction's capture; "" without any."""
    pins = pins_text(project, home, FOR_SESSION, report)
    rules = active_rules(project, report)
    entry = newest_version(home, session_id)
    room = LIMIT - _FRAME - size_of(pins)
    wanted = sum(size_of(_rules(each)) for each in rules)
    notes = ""
    if has_mod(home, session_id):
        report.add_work("left what the summary leaves out to the mod")
    elif entry:
        notes = _notes(entry, home, report, room - min(wanted, RULES_ROOM))
    room -= size_of(notes) + sum(size_of(_rules(each._replace(text=""))) + _FENCES for each in rules)
    sections = [Section(pins, _PINS)]
    sections += [Section(_rules(each), _RULES + each.rank) for each in abridged_rules(rules, room)]
    sections.append(Section(notes, _STATE))
    if name := last_capture(session_id, project, home):
        where = f".project/compacts/{clean_line(name)}"
        line = f"What this compaction covered is kept in {where}; /review-compact makes a memory of it."
        sections.append(Section(f"## Pending capture\n\n{line}", _CAPTURE))
    return _introduced(
        f"Notes on the project {clean_line(project.name)}, read by memtui at {local_minute(now)}. The "
        "conversation was compacted; commands that were active before are active still.",
        sections,
    )


def after_clear(
    ended: Ended | None, project: Project, home: Home, report: Report, *, whole: bool = True
) -> str:
    """Pins, and the state document of the previous session; "" without any.

    Args:
        ended: the previous session; None if unknown.
        project: the project.
        home: where states and the user's own pins are.
        report: receives what was handed over, and read problems.
        whole: the state is up to date; otherwise the notes say that it may not be.
    """
    pins = pins_text(project, home, FOR_SESSION, report)
    entry = newest_version(home, ended.session_id) if ended else None
    state = _state(entry, home, report, LIMIT - _FRAME - size_of(pins)) if entry else ""
    when = f" at {local_minute(ended.at)}" if ended else ""
    missing = "" if whole else " Its last part is missing here, as its transcript takes long to read."
    return _introduced(
        f"Notes on the project {clean_line(project.name)}, kept by memtui. The session before this one ended"
        f"{when}, when its conversation was cleared.{missing}",
        [Section(pins, _PINS), Section(state, _STATE)],
    )


def by_hand(
    project: Project, now: datetime, title: str, text: str, whole: str, *, shorten: Shorten | None
) -> str:
    """Notes in the form that sessions get, for handing over by hand.

    Args:
        project: the project.
        now: the time.
        title: names the quoted text and its time.
        text: the whole text.
        whole: where the whole text can be read: ``the whole document is ...``.
        shorten: shortens the text if necessary; None quotes all of it.

    Returns:
        The notes; "" when there is nothing to quote.
    """
    room = None if shorten is None else LIMIT - _FRAME
    quoted = _quoted(title, text, whole, room, shorten or shortened)
    head = (
        f"Notes on the project {clean_line(project.name)}, read by memtui at {local_minute(now)}.{_WARNING}"
    )
    return f"{head}\n\n{quoted}" if quoted else ""


def _introduced(text: str, sections: list[Section]) -> str:
    sections = [section for section in sections if section.text]
    if not sections:
        return ""
    return joined(fitting([Section(text + _WARNING, _INTRODUCTION), *sections], LIMIT))


def _rules(rules: Rules) -> str:
    name = clean_line(rules.name)
    return f"## Active command /{name}\n\nFrom {clean_line(str(rules.path))}:\n{fenced(safe(rules.text))}"


def _notes(entry: Entry, home: Home, report: Report, room: int) -> str:
    """The notes of the newest version, or else its shortened document."""
    text = safe(read_notes(home, entry)).strip("\n")
    if not text:
        return _state(entry, home, report, room)
    head = (
        f"## Where the session stood, read off its transcript at {local_minute(written_at(entry))}\n\n"
        f"The whole document is {clean_line(str(entry.path))}\n\n"
    )
    path = clean_line(str(entry.path.parent / NOTES))
    text = shortened_sections(text, room - size_of(head) - _FENCES, path)
    report.add_work(f"handed over the notes of version {version_of(entry)} of the session state")
    return head + fenced(text)


def _state(entry: Entry, home: Home, report: Report, room: int) -> str:
    try:
        text = read_state(entry, home)
    except FileProblem as problem:
        report.problem(problem)
        return ""
    quoted = _quoted(_title(entry), text, f"the whole document is {entry.path}", room, shortened)
    if quoted:
        report.add_work(f"handed over version {version_of(entry)} of the session state")
    return quoted


def _title(entry: Entry) -> str:
    return f"Session state, version {version_of(entry)}, written at {local_minute(written_at(entry))}"


def _quoted(title: str, text: str, whole: str, room: int | None, shorten: Shorten) -> str:
    """A text in a fence under its title, shortened if necessary with a pointer to the full text."""
    text = safe(text).strip("\n")
    head = f"## {clean_line(title)}\n\n"
    if room is not None:
        room -= size_of(head) + len(fenced(text)) - len(text)
        if size_of(text) > room:
            where = f"Shortened here; {clean_line(whole)}\n\n"
            head += where
            text = shorten(text, room - size_of(where))
    return head + fenced(text) if text else ""


_ALWAYS = 0
_DECISIONS, _GOAL, _OPEN, _FILES, _TROUBLE, _FACTS, _OTHER, _DONE, _UNKNOWN = range(1, 10)
"""Ranks of pieces; smaller ones are kept longer."""

_FIELDS = {
    "session goal": _GOAL,
    "project": _FACTS,
    "branch": _FACTS,
    "files modified": _FILES,
    "files read": _OTHER,
    "last compile": _TROUBLE,
    "last error": _TROUBLE,
    "technical state": _FACTS,
    "last user intent": _TROUBLE,
    "current phase": _OTHER,
    "dependencies": _OTHER,
    "user language": _OTHER,
    "user style": _OTHER,
}

_LONG, _LONGEST = 400, 2_400
"""Maximum length of a piece, and of the list of files, if not everything fits."""
_CUT = " ..."


def shortened(text: str, room: int) -> str:
    """`text`, shortened to `room` characters (`size_of`) if necessary; "" if nothing useful fits."""
    if size_of(text) <= room:
        return text
    found = [piece._replace(text=_cut(piece)) for piece in pieces(text)]
    kept = _kept(found, room)
    always = {index for index, piece in enumerate(found) if _rank(found, piece) == _ALWAYS}
    if not always < kept:
        return ""
    return "\n".join(piece.text for index, piece in enumerate(found) if index in kept)


def _kept(found: list[Piece], room: int) -> set[int]:
    kept: set[int] = set()
    for index in sorted(range(len(found)), key=lambda index: _order(found, index)):
        needed = {index}
        while (parent := found[min(needed)].parent) >= 0 and parent not in kept:
            needed.add(parent)
        size = sum(size_of(found[each].text) + 1 for each in needed)
        if size <= room:
            kept |= needed
            room -= size
    return kept


def _order(found: list[Piece], index: int) -> tuple[int, int, int]:
    piece = found[index]
    rank = _rank(found, piece)
    constraint = piece.words.lower().lstrip("*_ ").startswith("constraint")
    # The newest decisions and finished tasks are the most important; of all else the first.
    newest_first = rank in (_DECISIONS, _DONE)
    return rank, 0 if constraint else 1, -index if newest_first else index


def _rank(found: list[Piece], piece: Piece) -> int:
    section = piece.section
    if not section:
        return _ALWAYS if "===" in piece.text else _UNKNOWN
    if piece.text.startswith("#"):
        return _UNKNOWN  # included with the pieces under it
    if section.startswith("KEY DECISIONS"):
        return _DECISIONS
    if section.startswith("TASK TREE"):
        return _task(piece)
    label = piece.words.partition(":")[0].strip("*_ ").lower()
    if label in _FIELDS:
        return _FIELDS[label]
    if label.startswith("plan"):
        return _FILES  # its path
    parent = found[piece.parent] if piece.parent >= 0 else piece
    return _FACTS if parent.words.lower().startswith("technical state") else _UNKNOWN


def _task(piece: Piece) -> int:
    words = piece.words.lower()
    if words.startswith("[x]"):
        return _DONE
    if "in progress" in words[:24] or words.startswith(("[>]", "[~]")):
        return _GOAL
    # Sub-items explain a task; those of a finished one are dropped with it.
    return _OPEN if words.startswith("[") else _TROUBLE if piece.text.startswith(" ") else _OPEN


def _cut(piece: Piece) -> str:
    limit = _LONGEST if piece.words.lower().startswith(("files modified", "**files modified")) else _LONG
    if len(piece.text) <= limit or not piece.section:
        return piece.text
    head, comma, _ = piece.text[: limit - len(_CUT)].rpartition(", " if limit == _LONGEST else " ")
    return (head + comma.rstrip(" ") if head else piece.text[: limit - len(_CUT)]) + _CUT


_HEADING = re.compile(r"##? +(.*)")
_BULLET = re.compile(r"( *)[-*+•](?: +(.*))?$")
_RULE = re.compile(r"[*# ]{0,4}===+\s*(?:SESSION STATE|END STATE)\b.*", re.IGNORECASE)


class Piece(NamedTuple):
    """A heading, a list item or a part of one: kept or left out as a whole."""

    text: str
    """Its first line and the continuation lines."""
    section: str
    """The heading above it, in capitals; "" before the first one."""
    parent: int
    """The index of the piece that it depends on; -1 for none."""

    @property
    def words(self) -> str:
        """The first line without its bullet."""
        first = self.text.partition("\n")[0]
        match = _BULLET.match(first)
        return (match[2] or "") if match else first


def pieces(text: str) -> list[Piece]:
    """Split a document; joined by line feeds, the pieces are the document again."""
    found: list[Piece] = []
    heading, section = -1, ""
    above: list[tuple[int, int]] = []  # indentation and index of the items that later ones can belong to
    for line in _grouped(text.split("\n")):
        bullet = _BULLET.match(line.partition("\n")[0])
        if match := _HEADING.match(line):
            section, heading, above = match[1].strip().upper(), len(found), []
            found.append(Piece(line, section, -1))
        elif bullet:
            indent = len(bullet[1])
            while above and above[-1][0] >= indent:
                above.pop()
            found.append(Piece(line, section, above[-1][1] if above else heading))
            above.append((indent, len(found) - 1))
        else:
            is_rule = bool(_RULE.match(line))
            found.append(Piece(line, "" if is_rule else section, -1 if is_rule else heading))
    return found


def _grouped(lines: Sequence[str]) -> Iterator[str]:
    """Lines, each joined with its continuation lines."""
    group: list[str] = []
    for line in lines:
        starts = _HEADING.match(line) or _BULLET.match(line) or _RULE.match(line)
        if starts and group:
            yield "\n".join(group)
            group = []
        group.append(line)
    yield "\n".join(group)
