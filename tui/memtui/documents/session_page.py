"""A session as one document to read or to attach: HTML or Markdown, made part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from memtui.clean import clean_line
from memtui.clock import local, local_minute, parse_iso
from memtui.documents.html_blocks import pair_html
from memtui.documents.html_page import html_page
from memtui.documents.transcript_markdown import Safe, block_markdown, code_span
from memtui.formats.transcript_events import Queued, Words
from memtui.reading.blocks import Block
from memtui.reading.pairs import paired
from memtui.reading.session_summary import SessionSummary
from memtui.reading.short_text import one_line, shortened

_LISTED = 5_000
_ASK = 120

Numbered = tuple[int, Block]
"""A block, behind the number of its line."""


def session_name(session_id: str, summary: SessionSummary) -> str:
    """The name of a session: its title, else its first ask, else its id."""
    return one_line(summary.title or summary.first_ask) or f"Session {session_id[:8]}"


def about(session_id: str, summary: SessionSummary) -> list[str]:
    """The head of the page: when, where, and how much."""
    times = [parse_iso(each) for each in (summary.started, summary.ended)]
    when = " – ".join(local_minute(each) for each in times if each is not None)
    turns = f"{summary.turns} {'turn' if summary.turns == 1 else 'turns'}"
    number = summary.compactions
    compacted = f"compacted {number} {'time' if number == 1 else 'times'}" if number else ""
    where = " ⎇ ".join(filter(None, (summary.folder, summary.branch)))
    return [
        " · ".join(filter(None, (f"Claude Code session {session_id}", when, turns, compacted))),
        *([where] if where else []),
    ]


def session_markdown(name: str, notes: Iterable[str], found: Iterable[Numbered], safe: Safe) -> Iterator[str]:
    """The session as Markdown: nothing that was said can break what stands around it."""
    yield f"# {_plain(name)}\n\n"
    for note in notes:
        yield f"- {code_span(note)}\n"
    for _, block in found:
        part = block_markdown(block, safe)
        if part:
            yield f"\n{part}\n"


def _plain(line: str) -> str:
    """A line whose characters mean nothing in Markdown."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|~&" else each for each in clean_line(line))


def session_html(name: str, notes: Iterable[str], found: Iterable[Numbered], safe: Safe) -> Iterator[str]:
    """The session as a page of HTML."""
    return html_page(name, notes, _body(found, safe))


def _body(found: Iterable[Numbered], safe: Safe) -> Iterator[str]:
    asks: list[str] = []
    day, last = "", 0
    yield "<main>\n<section>\n"
    for pair in paired(found):
        block = pair.block
        made = pair_html(pair, safe, linked=pair.number != last)
        if not made:
            continue
        if block.is_ask:
            yield "</section>\n<section>\n"
            asks += [_listed(pair.number, block, safe)] if len(asks) < _LISTED else []
        if (today := _day(block)) and today != day:
            day = today
            yield f'<p class="day">{day}</p>\n'
        last = pair.number
        yield made
    yield "</section>\n</main>\n"
    if asks:  # behind the rest, as it is only known then; the page shows it first
        number = f"{len(asks)} {'ask' if len(asks) == 1 else 'asks'}"
        yield f"<nav><details><summary>{number}</summary><ol>\n{''.join(asks)}</ol></details></nav>\n"


def _day(block: Block) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    return f"{local(moment):%a %d %b %Y}" if moment is not None else ""


def _listed(number: int, block: Block, safe: Safe) -> str:
    text = block.event.text if isinstance(block.event, Words | Queued) else ""
    line = shortened(one_line(clean_line(safe(text))), _ASK)
    return f'<li dir="auto"><a href="#L{number}">{escape(line)}</a></li>\n'
