"""Versions of a session state or a memory, and the differences between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memtui.app.widgets.document import Document, Line, line, plain, styled
from memtui.documents.compactor import members
from memtui.documents.session_state import SessionState, TaskKind
from memtui.documents.state_diff import LineDiff, SectionDiff, state_diff, text_diff
from memtui.store.listing import Entry
from memtui.store.state_files import version_of
from memtui.store.states import StateStore, StoredState
from memtui.transcript.short_text import key_of

if TYPE_CHECKING:
    from memtui.app.sharing import MemoryVersion


_SIGNS = {"added": ("+ ", "good"), "removed": ("- ", "bad"), "changed": ("~ ", "accent"), "same": ("  ", "")}
_ROLES = {"added": "added", "removed": "removed"}
_MARKS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
"""Around words of a changed line, as `git diff --word-diff` does: colour alone is not enough."""


class VersionRow(Protocol):
    """A version in the list."""

    @property
    def number(self) -> int:
        """1 for the oldest."""

    @property
    def name(self) -> str:
        """`v7`."""

    @property
    def written(self) -> datetime | None:
        """Its time of writing."""

    @property
    def gist(self) -> str:
        """A description of a few words; of an unusable version the problem."""

    @property
    def broken(self) -> bool:
        """Whether it cannot be compared."""

    @property
    def new_decisions(self) -> int:
        """Number of decisions that earlier versions lack."""


class Compared(Protocol):
    """Two versions, compared."""

    @property
    def title(self) -> str:
        """Their names."""

    def document(self, *, everything: bool) -> Document:
        """The changes; with `everything`, the unchanged lines, too."""


class VersionSource(Protocol):
    """Versions of one thing: one thread at a time lists and reads them, any thread compares."""

    def refresh(self) -> bool:
        """List them again; returns whether anything has changed."""

    def read(self) -> Mapping[str, VersionRow]:
        """All of them by their names in the list, newest first."""

    def compare(self, older: str, newer: str) -> Compared | None:
        """Compare two by their names; "" as the older one for none. None if the newer one is gone."""


class Version(NamedTuple):
    """A version of a session state, with its differences from the previous one."""

    stored: StoredState
    new_decisions: int = 0
    """Number of decisions that earlier versions lack."""

    @property
    def name(self) -> str:
        """`v7`."""
        return f"v{self.stored.version}"

    @property
    def number(self) -> int:
        """1 for the oldest."""
        return self.stored.version

    @property
    def written(self) -> datetime | None:
        """Its time of writing."""
        return self.stored.written

    @property
    def broken(self) -> bool:
        """Whether it cannot be compared."""
        return self.stored.state is None

    @property
    def gist(self) -> str:
        """The task in progress, or the goal; of an unusable version the problem."""
        state = self.stored.state
        if state is None:
            return self.stored.problem
        doing = (task.text for task in state.tasks if task.kind is TaskKind.IN_PROGRESS)
        return next(doing, "") or state.identity.goal or "-"


class Versions:
    """The versions of one session, newest first. Used by one thread at a time; readings are cached."""

    def __init__(self, store: StateStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._kept: dict[Entry, Version] = {}
        self._rows: dict[str, Version] = {}
        self.entries: tuple[Entry, ...] = ()

    def refresh(self) -> bool:
        """List them again; returns whether anything has changed.

        Raises:
            FileProblem: the session's folder cannot be listed.
        """
        entries = tuple(self._store.versions(self._session_id))
        changed = entries != self.entries
        self.entries = entries
        return changed

    def read(self) -> dict[str, Version]:
        """All of them by their names in the list, newest first."""
        decided: set[str] = set()
        for entry in reversed(self.entries):
            known = self._kept.get(entry)
            if known is None:
                stored = self._store.load(entry)
                own = _decisions(stored.state)
                known = self._kept[entry] = Version(stored, len(own - decided))
            decided |= _decisions(known.stored.state)
        self._rows = {row_of(entry): self._kept[entry] for entry in self.entries}
        return self._rows

    def compare(self, older: str, newer: str) -> Comparison | None:
        """Compare two by their names; see `VersionSource`."""
        rows = self._rows
        return Comparison(rows.get(older), rows[newer]) if newer in rows else None


def row_of(entry: Entry) -> str:
    """The name of a version in the list."""
    return f"v{version_of(entry)}"


def version_before(versions: Mapping[str, VersionRow], name: str) -> str:
    """The newest readable version before one, by its name in the list; "" for none."""
    number = versions[name].number
    earlier = (key for key, each in versions.items() if each.number < number and not each.broken)
    return max(earlier, key=lambda key: versions[key].number, default="")


class Comparison(NamedTuple):
    """Two versions, the older one first."""

    older: Version | None
    newer: Version

    @property
    def title(self) -> str:
        """`v6 → v7`, or the only version."""
        if self.newer.stored.state is None:
            return f"{self.newer.name} is broken"
        return f"{self.older.name} → {self.newer.name}" if self.older else f"{self.newer.name}, the first"

    def document(self, *, everything: bool) -> Document:
        """The changes, section by section; with `everything`, the unchanged lines, too."""
        state = self.newer.stored.state
        if state is None:
            return _broken(self.newer.stored)
        old = self.older.stored.state if self.older else None
        return changed_lines(state_diff(old, state), everything=everything, first=old is None)


def changed_lines(sections: Sequence[SectionDiff], *, everything: bool, first: bool) -> Document:
    """The changes, section by section.

    Args:
        sections: the differences.
        everything: show the unchanged lines, too.
        first: whether there is nothing to compare with, so that all is new.
    """
    shown = [each for each in sections if everything or each.has_changed]
    if not shown:
        return Document([line("The two versions say the same.", "dim")])
    lines = [] if first else [_summary(sections)]
    for section in shown:
        lines += [Line(""), *_section(section, everything=everything)]
    return Document(lines[1:] if first else lines)


def _broken(stored: StoredState) -> Document:
    lines = [
        styled((f"v{stored.version} ", "bad"), stored.problem),
        Line(""),
        line("It is left as it is, and the versions after it do not need it.", "dim"),
    ]
    if stored.text.strip():
        lines += [Line(""), line("What it says", "heading"), *plain(stored.text).lines]
    return Document(lines)


def _summary(sections: Sequence[SectionDiff]) -> Line:
    lines = [each for section in sections for each in section.lines]
    counts = (
        (sum(each.is_new_decision for each in lines), "new decision", "new decisions"),
        (sum(each.change == "added" for each in lines), "line new", "lines new"),
        (sum(each.change == "changed" for each in lines), "changed", "changed"),
        (sum(each.change == "removed" for each in lines), "gone", "gone"),
    )
    parts = [f"{number} {one if number == 1 else many}" for number, one, many in counts if number]
    return line(" · ".join(parts) or "nothing has changed", "strong")


def _section(section: SectionDiff, *, everything: bool) -> Iterator[Line]:
    yield line(section.title or "Before the first section", "heading")
    left_out = 0
    for each in section.lines:
        if each.change == "same" and not everything:
            left_out += 1
        else:
            yield _line(each)
    if left_out:
        yield line(f"    {left_out} {'line' if left_out == 1 else 'lines'} as before", "dim")


def _line(diff: LineDiff) -> Line:
    """A line with its sign; if changed, with its removed and added words."""
    role = _ROLES.get(diff.change, "" if diff.change == "changed" else "dim")
    lead = [_SIGNS[diff.change]]
    if diff.is_new_decision:
        lead.append(("NEW ", "accent"))
    # Nested items are indented in the document: continuation lines are aligned with their own beginning.
    text = diff.pieces[0].text if diff.pieces else ""
    hang = 4 + len(text) - len(text.lstrip(" "))
    return styled(*lead, *_pieces(diff, role), hang=hang)


def _pieces(diff: LineDiff, role: str) -> Iterator[tuple[str, str]]:
    """The words of a line, with a blank between removed words and their replacement."""
    last = ""
    for piece in diff.pieces:
        word = piece.text.lstrip(" ")
        space = piece.text[: len(piece.text) - len(word)]
        if piece.change == "added" and last and not (space or last.endswith(" ")):
            space = " "
        yield space, ""
        before, after = _MARKS.get(piece.change, ("", "")) if diff.change == "changed" and word else ("", "")
        yield f"{before}{word}{after}", _ROLES.get(piece.change, role)
        last = piece.text if piece.change == "removed" else ""


def _decisions(state: SessionState | None) -> set[str]:
    return {key_of(text) for each in (state.decisions if state else ()) for text in members(each)}


_MOST = 400_000
"""Maximum length of texts that are compared line by line, in characters."""


class MemoryRow(NamedTuple):
    """A version in the list."""

    version: MemoryVersion
    new_decisions: int = 0
    broken: bool = False

    @property
    def number(self) -> int:
        """1 for the oldest."""
        return self.version.number

    @property
    def name(self) -> str:
        """`v2`."""
        return f"v{self.version.number}"

    @property
    def written(self) -> datetime:
        """Its time of writing."""
        return self.version.at

    @property
    def writer(self) -> str:
        """`ann on laptop-1a2b`."""
        author, machine = self.version.author, self.version.machine
        return f"{author} on {machine}" if author else "this machine"

    @property
    def gist(self) -> str:
        """Its author, and whether it is the current text here, and was sent."""
        shown = "here · " if self.version.shown else ""
        return shown + (self.writer if self.version.sent else "not sent")


class MemoryComparison(NamedTuple):
    """Two versions, the older one first."""

    older: MemoryRow | None
    newer: MemoryRow

    @property
    def title(self) -> str:
        """`v1 → v2 by ann on laptop-1a2b`."""
        start = f"{self.older.name} → " if self.older else ""
        return f"{start}{self.newer.name} by {self.newer.writer}"

    def document(self, *, everything: bool) -> Document:
        """The changes, section by section; with `everything`, the unchanged lines, too."""
        old = self.older.version.text if self.older else None
        new = self.newer.version.text
        if max(len(old or ""), len(new)) > _MOST:
            return Document([line("These texts are too long to be compared.", "dim")])
        return changed_lines(text_diff(old, new), everything=everything, first=old is None)


class MemoryVersions:
    """The versions of one memory. Used by one thread at a time."""

    def __init__(self, load: Callable[[], Sequence[MemoryVersion]]) -> None:
        """Make the object; `load` reads the versions, newest first."""
        self._load = load
        self._versions: tuple[MemoryVersion, ...] = ()
        self._rows: dict[str, MemoryRow] = {}

    def refresh(self) -> bool:
        """Read them again; returns whether anything has changed.

        Raises:
            FileProblem: they cannot be read.
        """
        before, self._versions = self._versions, tuple(self._load())
        return before != self._versions

    def read(self) -> dict[str, MemoryRow]:
        """All of them by their names in the list, newest first."""
        self._rows = {f"v{each.number}": MemoryRow(each) for each in self._versions}
        return self._rows

    def compare(self, older: str, newer: str) -> MemoryComparison | None:
        """Compare two by their names; see `VersionSource`."""
        rows = self._rows
        return MemoryComparison(rows.get(older), rows[newer]) if newer in rows else None
