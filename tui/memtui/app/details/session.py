"""The detail of one session: the chart of its context, its results, asks and files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from memtui.app.details.memory import fold
from memtui.app.widgets.document import ASIDE, EMPTY, Document, Line, concat, from_markdown, line, styled
from memtui.app.widgets.wrap import cut_path, short_tokens
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, day_and_minute, local_minute, parse_iso, to_local
from memtui.ground.text import counted
from memtui.lost.context_gauge import learned_limit
from memtui.secrets.secrets import masked
from memtui.store.listing import is_stored
from memtui.store.session_list import Agent, Session, size_text
from memtui.transcript.records import CompactionFact, ContextSize, Facts, Turn
from memtui.transcript.short_text import one_line, shortened

if TYPE_CHECKING:
    from memtui.store.memories import Listed
    from memtui.store.session_list import Captured, SessionTree


COLUMNS = 34
"""Width of the chart: it fits a window of 40 columns."""
_BARS, _MARK = "▁▂▃▄▅▆▇█", "▼"


def context_chart(sizes: Sequence[ContextSize], compactions: Sequence[CompactionFact]) -> Document:
    """How the context grew, in a row of bars; empty for a session with fewer than two requests.

    A bar stands for some requests and shows the largest of them, so that the peak before a compaction is
    visible. Time is not to scale: a night without requests takes no column.
    """
    known = [size for size in sizes if size.tokens > 0]
    if len(known) < 2:
        return EMPTY
    tokens = [size.tokens for size in known]
    limit, peak = learned_limit(compactions), max(tokens)
    bounds = pairwise(len(tokens) * column // COLUMNS for column in range(COLUMNS + 1))
    bars = [
        (_BARS[7 * max(tokens[start : max(end, start + 1)]) // max(peak, limit)], "accent")
        for start, end in bounds
    ]
    for moment in filter(None, (each.source.timestamp for each in compactions)):
        before = sum(size.timestamp <= moment for size in known)
        bars[min(COLUMNS - 1, before * COLUMNS // len(known))] = (_MARK, "warn")
    said = [counted(len(compactions), "compaction") if compactions else "no compaction yet"]
    said += [f"limit {short_tokens(limit)}"] if limit else ["none automatic"] if compactions else []
    mark = [(f"{_MARK} ", "warn")] if compactions else []
    return Document(
        [
            styled(("Context size", "label"), (f" · now {short_tokens(tokens[-1])} tokens", "dim")),
            styled(*bars),
            line(_times(known[0].timestamp, known[-1].timestamp), "dim"),
            styled(*mark, (" · ".join([*said, f"most {short_tokens(peak)}"]), "dim")),
        ]
    )


def _times(first: str, last: str) -> str:
    """The times of the first and the last request, with their days if these differ."""
    moments = [to_local(moment) for text in (first, last) if (moment := parse_iso(text))]
    dated = len({moment.date() for moment in moments}) > 1
    times = [day_and_minute(moment) if dated else f"{moment:%H:%M}" for moment in moments]
    return (" " * (COLUMNS - sum(map(len, times)))).join(times)


LINE, CAPTURE, MEMORY, AGENT = "line:", "capture:", "memory:", "agent:"
"""Prefixes of the links; a transcript's line, a file name or a path follows."""


def captures_of(tree: SessionTree) -> list[Captured]:
    return [*(each for branch in tree.branches for each in branch.captures), *tree.captures]


def memories_of(tree: SessionTree) -> list[Listed]:
    return [*(each for capture in captures_of(tree) for each in capture.memories), *tree.memories]


def _rows(tree: SessionTree) -> Iterator[Line]:
    for branch in tree.branches:
        yield _compaction(branch.compaction)
        yield from _captures(branch.captures, "  └ ")
    yield from _captures(tree.captures, "● ")
    yield from (_memory(each, "") for each in tree.memories)


def _compaction(fact: CompactionFact) -> Line:
    moment = parse_iso(fact.source.timestamp)
    sizes = [short_tokens(size) for size in (fact.pre_tokens, fact.post_tokens) if size]
    parts = [day_and_minute(moment) if moment else "", fact.trigger, " -> ".join(sizes)]
    text = "  ".join(part for part in parts if part)
    return styled(("▼ ", "warn"), text, (f"  L{fact.source.line}", "dim"), link=f"{LINE}{fact.source.line}")


def _captures(captures: Iterable[Captured], lead: str) -> Iterator[Line]:
    for each in captures:
        capture = each.capture
        role = "warn" if capture.status == "pending" else "good"
        when, state = (f"{day_and_minute(capture.timestamp)} ", "dim"), (capture.status, role)
        yield styled(f"{lead}capture ", when, state, hang=len(lead), link=CAPTURE + each.entry.name)
        yield from (_memory(memory, " " * len(lead) + "└ ") for memory in each.memories)


def _memory(made: Listed, lead: str) -> Line:
    title = shortened(one_line(masked(made.title)), 120)
    name = made.id if is_stored(made.path) else "memory file"
    link = MEMORY + made.path.name
    return styled(lead or "● ", (name, "accent"), f"  {title}", hang=len(lead) or 2, link=link)


