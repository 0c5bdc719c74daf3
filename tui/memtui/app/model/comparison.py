"""Comparing a project's files with their last listing, and publishing changed views."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from memtui.app.model.indexing import MANY, Indexer
from memtui.app.model.views import (
    BranchView,
    CommandsView,
    DraftWanted,
    PinsView,
    StateView,
    View,
)
from memtui.ground.files import FileNotRegular, FileProblem
from memtui.ground.files.problems import reading
from memtui.ground.project import Places, Project, git_branch

if TYPE_CHECKING:
    from memtui.app.model.capture_rows import CaptureRows
    from memtui.app.model.health import Health
    from memtui.app.model.memory_rows import MemoryRows
    from memtui.app.model.sessions import Sessions
    from memtui.formats.active_commands import ActiveCommand
    from memtui.store.commands_file import CommandsFile
    from memtui.store.transcripts import TranscriptStore

_UNREAD = "unread"
"""Start of a comparison with captures known only by name."""
_READ = "read"
"""All captures have just been read."""

Publish = Callable[[View], None]


class Compared(Protocol):
    """The stores of a project; `Browser` implements it, with each made on first use."""

    places: Places
    project: Project
    indexer: Indexer

    @property
    def stopped(self) -> bool:
        """Whether to end soon."""

    @property
    def capture_rows(self) -> CaptureRows:
        """The rows of captures."""

    @property
    def memory_rows(self) -> MemoryRows:
        """The rows of memories."""

    @property
    def commands(self) -> CommandsFile:
        """The active commands."""

    @property
    def health(self) -> Health:
        """Checks whether captures arrive."""

    @property
    def transcripts(self) -> TranscriptStore:
        """Claude Code's transcripts of the project."""

    @property
    def sessions(self) -> Sessions:
        """The sessions, and the current one."""


class Comparison:
    """The last view of each kind; used by one thread, except for `show_session`."""

    def __init__(self, of: Compared) -> None:
        self._of = of
        self._last: dict[type[View], View] = {}
        self._draft_wanted: DraftWanted | None = None
        self._indexes = False
        self._wanted: dict[str, set[str]] = {}

    @property
    def has_more_work(self) -> bool:
        """Whether another comparison, even without names, would continue unfinished work."""
        return self._of.capture_rows.unread > 0 or self._of.memory_rows.unread > 0

    def compare(self, names: Iterable[str], publish: Publish) -> None:
        """List these targets again and publish what has changed.

        Args: names: names of targets, each perhaps followed by the part that has changed; empty continues
        unfinished work. publish: receives the changed views.

        Raises:
            FileProblem: a folder cannot be listed. The other targets are still compared.
        """
        problems: list[Exception] = []
        self._wanted = {_UNREAD: set()}
        for name in names:
            target, _, part = name.partition(" ")
            self._wanted.setdefault(target, set()).add(part)
        for triggers, step in self._steps():
            if self._of.stopped or not self._wanted.keys() & triggers:
                continue
            try:
                step(publish)
            except Exception as problem:  # raised below, after the other targets are shown
                problems.append(problem)
        if problems:
            raise problems[0]

    def _steps(self) -> Sequence[tuple[frozenset[str], Callable[[Publish], None]]]:
        # Small ones first: they are on the screen before a long list is read.
        return (
            (frozenset({"branch"}), self._check_root),
            (frozenset({"branch"}), self._compare_branch),
            (frozenset({"commands"}), self._compare_commands),
            (frozenset({"pins", "userpins"}), self._compare_pins),
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
        # A missing project lists as empty, which would look like an up-to-date screen.
        root = self._of.project.root
        with reading(root):
            if not stat.S_ISDIR(root.stat().st_mode):
                raise FileNotRegular(root, "is not a folder")

    def _compare_branch(self, publish: Publish) -> None:
        self._publish_new(BranchView(git_branch(self._of.project.root)), publish)

    def _compare_commands(self, publish: Publish) -> None:
        try:
            found = self._of.commands.read()
        except FileProblem as problem:
            self._publish_new(CommandsView(problem=str(problem)), publish)
        else:
            self._publish_new(self._commands_view(found.commands, found.broken), publish)

    def _compare_pins(self, publish: Publish) -> None:
        from memtui.lost.pin_fates import pin_rows

        try:
            transcripts = {each.session_id: each.path for each in self._of.transcripts.entries()}
            view = PinsView(tuple(pin_rows(self._of.places, transcripts)))
        except FileProblem as problem:
            view = PinsView(problem=str(problem))
        self._publish_new(view, publish)

    def _commands_view(self, commands: tuple[ActiveCommand, ...], broken: tuple[str, ...]) -> CommandsView:
        if not commands:
            return CommandsView(broken=broken)
        from memtui.hooks.active_commands import command_statuses
        from memtui.store.commands_file import NoCommandFile

        lacking: dict[str, str] = {}
        notes: dict[str, str] = {}
        for entry, _, problem, shortage in command_statuses(self._of.commands, commands):
            if problem:
                lacking[entry.name] = "no file" if isinstance(problem, NoCommandFile) else "no summary"
            elif shortage:
                lacking[entry.name], notes[entry.name] = shortage
        return CommandsView(commands, broken, lacking=lacking, notes=notes)

    def _compare_health(self, publish: Publish) -> None:
        if not self._of.capture_rows.unread and not self._indexes:
            self._indexes = True
            self._of.indexer.start_for_transcripts()
        # An unread capture would count as missing.
        if not self._of.capture_rows.unread and (view := self._of.health.check(self._of.capture_rows.rows)):
            self._publish_new(view, publish)

    def _compare_memories(self, publish: Publish) -> None:
        listed = False
        if self._wanted.keys() & {"compacts", "memories"}:
            parts = self._wanted.get("memories", set())
            listed = self._of.memory_rows.list(parts, sweep="" in parts)
        if self._of.memory_rows.read(lambda: self._of.stopped) or listed:
            view = self._of.memory_rows.view()
            publish(view)
            if not view.more and len(view.keys) >= MANY:
                self._of.indexer.start()

    def _compare_captures(self, publish: Publish) -> None:
        listed = "compacts" in self._wanted and self._of.capture_rows.list()
        read = self._of.capture_rows.read(lambda: self._of.stopped)
        if listed or read:
            publish(self._of.capture_rows.view())
        if read and not self._of.capture_rows.unread:
            self._wanted[_READ] = set()

    def show_session(self, session_id: str) -> None:
        """Show the state of this session from now on; "" follows the newest one."""
        self._of.sessions.choose(session_id)
        # Published even if it is the same one: the pane shows a waiting text meanwhile.
        self._last.pop(StateView, None)
        self._draft_wanted = None

    def _compare_state(self, publish: Publish) -> None:
        view = self._of.sessions.current_view()
        if isinstance(view, StateView):
            self._draft_wanted = None
            self._publish_new(view, publish)
        elif view != self._draft_wanted:
            self._draft_wanted = view
            self._last.pop(StateView, None)  # replaced by a draft on the screen
            publish(view)
