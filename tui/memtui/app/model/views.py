"""The contents of the panes as immutable values, made in the background and applied on the screen.

Named tuples, as the first paint waits for these class definitions, and data classes take longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.ground.named import NamedTuple

if TYPE_CHECKING:
    from memtui.formats.active_commands import ActiveCommand
    from memtui.formats.capture import Capture
    from memtui.formats.capture_text import PendingText
    from memtui.formats.session_state import SessionState
    from memtui.ground.files import Signature
    from memtui.hooks.log import Run
    from memtui.lost.pin_fates import PinFate, PinRow
    from memtui.store.backfill import Compaction
    from memtui.store.listing import Entry


_NONE: Mapping[Any, Any] = {}


class CaptureRow(NamedTuple):
    """One capture file: parsed, not yet read (neither capture nor problem), or broken with the reason."""

    entry: Entry
    capture: Capture | None = None
    problem: str = ""
    glance: PendingText | None = None
    """Substitute for `capture` until it is parsed."""

    @property
    def shown(self) -> Capture | PendingText | None:
        """The capture, or its substitute."""
        return self.capture or self.glance

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
    alike: frozenset[str] = frozenset()
    """First messages shared by several captures, whose rows only differ by time and size."""

    @classmethod
    def of(cls, rows: Mapping[str, CaptureRow], *, unread: int) -> CapturesView:
        """The view of these rows. Slow work for many rows is done here, in the background."""
        pending = tuple(name for name, row in rows.items() if row.pending)
        broken = sum(1 for row in rows.values() if row.problem)
        messages = Counter(row.shown.first_message for row in rows.values() if row.shown)
        alike = frozenset(message for message, number in messages.items() if number > 1)
        return cls(rows, pending, broken, unread, alike)

    def keys(self, *, reviewed_too: bool) -> tuple[str, ...]:
        """The names to list."""
        return tuple(self.rows) if reviewed_too else self.pending


class MemoriesView(NamedTuple):
    """Memory files and stored memories by key, and their keys: newest first."""

    entries: Mapping[str, Entry] = _NONE
    keys: Sequence[str] = ()
    mine: Sequence[str] = ()
    """Those of the project; unread ones are missing."""
    doubled: Mapping[str, str] = _NONE
    """Memory files without a row, because a stored memory of the same review represents them."""
    more: bool = False
    """Whether there are others, or labels are still unread."""


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
    """The time of that compaction."""
    waiting: bool = False
    """Whether pins are waiting for the session's next prompt."""


class StateView(NamedTuple):
    """The state of the current session, stored or drafted, or the reason for its absence."""

    state: SessionState | None = None
    text: str = ""
    """The document as stored, or as it would be."""
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


class DraftWanted(NamedTuple):
    """A session without a stored state, but with a transcript to draft one from."""

    transcript: Path
    signature: Signature
    """Changes with the transcript."""
    meanwhile: StateView = StateView()
    """The values known without reading it."""


class HealthView(NamedTuple):
    """The health of the captures."""

    installed: bool
    """Whether any settings contain the hook that captures."""
    last: Run | None = None
    """The last run of a hook for this project."""
    missing: tuple[Compaction, ...] = ()
    """Auto-compactions without a capture, oldest first."""
    sizes: Mapping[tuple[str, datetime], int] = _NONE
    """Tokens before the compaction of a capture, by the capture's session and time."""


class BranchView(NamedTuple):
    """The project's current git branch, or ""."""

    branch: str = ""


PaneView = CapturesView | MemoriesView | CommandsView | PinsView | LightsView | StateView
"""The contents of a pane."""
View = PaneView | DraftWanted | BranchView | HealthView
