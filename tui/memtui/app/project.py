"""A project's files, listed and compared in the background: the model of the four panes."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.app import listings
from memtui.app.listings import ClaudeView, StateView, Target, View
from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import FileProblem, reading
from memtui.ground.project import Places, config_path, git_branch, is_project
from memtui.transcript import ReadingCancelledError

if TYPE_CHECKING:
    from memtui.app.changes import Changes
    from memtui.app.listings import CaptureRows, MemoryRows
    from memtui.app.readings import Health, Indexer, Readings, Sessions
    from memtui.app.sharing import Exchange
    from memtui.lost.pins import Pins
    from memtui.lost.records import Row
    from memtui.store.captures import CaptureStore
    from memtui.store.claude_memory import ClaudeMemories
    from memtui.store.commands_file import CommandsFile
    from memtui.store.memories import MemoryFiles, MemoryStore
    from memtui.store.search import Searcher
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore

_MANY = 200  # memories from which indexing is left to a process; fewer are indexed in a moment


def _lazy(name: str, *arguments: str) -> cached_property[Any]:
    """An object whose class is imported on first use; its arguments are attributes of the model."""
    module, _, kind = name.rpartition(".")

    def make(model: ProjectModel) -> Any:
        made = getattr(import_module(f"memtui.{module}"), kind)
        return made(*(attrgetter(each)(model) for each in arguments))

    return cached_property(make)


class ProjectModel:
    """The stores of one project, and the last listing of each.

    `compare` is called by one background thread; everything else is thread-safe.

    Stores are imported on first use, as the first paint does not need them: with the models of the formats
    (pydantic) they cost as much as all of Textual.
    """

    indexer: cached_property[Indexer] = _lazy("app.readings.Indexer", "places")
    changes: cached_property[Changes] = _lazy("app.changes.Changes", "project.root")
    captures: cached_property[CaptureStore] = _lazy("store.captures.CaptureStore", "project")
    commands: cached_property[CommandsFile] = _lazy("store.commands_file.CommandsFile", "project")
    memories: cached_property[MemoryFiles] = _lazy("store.memories.MemoryFiles", "project", "home")
    """The project's memory files, and all stored memories."""
    backend: cached_property[MemoryStore] = _lazy("store.memories.MemoryStore", "home", "clock")
    claude_memories: cached_property[ClaudeMemories] = _lazy(
        "store.claude_memory.ClaudeMemories", "places", "clock"
    )
    """The memories that Claude keeps for itself."""
    capture_rows: cached_property[CaptureRows] = _lazy("app.listings.CaptureRows", "captures")
    memory_rows: cached_property[MemoryRows] = _lazy("app.listings.MemoryRows", "project", "home")
    health: cached_property[Health] = _lazy("app.readings.Health", "places", "transcripts")
    transcripts: cached_property[TranscriptStore] = _lazy(
        "store.transcripts.TranscriptStore", "project", "places.claude"
    )
    searcher: cached_property[Searcher] = _lazy("store.search.Searcher", "places")
    states: cached_property[StateStore] = _lazy("store.states.StateStore", "project", "home")
    sessions: cached_property[Sessions] = _lazy(
        "app.readings.Sessions", "states", "transcripts", "home", "clock"
    )
    exchange: cached_property[Exchange] = _lazy("app.sharing.Exchange", "home", "clock", "_stopped")
    pins: cached_property[Pins] = _lazy("lost.pins.Pins", "project", "home")
    readings: cached_property[Readings] = _lazy("app.readings.Readings", "places")

    def __init__(self, places: Places, clock: Clock, *, lively: bool = False) -> None:
        """Make the model; `lively`: write versions of states at little growth, as the demo is short."""
        self.places, self.project, self.home = places, places.project, places.home
        self.lively = lively
        self.clock = clock
        self.syncs = False
        self._stopped = threading.Event()
        # What comparing needs, in its one thread:
        self._last: dict[type[View], View] = {}
        self._drafted: tuple[StateView, int] | None = None
        """What was last drafted, with the size of its transcript."""
        self._indexes = self._tidied = False
        self.ticked: dict[tuple[Path, datetime | None], dict[str, Row]] = {}
        """The lines ticked in this run, by the compaction that lost them."""

    def lacks_hooks(self) -> bool:
        """Whether the hooks that deliver pins and hand-overs are not installed."""
        from memtui.plugin.installing import has_all_hooks

        return not has_all_hooks(self.places)

    def is_project(self) -> bool:
        """Whether the folder is one project: neither the home folder nor one that holds several."""
        with suppress(FileProblem):  # the comparison reports the reason
            return is_project(self.project.root) and not self.transcripts.projects_below()
        return True

    def claude_view(self) -> ClaudeView:
        """The memories that Claude keeps for itself, unchecked."""
        memories = self.claude_memories
        try:
            return ClaudeView(memories.entries(), folder=memories.folder)
        except FileProblem as problem:
            return ClaudeView(problem=str(problem), folder=memories.folder)

    def is_own(self, transcript: Path) -> bool:
        """Whether a transcript belongs to a session of the project, archived or not, or to its subagents."""
        from memtui.store.archive import Archive

        own = self.transcripts.folders()
        if any(transcript.is_relative_to(folder) for folder in own):
            return True
        names = {folder.name for folder in (*own, self.transcripts.folder())}
        parts = {transcript.stem, *transcript.parts}
        kept = Archive(self.home).entries()
        return any(each.folder in names and each.session_id in parts for each in kept)

    def stop(self) -> None:
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
        transcripts = [self.transcripts.folder()]
        with suppress(FileProblem):  # the comparison reports the reason
            transcripts = self.transcripts.folders() or transcripts
        return [
            Target("compacts", self.project.compacts),
            Target("commands", self.project.session_state_json.parent),
            Target("memories", self.home.memories, recursive=True),
            Target("claude", self.claude_memories.folder),
            Target("states", self.home.states, recursive=True),
            Target("pins", self.project.pins.parent),
            Target("userpins", self.home.pins.parent),
            Target("branch", self.project.root / ".git"),
            Target("config", self.home.config),
            Target("handover", self.home.handover, recursive=True),
            *(Target(f"transcripts {number}", folder) for number, folder in enumerate(transcripts)),
        ]

    def check_transcript(self, path: str) -> Path:
        """The transcript for a path from a file, or its copy from the archive; a FileProblem says why not."""
        from memtui.store.sessions import captured_transcript

        return captured_transcript(self.places, path)

    def compare(self, names: Iterable[str], publish: Callable[[View], None]) -> None:
        """List these targets again and publish what has changed.

        A FileProblem of a folder that cannot be listed is raised once the other targets are compared.
        """
        problems: list[Exception] = []
        wanted = {name.partition(" ")[0] for name in names}  # several folders of transcripts are numbered
        for triggers, read in self._listings():
            if self.stopped or wanted.isdisjoint(triggers.split()):
                continue
            try:
                for view in read():
                    if view is not None and self._last.get(type(view)) != view:
                        self._last[type(view)] = view
                        publish(view)
            except Exception as problem:  # raised below, after the other targets are shown
                problems.append(problem)
        if problems:
            raise problems[0]
        if not self._tidied:
            self._tidied = True
            with suppress(FileProblem):
                self.backend.tidy()

    def _listings(self) -> Sequence[tuple[str, Callable[[], Iterable[View | None]]]]:
        # Small ones first: they are on the screen before a long list is read.
        return (
            ("branch", self._branch),
            ("config", self._config),
            ("commands", self._commands),
            ("pins userpins", self._pins),
            ("handover", self._waits),
            ("compacts memories", self._memories),
            ("compacts", lambda: (self.capture_rows.read(),)),
            ("compacts transcripts branch", self._health),
            ("states transcripts", self._state),
            ("claude", self._claude),
        )

    def _branch(self) -> Iterator[View]:
        root = self.project.root
        yield listings.BranchView(git_branch(root))
        with reading(root):  # a missing project lists as empty, which would look like an up-to-date screen
            if not stat.S_ISDIR(root.stat().st_mode):
                raise FileProblem(root, "is not a folder")

    def _config(self) -> Iterator[View]:
        view = listings.ConfigView()
        with suppress(OSError):
            status = config_path(self.home).stat()
            view = listings.ConfigView((status.st_ino, status.st_size, status.st_mtime_ns))
        self._last.setdefault(listings.ConfigView, view)  # the app has just read it
        yield view

    def _commands(self) -> Iterator[View]:
        try:
            found = self.commands.read()
        except FileProblem as problem:
            yield listings.CommandsView(problem=str(problem))
            return
        lacking: dict[str, str] = {}
        notes: dict[str, str] = {}
        if found.commands:
            from memtui.hooks.in_force import command_statuses
            from memtui.store.commands_file import NoCommandFile

            for each in command_statuses(self.commands, found.commands):
                name, no_file = each.entry.name, isinstance(each.problem, NoCommandFile)
                if each.problem:
                    lacking[name] = "no file" if no_file else "no summary"
                elif each.shortage:
                    lacking[name], notes[name] = "shortened", each.shortage
        yield listings.CommandsView(found.commands, found.broken, lacking=lacking, notes=notes)

    def _pins(self) -> Iterator[View]:
        from memtui.lost.pin_fates import pin_rows

        try:
            transcripts = {each.session_id: each.path for each in self.transcripts.entries()}
            yield listings.PinsView(tuple(pin_rows(self.places, transcripts)))
        except FileProblem as problem:
            yield listings.PinsView(problem=str(problem))

    def _waits(self) -> Iterator[View]:
        from memtui.plugin.receipts import waiting_here

        yield listings.WaitsView(waiting_here(self.places))

    def _health(self) -> Iterator[View | None]:
        yield self.health.check(self.capture_rows.rows)
        if not self._indexes:
            self._indexes = True
            self.indexer.start_for_transcripts()

    def _claude(self) -> Iterator[View]:
        view = self.claude_view()
        yield view._replace(troubles=tuple(self.claude_memories.troubles(view.memories)))

    def _memories(self) -> Iterator[View]:
        if view := self.memory_rows.read(self.memories):
            yield view
            if len(view.keys) >= _MANY:
                self.indexer.start()

    def show_session(self, session_id: str) -> None:
        """Show the state of this session from now on; "" follows the newest one."""
        self.sessions.choose(session_id)
        # Published even if it is the same one: the pane shows a waiting text meanwhile.
        self._last.pop(StateView, None)
        self._drafted = None

    def _state(self) -> Iterator[View]:
        view = self.sessions.current_view()
        if view.reading:
            yield from self._draft(view)
        else:
            self._drafted = None
            yield view

    def _draft(self, view: StateView) -> Iterator[View]:
        """A state drafted from its transcript; that of another session first without its contents."""
        from memtui.documents.compactor import draft_session_state
        from memtui.documents.session_state import render_session_state

        transcript, last = view.transcript, self._last.get(StateView)
        assert transcript is not None
        try:
            wanted = (view, transcript.stat().st_size)
            if wanted == self._drafted:
                return
            if not isinstance(last, StateView) or last.session_id != view.session_id:
                yield view
            left = lambda: self.stopped or self.sessions.chosen != view.chosen  # noqa: E731
            facts = self.readings.facts(transcript, None, left)
        except OSError as error:
            yield view._replace(reading=False, problem=f"{transcript} cannot be read: {error.strerror}")
        except ReadingCancelledError:
            return
        else:
            state = draft_session_state(facts, self.project)
            text = render_session_state(state)
            self._drafted = wanted
            yield view._replace(reading=False, state=state, text=text, written=parse_iso(facts.ended))
