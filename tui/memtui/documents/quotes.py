"""Quotes of the user, Claude and subagents, newest first: a section after those of the seeds.

Quotes need no interpretation: a later reversal comes before the wish it withdraws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memtui.documents.sources import citation
from memtui.documents.user_requests import user_requests
from memtui.formats.model import Section
from memtui.formats.sections import name_of
from memtui.secrets.secrets import masked
from memtui.transcript.records import Facts, Source, Turn
from memtui.transcript.short_text import ends_of

HEADING = "IN THEIR OWN WORDS"
FIRST_LINE = "Newest first; what is newer holds."

_CLOSING, _CLOSINGS = 800, 4_000
"""Maximum length of one closing message, and of all of them, in characters."""
_BETWEEN, _BETWEENS = 500, 1_500
_ASK, _ASKS = 750, 2_500
_REPORT, _REPORTS = 300, 900
_ROOM = 100
"""Minimum room for another quote, in characters."""

_CLAUDE, _AT_WORK, _SUBAGENT, _USER = "Claude", "Claude, at work", "Subagent", "User"
_ITEM = re.compile(rf"(?:L\d+(?: \d\d:\d\d)? )?(?P<who>{_CLAUDE}|{_AT_WORK}|{_SUBAGENT}|{_USER}): ")


class Said(NamedTuple):
    """Words and their source."""

    text: str
    source: Source


def quotes_section(facts: Facts, *, clock: bool = False) -> tuple[Section, ...]:
    """The section, with secrets masked; empty without any known words.

    Args:
        facts: the facts of the transcript.
        clock: adds the local time of each quote, for people.
    """
    groups = (
        (_CLAUDE, closing_messages(facts)),
        (_AT_WORK, texts_between(facts)),
        (_SUBAGENT, reports(facts)),
        (_USER, users_words(facts)),
    )
    found = [(said, who) for who, group in groups for said in group]
    found.sort(key=lambda each: (each[0].source.line, each[0].source.timestamp), reverse=True)
    return _section([_item(said, who, clock=clock) for said, who in found])


def closing_messages(facts: Facts) -> list[Said]:
    """The last message of each turn that the user opened, newest first, as many as fit."""
    said = (Said(turn.closing.text, turn.closing.source) for turn in _turns(facts) if turn.closing)
    return _fitting(said, _CLOSING, _CLOSINGS)


def texts_between(facts: Facts) -> list[Said]:
    """Other texts of the model, newest first, as many as fit."""
    said = (Said(quote.text, quote.source) for turn in _turns(facts) for quote in reversed(turn.texts))
    return _fitting(said, _BETWEEN, _BETWEENS)


def reports(facts: Facts) -> list[Said]:
    """Final reports of subagents, newest first, as many as fit."""
    said = (Said(quote.text, quote.source) for quote in reversed(facts.subagent_results))
    return _fitting(said, _REPORT, _REPORTS)


def users_words(facts: Facts) -> list[Said]:
    """The user's words, newest first, as many as fit."""
    return _fitting((Said(ask.text, ask.source) for ask in user_requests(facts)), _ASK, _ASKS)


def last_said(facts: Facts) -> Said | None:
    """The model's last message."""
    closing = next((turn.closing for turn in reversed(facts.turns) if turn.closing), None)
    return Said(closing.text, closing.source) if closing else None


def with_fewer_quotes(section: Section, closings: int, asks: int) -> Iterator[Section]:
    """The section with fewer and fewer quotes: first texts in mid-turn are dropped, then the oldest quotes.

    Args:
        section: the result of `quotes_section`.
        closings: number of closing messages to keep.
        asks: number of the user's messages to keep.
    """
    items = _parsed(section.text)
    for who, least in ((_AT_WORK, 0), (_SUBAGENT, 0), (_CLAUDE, closings), (_USER, asks)):
        mine = [item for item in items if _who(item) == who]
        for item in reversed(mine[least:]):
            items.remove(item)
            yield _again(section, items)


def with_shorter_quotes(section: Section) -> Iterator[Section]:
    """The section with shorter and shorter quotes."""
    items = _parsed(section.text)
    for width in (400, 200, 100):
        items = [ends_of(item, width) for item in items]
        yield _again(section, items)


def is_quotes(section: Section) -> bool:
    """Whether a section is the one that `quotes_section` makes."""
    return name_of(section.heading) == name_of(HEADING)


def with_new_quotes(sections: Iterable[Section], quotes: Iterable[Section]) -> tuple[Section, ...]:
    """A document's additional sections with the newest quotes in place of earlier ones."""
    return (*(each for each in sections if not is_quotes(each)), *quotes)


def _turns(facts: Facts) -> Iterator[Turn]:
    """Turns, newest first; of those opened by a notification only the very last one."""
    last = facts.turns[-1:]
    return (turn for turn in reversed(facts.turns) if turn.kind != "notification" or turn in last)


def _fitting(said: Iterable[Said], width: int, room: int) -> list[Said]:
    kept: list[Said] = []
    for text, source in said:
        bare = "\n".join(line.rstrip() for line in text.strip().split("\n") if line.strip())
        if not bare:
            continue
        if room < min(_ROOM, len(bare)):
            break
        quote = ends_of(bare, min(width, room))
        kept.append(Said(quote, source))
        room -= len(quote)
    return kept


def _item(said: Said, who: str, *, clock: bool) -> str:
    where = citation(said.source, clock=clock)
    return f"{where} {who}: {masked(said.text)}".lstrip()


def _section(items: list[str]) -> tuple[Section, ...]:
    return (Section(heading=HEADING, text=f"{FIRST_LINE}\n{_listed(items)}"),) if items else ()


def _listed(items: Iterable[str]) -> str:
    # Indented, so that a quoted heading or fence does not count as structure of the document.
    return "\n".join("- " + item.replace("\n", "\n  ") for item in items)


def _parsed(text: str) -> list[str]:
    items: list[str] = []
    for line in text.split("\n"):
        if line.startswith("- "):
            items.append(line[2:])
        elif items and line:
            items[-1] += "\n" + line.removeprefix("  ")
    return items


def _who(item: str) -> str:
    found = _ITEM.match(item)
    return found["who"] if found else ""


def _again(section: Section, items: list[str]) -> Section:
    return section.replace(text="\n".join(part for part in (FIRST_LINE, _listed(items)) if part))
