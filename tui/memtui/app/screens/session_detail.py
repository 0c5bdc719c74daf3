"""The detail of a session: requests, end, and results, with links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from textual import work
from textual.actions import SkipAction
from textual.worker import get_current_worker

from memtui.app.details.capture import capture_document
from memtui.app.details.memory import fold, read_document
from memtui.app.details.session import context_chart
from memtui.app.listings import CaptureRow
from memtui.app.project import ProjectModel
from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.widgets.document import ASIDE, EMPTY, Document, Line, concat, from_markdown, line, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.wrap import cut_path, short_tokens
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, day_and_minute, local_minute, parse_iso
from memtui.ground.project import Project, find_root
from memtui.ground.text import counted
from memtui.secrets.secrets import masked
from memtui.store.listing import is_stored
from memtui.store.memories import Listed, MemoryFiles
from memtui.store.session_list import (
    Agent,
    Captured,
    Session,
    SessionTree,
    agents_of,
    session_folder,
    session_tree,
    size_text,
)
from memtui.transcript import ReadingCancelledError
from memtui.transcript.facts import read_facts
from memtui.transcript.records import CompactionFact, Facts, Turn
from memtui.transcript.short_text import one_line, shortened


class Known(NamedTuple):
    """The parts of a session read so far."""

    session: Session
    path: Path
    facts: Facts
    tree: SessionTree
    agents: list[Agent]


class SessionDetail(DocumentView):
    """Shows one session: at once the data of the list, then those of the transcript."""

    def __init__(self, model: ProjectModel, readable: Callable[[Session], Path]) -> None:
        """Make the view; `readable` returns a transcript, unpacked if necessary; it is called in a thread."""
        super().__init__(id="session")
        self._model = model
        self._readable = readable
        self._session: Session | None = None
        self._known: Known | None = None
        self._unfolded: set[str] = set()

    def show_session(self, session: Session | None) -> None:
        self._session = session
        if session is None:
            self.show(EMPTY)
            return
        if self._known is None or self._known.session.path != session.path:
            self._unfolded.clear()
            self._known = None
        self._show_known(session, keep_scroll=self._known is not None)
        if self._known is None or self._known.session.size != session.size:
            self._read(session)

    def _show_known(self, session: Session, *, keep_scroll: bool = True) -> None:
        document = session_document(session, self._model.clock(), self._known, self._unfolded)
        self.show(document, keep_scroll=keep_scroll)

    @work(group="session", exclusive=True, exit_on_error=False)
    async def _read(self, session: Session) -> None:
        await asyncio.sleep(0.1)  # until the selection rests
        worker = get_current_worker()
        reporting = self.app.reporting("reading the session", wanted=lambda: self._is_shown(session))
        with reporting, suppress(ReadingCancelledError):
            known = await asyncio.to_thread(self._look, session, lambda: worker.is_cancelled)
            if self._is_shown(session) and self._session is not None:
                first, self._known = self._known is None, known
                self._show_known(self._session, keep_scroll=not first)

    def _is_shown(self, session: Session) -> bool:
        return self._session is not None and self._session.path == session.path

    def _look(self, session: Session, cancelled: Callable[[], bool]) -> Known:
        path = self._readable(session)
        facts = read_facts(path, cancelled=cancelled)
        home = self._model.places.home
        tree = session_tree(self._project(session), home, session.session_id, facts.compactions, cancelled)
        return Known(session, path, facts, tree, agents_of(path))

    def _project(self, session: Session) -> Project:
        """The project with a session's captures: this one, unless it was started elsewhere."""
        return Project(find_root(session_folder(session.summary.folder, self._model.project.root)))

    def action_follow(self) -> None:
        if self._link < 0:
            raise SkipAction
        super().action_follow()

    def on_document_view_followed(self, event: DocumentView.Followed) -> None:
        event.stop()
        known = self._known
        kind, _, name = event.link.removeprefix(ASIDE).partition(":")
        if known is None:
            return
        if kind == "fold" and self._session is not None:
            self._unfolded ^= {name}
            self._show_known(self._session)
        elif kind == "line":
            self.app.open_transcript(known.path, int(name))
        elif kind == "agent":
            self.app.open_transcript(Path(name))
        elif kind == "capture":
            found = next(each for each in captures_of(known.tree) if each.entry.name == name)
            row = CaptureRow(found.entry, found.capture)
            document = capture_document(row, self._model.clock(), facts=None)
            title = f"Capture {day_and_minute(found.capture.timestamp)}"
            self.app.push_screen(ReadingScreen(title, document))
        elif kind == "memory":
            path = next(each.path for each in memories_of(known.tree) if each.path.name == name)
            with self.app.reporting("reading the memory"):
                store = MemoryFiles(self._project(known.session), self._model.places.home)
                memory = store.load(path)
                document = read_document(memory, self._model.clock())
                self.app.push_screen(ReadingScreen(f"Memory {memory.head.id}", document))


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
    session: Session, now: datetime, known: Known | None = None, unfolded: Collection[str] = ()
) -> Document:
    """A session: first its entry in the list, then what is known of its transcript."""
    parts: list[Document | Line] = list(_head(session, now))
    if known is None:
        return concat(*parts)
    facts, tree = known.facts, known.tree
    if facts.context_sizes:
        parts += [Line(""), context_chart(facts.context_sizes, facts.compactions)]
    if rows := list(_rows(tree)):
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
    return concat(*parts, *_agents(known.agents, unfolded), *_files(session, unfolded))


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
    names = [clean_line(path.removeprefix(root)).rpartition("/") for path in summary.files]
    if not names:
        return []
    shown = list[Line]()
    for folder, files in groupby(sorted(names, key=lambda each: each[0]), lambda each: each[0]):
        shown += [line(f"  {cut_path(folder)}/", "dim", hang=4)] if folder else []
        shown += [line(f"  {'  ' * bool(folder)}{name}", hang=6) for _, _, name in files]
    rest = sum(not each.text.endswith("/") for each in shown[_FILES:])
    more = fold("files", f"{rest} more", "", shown[_FILES:], unfolded) if rest else []
    return [Line(""), line(f"FILES  {len(names)}", "heading"), *shown[:_FILES], *more]
