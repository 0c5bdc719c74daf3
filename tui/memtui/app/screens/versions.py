"""The versions of a session state or a memory, each with a word diff to the one before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content

from memtui.app.base import TASK_SIGNS, hidden, reported
from memtui.app.details.memory import recovery_lines
from memtui.app.details.session import marked, state_document
from memtui.app.project import ProjectModel
from memtui.app.screens.list_screen import ListScreen
from memtui.app.widgets.document import EMPTY, Document, Line, line, plain, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.row_list import RowList, row, when_of
from memtui.app.widgets.wrap import source_line
from memtui.documents.compactor import members
from memtui.documents.session_state import SessionState, TaskKind
from memtui.documents.state_diff import LineDiff, Piece, SectionDiff, state_diff, text_diff
from memtui.documents.work import goal_words
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock
from memtui.ground.text import counted
from memtui.store.states import StateStore, StoredState
from memtui.transcript.short_text import key_of

_PAUSE = 0.05  # seconds without a change of selection


class VersionsScreen(ListScreen[str | None]):
    """The list of versions, newest first, and the changes made by the selected one.

    Where one may be brought back, enter on it leaves with its name.
    """

    AUTO_FOCUS = "#versions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "text", "whole", id="all", tooltip="show everything, or the usual part"),
        Binding("o", "transcript", "transcript", id="transcript", tooltip="the transcript of this row"),
        hidden("tab,shift+tab", "switch", "changes", tooltip="go to the changes, or back"),
        Binding("escape", "back", "back", id="back", tooltip="leave; from the text, go to the list"),
        hidden("q,v", "dismiss", "leave", tooltip="leave the versions"),
    ]
    signs: ClassVar = {"+": "added", "-": "removed", "~": "changed: [-gone-] {+new+}", **TASK_SIGNS}
    about = "The versions, newest first, and what each has changed."

    def __init__(
        self, name: str, read: Callable[[], Mapping[str, Version]], clock: Clock, *, brings_back: bool = False
    ) -> None:
        """Make the screen; `read` gives the versions by name, the newest first; enter may bring one back."""
        super().__init__()
        self._brings_back = brings_back
        self._name_shown, self._read, self._clock = name, read, clock
        self._rows: Mapping[str, Version] = {}
        self._shows_text = False

    def compose(self) -> ComposeResult:
        with Horizontal(id="versions-body"):
            yield RowList(self._draw, empty="Reading …", id="versions")
            yield DocumentView(id="changes")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#versions").border_title = Content(f"Versions of {clean_line(self._name_shown)}")
        self._look()

    @reported("reading the versions", group="looking")
    async def _look(self) -> None:
        self._rows = await asyncio.to_thread(self._read)
        self.listing.empty = "There are no versions any more."
        self.listing.set_rows(tuple(self._rows))
        self._show_changes()

    def _draw(self, key: str, width: int) -> Content:
        version = self._rows[key]
        now, broken = self._clock(), version.broken
        news = f"+{version.new_decisions}" if version.new_decisions and not broken else ""
        left = [
            (f"  {version.name:<4} ", "bold"),
            (when_of(version.written, now, width), "$quiet"),
            ("" if version.writer else f"{news:>3} ", "$accent"),
            (clean_line(version.gist), "$error" if broken else ""),
        ]
        return row(left, "", width)

    @property
    def compared(self) -> tuple[Version | None, Version] | None:
        """The version before the selected one, and itself."""
        selected = self.listing.selected or ""
        if selected not in self._rows:
            return None
        return version_before(self._rows, selected), self._rows[selected]

    @on(RowList.Highlighted)
    @reported("comparing the versions", group="changes", exclusive=True)
    async def _show_changes(self) -> None:
        """Show the differences once the selection rests: comparing long documents takes a moment."""
        compared = self.compared
        if compared is None:
            self.beside.show(EMPTY)
            self.beside.border_title = ""
            return
        await asyncio.sleep(_PAUSE)
        older, newer = (None, compared[1]) if self._shows_text else compared
        document = await asyncio.to_thread(changes_document, older, newer)
        self.beside.show(document)
        self.beside.border_title = Content(newer.name if self._shows_text else title_of(older, newer))

    def action_text(self) -> None:
        if self.compared and self.compared[0] is None:
            self.app.say("This is the first version: all of it is shown.")
            return
        self._shows_text = not self._shows_text
        self._show_changes()

    def action_transcript(self) -> None:
        """Open it at the first line that is quoted in sight."""
        shown = self.beside.document.lines[self.beside.place.line :]
        found = (source_line(each.text) for each in shown)
        self.app.browser.action_transcript(next(filter(None, found), 0))

    @on(RowList.Opened)
    def _opened(self) -> None:
        if self._brings_back:
            self.dismiss(self.listing.selected)
        else:
            self.set_focus(self.beside)


_SIGNS = {"added": ("+ ", "good"), "removed": ("- ", "bad"), "changed": ("~ ", "accent")}
_ROLES = {"added": "added", "removed": "removed"}
_MARKS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
"""Around words of a changed line, as `git diff --word-diff` does: colour alone is not enough."""


class Version(NamedTuple):
    """A version of a session state or a memory in the list."""

    number: int
    """1 for the oldest."""
    written: datetime | None
    gist: str
    """A description of a few words; of an unusable version the problem."""
    text: str
    state: SessionState | None = None
    broken: bool = False
    new_decisions: int = 0
    writer: str = ""
    """`ann on laptop-1a2b`; "" for session states and Claude's memories."""

    @property
    def name(self) -> str:
        return f"v{self.number}"


