"""The contents of the panes as immutable values, and the listings of captures and memories behind them.

Named tuples, as the first paint waits for these class definitions, and data classes take longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project
from memtui.store import listing
from memtui.store.listing import Entry

if TYPE_CHECKING:
    from memtui.documents.capture import Capture
    from memtui.documents.commands import ActiveCommand
    from memtui.documents.session_state import SessionState
    from memtui.ground.files import Signature
    from memtui.hooks.records import Run
    from memtui.lost.pin_fates import PinFate, PinRow
    from memtui.store.captures import CaptureStore, Compaction
    from memtui.store.claude_memory import ClaudeMemory, Trouble
    from memtui.store.memories import MemoryFiles


_NONE: Mapping[Any, Any] = {}


class Target(NamedTuple):
    """A folder to watch; it need not exist yet."""

    name: str
    folder: Path
    recursive: bool = False


class CaptureRow(NamedTuple):
    """One capture file, read, or broken with the reason; or a compaction without one."""

    entry: Entry
    capture: Capture | None = None
    problem: str = ""
    missing: bool = False
    """Whether there is no file: the entry names the one that would be made."""
    manual: bool = False
    """Whether there is none because `/compact` made the compaction."""

    @property
    def pending(self) -> bool:
        """Whether it is pending; a broken one counts, too, until it is fixed."""
        return self.capture is None or self.capture.status == "pending"


class CapturesView(NamedTuple):
    """The captures by file name, newest first; `unread` of them are known by name only."""

    rows: Mapping[str, CaptureRow] = _NONE
    pending: tuple[str, ...] = ()
    broken: int = 0
    unread: int = 0
    numbers: Mapping[str, int] = _NONE
    """The number of each capture of a session with several, which have the same name."""

    @classmethod
    def of(cls, rows: dict[str, CaptureRow], *, unread: int) -> CapturesView:
        """The view of these rows, with what takes long for many of them counted once."""
        pending = tuple(name for name, row in rows.items() if row.pending)
        broken = sum(1 for row in rows.values() if row.problem)
        sessions: dict[str, list[str]] = defaultdict(list)
        for name, row in reversed(rows.items()):
            if row.capture:
                sessions[row.capture.session_id].append(name)
        several = [names for names in sessions.values() if len(names) > 1]
        numbers = {name: number for names in several for number, name in enumerate(names, 1)}
        return cls(rows, pending, broken, unread, numbers)


class MemoriesView(NamedTuple):
    """Memory files and stored memories by key, and their keys, newest first."""

    entries: Mapping[str, Entry] = _NONE
    keys: Sequence[str] = ()
    mine: Sequence[str] = ()
    """Those of the project; unread ones are missing."""
    doubled: Mapping[str, str] = _NONE
    """Memory files without a row, because a stored memory of the same review represents them."""
    more: bool = False
    """Whether there are others, or projects are still unread."""


class ClaudeView(NamedTuple):
    """The memories that Claude keeps for itself, the index first, and what is wrong with them."""

    memories: tuple[ClaudeMemory, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    problem: str = ""
    folder: Path | None = None
    """The folder in which they are, or would be."""


class CommandsView(NamedTuple):
    """The active commands, or why they cannot be read; `broken` names entries that cannot be used."""

    commands: tuple[ActiveCommand, ...] = ()
    broken: tuple[str, ...] = ()
    problem: str = ""
    lacking: Mapping[str, str] = _NONE
    """By name, why a command's rules do not outlive a compaction, or not whole: `no file`, `no summary`,
    `shortened`, `left out`."""
    notes: Mapping[str, str] = _NONE
    """By name, a sentence on rules that have too little room."""


class PinsView(NamedTuple):
    """The pins of the project, or why they cannot be read."""

    pins: tuple[PinRow, ...] = ()
    problem: str = ""


class LightsView(NamedTuple):
    """The fate of the pins at the last compaction of the current session."""

    lights: Mapping[str, PinFate] = _NONE
    """By text; empty before the first compaction."""
    at: datetime | None = None
    waiting: bool = False
    """Whether pins are waiting for the session's next prompt."""


