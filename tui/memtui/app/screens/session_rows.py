"""The list of the sessions screen: its columns and rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.app.details.session import SOON
from memtui.app.details.signs import FOLD_SIGNS
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.secrets.secrets import masked
from memtui.store.session_list import Session, size_text, unnamed
from memtui.transcript.short_text import one_line

_LEAD, _END = 13, 8
PROJECT = 12


class Column(NamedTuple):
    """A column between the name and the days left."""

    name: str
    cells: int
    text: Callable[[Session], str]


SESSION_SIGNS = {
    "▼": "a compaction",
    "✓": "memtui keeps a copy",
    "✗": "memtui's copy is incomplete",
    **FOLD_SIGNS,
    "└": "belongs to the one above it",
    "●": "a capture or memory of no compaction",
    "❯": "what you asked",
}
COLUMNS = (
    Column("branch", 10, lambda each: clean_line(each.summary.branch)),
    Column("compacted", 9, lambda each: str(each.summary.compactions or "")),
    Column("tokens", 6, lambda each: f"{round(each.summary.tokens / 1000)}k" if each.summary.tokens else ""),
    Column("turns", 5, lambda each: str(each.summary.turns or "")),
    Column("size", 8, lambda each: size_text(each.size)),
)
"""The last ones are left out where there is no room."""


def matches(session: Session, words: str) -> bool:
    summary = session.summary
    names = (session.name, summary.first_ask, session.session_id, summary.branch, summary.folder)
    text = " ".join((*names, *summary.files)).casefold()
    return all(word in text for word in words.casefold().split())


def telling(sessions: Collection[Session]) -> list[Column]:
    """The columns with something in them, that of branches if there are several."""
    said = {column: {column.text(each) for each in sessions} - {""} for column in COLUMNS}
    return [column for column, texts in said.items() if len(texts) > (column is COLUMNS[0])]


def columns_in(width: int, told: Sequence[Column]) -> list[Column]:
    """Those of the columns that fit."""
    room, shown = width - _LEAD - _END - 30, list[Column]()  # the least width of the name
    for each in told:
        room -= each.cells + 1
        if room < 0:
            break
        shown.append(each)
    return shown


def heading(width: int, shown: Sequence[Column], *, project: bool) -> Content:
    left = f"{'when':<{_LEAD}}{'project'.ljust(PROJECT + 2) if project else ''}session"
    end = "".join(f" {_aligned(each, each.name)}" for each in shown) + f"{'left':>{_END}}"
    return Content.styled(left + " " * max(1, width - len(left) - len(end)) + end, "$quiet")


def row(session: Session, width: int, shown: Sequence[Column], *, where: str = "") -> Content:
    name = one_line(clean_line(masked(session.name))) or unnamed(session)
    lead = f"{day_and_minute(session.written):<{_LEAD}}"
    agents = f" +{session.agents}" if session.agents else ""
    cells = Content("".join(f" {_aligned(each, each.text(session))}" for each in shown))
    room = max(4, width - len(lead) - len(agents) - cells.cell_length - _END)
    named = Content.assemble((f"{where}  " if where else "", "$accent"), name)
    named = named.truncate(room, ellipsis=True, pad=True)
    end = cells.stylize("$quiet")
    return Content.assemble((lead, "$quiet"), named, (agents, "$quiet"), end, _days_left(session))


def _aligned(column: Column, text: str) -> str:
    """A value or column name at its width; of a branch the end is kept."""
    if column is not COLUMNS[0]:
        return f"{text:>{column.cells}}"
    short = text if cell_len(text) <= column.cells else text.rpartition("/")[2]
    return Content(short).truncate(column.cells, ellipsis=True, pad=True).plain


def _days_left(session: Session) -> tuple[str, str]:
    """The days left, red if few and without a copy; ✓ marks a whole copy of memtui's, ✗ an incomplete one."""
    if session.days_left is None:
        return (f"{'✗':>{_END}}", "bold $error") if session.incomplete else (f"{'kept':>{_END}}", "$success")
    mark = "✗" if session.incomplete else "✓" if session.archived else " "
    soon = session.days_left < SOON and not session.archived
    return f"{f'{session.days_left} d{mark}':>{_END}}", "bold $error" if soon else "$quiet"