def state_versions(store: StateStore, session_id: str) -> dict[str, Version]:
    versions: list[Version] = []
    decided: set[str] = set()
    for entry in reversed(store.versions(session_id)):
        versions.append(_state_version(store.load(entry), decided))
        decided |= _decisions(versions[-1].state)
    return {each.name: each for each in reversed(versions)}


def _state_version(stored: StoredState, decided: set[str]) -> Version:
    """A version with its task in progress, or its goal, and the decisions that are new in it."""
    state = stored.state
    if state is None:
        return Version(stored.version, stored.written, stored.problem, stored.text, broken=True)
    doing = next((task.text for task in state.tasks if task.kind is TaskKind.IN_PROGRESS), "")
    gist = doing or goal_words(state.identity.goal) or "-"
    new = len(_decisions(state) - decided)
    return Version(stored.version, stored.written, gist, stored.text, state, new_decisions=new)


def memory_versions(model: ProjectModel, memory_id: str) -> dict[str, Version]:
    """The texts that a memory has had on all machines, newest first, with their authors."""
    from memtui.share.contract import neutral
    from memtui.share.sync import open_sharing

    stored = model.backend.get(memory_id)
    own = neutral(stored.body, stored.meta.project)
    texts: dict[bytes, tuple[datetime, str]] = {}
    for name in model.exchange.names():
        for each in open_sharing(model.places.home, model.clock, name).versions(memory_id):
            if not each.deleted:
                texts[each.body] = (each.at, f"{each.author} on {each.machine}")
    sent = set(texts)
    texts.setdefault(own, (stored.meta.updated, "this machine"))
    versions = {}
    for number, (body, (at, writer)) in reversed(list(enumerate(texts.items(), 1))):
        gist = ("here · " if body == own else "") + (writer if body in sent else "not sent")
        text = body.decode("utf-8", "replace")
        versions[f"v{number}"] = Version(number, at, gist, text, writer=writer)
    return versions


def version_before(versions: Mapping[str, Version], name: str) -> Version | None:
    number = versions[name].number
    earlier = (each for each in versions.values() if each.number < number and not each.broken)
    return max(earlier, key=lambda each: each.number, default=None)


def title_of(older: Version | None, newer: Version) -> str:
    """`v6 → v7`, `v1 → v2 by ann on laptop-1a2b`, or the only version."""
    if newer.writer:
        return f"{f'{older.name} → ' if older else ''}{newer.name} by {newer.writer}"
    if newer.broken:
        return f"{newer.name} is broken"
    return f"{older.name} → {newer.name}" if older else f"{newer.name}, the first"


def changes_document(older: Version | None, newer: Version) -> Document:
    """The changes by section; without an older version the text."""
    if newer.broken:
        left = line("It is left as it is, and the versions after it do not need it.", "dim")
        lines = [styled((f"{newer.name} ", "bad"), newer.gist), Line(""), left]
        said = [Line(""), line("What it says", "heading"), *plain(newer.text).lines]
        return Document([*lines, *(said if newer.text.strip() else ())])
    if older is None:
        return state_document(newer.text) if newer.state else Document(recovery_lines(newer.text))
    if newer.state is not None:
        sections = state_diff(older.state, newer.state)
    elif max(len(older.text), len(newer.text)) > 400_000:
        return Document([line("These texts are too long to be compared.", "dim")])
    else:
        sections = text_diff(older.text, newer.text)
    shown = [each for each in sections if each.has_changed]
    if not shown:
        return Document([line("The two versions say the same.", "dim")])
    lines = [_summary(sections)]
    for section in shown:
        lines += [Line(""), *_section(section)]
    return Document(lines)


def _summary(sections: Sequence[SectionDiff]) -> Line:
    lines = [each for section in sections for each in section.lines]
    counts = (
        (sum(each.is_new_decision for each in lines), "new decision", "new decisions"),
        (sum(each.change == "added" for each in lines), "line new", "lines new"),
        (sum(each.change == "changed" for each in lines), "changed", "changed"),
        (sum(each.change == "removed" for each in lines), "gone", "gone"),
    )
    parts = [counted(*each) for each in counts if each[0]]
    return line(" · ".join(parts) or "nothing has changed", "strong")


def _section(section: SectionDiff) -> Iterator[Line]:
    yield line(section.title or "Before the first section", "heading")
    left_out = 0
    for each in section.lines:
        if each.change == "same":
            left_out += 1
        else:
            yield from map(_line, _split(each))
    if left_out:
        yield line(f"    {counted(left_out, 'line')} as before", "dim")


def _split(diff: LineDiff) -> Iterator[LineDiff]:
    """A changed line, or the old and the new one if they have too little in common to be read as one."""
    same = sum(len(piece.text) for piece in diff.pieces if piece.change == "same")
    if diff.change != "changed" or same * 2 >= len(diff.text):
        yield diff
        return
    old = "".join(piece.text for piece in diff.pieces if piece.change != "added")
    yield LineDiff("removed", (Piece("removed", old),))
    yield diff._replace(change="added", pieces=(Piece("added", diff.text),))


def _line(diff: LineDiff) -> Line:
    role = _ROLES.get(diff.change, "")
    lead = [_SIGNS[diff.change]]
    if diff.is_new_decision:
        lead.append(("NEW ", "accent"))
    # Nested items are indented in the document: continuation lines are aligned with their own beginning.
    first, *others = diff.pieces or (Piece("same", ""),)
    if diff.change != "changed" or first.change == "same":
        first = first._replace(text=marked(first.text))
    hang = 4 + len(first.text) - len(first.text.lstrip(" "))
    return styled(*lead, *_pieces(diff._replace(pieces=(first, *others)), role), hang=hang)


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
