"""The list of the sessions screen: its columns, rows, order, and unfolded subagents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path

from rich.cells import cell_len
from textual.content import Content

from memtui.app.details.session import SOON
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.secrets.secrets import masked
from memtui.store.session_list import Agent, Session, size_text
from memtui.transcript.short_text import one_line

_LEAD, _END = 13, 6
_NAME, _LEAST_NAME = 30, 16
"""Minimum width of the name, and its minimum beside the sorted column."""


class Column(StrEnum):
    """A column to sort the list by."""

    WHEN = "when"
    NAME = "session"
    BRANCH = "branch"
    TURNS = "turns"
    TOKENS = "tokens"
    COMPACTIONS = "▼"
    FILES = "files"
    SIZE = "size"
    LEFT = "left"


_CELLS = {
    Column.BRANCH: 9,
    Column.TURNS: 5,
    Column.TOKENS: 6,
    Column.COMPACTIONS: 2,
    Column.FILES: 5,
    Column.SIZE: 8,
}
"""Columns between the name and the days left, with their widths."""
_BY_IMPORTANCE = (
    Column.BRANCH,
    Column.COMPACTIONS,
    Column.TOKENS,
    Column.TURNS,
    Column.SIZE,
    Column.FILES,
)
_ORDERS: dict[Column, Callable[[Session], object]] = {
    Column.WHEN: lambda each: each.written,
    Column.NAME: lambda each: each.name.casefold(),
    Column.BRANCH: lambda each: each.summary.branch.casefold(),
    Column.TURNS: lambda each: each.summary.turns,
    Column.TOKENS: lambda each: each.summary.tokens,
    Column.COMPACTIONS: lambda each: each.summary.compactions,
    Column.FILES: lambda each: len(each.summary.files),
    Column.SIZE: lambda each: each.size,
    Column.LEFT: lambda each: -1 if each.days_left is None else each.days_left,
}


def ordered(sessions: Iterable[Session], column: Column) -> list[Session]:
    """The sessions sorted by a column: names from A, days left ascending, other values descending."""
    down = column not in (Column.NAME, Column.BRANCH, Column.LEFT)
    return sorted(sessions, key=_ORDERS[column], reverse=down)  # type: ignore[arg-type]


def matches(session: Session, words: str) -> bool:
    """Whether the session's name, id, branch, folder or files contain every word."""
    summary = session.summary
    text = " ".join(
        (session.name, summary.first_ask, session.session_id, summary.branch, summary.folder, *summary.files)
    ).casefold()
    return all(word in text for word in words.casefold().split())


def columns_in(width: int, sorted_by: Column, *, branches: bool) -> tuple[Column, ...]:
    """The columns that fit between the name and the days left.

    Args:
        width: width of a row in cells.
        sorted_by: this column is shown wherever possible.
        branches: whether there are several branches; otherwise that column is useless.
    """
    room = width - _LEAD - _END
    chosen = set()
    for each in (sorted_by, *_BY_IMPORTANCE):
        cells, kept = _CELLS.get(each, 0) + 1, _LEAST_NAME if each is sorted_by else _NAME
        wanted = each in _CELLS and each not in chosen and (branches or each is not Column.BRANCH)
        if wanted and room - cells >= kept:
            chosen.add(each)
            room -= cells
    return tuple(each for each in _CELLS if each in chosen)


def heading(width: int, column: Column, shown: Sequence[Column], *, project: bool) -> Content:
    def named(each: Column, text: str) -> tuple[str, str]:
        return text, "bold $accent" if each is column else "$quiet"

    where = "project  " if project else ""
    left = Content.assemble(
        named(Column.WHEN, f"{Column.WHEN:<{_LEAD}}"), (where, "$quiet"), named(Column.NAME, Column.NAME)
    )
    cells = [part for each in shown for part in (" ", named(each, _aligned(each, each)))]
    end = Content.assemble(*cells, named(Column.LEFT, f"{Column.LEFT:>{_END}}"))
    return Content.assemble(left, " " * max(1, width - left.cell_length - end.cell_length), end)


def row(session: Session, width: int, shown: Sequence[Column], *, where: str = "") -> Content:
    name = one_line(clean_line(masked(session.name))) or session.session_id[:8]
    lead = f"{day_and_minute(session.written):<{_LEAD}}"
    agents = f" +{session.agents} ▸" if session.agents else ""
    cells = Content.assemble(*((f" {_aligned(each, _value(session, each))}", "$quiet") for each in shown))
    room = max(4, width - len(lead) - len(agents) - cells.cell_length - _END)
    named = _fit([(f"{clean_line(where)}  " if where else "", "$accent"), name], room)
    return Content.assemble((lead, "$quiet"), named, (agents, "$quiet"), cells, _days_left(session))


