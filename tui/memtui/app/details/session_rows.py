"""The rows of the sessions screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path

from textual.content import Content

from memtui.clean import clean_line
from memtui.clock import day_and_minute
from memtui.reading.short_text import one_line
from memtui.safety.secrets import masked
from memtui.store.session_list import Agent, Session, size_text

SOON = 7
"""Days from which it shows red that a session will be deleted."""
_WIDE = 64
"""Cells of a row from which it has all its columns."""
_BRANCHED = 78
"""Cells of a row from which the branch has a column of its own."""
_LEAD, _BRANCH, _END = 13, 11, 6


class Column(StrEnum):
    """A column that the list can be sorted by."""

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
    Column.TURNS: 5,
    Column.TOKENS: 6,
    Column.COMPACTIONS: 2,
    Column.FILES: 5,
    Column.SIZE: 8,
}
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
    """The sessions sorted by a column: words from A, days left from the fewest, else the largest first."""
    down = column not in (Column.NAME, Column.BRANCH, Column.LEFT)
    return sorted(sessions, key=_ORDERS[column], reverse=down)  # type: ignore[arg-type]


def matches(session: Session, words: str) -> bool:
    """Whether every word stands in the session's name, id, branch, folder or files."""
    summary = session.summary
    text = " ".join(
        (session.name, summary.first_ask, session.session_id, summary.branch, summary.folder, *summary.files)
    ).casefold()
    return all(word in text for word in words.casefold().split())


def heading(width: int, column: Column, *, project: bool) -> Content:
    """The names of the columns over the rows, the one that they are sorted by marked."""

    def named(each: Column, size: int) -> tuple[str, str]:
        return f"{each:>{size}}" if size else each, "bold $accent" if each is column else "$quiet"

    when, name = named(Column.WHEN, 0), named(Column.NAME, 0)
    where = "project  " if project else ""
    right = [named(each, size) for each, size in _CELLS.items()] if width >= _WIDE else []
    spaced = [part for each in right for part in (each, " ")]
    if width >= _BRANCHED:
        text, style = named(Column.BRANCH, 0)
        spaced.insert(0, (f" {text:<{_BRANCH - 1}}", style))
    left = Content.assemble(when, " " * (_LEAD - len(when[0])), (where, "$quiet"), name)
    end = Content.assemble(*spaced, named(Column.LEFT, _END))
    return Content.assemble(left, " " * max(1, width - left.cell_length - end.cell_length), end)


def row(session: Session, width: int, *, project: bool) -> Content:
    """One session in a line; where there is little room only when, its name, and the days left."""
    summary = session.summary
    name = one_line(clean_line(masked(session.name))) or session.session_id[:8]
    lead = f"{day_and_minute(session.written):<{_LEAD}}"
    left = _left(session)
    where = f"{clean_line(Path(summary.folder).name)}  " if project and summary.folder else ""
    if width < _WIDE:
        room = max(4, width - len(lead) - _END)
        return Content.assemble((lead, "$quiet"), _fit([(where, "$accent"), name], room), left)
    values = (
        str(summary.turns or ""),
        f"{summary.tokens // 1000}k" if summary.tokens else "",
        str(summary.compactions or ""),
        str(len(summary.files) or ""),
        size_text(session.size),
    )
    right = "".join(f"{value:>{size}} " for value, size in zip(values, _CELLS.values(), strict=True))
    agents = f" +{session.agents} ▸" if session.agents else ""
    branch, apart = clean_line(summary.branch), width >= _BRANCHED
    parts: list[tuple[str, str] | str] = [(where, "$accent"), name]
    parts += [] if apart else [(f"  {branch}", "$quiet")]
    column: list[Content | str] = [" ", _fit([(branch, "$quiet")], _BRANCH - 1)] if apart else []
    room = max(4, width - len(lead) - len(right) - _END - len(agents) - _BRANCH * apart)
    content = Content.assemble(_fit(parts, room), (agents, "$quiet"), *column)
    return Content.assemble((lead, "$quiet"), content, (right, "$quiet"), left)


def _left(session: Session) -> tuple[str, str]:
    """The days that are left, red when they are few and memtui has no copy; ✓ says that it has one."""
    if session.days_left is None:
        return " kept ", "$text-success"
    mark = "✓" if session.archived else " "
    soon = session.days_left < SOON and not session.archived
    return f"{session.days_left:>3} d{mark}"[-6:], "bold $text-error" if soon else "$quiet"


def _fit(parts: list[tuple[str, str] | str], room: int) -> Content:
    content = Content.assemble(*parts).truncate(room, ellipsis=True)
    return Content.assemble(content, " " * max(0, room - content.cell_length))


def agent_row(agent: Agent, width: int) -> Content:
    """A subagent below its session: when it ended, what it was asked to do, the size of its transcript."""
    lead = f"{day_and_minute(agent.written):<{_LEAD}}"
    task = one_line(clean_line(masked(agent.task))) or agent.name
    end = f" {size_text(agent.size)} "
    room = max(4, width - len(lead) - len(end))
    task_part = _fit([("└ ", "$quiet"), task], room)
    return Content.assemble((lead, "$quiet"), task_part, (end, "$quiet"))
