"""The rows of the search screen: headings, and one line for each result."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import groupby

from textual.content import Content

from memtui.app.widgets.row_list import row
from memtui.ground.clean import clean_line
from memtui.ground.clock import short_age, short_time
from memtui.store.search import HEADINGS, ROWS, Group, Kind, Result

_WIDE = 100
"""Width in columns from which a row shows the matching text."""
_TITLE = 46
_RECENT = {Kind.SESSION: 0, Kind.MEMORY: 8, Kind.FILE: 3, Kind.CAPTURE: 5, Kind.STATE: 3, Kind.PIN: 3}
"""Number of results of each kind before anything is typed."""
_MARKS = {
    Kind.SESSION: "❯",
    Kind.MEMORY: "M",
    Kind.FILE: "✎",
    Kind.CAPTURE: "C",
    Kind.STATE: "S",
    Kind.PIN: "!",
}
_WHAT = {
    "ask": "❯",
    "said": "●",
    "command": "$",
    "edit": "✎",
    "read": "▤",
    "call": "◇",
    "result": "⎿",
    "error": "✗",
}
_SO_FAR = " · not all searched yet"


def draw(found: Result, now: datetime, width: int) -> Content:
    """A result as a row."""
    title, when = clean_line(found.title), found.when
    if found.kind is Kind.SESSION:
        ago = short_age(when, now) if when else ""
        lead = f" {'⑂' if found.agent else ' '}{_WHAT[found.what]} "
        return row([(lead, "$quiet"), *_shown(found)], ago, width)
    if width < _WIDE:
        ago = short_age(when, now) if when else ""
        return row([(f"{_MARKS[found.kind]} ", "$quiet"), title], ago, width)
    time = f"{short_time(when, now):<8}" if when else " " * 8
    lead = f"{found.name if found.kind is Kind.MEMORY else found.kind.value:<22}"
    name = Content(title).truncate(_TITLE, ellipsis=True, pad=True)
    return row([(time, "$quiet"), (lead, "$accent"), name, "  ", *_shown(found)], "", width)


def rows_of(
    groups: Iterable[Group], *, recent: bool, unfolded: Collection[str] = ()
) -> Iterable[tuple[str, Result | str]]:
    """Rows by unique keys: a heading for each kind, then its results."""
    groups = tuple(groups)
    anything = any(group.results for group in groups)
    for kind, results, total, complete in groups:
        some = results[: _RECENT[kind]] if recent else results
        if some or (anything and not complete):
            number = len({each.name for each in some}) if kind is Kind.SESSION else len(some)
            count = "recent" if recent else f"{total}" if total == number else f"{number} of {total:,}"
            yield f"# {kind}", f"{HEADINGS[kind]}  {count}{'' if complete else _SO_FAR}"
            yield from (
                _sessions(some, unfolded) if kind is Kind.SESSION else ((each.key, each) for each in some)
            )


def _sessions(results: Iterable[Result], unfolded: Collection[str]) -> Iterable[tuple[str, Result | str]]:
    """A heading for each session, and its best rows; all of an unfolded one."""
    for name, some in groupby(results, key=lambda result: result.name):
        turns = list(some)
        rest = len(turns) - ROWS
        said = f" · {turns[0].said}" if turns[0].said else ""
        said += f" · {rest} more →" if rest > 0 and name not in unfolded else ""
        yield f"# session {name}", f" {clean_line(name)[:8]}  {clean_line(turns[0].title)}{said}"
        yield from ((turn.key, turn) for turn in (turns if name in unfolded else turns[:ROWS]))


def _shown(found: Result) -> list[Content]:
    """The match on one line, with the matching parts marked."""
    return [
        Content.styled(" ".join(piece.split("\n")), "bold $warning" if hit else "$quiet")
        for piece, hit in found.pieces()
    ]
