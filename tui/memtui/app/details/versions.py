"""Versions of a session state or a memory, and the differences between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.app.details.memory import recovery_lines
from memtui.app.details.state_lines import marked, state_document
from memtui.app.widgets.document import Document, Line, line, plain, styled
from memtui.documents.compactor import members
from memtui.documents.session_state import SessionState, TaskKind
from memtui.documents.state_diff import LineDiff, Piece, SectionDiff, state_diff, text_diff
from memtui.documents.work import goal_words
from memtui.ground.text import counted
from memtui.store.states import StateStore, StoredState
from memtui.transcript.short_text import key_of

if TYPE_CHECKING:
    from memtui.app.project import ProjectModel


_SIGNS = {"added": ("+ ", "good"), "removed": ("- ", "bad"), "changed": ("~ ", "accent")}
_ROLES = {"added": "added", "removed": "removed"}
_MARKS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
"""Around words of a changed line, as `git diff --word-diff` does: colour alone is not enough."""


@dataclass(frozen=True)
class Version:
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
            yield _line(each)
    if left_out:
        yield line(f"    {counted(left_out, 'line')} as before", "dim")


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
