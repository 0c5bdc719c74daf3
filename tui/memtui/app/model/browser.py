"""A project's files, listed and compared in the background: the model of the four panes."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.model.capture_rows import CaptureRows
from memtui.app.model.indexing import MANY, Indexer
from memtui.app.model.targets import Target
from memtui.app.model.views import (
    BranchView,
    CaptureRow,
    CapturesView,
    CommandsView,
    DraftWanted,
    StateView,
    View,
)
from memtui.clock import Clock, parse_iso
from memtui.files import FileNotRegular, FileProblem
from memtui.files.problems import reading
from memtui.project import Places, git_branch
from memtui.setup.claude_files import Scope

if TYPE_CHECKING:
    from memtui.aftermath.pins import Pins
    from memtui.app.model.aftermaths import Aftermaths
    from memtui.app.model.courses import Courses
    from memtui.app.model.facts import FactsReader
    from memtui.app.model.health import Health
    from memtui.app.model.memory_rows import MemoryRows
    from memtui.app.model.sessions import Sessions
    from memtui.app.model.watch import Watch
    from memtui.flows.backfilling import Missing
    from memtui.setup.install import Plan
    from memtui.store.active_commands import ActiveCommandStore
    from memtui.store.base import MemoryBackend
    from memtui.store.captures import CaptureStore
    from memtui.store.changes import Changes
    from memtui.store.history import History
    from memtui.store.index.sessions import SessionIndex
    from memtui.store.memories import MemoryStore
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore

_UNREAD = "unread"
"""The start of every comparison: captures known only by name."""
_READ = "read"
"""All captures have been read just now."""

Publish = Callable[[View], None]


class Browser:
    """The stores of one project, and the last listing of each.

    `compare` is called by one background thread; everything else may be called by any.

    What reads files is imported when it is first used, because the first paint does without it: with the
    models of the formats (pydantic) it costs as much as all of Textual.
    """

    def __init__(self, places: Places, clock: Clock, *, lively: bool = False) -> None:
        """Make the model.

        Args:
            places: where things are.
            clock: tells the time.
            lively: write versions of session states at every little growth: the demo lasts a minute.
        """
        self.places = places
        self.lively = lively
        self.project = places.project
        self.clock = clock
        self._home = places.home
        self._claude = places.claude
        self.indexer = Indexer(places.home, places.claude)
        self._last: dict[type[View], View] = {}
        self._draft_wanted: DraftWanted | None = None
        self._indexes = False
        self._wanted: dict[str, set[str]] = {}
        self._stopped = threading.Event()

    @cached_property
    def changes(self) -> Changes:
        """Records what the app changes."""
        from memtui.store.changes import APP, Changes

        return Changes(self._home, self.clock, APP, self.project.root)

    def way_back(self, hint: str) -> str:
        """The hint at how the last change is taken back; where it is not on record, why it cannot be."""
        problem = self.changes.problem
        return f"u cannot take it back: {problem}." if problem else hint

    @cached_property
    def history(self) -> History:
        """Takes changes back."""
        from memtui.store.history import History

        return History(self._home, self.clock, self.changes)

    @cached_property
    def captures(self) -> CaptureStore:
        """The project's captures."""
        from memtui.store.captures import CaptureStore

        return CaptureStore(self.project, self.changes.wrote)

    @cached_property
    def commands(self) -> ActiveCommandStore:
        """The project's active commands."""
        from memtui.store.active_commands import ActiveCommandStore

        return ActiveCommandStore(self.project, self.changes.wrote)

    @cached_property
    def memories(self) -> MemoryStore:
        """The project's memory files, and all stored memories."""
        from memtui.store.memories import MemoryStore

        return MemoryStore(self.project, self._home)

    @cached_property
    def backend(self) -> MemoryBackend:
        """The store of memories: where they are changed."""
        from memtui.store.memory_files import FilesBackend

        return FilesBackend(self._home, self.clock, self.changes.wrote)

    @cached_property
    def _captures(self) -> CaptureRows:
        return CaptureRows(self.captures)

    @cached_property
    def _memories(self) -> MemoryRows:
        from memtui.app.model.memory_rows import MemoryRows
        from memtui.store.memory_listing import MemoryListing

        return MemoryRows(MemoryListing(self.memories), self.memories, self._home)

    @cached_property
    def health(self) -> Health:
        """Whether captures arrive."""
        from memtui.app.model.health import Health

        return Health(self.places, self.transcripts)

    @cached_property
    def transcripts(self) -> TranscriptStore:
        """Claude Code's transcripts of the project."""
        from memtui.store.transcripts import TranscriptStore

        return TranscriptStore(self.project, self._claude)

    @cached_property
    def session_index(self) -> SessionIndex:
        """The index of all sessions."""
        from memtui.store.index.sessions import SessionIndex

        return SessionIndex(self._home, self._claude)

    @cached_property
    def states(self) -> StateStore:
        """The stored session states."""
        from memtui.store.states import StateStore

        return StateStore(self.project, self._home)

    @cached_property
    def sessions(self) -> Sessions:
        """The project's sessions, and which of them is shown."""
        from memtui.app.model.sessions import Sessions

        return Sessions(self.states, self.transcripts, self._home, self.clock)

    @cached_property
    def courses(self) -> Courses:
        """The context sizes of sessions over time."""
        from memtui.app.model.courses import Courses

        return Courses()

    @cached_property
    def watch(self) -> Watch:
        """Looks at the context of a session."""
        from memtui.app.model.watch import Watch

        return Watch(self.courses)

    @cached_property
    def pins(self) -> Pins:
        """The lines that no compaction may lose."""
        from memtui.aftermath.pins import Pins

        return Pins(self.project, self._home, self.changes.wrote)

    @cached_property
    def facts(self) -> FactsReader:
        """Reads the facts of transcripts."""
        from memtui.app.model.facts import FactsReader

        return FactsReader()

    @cached_property
    def aftermaths(self) -> Aftermaths:
        """The aftermaths of compactions."""
        from memtui.app.model.aftermaths import Aftermaths

        return Aftermaths(self.places, self.facts)

    def stop(self) -> None:
        """Let whatever is being read end soon."""
        self._stopped.set()
        self.indexer.stop()

    @property
    def stopped(self) -> bool:
        """Whether what is still being read will be thrown away."""
        return self._stopped.is_set()

    def targets(self) -> list[Target]:
        """The folders whose changes are shown."""
        try:
            transcripts = self.transcripts.folders()
        except FileProblem:  # comparing says why
            transcripts = []
        transcripts = transcripts or [self.transcripts.folder()]
        return [
            Target("compacts", self.project.compacts),
            Target("commands", self.project.session_state_json.parent),
            Target("memories", self._home.memories, recursive=True),
            Target("states", self._home.states, recursive=True),
            Target("branch", self.project.root / ".git"),
            *(Target(f"transcripts {number}", folder) for number, folder in enumerate(transcripts)),
        ]

    def glance(self) -> Iterator[View]:
        """The newest captures and memories, read at once: what the first paint shows."""
        from memtui.app.model.memory_rows import Shown
        from memtui.formats.stored_label import Label
        from memtui.store.memory_labels import quick_labels
        from memtui.store.newest import newest_captures, newest_memories

        captures, number = newest_captures(self.project)
        rows = {entry.name: CaptureRow(entry, glance=text) for entry, text in captures}
        yield CapturesView.of(rows, unread=number - len(rows))
        memories, more = newest_memories(self.project, self._home)
        entries = {entry.name: entry for entry in memories}
        shown = Shown(self.project)
        for entry, label in quick_labels(shown.unknown(entries, entries), self._home):
            shown.learn(entry, label or Label())  # what takes longer to read is shown until then
        yield shown.view(entries, tuple(entries), more=more, mine_alone=True)

    @property
    def unfinished(self) -> bool:
        """Whether comparing again, even without names, would go on with something."""
        return self._captures.unread > 0 or self._memories.unread > 0

    def compare(self, names: Iterable[str], publish: Publish) -> None:
        """List these targets again and publish what has changed.

        Args:
            names: names of targets, each alone or followed by what is known to have changed in it; none goes
                on with what is unfinished.
            publish: takes the views that have changed.

        Raises:
            FileProblem: a folder cannot be listed. The other targets are compared all the same.
        """
        problems: list[Exception] = []
        self._wanted = {_UNREAD: set()}
        for name in names:
            target, _, part = name.partition(" ")
            self._wanted.setdefault(target, set()).add(part)
        for triggers, step in self._steps():
            if self._stopped.is_set() or not self._wanted.keys() & triggers:
                continue
            try:
                step(publish)
            except Exception as problem:  # raised below: first the other targets are shown
                problems.append(problem)
        if problems:
            raise problems[0]

    def _steps(self) -> Sequence[tuple[frozenset[str], Callable[[Publish], None]]]:
        # Small ones first: they are on the screen before a long list is read.
        return (
            (frozenset({"branch"}), self._check_root),
            (frozenset({"branch"}), self._compare_branch),
            (frozenset({"commands"}), self._compare_commands),
            (frozenset({"states", "transcripts"}), self._compare_state),
            (frozenset({"compacts", "memories", _UNREAD}), self._compare_memories),
            (frozenset({"compacts", _UNREAD}), self._compare_captures),
            (frozenset({"compacts", "transcripts", "branch", _READ}), self._compare_health),
        )

    def _publish_new(self, view: View, publish: Publish) -> None:
        if self._last.get(type(view)) != view:
            self._last[type(view)] = view
            publish(view)

    def _check_root(self, publish: Publish) -> None:
        # Everything below a missing folder lists as empty, which would pass for an up-to-date screen.
        root = self.project.root
        with reading(root):
            if not stat.S_ISDIR(root.stat().st_mode):
                raise FileNotRegular(root, "is not a folder")

    def _compare_branch(self, publish: Publish) -> None:
        self._publish_new(BranchView(git_branch(self.project.root)), publish)

    def _compare_commands(self, publish: Publish) -> None:
        try:
            found = self.commands.read()
        except FileProblem as problem:
            self._publish_new(CommandsView(problem=str(problem)), publish)
        else:
            lacking = {name: lack for each in found.commands if (lack := self._lack(name := each.name))}
            self._publish_new(CommandsView(found.commands, found.broken, lacking=lacking), publish)

    def _lack(self, command: str) -> str:
        from memtui.store.commands_file import NoCommandFile

        try:
            self.commands.summary(command)
        except NoCommandFile:
            return "no file"
        except FileProblem:
            return "no summary"
        return ""

    def _compare_health(self, publish: Publish) -> None:
        if not self._captures.unread and not self._indexes:
            self._indexes = True
            self.indexer.start_for_transcripts()
        # A capture that is not read yet would count as missing.
        if not self._captures.unread and (view := self.health.look(self._captures.rows)):
            self._publish_new(view, publish)

    def _compare_memories(self, publish: Publish) -> None:
        listed = False
        if self._wanted.keys() & {"compacts", "memories"}:
            parts = self._wanted.get("memories", set())
            listed = self._memories.list(parts, sweep="" in parts)
        if self._memories.read(self._stopped.is_set) or listed:
            view = self._memories.view()
            publish(view)
            if not view.more and len(view.keys) >= MANY:
                self.indexer.start()

    def _compare_captures(self, publish: Publish) -> None:
        listed = "compacts" in self._wanted and self._captures.list()
        read = self._captures.read(self._stopped.is_set)
        if listed or read:
            publish(self._captures.view())
        if read and not self._captures.unread:
            self._wanted[_READ] = set()

    def show_session(self, session_id: str) -> None:
        """Show the state of this session from now on; of the newest one, whichever it is, for ""."""
        self.sessions.choose(session_id)
        # Published even if it was the last one: meanwhile the pane shows that it waits.
        self._last.pop(StateView, None)
        self._draft_wanted = None

    def _compare_state(self, publish: Publish) -> None:
        view = self.sessions.look()
        if isinstance(view, StateView):
            self._draft_wanted = None
            self._publish_new(view, publish)
        elif view != self._draft_wanted:
            self._draft_wanted = view
            self._last.pop(StateView, None)  # a draft takes its place on the screen
            publish(view)

    def draft_state(self, wanted: DraftWanted, cancelled: Callable[[], bool] = lambda: False) -> StateView:
        """Draft a session state from a transcript; takes as long as reading it.

        Raises:
            ReadingCancelledError: the browser was stopped meanwhile, or `cancelled` answered True.
        """
        from memtui.documents.state_draft import draft_session_state
        from memtui.formats.session_state import render_session_state

        known = wanted.meanwhile._replace(reading=False)
        try:
            facts = self.facts.read(
                wanted.transcript, None, lambda share: None, lambda: self.stopped or cancelled()
            )
        except OSError as error:
            return known._replace(problem=f"{wanted.transcript} cannot be read: {error.strerror}")
        state = draft_session_state(facts, self.project)
        text = render_session_state(state)
        return known._replace(state=state, text=text, written=parse_iso(facts.ended))

    def plan_install(self) -> Plan:
        """The changes for installing the hooks for this project.

        Raises:
            FileProblem: the settings cannot be edited as they are.
        """
        from memtui.setup.install import plan_init

        return plan_init(self.places, Scope.PROJECT)

    def about_archive(self) -> str:
        """Where sessions are kept and how much room they take, or why none are; how to change that."""
        from memtui.setup.archiving import about_archive

        try:
            about = about_archive(self.places, self.clock)
        except FileProblem as problem:
            return f"No sessions are kept: {problem}."
        return f"{about} [archive] keep in config.toml changes that."

    def install(self, plan: Plan) -> None:
        """Install the hooks as planned.

        Raises:
            FileProblem: a file has changed since, or cannot be written.
        """
        from memtui.setup.install import apply

        with self.changes.together(plan.what):
            apply(plan, self.places, self.clock, self.changes.wrote)

    def missing(self) -> list[Missing]:
        """The auto-compactions that have no capture, those in archived transcripts included.

        Raises:
            FileProblem: captures or transcripts cannot be listed.
        """
        from memtui.flows.backfilling import find_missing

        return find_missing(self.places, self.clock)

    def backfill(self, missing: Iterable[Missing]) -> int:
        """Capture compactions after the fact; returns how many captures were written.

        Raises:
            FileProblem: a capture cannot be written.
        """
        from memtui.store.backfill import write_missing

        with self.changes.together() as together:
            written = [
                write_missing(self.project, each.compaction, each.message, self.changes.wrote)
                for each in missing
            ]
            number = sum(path is not None for path in written)
            together.what = f"backfilled {number} capture{'' if number == 1 else 's'}"
        return number

    def check_transcript(self, path: str) -> Path:
        """The transcript whose path was read from a file, be it a copy from the archive.

        Raises:
            FileProblem: it is not opened; `reason` says why.
        """
        from memtui.flows.sessions import captured_transcript

        return captured_transcript(self.places, path)
