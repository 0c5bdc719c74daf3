"""Search results: as rows, and with their surroundings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from textual.content import Content

from memtui.app.details.memory import recovery_lines
from memtui.app.widgets.document import EMPTY, Document, Line, Span, line, plain, styled
from memtui.app.widgets.row_list import row
from memtui.app.widgets.wrap import without_root
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import age, local_minute, parse_iso, short_age
from memtui.store.search import HEADINGS, ROWS, Group, Result
from memtui.store.search_query import Kind, Search, parse_search
from memtui.transcript.messages import Role
from memtui.transcript.short_text import shortened

_NOTED = 60
_RECENT = 5  # results of each kind that are shown while nothing is typed
_MARKS = {
    Kind.MEMORY: ("M", "a memory"),
    Kind.CLAUDE: ("✦", "a memory of Claude's"),
    Kind.FILE: ("✎", "a file that was edited; before a memory: a review's memory file"),
    Kind.CAPTURE: ("C", "a capture"),
    Kind.STATE: ("S", "a session state"),
    Kind.PIN: ("!", "a pin"),
}
_WHAT = {
    "ask": ("❯", "what you asked"),
    "said": ("●", "what Claude said"),
    "command": ("$", "a command that ran"),
    "edit": ("✎", "a file that was edited"),
    "read": ("▤", "a file that was read"),
    "call": ("◇", "another tool that Claude used"),
    "result": ("⎿", "what a tool said"),
    "error": ("✗", "an error of a tool"),
    "summary": ("▼", "a compaction's summary"),
    "inserted": ("§", "what Claude Code inserted, as the text of a skill or command"),
}
SEARCH_SIGNS = dict([*_WHAT.values(), ("⑂", "by a subagent"), *_MARKS.values()])


class Heading(NamedTuple):
    """A row above results."""

    text: str
    session: str = ""  # the beginning of its id, of a session
    said: str = ""  # further notes: archived, project
    rest: str = ""  # the further rows of the session that ``→`` shows, or that all are shown
    when: datetime | None = None


def draw(found: Result | Heading, now: datetime, width: int, root: Path) -> Content:
    """A row; paths in `root` are shown as from there."""
    ago = short_age(found.when, now) if found.when else ""
    if isinstance(found, Heading):
        notes = (found.said if width >= _NOTED else "", found.rest, ago)
        lead = f" {found.session}  " if found.session and width >= _NOTED else " " if found.session else ""
        return row([lead, without_root(found.text, root)], " · ".join(filter(None, notes)), width)
    if found.kind is Kind.SESSION:
        lead = f" {'⑂' if found.agent else ' '}{_WHAT[found.what][0]} "
        return row([(lead, "$quiet"), _shown(found, width - len(lead), root)], "", width)
    name = Content(without_root(clean_line(found.title), root))
    if found.marks:  # the match matters more than the whole title
        name = Content.assemble(name.truncate(width // 3, ellipsis=True), "  ")
        name = Content.assemble(name, _shown(found, width - name.cell_length - 8, root))
    return row([(f"{_MARKS[found.kind][0]} ", "$quiet"), name], ago, width)


def rows_of(
    groups: Collection[Group], *, recent: bool, unfolded: Collection[str] = (), notes: Iterable[str] = ()
) -> Iterable[tuple[str, Result | Heading]]:
    """Rows by unique keys: what was not understood or found; a heading for each kind, then its results."""
    if any(group.results for group in groups):
        yield from ((f"# {sentence}", Heading(f"⚠ {sentence}")) for sentence in notes)
    for group in groups:
        kind, total, some = group.kind, group.total, group.results
        if recent:
            some = () if kind is Kind.SESSION else some[:_RECENT]
        if some:
            count = "recent" if recent else f"{total}" if total == len(some) else f"{len(some)} of {total:,}"
            so_far = "" if group.complete else " · not all searched yet"
            yield f"# {kind}", Heading(f"{HEADINGS[kind]}  {count}{so_far}")
            of_documents = ((each.key, each) for (each,) in some)
            yield from _sessions(group, unfolded) if kind is Kind.SESSION else of_documents


def _sessions(group: Group, unfolded: Collection[str]) -> Iterable[tuple[str, Result | Heading]]:
    """A heading for each session, and its best rows; all of an unfolded one."""
    for turns in group.results:
        best, name, title = turns[0], turns[0].name, clean_line(turns[0].title)
        rest = f"{len(turns) - ROWS}{'+' * group.more} more →" * (len(turns) > ROWS)
        if rest and name in unfolded:
            rest = f"{'the best' if group.more else 'all'} {len(turns)} lines"
        yield f"# session {name}", Heading(title, clean_line(name)[:8], best.said, rest, best.when)
        shown = turns if name in unfolded else turns[:ROWS]
        outputs_last = sorted(shown, key=lambda turn: turn.what in ("result", "error"))
        yield from ((turn.key, turn) for turn in outputs_last)


def _shown(found: Result, room: int, root: Path) -> Content:
    """The match on one line, with the matching parts marked: from where most of them are to be seen."""
    line, hits = Content(""), list[tuple[int, str]]()
    for piece, hit in found.pieces():
        if hit:
            hits.append((len(line), piece.lower()))
        text = " ".join(piece.split("\n"))
        text, style = (text, "bold $warning") if hit else (without_root(text, root), "$quiet")
        line += Content.styled(text, style)
    over, end = line.cell_length - room, line.plain.find(" ") % (len(line) + 1)
    name = line.plain.rfind("/", 0, end) + 1  # of a file's path, the name is what is looked for
    if found.what == "edit" and not hits and line[end + 1 :]:
        change = line[end + 1 :].truncate(room - len(line[name:end]) - 2, ellipsis=True, pad=True)
        return Content.assemble(change, "  ", line[name:end])
    if over <= 0:
        return line
    if not hits:
        start = min(over + 1, name) if found.what in ("edit", "read") else 0
        return Content.styled("…", "$quiet") + line[start:] if start else line
    seen = room * 2 // 3
    first = max((at for at, _ in hits), key=lambda at: len({hit for to, hit in hits if 0 <= to - at < seen}))
    start = max(0, min(first - (room - seen), line.cell_length - room + 1))
    start = line.plain.find(" ", start, first) + 1 or start
    return Content.styled("…", "$quiet") + line[start:] if start else line


_NEAR = 80  # characters before a match that leave it in view
NARROW = "“Words in quotes”, edited: read: cmd: in: before: after: narrow it down."
HINT = f"Ask as you would ask a person. {NARROW}"


def result_document(found: Result | None, text: str, now: datetime, short: bool = False) -> Document:
    if found is None:
        return EMPTY
    query = parse_search(text)
    if found.kind is Kind.SESSION:
        return _turn(found, query, short)
    when = f" · {local_minute(found.when)} · {age(found.when, now)}" if found.when else ""
    rows = recovery_lines(clean(found.text))
    whole = Document(rows).text
    at = query.first(whole)
    first = whole.count("\n", 0, at) if at > _NEAR else 0
    said = ((f" · {found.said}" if found.said else "") + "  …" * (first > 0), "dim")
    head = styled((f"{found.kind.value} ", "label"), (found.name, "accent"), (when, "dim"), said)
    hint = [] if text.strip() else [line(HINT, "dim"), line("")]
    shown = (_marked(row, query) for row in rows[first : first + 300])
    return Document([*hint, line(found.title, "strong"), head, *shown])


def text_document(found: Result, query: Search) -> tuple[Document, int]:
    """The full text of a result with matches marked, and the number of the first matching line."""
    rows = recovery_lines(clean(found.text))
    first = next((number for number, row in enumerate(rows) if query.marks(row.text)), 0)
    return Document(_marked(row, query, "hit") for row in rows), first


def _turn(found: Result, query: Search, short: bool) -> Document:
    """The message found, and the next ones, as in the transcript; `short` leaves out what its row says."""
    lines: list[Line] = []
    for message in islice(found.messages(), 5):
        here = not lines
        what = message.role.name.lower()
        when = parse_iso(message.timestamp)
        moment = f" {local_minute(when)}" if when and not short else ""
        path = message.path if message.role is Role.EDIT else ""
        name = f"  {path.rpartition('/')[2]}" if path else ""
        text = message.text.removeprefix(f"{path}\n")
        near = _from_match(text, query) if here else shortened(message.text, 400)
        name += "  …" if here and near != text else ""
        lines.append(line(f"L{message.line}{moment}  {what}{name}", "label" if here else "dim"))
        rows = plain(message.text if near == text and not short else near).lines
        if message.role is Role.EDIT:
            roles = {"- ": "bad", "+ ": "good"}
            rows = tuple(row._replace(role=roles.get(row.text[:2], "")) for row in rows)
        lines += (_marked(row, query) for row in rows)
    return Document(lines)


def _from_match(text: str, query: Search) -> str:
    """A text from its best match on, with the beginning of the line, unless that is far."""
    at = query.first(text)
    start = text.rfind("\n", 0, at) + 1
    if at - start > _NEAR:
        return f"…{text[text.find(' ', at - _NEAR, at) + 1 or at - _NEAR :]}"
    return text[start:] if at > _NEAR else text


def _marked(row: Line, query: Search, role: str = "warn") -> Line:
    return row._replace(spans=(*row.spans, *(Span(start, end, role) for start, end in query.marks(row.text))))