SOON = 7
_ASK = 300
_NEWEST, _FILES = 10, 12


def session_document(
    session: Session,
    now: datetime,
    facts: Facts | None = None,
    tree: SessionTree | None = None,
    agents: Sequence[Agent] = (),
    *,
    unfolded: Collection[str] = (),
) -> Document:
    """A session: first its entry in the list, then the facts of its transcript."""
    parts: list[Document | Line] = list(_head(session, now))
    if facts is None:
        return concat(*parts)
    if facts.context_sizes:
        parts += [Line(""), context_chart(facts.context_sizes, facts.compactions)]
    if tree is not None and (rows := list(_rows(tree))):
        counts = (
            (len(tree.branches), "compaction"),
            (len(captures_of(tree)), "capture"),
            (len(memories_of(tree)), "memory", "memories"),
        )
        results = " · ".join(counted(*each) for each in counts if each[0])
        parts += [Line(""), line(f"RESULTS  {results}", "heading"), *rows]
    parts += _asks(facts.turns, unfolded)
    closing = next((turn.closing for turn in reversed(facts.turns) if turn.closing), None)
    if closing is not None:
        moment = parse_iso(closing.source.timestamp)
        when = f"  {day_and_minute(moment)}" if moment else ""
        parts += [Line(""), styled("CLOSING MESSAGE", (when, "dim"), role="heading")]
        parts.append(from_markdown(masked(closing.text)))
    return concat(*parts, *_agents(agents, unfolded), *_files(session, unfolded))


def _head(session: Session, now: datetime) -> Iterator[Line]:
    summary = session.summary
    yield line(one_line(masked(session.name)) or session.session_id, "strong")
    about = (session.session_id[:8], clean_line(summary.branch), size_text(session.size))
    when = f"{local_minute(session.written)} · {age(session.written, now)}"
    yield line(" · ".join(part for part in (*about, when) if part), "dim")
    yield _fate(session)
    if summary.folder:
        yield line(clean_line(summary.folder), "dim")


def _fate(session: Session) -> Line:
    """The days left to the transcript, or its place in the archive."""
    if session.days_left is None and session.incomplete:
        return line("Claude Code has deleted it; memtui's copy is ✗ incomplete", "bad")
    if session.days_left is None:
        return line("Claude Code has deleted it; memtui keeps a copy: R puts it back and resumes it", "good")
    went = f"in {session.days_left} days" if session.days_left else "today"
    role = "bad" if session.days_left < SOON and not session.archived else "dim"
    copy = "; memtui keeps a copy" if session.archived else ""
    copy = "; memtui's copy is ✗ incomplete" if session.incomplete else copy
    return styled(("Claude Code deletes it ", "dim"), (went, role), (f" by its file's date{copy}", "dim"))


def _asks(turns: Iterable[Turn], unfolded: Collection[str]) -> list[Line]:
    asks = [each for turn in turns for each in _ask(turn)]
    if not asks:
        return []
    earlier, newest = asks[:-_NEWEST], asks[-_NEWEST:]
    folded = fold("asks", f"{len(earlier)} earlier", "", earlier, unfolded) if earlier else []
    return [Line(""), line(f"ASKS  {len(asks)}", "heading"), *folded, *newest]


def _ask(turn: Turn) -> Iterable[Line]:
    text = shortened(one_line(masked(turn.ask)), _ASK)
    if text:
        moment = parse_iso(turn.source.timestamp)
        lead = f"{day_and_minute(moment)} " if moment else ""
        link = f"{ASIDE}{LINE}{turn.source.line}"
        yield styled((lead, "dim"), "❯ ", (text, "prompt"), hang=len(lead) + 2, link=link)


def _agents(agents: Sequence[Agent], unfolded: Collection[str]) -> list[Line]:
    """The subagents by their tasks; those in sight in the transcript are opened there, too."""
    rows = [
        styled(
            (f"{day_and_minute(each.written)} ", "dim"),
            shortened(one_line(masked(each.task)), _ASK) or each.name,
            (f"  {size_text(each.size)}", "dim"),
            hang=13,
            link=f"{AGENT}{each.path}",
        )
        for each in agents
    ]
    return [Line(""), *fold("agents", "SUBAGENTS", str(len(rows)), rows, unfolded)] if rows else []


def _files(session: Session, unfolded: Collection[str]) -> list[Line]:
    summary = session.summary
    root = f"{summary.folder.rstrip('/')}/" if summary.folder else ""
    names = [clean_line(path.removeprefix(root)) for path in summary.files]
    if not names:
        return []
    shown = [line(f"  {cut_path(name)}") for name in names]
    more = fold("files", f"{len(names) - _FILES} more", "", shown[_FILES:], unfolded)
    rest = more if len(names) > _FILES else []
    return [Line(""), line(f"FILES  {len(names)}", "heading"), *shown[:_FILES], *rest]