class StateView(NamedTuple):
    """The state of the current session, stored or drafted, or the reason for its absence."""

    state: SessionState | None = None
    text: str = ""
    session_id: str = ""
    written: datetime | None = None
    path: Path | None = None
    """The stored document; None for a draft."""
    transcript: Path | None = None
    """The transcript of the draft or the session."""
    problem: str = ""
    sessions: tuple[str, ...] = ()
    """The ids of the project's sessions, most recently active first."""
    active: datetime | None = None
    """Time of its last activity, to the minute."""
    since: int = 0
    """Thousands of tokens that the session has gained since the document, approximately."""
    reading: bool = False
    """Whether the transcript is still being read for a draft."""
    chosen: str = ""
    """The session chosen by the user when the disk was read; "" for the newest one."""

    @property
    def drafted(self) -> bool:
        """Whether it is a draft from the transcript that is not stored."""
        return self.path is None and not self.reading


class HealthView(NamedTuple):
    """The health of the captures."""

    installed: bool
    """Whether any settings contain the hook that captures."""
    problem: str = ""
    """Why captures cannot be written; "" if they can."""
    last: Run | None = None
    """The last run of a hook for this project."""
    missing: tuple[Compaction, ...] = ()
    """Auto-compactions without a capture, oldest first."""
    manual: tuple[Compaction, ...] = ()
    """Those by `/compact`, which need none."""
    elsewhere: bool = False
    """Whether only other projects have sessions."""
    undecided: bool = False
    """Whether nobody has said yet if transcripts are kept beyond Claude Code's days."""
    sizes: Mapping[tuple[str, datetime], int] = _NONE
    """Tokens before a compaction, by session and time of its capture, or its own where it has none."""

    def rows(self, project: Project, captures: Mapping[str, CaptureRow]) -> dict[str, CaptureRow]:
        """The captures and the compactions without one, newest first, by name."""
        from memtui.documents.capture import Capture, capture_name

        rows = dict(captures)
        missed = [(each, False) for each in self.missing]
        for each, manual in (*missed, *((each, True) for each in self.manual)):
            moment = at = each.at.astimezone().replace(microsecond=0)
            capture = Capture("pending", at, each.session_id, str(each.transcript), "")
            while taken := rows.get(name := capture_name(moment)):
                made = taken.capture
                if made and (made.session_id, made.timestamp) == (each.session_id, at):
                    break
                moment += timedelta(seconds=1)
            entry = Entry(name, str(project.compacts), 0, 0, 0)
            rows.setdefault(name, CaptureRow(entry, capture, missing=True, manual=manual))
        entries = listing.newest_first(row.entry for row in rows.values())
        return {entry.name: rows[entry.name] for entry in entries}


class BranchView(NamedTuple):
    """The project's current git branch, or ""."""

    branch: str = ""


class ConfigView(NamedTuple):
    """The state of config.toml, which changes with it."""

    signature: Signature | None = None


class WaitsView(NamedTuple):
    """Lines that were handed over and not delivered yet."""

    rows: Mapping[str, int] = _NONE
    """The number of lines, by the session's id."""


class RemoteState(NamedTuple):
    """A remote in the status line."""

    name: str
    synced: datetime | None = None
    problem: str = ""
    """The full reason why there was no exchange since."""
    trouble: str = ""
    """The same in a word or two; "" where these were not kept, as by older versions."""
    doing: str = ""
    """The progress of the current exchange; "" for none."""
    shared: frozenset[str] = frozenset()
    """The Recovery IDs of the memories that it has."""


class RemotesView(NamedTuple):
    """The remotes of shared memories."""

    states: Sequence[RemoteState] = ()


_Rows = CapturesView | MemoriesView | ClaudeView | CommandsView | PinsView | StateView
View = _Rows | LightsView | WaitsView | BranchView | HealthView | ConfigView | RemotesView


