"""A project's files, listed and compared in the background: the model of the four panes."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.model.capture_rows import CaptureRows
from memtui.app.model.changes import Changes
from memtui.app.model.comparison import Comparison, Publish
from memtui.app.model.indexing import Indexer
from memtui.app.model.watched_folders import Target
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places

if TYPE_CHECKING:
    from memtui.app.model.aftermath_cache import Aftermaths
    from memtui.app.model.context_sizes import ContextHistories
    from memtui.app.model.facts import FactsReader
    from memtui.app.model.health import Health
    from memtui.app.model.memory_rows import MemoryRows
    from memtui.app.model.session_context import ContextWatch
    from memtui.app.model.sessions import Sessions
    from memtui.lost.pins import Pins
    from memtui.store.captures import CaptureStore
    from memtui.store.commands_file import CommandsFile
    from memtui.store.index.documents import DocumentIndex
    from memtui.store.index.sessions import SessionIndex
    from memtui.store.memories import MemoryStore
    from memtui.store.memory_heads import MemoryFiles
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore


class Browser:
    """The stores of one project, and the last listing of each.

    `compare` is called by one background thread; everything else is thread-safe.

    Stores are imported on first use, as the first paint does not need them: with the models of the formats
    (pydantic) they cost as much as all of Textual.
    """

    def __init__(self, places: Places, clock: Clock, *, lively: bool = False) -> None:
        """Make the model.

        Args:
            places: the project and the folders.
            clock: gives the current time.
            lively: write versions of session states at little growth, as the demo lasts a minute.
        """
        self.places = places
        self.lively = lively
        self.project = places.project
        self.clock = clock
        self._home = places.home
        self._claude = places.claude
        self.indexer = Indexer(places)
        self._stopped = threading.Event()
        self._tidied = False

    @cached_property
    def changes(self) -> Changes:
        """What was changed in this run, to undo it."""
        return Changes(self.project.root)

    def lacks_hooks(self) -> bool:
        """Whether the hooks that deliver pins and hand-overs are not installed."""
        from memtui.plugin.installing import has_all_hooks

        return not has_all_hooks(self.places)

    @cached_property
    def captures(self) -> CaptureStore:
        """The project's captures."""
        from memtui.store.captures import CaptureStore

        return CaptureStore(self.project)

    @cached_property
    def commands(self) -> CommandsFile:
        """The project's active commands."""
        from memtui.store.commands_file import CommandsFile

        return CommandsFile(self.project)

    @cached_property
    def memories(self) -> MemoryFiles:
        """The project's memory files, and all stored memories."""
        from memtui.store.memory_heads import MemoryFiles

        return MemoryFiles(self.project, self._home)

    @cached_property
    def backend(self) -> MemoryStore:
        """The store for changing memories."""
        from memtui.store.memories import MemoryStore

        return MemoryStore(self._home, self.clock)

    @cached_property
    def capture_rows(self) -> CaptureRows:
        """The rows of captures."""
        return CaptureRows(self.captures)

    @cached_property
    def memory_rows(self) -> MemoryRows:
        """The rows of memories."""
        from memtui.app.model.memory_rows import MemoryRows
        from memtui.store.memory_listing import MemoryListing

        return MemoryRows(MemoryListing(self.memories), self.memories, self._home)

    @cached_property
    def health(self) -> Health:
        """Checks whether captures arrive."""
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
    def document_index(self) -> DocumentIndex:
        """The index of captures, memory files, session states and pins."""
        from memtui.store.index.project_files import project_documents

        return project_documents(self._home, self.project.root)

    @cached_property
    def states(self) -> StateStore:
        """The stored session states."""
        from memtui.store.states import StateStore

        return StateStore(self.project, self._home)

    @cached_property
    def sessions(self) -> Sessions:
        """The project's sessions, and the current one."""
        from memtui.app.model.sessions import Sessions

        return Sessions(self.states, self.transcripts, self._home, self.clock)

    @cached_property
    def histories(self) -> ContextHistories:
        """The context sizes of sessions over time."""
        from memtui.app.model.context_sizes import ContextHistories

        return ContextHistories()

    @cached_property
    def watch(self) -> ContextWatch:
        """Checks the context of a session."""
        from memtui.app.model.session_context import ContextWatch

        return ContextWatch(self.histories, self.places)

    @cached_property
    def pins(self) -> Pins:
        """The pins."""
        from memtui.lost.pins import Pins

        return Pins(self.project, self._home)

    @cached_property
    def facts(self) -> FactsReader:
        """Reads the facts of transcripts."""
        from memtui.app.model.facts import FactsReader

        return FactsReader()

    @cached_property
    def aftermaths(self) -> Aftermaths:
        """The aftermaths of compactions."""
        from memtui.app.model.aftermath_cache import Aftermaths

        return Aftermaths(self.places, self.facts)

    def stop(self) -> None:
        """Cancel running readings."""
        self._stopped.set()
        self.indexer.stop()

    @property
    def stopped(self) -> bool:
        """Whether reading is cancelled, as its results are not needed any more."""
        return self._stopped.is_set()

    def targets(self) -> list[Target]:
        """The watched folders."""
        try:
            transcripts = self.transcripts.folders()
        except FileProblem:  # the comparison reports the reason
            transcripts = []
        transcripts = transcripts or [self.transcripts.folder()]
        return [
            Target("compacts", self.project.compacts),
            Target("commands", self.project.session_state_json.parent),
            Target("memories", self._home.memories, recursive=True),
            Target("states", self._home.states, recursive=True),
            Target("pins", self.project.pins.parent),
            Target("userpins", self._home.pins.parent),
            Target("branch", self.project.root / ".git"),
            *(Target(f"transcripts {number}", folder) for number, folder in enumerate(transcripts)),
        ]

    @cached_property
    def _comparison(self) -> Comparison:
        return Comparison(self)

    @property
    def has_more_work(self) -> bool:
        """Whether another comparison, even without names, would continue unfinished work."""
        return self._comparison.has_more_work

    def compare(self, names: Iterable[str], publish: Publish) -> None:
        """List these targets again and publish what has changed; see `Comparison.compare`."""
        self._comparison.compare(names, publish)
        if not self._tidied:
            self._tidied = True
            with suppress(FileProblem):
                self.backend.tidy()

    def show_session(self, session_id: str) -> None:
        """Show the state of this session from now on; "" follows the newest one."""
        self._comparison.show_session(session_id)

    def check_transcript(self, path: str) -> Path:
        """The transcript for a path that was read from a file, or its copy from the archive.

        Raises:
            FileProblem: it must not be opened; `reason` says why.
        """
        from memtui.store.sessions import captured_transcript

        return captured_transcript(self.places, path)