def _value(session: Session, column: Column) -> str:
    summary = session.summary
    if column is Column.BRANCH:
        return clean_line(summary.branch)
    if column is Column.TOKENS:
        return f"{round(summary.tokens / 1000)}k" if summary.tokens else ""
    if column is Column.SIZE:
        return size_text(session.size)
    numbers = {
        Column.TURNS: summary.turns,
        Column.COMPACTIONS: summary.compactions,
        Column.FILES: len(summary.files),
    }
    return str(numbers[column] or "")


def _aligned(column: Column, text: str) -> str:
    """A value or column name at its width; of a branch the end is kept."""
    cells = _CELLS[column]
    if column is not Column.BRANCH:
        return f"{text:>{cells}}"
    short = text if cell_len(text) <= cells else text.rpartition("/")[2]
    return _fit([short], cells).plain


def _days_left(session: Session) -> tuple[str, str]:
    """The days left, red if few and without a copy; ✓ marks a whole copy of memtui's, ✗ an incomplete one."""
    if session.days_left is None:
        return (" ✗    ", "bold $error") if session.incomplete else (" kept ", "$success")
    mark = "✗" if session.incomplete else "✓" if session.archived else " "
    soon = session.days_left < SOON and not session.archived
    return f"{session.days_left:>3} d{mark}"[-6:], "bold $error" if soon else "$quiet"


def _fit(parts: list[tuple[str, str] | str], room: int) -> Content:
    return Content.assemble(*parts).truncate(room, ellipsis=True, pad=True)


def agent_row(agent: Agent, width: int) -> Content:
    """A subagent below its session: end time, task, and size of its transcript."""
    lead = f"{day_and_minute(agent.written):<{_LEAD}}"
    task = one_line(clean_line(masked(agent.task))) or agent.name
    end = f" {size_text(agent.size)} "
    room = max(4, width - len(lead) - len(end))
    task_part = _fit([("└ ", "$quiet"), task], room)
    return Content.assemble((lead, "$quiet"), task_part, (end, "$quiet"))


class SessionListing:
    """The sessions by key, filtered and sorted, with the subagents of unfolded ones."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sessions: dict[str, Session] = {}
        self._column = Column.WHEN
        self._branches = False
        """Whether there are sessions of several branches."""
        self._matching = 0
        """The sessions that the filter lets through; counted by `rows`."""
        self._agents: dict[str, tuple[Session, Agent]] = {}
        """The subagents of unfolded sessions, by the keys of their rows."""
        self.filter = ""
        self.everywhere = False
        """Whether sessions of all projects are listed."""

    def replace(self, sessions: Iterable[Session]) -> None:
        self._sessions = {str(each.path): each for each in sessions}

    def put(self, session: Session) -> None:
        self._sessions[str(session.path)] = session

    def drop(self, session: Session) -> None:
        self._sessions.pop(str(session.path), None)

    def unfold(self, session: Session, agents: Iterable[Agent]) -> None:
        self._agents |= {str(each.path): (session, each) for each in agents}

    def fold(self, session: Session) -> None:
        self._agents = {key: row for key, row in self._agents.items() if row[0].path != session.path}

    def sort(self, step: int) -> None:
        columns = list(Column)
        self._column = columns[(columns.index(self._column) + step) % len(columns)]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self._sessions)

    def rows(self) -> list[str]:
        """The keys of the visible rows, in order."""
        branches = {each.summary.branch for each in self._sessions.values() if each.summary.branch}
        self._branches = len(branches) > 1
        matching = [each for each in self._sessions.values() if matches(each, self.filter)]
        self._matching = len(matching)
        return [
            key
            for session in ordered(matching, self._column)
            for key in (
                str(session.path),
                *(key for key, row in self._agents.items() if row[0].path == session.path),
            )
        ]

    def session(self, key: str) -> Session | None:
        """The session of a row: its own, or that of its subagent."""
        return self._sessions.get(str(self._agents[key][0].path) if key in self._agents else key)

    def agent(self, key: str) -> Agent | None:
        return self._agents[key][1] if key in self._agents else None

    def title(self, marked: int) -> Content:
        total = len(self._sessions)
        count = f'{self._matching}/{total} · "{self.filter}" ✕' if self.filter else f"{total}"
        count += f" · {marked} marked" if marked else ""
        where = " of all projects" if self.everywhere else ""
        return Content.assemble("Sessions ", (count, "$accent"), (where, "$quiet"))

    def heading(self, width: int) -> Content:
        return heading(width, self._column, self._columns(width), project=self.everywhere)

    def draw(self, key: str, width: int) -> Content:
        if (agent := self.agent(key)) is not None:
            return agent_row(agent, width)
        if (session := self._sessions.get(key)) is None:
            return Content("")
        where = Path(session.summary.folder).name if self.everywhere else session.ran_in(self._root)
        return row(session, width, self._columns(width), where=where)

    def _columns(self, width: int) -> tuple[Column, ...]:
        return columns_in(width, self._column, branches=self._branches)
