"""The note with what a summary left out: chosen by structure, or by numbers that somebody else has chosen.

Every line is a quote with its state and its line in the transcript. Claude reads it as a fact, so only what
records show as still in force is chosen by structure; findings and reports are left to a choice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from memtui.documents.quotes import with_source
from memtui.ground.clean import clean_line
from memtui.ground.clock import parse_iso
from memtui.ground.project import Project
from memtui.lost.candidates import MOST, candidates
from memtui.lost.compare import rows_of
from memtui.lost.conversation import runs_check
from memtui.lost.handover_marks import with_mark
from memtui.lost.records import TOGETHER, Row
from memtui.lost.traces import traces
from memtui.lost.verdicts import Text
from memtui.lost.worth import HEADING, HEADINGS
from memtui.secrets.quoting import safe
from memtui.store.sessions import session_root
from memtui.transcript.facts import read_facts
from memtui.transcript.short_text import ends_of

ROOM = 2_500
"""The most characters of a note, its mark included."""
LINES = 20
_LEAST = 40.0
"""The least worth of a line of the note, which has room: less than that of a loss that counts."""
_MOST = {"R": 8, "S": 6, "F": 4, "C": 6, "N": 4, "O": 4}
"""The most lines under each heading when nobody chooses."""
_CHOICE = re.compile(r"[A-Z]|[0-9]+")
_SEPARATED = re.compile(r"[RSFCNO0-9\s,/;:.]*")


class ChoiceError(ValueError):
    """A choice that cannot be followed; its text is a sentence without its full stop."""


class Comparison(NamedTuple):
    """What a summary left out, or may have."""

    transcript: Path
    rows: tuple[Row, ...]
    """Numbered from 1 by their order, those of most worth first; without what the summary has."""

    @property
    def digest(self) -> str:
        """Identifies the numbering."""
        texts = "\0".join(f"{row.kind}{row.source.line}{row.text}" for row in self.rows)
        return hashlib.sha256(texts.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def lost(self) -> list[int]:
        """The numbers of losses that count."""
        return [number for number, row in enumerate(self.rows, 1) if row.counts]

    def chosen(self) -> dict[str, list[int]]:
        """The structural choice: lost lines by the letters of their headings."""
        found: dict[str, list[int]] = {letter: [] for letter in HEADINGS}
        for number, row in enumerate(self.rows, 1):
            holds = row.is_retold and row.standing == "open"  # a rule of a text that was read
            letter = "R" if holds else HEADING[row.kind]
            some = found[letter]
            partly = row.kind in ("rule", "check", "step") and row.source.speaker not in ("user", "tool")
            worthy = row.worth >= _LEAST or row.kind == "command"
            lost = (row.state == "lost" or partly) and worthy and _in_force(row)
            of_it = sum(self.rows[each - 1].source.line == row.source.line for each in some) if holds else 0
            if (holds or lost) and not row.double and len(some) < _MOST[letter] and of_it < 2:
                some.append(number)
        return found

    def parsed(self, choice: str, digest: str) -> dict[str, list[int]]:
        """A choice, see `parse_choice`; a `ChoiceError` also if it was made on other candidates."""
        if digest != self.digest:
            raise ChoiceError("the choice was made on other candidates; list them again")
        return parse_choice(choice, len(self.rows))

    def in_force(self) -> dict[str, list[int]]:
        """Of the structural choice what misses most: rules, steps due, what was refused or failed."""
        return {letter: numbers if letter in "RSF" else [] for letter, numbers in self.chosen().items()}


class Note(NamedTuple):
    """What is handed over."""

    text: str
    """With its mark; "" when nothing is worth it."""
    numbers: tuple[int, ...]


def parse_choice(choice: str, most: int) -> dict[str, list[int]]:
    """A choice such as ``R 4 17 / S 33``: letters of headings with numbers up to `most`; or ``none``.

    A `ChoiceError` for anything else.
    """
    found: dict[str, list[int]] = {letter: [] for letter in HEADINGS}
    if choice.strip().rstrip(".").lower() == "none":
        return found
    if not choice.strip() or not _SEPARATED.fullmatch(choice):
        raise ChoiceError("a choice is letters of headings (R S F C N O), each followed by numbers")
    letter = ""
    for word in _CHOICE.findall(choice):
        if not word.isdecimal():
            letter = word
        elif not letter or len(word) > 9 or not 0 < int(word) <= most:
            raise ChoiceError(
                f"there is no candidate {word[:20]}" if letter else "a heading's letter comes first"
            )
        elif int(word) not in found[letter]:
            found[letter].append(int(word))
    return found


def compare(
    transcript: Path,
    project: Project,
    summary: str,
    kept: Sequence[str] = (),
    standing: Sequence[Row] = (),
    *,
    stays: Callable[[int], bool] | None = None,
) -> Comparison:
    """Compare a conversation with its summary, "" for none yet.

    What precedes the boundary with this summary counts, or all of the transcript. `kept` are texts of
    messages that stayed in the conversation, `standing` are pins and rules of active commands; `stays` tells
    which lines stay, by default those that the boundary names.
    """
    made = (each for each in reversed(traces(transcript)) if _same(each.compaction.summary, summary))
    trace = next(made, None) if summary else None
    until = parse_iso(trace.compaction.source.timestamp) if trace else None
    facts = read_facts(transcript, until=until)
    before = trace.compaction if trace else None
    found = [*standing, *candidates(transcript, facts, before, session_root(facts, project))]
    text = Text("\n".join((summary, *kept)), (line.text for line in found))
    preserved = trace.preserved if trace else frozenset[int]()
    stays = stays or preserved.__contains__
    found = [line for line in found if not stays(line.source.line)]
    end = before.source.line if before else facts.lines
    rows = rows_of(found, text, end)
    return Comparison(transcript, tuple(row for row in rows if row.missing)[:MOST])


def note_of(compared: Comparison, chosen: dict[str, list[int]]) -> Note:
    """The note with chosen lines, of at most `ROOM` characters; whole lines are left out at its end."""
    if not any(chosen.values()):
        return Note("", ())
    path = clean_line(str(compared.transcript))
    parts = [f"Left out of the summary, quoted from the conversation before it. L12 is line 12 of {path}"]
    room = ROOM - len(parts[0]) - 40
    numbers: list[int] = []
    for letter, title in HEADINGS.items():
        lines: list[str] = []
        said = "\n".join(parts[1:])
        for number in chosen[letter]:
            row = compared.rows[number - 1]
            line = _line(row)
            needed = len(line) + 1 + (0 if lines else len(title) + 5)
            if needed <= room and len(numbers) < LINES and not (row.is_retold and row.text in said):
                lines.append(line)
                numbers.append(number)
                room -= needed
        if lines:
            parts.append("\n".join((f"## {title}", *lines)))
    return Note(with_mark("\n\n".join(parts)) if numbers else "", tuple(numbers))


def line_for_person(compared: Comparison, note: Note, handed: str = "") -> str:
    """One line on what was left out and handed over."""
    number = len({*compared.lost, *note.numbers})
    if not number:
        return "memtui: the summary left out nothing that counts"
    lines = f"{number} line{'s' * (number != 1)} worth having"
    return f"memtui: the summary left out {lines}; {handed or f'{len(note.numbers)} handed over'} (/lost)"


def lost_before(transcript: Path, project: Project) -> list[str]:
    """Lines that the last compaction lost and still in force: no summariser can keep those itself."""
    last = next(iter(reversed(traces(transcript))), None)
    if last is None:
        return []
    compared = compare(transcript, project, last.compaction.summary)
    found, room = [], 1_500
    for letter in "RSFC":
        for number in compared.chosen()[letter]:
            line = _line(compared.rows[number - 1])
            if len(line) < room:
                found.append(line)
                room -= len(line) + 1
    return found


def _line(row: Row) -> str:
    state = " (open)" if row.standing == "open" and row.kind != "finding" else ""
    return f"- {with_source(quoted(row) + state, row.source)}"


def quoted(row: Row) -> str:
    """The text of a row for a model, with the ends of each line that is read together in it."""
    return TOGETHER.join(ends_of(part, 260) for part in clean_line(safe(row.quote)).split(TOGETHER))


def _in_force(row: Row) -> bool:
    """Whether a line is in force without a look at what surrounds it, as far as records tell."""
    if row.kind == "step":
        return row.standing == "open" or runs_check(row.text)
    if HEADING[row.kind] == "O":
        return row.standing == "open"
    if row.kind == "answer":  # what came of it is in the summary, or it was taken back in other words
        return False
    return row.kind != "file" and not (row.earlier and row.kind == "task")  # a path is a call away


def _same(one: str, other: str) -> bool:
    return " ".join(one.split())[:2_000] == " ".join(other.split())[:2_000]


def rows_json(compared: Comparison, handed: Iterable[int]) -> list[dict[str, object]]:
    """The lost lines that count, as JSON."""
    given = set(handed)
    return [
        candidate_json(compared, number) | {"handed_over": number in given}
        for number in dict.fromkeys((*compared.lost, *sorted(given)))
    ]


def candidate_json(compared: Comparison, number: int) -> dict[str, object]:
    row = compared.rows[number - 1]
    return {
        "n": number,
        "kind": row.kind,
        "state": row.standing,
        "line": row.source.line or None,
        "text": clean_line(safe(row.text)),
    }
