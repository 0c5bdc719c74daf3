"""A project's files, listed and compared in the background: the model of the four panes."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.listings import (
    BranchView,
    CaptureRows,
    ClaudeView,
    CommandsView,
    ConfigView,
    MemoryRows,
    PinsView,
    StateView,
    Target,
    View,
    WaitsView,
)
from memtui.ground.clock import Clock, parse_iso
from memtui.ground.config import config_path
from memtui.ground.files import FileNotRegular, FileProblem, reading
from memtui.ground.project import Places, git_branch
from memtui.transcript import ReadingCancelledError

if TYPE_CHECKING:
    from memtui.app.changes import Changes
    from memtui.app.readings import Health, Indexer, Readings, Sessions
    from memtui.app.sharing import Exchange
    from memtui.documents.commands import ActiveCommand
    from memtui.lost.pins import Pins
    from memtui.lost.records import Row
    from memtui.store.captures import CaptureStore
    from memtui.store.claude_memory import ClaudeMemories
    from memtui.store.commands_file import CommandsFile
    from memtui.store.memories import MemoryFiles, MemoryStore
    from memtui.store.search import Searcher
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore

_MANY = 200
"""Number of memories from which indexing is left to a process; fewer are indexed in a moment."""

Publish = Callable[[View], None]


class ProjectModel:
    """The stores of one project, and the last listing of each.

    `compare` is called by one background thread; everything else is thread-safe.

    Stores are imported on first use, as the first paint does not need them: with the models of the formats
    (pydantic) they cost as much as all of Textual.
    """

    def __init__(self, places: Places, clock: Clock, *, lively: bool = False) -> None:
        """Make the model; `lively`: write versions of states at little growth, as the demo is short."""
        self.places = places
        self.lively = lively
        self.project = places.project
        self.clock = clock
        self._home = places.home
        self._claude = places.claude
        self.syncs = False
        """Whether memories are exchanged automatically."""
        self._stopped = threading.Event()
        # What comparing needs, in its one thread:
        self._last: dict[type[View], View] = {}
        self._drafted: tuple[StateView, int] | None = None
        """What was last drafted, with the size of its transcript."""
        self._indexes = self._tidied = False
        self.ticked: dict[tuple[Path, datetime | None], dict[str, Row]] = {}
        """The lines ticked in this run, by the compaction that lost them."""

    @cached_property
    def indexer(self) -> Indexer:
        from memtui.app.readings import Indexer

        return Indexer(self.places)

    @cached_property
    def changes(self) -> Changes:
        """What was changed in this run, to undo it."""
        from memtui.app.changes import Changes

        return Changes(self.project.root)

    def lacks_hooks(self) -> bool:
        """Whether the hooks that deliver pins and hand-overs are not installed."""
        from memtui.plugin.installing import has_all_hooks

        return not has_all_hooks(self.places)

    @cached_property
    def captures(self) -> CaptureStore:
        from memtui.store.captures import CaptureStore

        return CaptureStore(self.project)

    @cached_property
    def commands(self) -> CommandsFile:
        from memtui.store.commands_file import CommandsFile

        return CommandsFile(self.project)

    @cached_property
    def memories(self) -> MemoryFiles:
        """The project's memory files, and all stored memories."""
        from memtui.store.memories import MemoryFiles

        return MemoryFiles(self.project, self._home)

    @cached_property
    def backend(self) -> MemoryStore:
        """The store for changing memories."""
        from memtui.store.memories import MemoryStore

        return MemoryStore(self._home, self.clock)

    @cached_property
    def claude_memories(self) -> ClaudeMemories:
        """The memories that Claude keeps for itself."""
        from memtui.store.claude_memory import ClaudeMemories

        return ClaudeMemories(self.places, self.clock)

    def claude_view(self) -> ClaudeView:
        """The memories that Claude keeps for itself, unchecked."""
        memories = self.claude_memories
        try:
            return ClaudeView(memories.entries(), folder=memories.folder)
        except FileProblem as problem:
            return ClaudeView(problem=str(problem), folder=memories.folder)

    @cached_property
    def capture_rows(self) -> CaptureRows:
        return CaptureRows(self.captures)

    @cached_property
    def memory_rows(self) -> MemoryRows:
        return MemoryRows(self.project, self._home)

    @cached_property
    def health(self) -> Health:
        from memtui.app.readings import Health

        return Health(self.places, self.transcripts)

    @cached_property
    def transcripts(self) -> TranscriptStore:
        from memtui.store.transcripts import TranscriptStore

        return TranscriptStore(self.project, self._claude)

    @cached_property
    def searcher(self) -> Searcher:
        from memtui.store.search import Searcher

        return Searcher(self.places)

    @cached_property
    def states(self) -> StateStore:
        from memtui.store.states import StateStore

        return StateStore(self.project, self._home)

    @cached_property
    def sessions(self) -> Sessions:
        from memtui.app.readings import Sessions

        return Sessions(self.states, self.transcripts, self._home, self.clock)

    @cached_property
    def exchange(self) -> Exchange:
        from memtui.app.sharing import Exchange

        return Exchange(self._home, self.clock)

    @cached_property
    def pins(self) -> Pins:
        from memtui.lost.pins import Pins

        return Pins(self.project, self._home)

    @cached_property
    def readings(self) -> Readings:
        from memtui.app.readings import Readings

        return Readings(self.places)

    def is_own(self, transcript: Path) -> bool:
        """Whether a transcript belongs to a session of the project, archived or not, or to its subagents."""
        from memtui.store.archive import Archive

        own = self.transcripts.folders()
        if any(transcript.is_relative_to(folder) for folder in own):
            return True
        names = {folder.name for folder in (*own, self.transcripts.folder())}
        parts = {transcript.stem, *transcript.parts}
        kept = Archive(self._home).entries()
        return any(each.folder in names and each.session_id in parts for each in kept)

    def stop(self) -> None:
        """Cancel running readings."""
        self._stopped.set()
        self.indexer.stop()

    @property
    def stopped(self) -> bool:
        """Whether reading is cancelled, as its results are not needed any more."""
        return self._stopped.is_set()

    def stops_within(self, seconds: float) -> bool:
        """Wait so long; whether the model was stopped meanwhile."""
        return self._stopped.wait(seconds)

    def targets(self) -> list[Target]:
        try:
            transcripts = self.transcripts.folders()
        except FileProblem:  # the comparison reports the reason
            transcripts = []
        transcripts = transcripts or [self.transcripts.folder()]
        return [
            Target("compacts", self.project.compacts),
            Target("commands", self.project.session_state_json.parent),
            Target("memories", self._home.memories, recursive=True),
            Target("claude", self.claude_memories.folder),
            Target("states", self._home.states, recursive=True),
            Target("pins", self.project.pins.parent),
            Target("userpins", self._home.pins.parent),
            Target("branch", self.project.root / ".git"),
            Target("config", self._home.config),
            Target("handover", self._home.handover, recursive=True),
            *(Target(f"transcripts {number}", folder) for number, folder in enumerate(transcripts)),
        ]

    def check_transcript(self, path: str) -> Path:
        """The transcript for a path that was read from a file, or its copy from the archive.

        Raises:
            FileProblem: it must not be opened; `reason` says why.
        """
        from memtui.store.sessions import captured_transcript

        return captured_transcript(self.places, path)

    def compare(self, names: Iterable[str], publish: Publish) -> None:
        """List these targets again and publish what has changed.

        Raises:
            FileProblem: a folder cannot be listed. The other targets are still compared.
        """
        problems: list[Exception] = []
        wanted = {name.partition(" ")[0] for name in names}  # several folders of transcripts are numbered
        for triggers, step in self._steps():
            if self.stopped or triggers.isdisjoint(wanted):
                continue
            try:
                step(publish)
            except Exception as problem:  # raised below, after the other targets are shown
                problems.append(problem)
        if problems:
            raise problems[0]
        if not self._tidied:
            self._tidied = True
            with suppress(FileProblem):
                self.backend.tidy()

    def _steps(self) -> Sequence[tuple[frozenset[str], Callable[[Publish], None]]]:
        # Small ones first: they are on the screen before a long list is read.
        return (
            (frozenset({"branch"}), self._check_root),
            (frozenset({"branch"}), self._compare_branch),
            (frozenset({"config"}), self._compare_config),
            (frozenset({"commands"}), self._compare_commands),
            (frozenset({"pins", "userpins"}), self._compare_pins),
            (frozenset({"handover"}), self._compare_waits),
            (frozenset({"states", "transcripts"}), self._compare_state),
            (frozenset({"compacts", "memories"}), self._compare_memories),
            (frozenset({"compacts"}), self._compare_captures),
            (frozenset({"claude"}), self._compare_claude),
            (frozenset({"compacts", "transcripts", "branch"}), self._compare_health),
        )

    def _publish_new(self, view: View, publish: Publish) -> None:
        if self._last.get(type(view)) != view:
            self._last[type(view)] = view
            publish(view)

    def _check_root(self, publish: Publish) -> None:
        # A missing project lists as empty, which would look like an up-to-date screen.
        root = self.project.root
        with reading(root):
            if not stat.S_ISDIR(root.stat().st_mode):
                raise FileNotRegular(root, "is not a folder")

    def _compare_branch(self, publish: Publish) -> None:
        self._publish_new(BranchView(git_branch(self.project.root)), publish)

    def _compare_config(self, publish: Publish) -> None:
        path = config_path(self.places.home)
        try:
            status = path.stat()
            view = ConfigView((status.st_ino, status.st_size, status.st_mtime_ns))
        except OSError:
            view = ConfigView()
        if ConfigView not in self._last:  # the app has just read it
            self._last[ConfigView] = view
        self._publish_new(view, publish)

    def _compare_commands(self, publish: Publish) -> None:
        try:
            found = self.commands.read()
        except FileProblem as problem:
            self._publish_new(CommandsView(problem=str(problem)), publish)
        else:
            self._publish_new(self._commands_view(found.commands, found.broken), publish)

    def _compare_pins(self, publish: Publish) -> None:
        from memtui.lost.pin_fates import pin_rows

        try:
            transcripts = {each.session_id: each.path for each in self.transcripts.entries()}
            view = PinsView(tuple(pin_rows(self.places, transcripts)))
        except FileProblem as problem:
            view = PinsView(problem=str(problem))
        self._publish_new(view, publish)

    def _compare_waits(self, publish: Publish) -> None:
        from memtui.lost.outbox import waiting_by_session

        ours = {each.session_id for each in self.transcripts.entries()}  # messages wait for all projects
        waiting = waiting_by_session(self._home) if ours else {}
        self._publish_new(WaitsView({name: rows for name, rows in waiting.items() if name in ours}), publish)

    def _commands_view(self, commands: tuple[ActiveCommand, ...], broken: tuple[str, ...]) -> CommandsView:
        if not commands:
            return CommandsView(broken=broken)
        from memtui.hooks.in_force import command_statuses
        from memtui.store.commands_file import NoCommandFile

        lacking: dict[str, str] = {}
        notes: dict[str, str] = {}
        for entry, _, problem, shortage in command_statuses(self.commands, commands):
            if problem:
                lacking[entry.name] = "no file" if isinstance(problem, NoCommandFile) else "no summary"
            elif shortage:
                lacking[entry.name], notes[entry.name] = "shortened", shortage
        return CommandsView(commands, broken, lacking=lacking, notes=notes)

    def _compare_health(self, publish: Publish) -> None:
        if not self._indexes:
            self._indexes = True
            self.indexer.start_for_transcripts()
        if view := self.health.check(self.capture_rows.rows):
            self._publish_new(view, publish)

    def _compare_claude(self, publish: Publish) -> None:
        view = self.claude_view()
        troubles = tuple(self.claude_memories.troubles(view.memories))
        self._publish_new(view._replace(troubles=troubles), publish)

    def _compare_memories(self, publish: Publish) -> None:
        if view := self.memory_rows.read(self.memories):
            publish(view)
            if len(view.keys) >= _MANY:
                self.indexer.start()

    def _compare_captures(self, publish: Publish) -> None:
        if view := self.capture_rows.read():
            publish(view)

    def show_session(self, session_id: str) -> None:
        """Show the state of this session from now on; "" follows the newest one."""
        self.sessions.choose(session_id)
        # Published even if it is the same one: the pane shows a waiting text meanwhile.
        self._last.pop(StateView, None)
        self._drafted = None

    def _compare_state(self, publish: Publish) -> None:
        view = self.sessions.current_view()
        if view.reading:
            self._draft(view, publish)
        else:
            self._drafted = None
            self._publish_new(view, publish)

    def _draft(self, view: StateView, publish: Publish) -> None:
        """Publish a state drafted from its transcript; that of another session first without its contents."""
        from memtui.documents.compactor import draft_session_state
        from memtui.documents.session_state import render_session_state

        transcript, last = view.transcript, self._last.get(StateView)
        assert transcript is not None
        try:
            wanted = (view, transcript.stat().st_size)
            if wanted == self._drafted:
                return
            if not isinstance(last, StateView) or last.session_id != view.session_id:
                self._publish_new(view, publish)
            left = lambda: self.stopped or self.sessions.chosen != view.chosen  # noqa: E731
            facts = self.readings.facts(transcript, None, left)
        except OSError as error:
            problem = f"{transcript} cannot be read: {error.strerror}"
            self._publish_new(view._replace(reading=False, problem=problem), publish)
        except ReadingCancelledError:
            return
        else:
            state = draft_session_state(facts, self.project)
            text = render_session_state(state)
            drafted = view._replace(reading=False, state=state, text=text, written=parse_iso(facts.ended))
            self._drafted = wanted
            self._publish_new(drafted, publish)
