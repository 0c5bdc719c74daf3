"""The detail of one session, as a document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.app.details.context_chart import context_chart
from memtui.app.details.folds import fold
from memtui.app.details.session_rows import SOON
from memtui.app.details.session_tree import LINE, tree_lines
from memtui.app.widgets.document import ASIDE, Document, Line, concat, from_markdown, line, styled
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, day_and_minute, local_minute, parse_iso
from memtui.secrets.secrets import masked
from memtui.store.session_list import Session, size_text
from memtui.transcript.records import Facts, Turn
from memtui.transcript.short_text import one_line, shortened

if TYPE_CHECKING:
    from memtui.store.session_tree import SessionTree

_ASK = 300
_NEWEST, _FILES = 10, 12
"""Number of asks and files that are not folded."""


def session_document(
    session: Session,
    now: datetime,
    facts: Facts | None = None,
    tree: SessionTree | None = None,
    unfolded: Collection[str] = (),
    *,
    part: int = 0,
) -> Document:
    """A session: first its entry in the list, then the facts of its transcript.

    Args:
        session: its entry in the list.
        now: the time.
        facts: those of its transcript.
        tree: its results.
        unfolded: the names of the folds that are open.
        part: number of bytes at the end that the facts cover; 0: all of it.
    """
    parts: list[Document | Line] = list(_head(session, now))
    if facts is None:
        return concat(*parts)
    if part:
        read = f"What follows is of its last {size_text(part)}, as it is large: enter reads all of it"
        parts.append(line(read, "warn"))
    if facts.context_sizes:
        parts += [Line(""), context_chart(facts.context_sizes, facts.compactions)]
    parts += tree_lines(tree) if tree is not None else ()
    parts += _asks(facts.turns, unfolded)
    closing = next((turn.closing for turn in reversed(facts.turns) if turn.closing), None)
    if closing is not None:
        moment = parse_iso(closing.source.timestamp)
        when = f"  {day_and_minute(moment)}" if moment else ""
        parts += [Line(""), styled("CLOSING MESSAGE", (when, "dim"), role="heading")]
        parts.append(from_markdown(masked(closing.text)))
    return concat(*parts, *_files(session, unfolded))


def _head(session: Session, now: datetime) -> Iterator[Line]:
    summary = session.summary
    yield line(one_line(masked(session.name)) or session.session_id, "strong")
    about = (session.session_id[:8], clean_line(summary.branch), size_text(session.size))
    when = f"{local_minute(session.written)} · {age(session.written, now)}"
    yield line(" · ".join(part for part in (*about, when) if part), "dim")
    yield _fate(session)
    if summary.folder:
        yield line(clean_line(summary.folder), "dim")
    if session.agents:
        plural = "s" * (session.agents != 1)
        yield line(f"{session.agents} subagent{plural}: → lists them under the session", "dim")


def _fate(session: Session) -> Line:
    """The days left to the transcript, or its place in the archive."""
    if session.days_left is None and session.incomplete:
        return line("Claude Code has deleted it; memtui's copy is ✗ incomplete", "bad")
    if session.days_left is None:
        return line("Claude Code has deleted it; memtui keeps a copy: R puts it back and resumes it", "good")
    went = f"in {session.days_left} days" if session.days_left else "today"
    role = "bad" if session.days_left < SOON and not session.archived else "dim"
    copy = "; memtui keeps a copy" if session.archived else ""
    copy = "; memtui's copy is ✗ incomplete: K completes it" if session.incomplete else copy
    return styled(("Claude Code deletes it ", "dim"), (went, role), (copy, "dim"))


def _asks(turns: Iterable[Turn], unfolded: Collection[str]) -> list[Line]:
    """The asks with their times; the newest unfolded."""
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


def _files(session: Session, unfolded: Collection[str]) -> list[Line]:
    summary = session.summary
    names = [clean_line(_within(path, summary.folder)) for path in summary.files]
    if not names:
        return []
    shown = [line(f"  {name}") for name in names]
    more = fold("files", f"{len(names) - _FILES} more", "", shown[_FILES:], unfolded)
    rest = more if len(names) > _FILES else []
    return [Line(""), line(f"FILES  {len(names)}", "heading"), *shown[:_FILES], *rest]


def _within(path: str, folder: str) -> str:
    return path.removeprefix(folder.rstrip("/") + "/") if folder else path
