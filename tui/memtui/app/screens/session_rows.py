"""The list of the sessions screen: its columns, rows and order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.app.details.session import SOON
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.secrets.secrets import masked
from memtui.store.session_list import Session, size_text
from memtui.transcript.short_text import one_line

_LEAD, _END = 13, 8
_NAME, _LEAST_NAME = 30, 16
"""Minimum width of the name, and its minimum beside the sorted column."""


class Column(NamedTuple):
    """A column to sort the list by."""

    name: str
    value: Callable[[Session], Any]
    up: bool = False
    cells: int = 0
    """Its width, if it stands between the name and the days left."""
    rank: int = 0
    """Its place among those by importance: the others are dropped first."""
    text: Callable[[Session], str] | None = None
    """Its text; else it is the value, or nothing for 0."""


def _branch(session: Session) -> str:
    return clean_line(session.summary.branch)


def _tokens(session: Session) -> str:
    return f"{round(session.summary.tokens / 1000)}k" if session.summary.tokens else ""


SESSION_SIGNS = {
    "▼": "a compaction",
    "✓": "memtui keeps a copy",
    "✗": "memtui's copy is incomplete",
    "▸": "folded: enter opens it",
    "▾": "open: enter folds it",
    "└": "belongs to the one above it",
    "●": "a capture or memory of no compaction",
    "❯": "what you asked",
}
COLUMNS = {
    column.name: column
    for column in (
        Column("when", lambda each: each.written),
        Column("session", lambda each: each.name.casefold(), up=True),
        Column("branch", lambda each: each.summary.branch.casefold(), True, 9, 1, _branch),
        Column("turns", lambda each: each.summary.turns, False, 5, 4),
        Column("tokens", lambda each: each.summary.tokens, False, 6, 3, _tokens),
        Column("compacted", lambda each: each.summary.compactions, False, 9, 2),
        Column("files", lambda each: len(each.summary.files), False, 5, 6),
        Column("size", lambda each: each.size, False, 8, 5, lambda each: size_text(each.size)),
        Column("left", lambda each: -1 if each.days_left is None else each.days_left, up=True),
    )
}
_BRANCH = COLUMNS["branch"]
_BY_RANK = sorted((each for each in COLUMNS.values() if each.rank), key=lambda each: each.rank)


def matches(session: Session, words: str) -> bool:
    summary = session.summary
    names = (session.name, summary.first_ask, session.session_id, summary.branch, summary.folder)
    text = " ".join((*names, *summary.files)).casefold()
    return all(word in text for word in words.casefold().split())


def columns_in(width: int, sorted_by: Column, *, branches: bool) -> tuple[Column, ...]:
    """The columns that fit between the name and the days left; that of branches if there are several."""
    room = width - _LEAD - _END
    chosen = set()
    for each in (sorted_by, *_BY_RANK):
        kept = _LEAST_NAME if each is sorted_by else _NAME
        wanted = each.cells and each not in chosen and (branches or each is not _BRANCH)
        if wanted and room - each.cells - 1 >= kept:
            chosen.add(each)
            room -= each.cells + 1
    return tuple(each for each in COLUMNS.values() if each in chosen)


def heading(width: int, column: Column, shown: Sequence[Column], *, project: bool) -> Content:
    def named(name: str, text: str) -> tuple[str, str]:
        return text, "bold $accent" if name == column.name else "$quiet"

    where = ("project  " if project else "", "$quiet")
    left = Content.assemble(named("when", f"{'when':<{_LEAD}}"), where, named("session", "session"))
    cells = [part for each in shown for part in (" ", named(each.name, _aligned(each, each.name)))]
    end = Content.assemble(*cells, named("left", f"{'left':>{_END}}"))
    return Content.assemble(left, " " * max(1, width - left.cell_length - end.cell_length), end)


def row(session: Session, width: int, shown: Sequence[Column], *, where: str = "") -> Content:
    name = one_line(clean_line(masked(session.name))) or _unnamed(session)
    lead = f"{day_and_minute(session.written):<{_LEAD}}"
    agents = f" +{session.agents}" if session.agents else ""
    values = ((each, each.text(session) if each.text else str(each.value(session) or "")) for each in shown)
    cells = Content.assemble(*((f" {_aligned(*each)}", "$quiet") for each in values))
    room = max(4, width - len(lead) - len(agents) - cells.cell_length - _END)
    named = _fit([(f"{clean_line(where)}  " if where else "", "$accent"), name], room)
    return Content.assemble((lead, "$quiet"), named, (agents, "$quiet"), cells, _days_left(session))


def _unnamed(session: Session) -> str:
    """What stands for a name: until the session is read its id, then where nothing was asked."""
    if not session.summary.end:
        return session.session_id[:8]
    return f"nothing asked on {clean_line(session.summary.branch)}".removesuffix(" on ")


def _aligned(column: Column, text: str) -> str:
    """A value or column name at its width; of a branch the end is kept."""
    if column is not _BRANCH:
        return f"{text:>{column.cells}}"
    short = text if cell_len(text) <= column.cells else text.rpartition("/")[2]
    return _fit([short], column.cells).plain


def _days_left(session: Session) -> tuple[str, str]:
    """The days left, red if few and without a copy; ✓ marks a whole copy of memtui's, ✗ an incomplete one."""
    if session.days_left is None:
        return (f"{'✗':>{_END}}", "bold $error") if session.incomplete else (f"{'kept':>{_END}}", "$success")
    mark = "✗" if session.incomplete else "✓" if session.archived else " "
    soon = session.days_left < SOON and not session.archived
    return f"{f'{session.days_left} d{mark}':>{_END}}", "bold $error" if soon else "$quiet"


def _fit(parts: list[tuple[str, str] | str], room: int) -> Content:
    return Content.assemble(*parts).truncate(room, ellipsis=True, pad=True)


class SessionListing:
    """The sessions by key, filtered and sorted."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.sessions: dict[str, Session] = {}
        self._column = COLUMNS["when"]
        self._branches = False
        self._matching = 0
        """The sessions that the filter lets through; counted by `rows`."""
        self.filter = ""
        self.everywhere = False

    def sort(self) -> None:
        columns = list(COLUMNS.values())
        self._column = columns[(columns.index(self._column) + 1) % len(columns)]

    def rows(self) -> list[str]:
        sessions = self.sessions.values()
        self._branches = len({each.summary.branch for each in sessions if each.summary.branch}) > 1
        matching = [each for each in sessions if matches(each, self.filter)]
        self._matching = len(matching)
        matching.sort(key=self._column.value, reverse=not self._column.up)
        return [str(each.path) for each in matching]

    def title(self, marked: int) -> Content:
        total = len(self.sessions)
        count = f'{self._matching}/{total} · "{self.filter}" ✕' if self.filter else f"{total}"
        count += f" · {marked} marked" if marked else ""
        where = " of all projects" if self.everywhere else ""
        return Content.assemble("Sessions ", (count, "$accent"), (where, "$quiet"))

    def heading(self, width: int) -> Content:
        return heading(width, self._column, self._columns(width), project=self.everywhere)

    def draw(self, key: str, width: int) -> Content:
        if (session := self.sessions.get(key)) is None:
            return Content("")
        where = Path(session.summary.folder).name if self.everywhere else session.ran_in(self._root)
        return row(session, width, self._columns(width), where=where)

    def _columns(self, width: int) -> tuple[Column, ...]:
        return columns_in(width, self._column, branches=self._branches)
