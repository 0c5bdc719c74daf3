"""The contents of the panes as immutable values: made in the background, applied on the screen.

Named tuples: the first paint waits until all of these classes are made, and data classes take longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.named import NamedTuple

if TYPE_CHECKING:
    from memtui.aftermath.lights import Light
    from memtui.files import Signature
    from memtui.flows.pins import PinRow
    from memtui.formats.active_commands import ActiveCommand
    from memtui.formats.capture import Capture
    from memtui.formats.capture_text import PendingText
    from memtui.formats.session_state import SessionState
    from memtui.hooks.log import Run
    from memtui.store.backfill import Compaction
    from memtui.store.listing import Entry


_NONE: Mapping[Any, Any] = {}


class CaptureRow(NamedTuple):
    """One capture file: parsed, not yet read (neither capture nor problem), or broken with the reason."""

    entry: Entry
    capture: Capture | None = None
    problem: str = ""
    glance: PendingText | None = None
    """A substitute for `capture` until it is parsed."""

    @property
    def shown(self) -> Capture | PendingText | None:
        """The capture, or its substitute."""
        return self.capture or self.glance

    @property
    def pending(self) -> bool:
        """Whether it is pending; a broken one is listed, too, until it is fixed."""
        return self.capture is None or self.capture.status == "pending"


class CapturesView(NamedTuple):
    """The captures by file name, newest first; `unread` of them are known by name only."""

    rows: Mapping[str, CaptureRow] = _NONE
    pending: tuple[str, ...] = ()
    broken: int = 0
    unread: int = 0
    alike: frozenset[str] = frozenset()
    """The first messages that several captures have: their rows differ by time and size alone."""

    @classmethod
    def of(cls, rows: Mapping[str, CaptureRow], *, unread: int) -> CapturesView:
        """The view of these rows. What takes long with many of them is done here, in the background."""
        pending = tuple(name for name, row in rows.items() if row.pending)
        broken = sum(1 for row in rows.values() if row.problem)
        messages = Counter(row.shown.first_message for row in rows.values() if row.shown)
        alike = frozenset(message for message, number in messages.items() if number > 1)
        return cls(rows, pending, broken, unread, alike)

    def keys(self, *, reviewed_too: bool) -> tuple[str, ...]:
        """The names to list."""
        return tuple(self.rows) if reviewed_too else self.pending


class MemoriesView(NamedTuple):
    """Memory files and stored memories by key, and their keys: pinned ones, then the newest first."""

    entries: Mapping[str, Entry] = _NONE
    keys: Sequence[str] = ()
    mine: Sequence[str] = ()
    """Those that concern the project and are not archived; what is not read yet is not among them."""
    pinned: frozenset[str] = frozenset()
    doubled: Mapping[str, str] = _NONE
    """Memory files that have no row, because a stored memory of the same review stands for them."""
    more: bool = False
    """Whether there are others, or more to be learnt of these."""


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
    """The pins that hold in the project, or why they cannot be read."""

    pins: tuple[PinRow, ...] = ()
    problem: str = ""


class LightsView(NamedTuple):
    """The fate of the pins at the last compaction of the session that is shown."""

    lights: Mapping[str, Light] = _NONE
    """By their words; none where nothing was compacted yet."""
    at: datetime | None = None
    """When that was."""
    waiting: bool = False
    """Pins wait for the session's next prompt."""


class StateView(NamedTuple):
    """The state of the session that is shown, stored or drafted, or none with the reason."""

    state: SessionState | None = None
    text: str = ""
    """The document as it stands in its file, or as it would."""
    session_id: str = ""
    written: datetime | None = None
    path: Path | None = None
    """The stored document; None for a draft."""
    transcript: Path | None = None
    """The transcript that the draft is made from, or of the session."""
    problem: str = ""
    sessions: tuple[str, ...] = ()
    """The ids of the project's sessions, the one that did something last first."""
    active: datetime | None = None
    """When this one did something last, to the minute: since then it is quiet."""
    since: int = 0
    """About how many tokens the session has gone on since the document, in thousands."""
    reading: bool = False
    """The transcript is still being read for a draft."""
    chosen: str = ""
    """The session that a person had chosen when the disk was looked at; "" for the newest one."""

    @property
    def drafted(self) -> bool:
        """Made just now from the transcript, and stored nowhere."""
        return self.path is None and not self.reading


class DraftWanted(NamedTuple):
    """No state of the session is stored, but there is a transcript to draft one from."""

    transcript: Path
    signature: Signature
    """By which it is seen that the transcript has changed."""
    meanwhile: StateView = StateView()
    """The values known without reading it."""


class HealthView(NamedTuple):
    """Whether captures arrive."""

    installed: bool
    """Some settings hold the hook that captures."""
    last: Run | None = None
    """The last run of a hook for this project."""
    missing: tuple[Compaction, ...] = ()
    """Auto-compactions that nothing captured, oldest first."""
    sizes: Mapping[tuple[str, datetime], int] = _NONE
    """Tokens before the compaction of a capture, by the capture's session and time."""


class BranchView(NamedTuple):
    """The project's current git branch, or ""."""

    branch: str = ""


class SharedView(NamedTuple):
    """The memories of the project's own folder."""

    problems: tuple[str, ...] = ()
    """What could not be taken in, a sentence each."""


PaneView = CapturesView | MemoriesView | CommandsView | PinsView | LightsView | StateView
"""The contents of a pane."""
View = PaneView | DraftWanted | BranchView | HealthView | SharedView