class CaptureRows:
    """The known values of each capture; used by one thread."""

    def __init__(self, store: CaptureStore) -> None:
        self._store = store
        self._known: dict[str, CaptureRow] | None = None

    @property
    def rows(self) -> Collection[CaptureRow]:
        return (self._known or {}).values()

    def read(self) -> CapturesView | None:
        """The view of the folder, with new and changed captures read; None if it is as before."""
        known = self._known or {}
        rows = {}
        for entry in self._store.entries():
            row = known.get(entry.name)
            if row is None or row.entry != entry:
                try:
                    row = CaptureRow(entry, self._store.load(entry))
                except FileProblem as problem:
                    row = CaptureRow(entry, problem=problem.reason)
            rows[entry.name] = row
        # Equal sets have the same order: that of their names.
        changed, self._known = rows != self._known, rows
        return CapturesView.of(rows, unread=0) if changed else None


class MemoryRows:
    """Which memories a pane shows, and in what order; used by one thread."""

    def __init__(self, project: Project, home: Home) -> None:
        self._root = project.root
        self._home = home
        self._concerns = listing.project_test(str(project.root))
        self._known: dict[str, Entry] = {}
        self._mine: set[str] = set()
        self._stored_as: dict[str, str] = {}
        """The stored memories of reviews, by the name of the review's memory file."""
        self._memories: Mapping[str, Entry] | None = None

    def newest(self) -> MemoriesView:
        """The newest ones of the project for the first paint, with those whose project has to be read."""
        memories, more = listing.newest_memories(Project(self._root), self._home)
        entries = {entry.name: entry for entry in memories}
        self._learn(entries, entries, lambda _: "")
        view = self._view(entries, tuple(entries), more=more)
        others = len(view.keys) > len(view.mine)  # how many there are is not known yet
        return view._replace(keys=view.mine, more=more or others)

    def read(self, store: MemoryFiles) -> MemoriesView | None:
        """All memories, with the projects of new ones read; None if nothing has changed since."""
        memories = store.listing()
        if memories is self._memories:
            return None
        self._memories = memories

        def project_of(entry: Entry) -> str:
            head = store.head(entry.path)
            return "" if head.problem else head.meta.project  # broken ones are shown everywhere

        self._learn(memories, store.changed, project_of)
        return self._view(memories, tuple(memories))

    def _learn(
        self, entries: Mapping[str, Entry], names: Iterable[str], read: Callable[[Entry], str]
    ) -> None:
        """Learn which memories are the project's, where that is unknown or outdated."""
        known = self._known
        new = [entry for name in names if (entry := entries.get(name)) and entry != known.get(name)]
        files = [each for each in new if not listing.is_stored(each)]
        for entry, stored in listing.stored_as(files, self._root):
            self._note(entry, "")
            self._stored_as[entry.name] = stored
        oldest_first = sorted(filter(listing.is_stored, new), key=lambda entry: entry.name)
        # Front matter has some 300 bytes.
        for entry, data in listing.heads_of(oldest_first, self._home.memories, 1024):
            project = None if data is None else listing.quick_project(data)
            self._note(entry, read(entry) if project is None else project)

    def _note(self, entry: Entry, project: str) -> None:
        self._known[entry.name] = entry
        (self._mine.add if self._concerns(project) else self._mine.discard)(entry.name)

    def _view(
        self, entries: Mapping[str, Entry], names: Sequence[str], *, more: bool = False
    ) -> MemoriesView:
        """The view of these memories; the one stored by a review also represents its memory file."""
        doubled = {
            name: stored for name, stored in self._stored_as.items() if name in entries and stored in entries
        }
        if doubled:
            names = [name for name in names if name not in doubled]
        mine = [name for name in names if name in self._mine]
        return MemoriesView(entries, names, mine, doubled, more=more)


def first_views(places: Places) -> Iterator[View]:
    """A view of each; the first comparison publishes the whole ones."""
    captures, number = listing.newest_captures(places.project)
    rows = {entry.name: CaptureRow(entry, text) for entry, text in captures}
    yield CapturesView.of(rows, unread=number - len(rows))
    yield MemoryRows(places.project, places.home).newest()
