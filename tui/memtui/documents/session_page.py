"""A session as one document for reading or attaching, in HTML or Markdown, generated part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from memtui.documents.html_blocks import pair_html
from memtui.documents.html_page import html_page
from memtui.documents.transcript_markdown import Safe, block_markdown, code_span, plain
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute, parse_iso, to_local
from memtui.transcript.blocks import Block
from memtui.transcript.call_pairs import Pair, paired
from memtui.transcript.events import Queued, Result, Words
from memtui.transcript.session_summary import SessionSummary
from memtui.transcript.short_text import one_line, shortened
from memtui.transcript.subagents import worker_of

_LISTED = 5_000
_ASK = 120

Numbered = tuple[int, Block]
"""The number of a line, and a block of it."""


@dataclass(frozen=True)
class Subagent:
    """A subagent with a transcript of its own."""

    task: str
    """The first words of its task."""
    read: Callable[[], Iterable[Numbered]]
    """Reads its blocks."""


Subagents = dict[str, Subagent]
"""Subagents by id; a page removes each one after placing it."""


def session_name(session_id: str, summary: SessionSummary) -> str:
    """The name of a session: its title, else its first ask, else its id."""
    return one_line(summary.title or summary.first_ask) or f"Session {session_id[:8]}"


def about(session_id: str, summary: SessionSummary, subagents: int = 0) -> list[str]:
    """The head of the page: time, place, and size."""
    times = [parse_iso(each) for each in (summary.started, summary.ended)]
    when = " – ".join(local_minute(each) for each in times if each is not None)
    turns = f"{summary.turns} {'turn' if summary.turns == 1 else 'turns'}"
    number = summary.compactions
    compacted = f"compacted {number} {'time' if number == 1 else 'times'}" if number else ""
    with_them = f"with {subagents} subagent{'s' * (subagents != 1)}" if subagents else ""
    where = " ⎇ ".join(filter(None, (summary.folder, summary.branch)))
    return [
        " · ".join(filter(None, (f"Claude Code session {session_id}", when, turns, compacted, with_them))),
        *([where] if where else []),
    ]


def session_markdown(
    name: str, notes: Iterable[str], found: Iterable[Numbered], safe: Safe, subagents: Subagents | None = None
) -> Iterator[str]:
    """The session as Markdown, followed by its subagents; no text can break the structure around it."""
    yield f"# {plain(name)}\n\n"
    for note in notes:
        yield f"- {code_span(note)}\n"
    yield from _markdown(found, safe)
    for agent, each in (subagents or {}).items():
        yield f"\n---\n\n# {plain(_head(agent, each, safe))}\n"
        yield from _markdown(each.read(), safe)


def _markdown(found: Iterable[Numbered], safe: Safe) -> Iterator[str]:
    for _, block in found:
        if part := block_markdown(block, safe):
            yield f"\n{part}\n"


def _head(agent: str, subagent: Subagent, safe: Safe) -> str:
    task = shortened(one_line(clean_line(safe(subagent.task))), _ASK)
    return f"Subagent {clean_line(agent)}{f': {task}' if task else ''}"


def session_html(
    name: str, notes: Iterable[str], found: Iterable[Numbered], safe: Safe, subagents: Subagents | None = None
) -> Iterator[str]:
    """The session as an HTML page; each subagent is folded where it worked, or at the end."""
    return html_page(name, notes, _body(found, safe, subagents if subagents is not None else {}))


def _body(found: Iterable[Numbered], safe: Safe, subagents: Subagents) -> Iterator[str]:
    asks: list[str] = []
    day, last = "", 0
    yield "<main>\n<section>\n"
    for pair in paired(found):
        block = pair.block
        made = pair_html(pair, safe, linked=pair.number != last)
        if made:
            if block.is_ask:
                yield "</section>\n<section>\n"
                asks += [_listed(pair.number, block, safe)] if len(asks) < _LISTED else []
            if (today := _day(block)) and today != day:
                day = today
                yield f'<p class="day">{day}</p>\n'
            last = pair.number
            yield made
        yield from _subagent_html(_worker(pair), safe, subagents)
    for agent in list(subagents):
        yield from _subagent_html(agent, safe, subagents)
    yield "</section>\n</main>\n"
    if asks:  # at the end, as it is only known then; the page shows it first
        number = f"{len(asks)} {'ask' if len(asks) == 1 else 'asks'}"
        yield f"<nav><details><summary>{number}</summary><ol>\n{''.join(asks)}</ol></details></nav>\n"


def _worker(pair: Pair) -> str:
    """The subagent whose work a result reports; "" for none."""
    result = pair.result or pair.block.event
    return worker_of(result) if isinstance(result, Result) else ""


def _subagent_html(agent: str, safe: Safe, subagents: Subagents) -> Iterator[str]:
    subagent = subagents.pop(agent, None)
    if subagent is None:
        return
    yield f'<details class="subagent"><summary>{escape(_head(agent, subagent, safe))}</summary>\n'
    for pair in paired(subagent.read()):
        yield pair_html(pair, safe, linked=False)
        yield from _subagent_html(_worker(pair), safe, subagents)
    yield "</details>\n"


def _day(block: Block) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    return f"{to_local(moment):%a %d %b %Y}" if moment is not None else ""


def _listed(number: int, block: Block, safe: Safe) -> str:
    text = block.event.text if isinstance(block.event, Words | Queued) else ""
    line = shortened(one_line(clean_line(safe(text))), _ASK)
    return f'<li dir="auto"><a href="#L{number}">{escape(line)}</a></li>\n'
