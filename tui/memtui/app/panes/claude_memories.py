"""The memories that Claude keeps for itself: their rows under the stored ones, details, and changes."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.content import Content

from memtui.app.changes import Change, Making
from memtui.app.listings import ClaudeView
from memtui.app.project import ProjectModel
from memtui.app.widgets.document import Document, Line, concat, from_markdown, line, styled
from memtui.app.widgets.row_list import row
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import local_minute, parse_iso, short_age
from memtui.ground.files import FileProblem
from memtui.store.claude_memory import INDEX, KINDS, ClaudeMemory, Seen, body_of

if TYPE_CHECKING:
    from memtui.app.screens.versions import Version as ListedVersion
    from memtui.documents.memory import StoredMemory
    from memtui.ground.project import Project
    from memtui.store.claude_history import ClaudeHistory, Version

PREFIX = "claude:"
"""Begins the key of a row; no file of a stored memory is named like it."""
_KINDS = {"user": "u", "feedback": "f", "project": "p", "reference": "r", "index": "≡"}
CLAUDE_SIGNS = {
    "u": "about you, as Claude noted it",
    "f": "your feedback, as Claude noted it",
    "p": "about the project, as Claude noted it",
    "r": "where to look things up, as Claude noted it",
    "≡": "the index of Claude's memories",
    "●": "a memory of Claude's that is new or has changed",
}


def masked(text: str) -> str:
    from memtui.secrets.secrets import masked  # most projects have no memory of Claude's at the first paint

    return masked(text)


class ClaudeRows:
    """The rows of Claude's memories. What is read from transcripts is read in threads."""

    def __init__(self, model: ProjectModel) -> None:
        self._model = model
        self.view = ClaudeView()
        self._rows: dict[str, ClaudeMemory] = {}
        self._history: ClaudeHistory | None = None
        self._lock = threading.Lock()
        self.sources: dict[str, Version] = {}
        """The last version that a transcript shows, by rows whose detail was read."""

    def apply(self, view: ClaudeView) -> None:
        self.view = view
        self._rows = {f"{PREFIX}{each.path.name}": each for each in view.memories}

    @property
    def keys(self) -> Sequence[str]:
        return tuple(self._rows)

    def get(self, key: str | None) -> ClaudeMemory | None:
        return self._rows.get(key or "")

    def count(self) -> str:
        """``Claude 7, 2 new``; "" without any."""
        files = [each for each in self._rows.values() if each.kind != "index"]
        new = sum(each.seen in ("new", "changed") for each in files)
        return f"Claude {len(files)}{f', {new} new' if new else ''}" if files else ""

    def text_of(self, key: str) -> str:
        memory = self._rows[key]
        return f"{memory.name} {memory.description} {memory.kind} claude"

    def draw(self, key: str, width: int) -> Content:
        memory = self._rows[key]
        troubled = any(each.file == memory.path.name and not each.hint for each in self.view.troubles)
        left: list[tuple[str, str] | str] = [
            (f"{_KINDS.get(memory.kind, '?')} ", "$quiet"),
            ("△ " if troubled else "", "$warning"),
            (clean_line(memory.name), "$accent"),
            f"  {clean_line(masked(memory.description or memory.problem))}",
        ]
        mark = " ●" if memory.seen in ("new", "changed") else ""
        return row(left, f"{short_age(memory.changed, self._model.clock())}{mark}", width)

    def versions(self, memory: ClaudeMemory) -> list[Version]:
        """Its versions, oldest first; for threads."""
        with self._lock:
            history = self._read_history()
            found = history.versions(memory.path, memory.text)
            shown = [each for each in found if each.transcript is not None]
            if shown:
                self.sources[f"{PREFIX}{memory.path.name}"] = shown[-1]
            return found

    def _read_history(self) -> ClaudeHistory:
        if self._history is None:
            from memtui.store.claude_history import ClaudeHistory  # not needed for rows, and slow to import

            self._history = ClaudeHistory(self._model.places, self._model.claude_memories.folder)
        self._history.read(lambda: self._model.stopped)
        return self._history

    def document(self, key: str, show: Callable[[Document], object]) -> Document:
        """The detail of a memory; for threads. What transcripts show of it comes later."""
        memory = self._rows[key]
        head = [line(clean_line(memory.name), "title"), *self._facts(memory), Line("")]
        text = memory.text if memory.kind == "index" else body_of(memory.text)
        body = list(from_markdown(memory.problem or clean(masked(text))).lines)
        show(concat(*head, *body))
        try:
            versions = self.versions(memory)
        except FileProblem as problem:
            return concat(*head, styled(("Its history: ", "bad"), str(problem)), Line(""), *body)
        return concat(*head, *self._origin(memory, versions), Line(""), *body)

    def _facts(self, memory: ClaudeMemory) -> list[Line]:
        seen = {"new": "new", "changed": "changed since you looked", "seen": "", "approved": "approved"}
        parts = (memory.kind or "no type", local_minute(memory.changed), seen[memory.seen])
        lines = [line(" · ".join(filter(None, parts)), "dim")]
        if memory.description:
            lines.append(line(clean_line(masked(memory.description))))
        own = [each for each in self.view.troubles if each.file == memory.path.name]
        return lines + [styled(("△ ", "warn"), clean_line(f"It {each.text}.")) for each in own]

    def _origin(self, memory: ClaudeMemory, versions: Sequence[Version]) -> list[Line]:
        from memtui.transcript.short_text import one_line, shortened  # the first paint does without it

        with self._lock:
            history = self._read_history()
            readers, sessions = history.recalls(memory.path)
            lines = []
            for version in [each for each in versions if each.transcript is not None][-1:]:
                title, after = history.origin(version)
                said = f", after: “{shortened(one_line(masked(after)), 200)}”" if after else ""
                at = parse_iso(version.timestamp)
                when, where = local_minute(at) if at else "", shortened(masked(title), 60)
                lines.append(line(clean_line(f"{version.how} {when} in “{where}” (L{version.line}){said}")))
        if not lines:
            lines.append(line("No transcript here shows where it comes from.", "dim"))
        elif versions[-1].transcript is None:
            lines.append(line("Changed since by hand or by another program.", "warn"))
        if len(versions) > 1:
            lines.append(line(f"{len(versions)} versions (v)", "dim"))
        if memory.kind != "index" and sessions:
            recent = f"{sessions} recent session{'s' * (sessions != 1)}"
            lines.append(line(f"recalled in {readers} of {recent}", "dim"))
        return lines

    def listed_versions(self, memory: ClaudeMemory) -> dict[str, ListedVersion]:
        """The versions with a known text, newest first, as the screen of versions lists them."""
        from memtui.app.screens.versions import Version as ListedVersion

        found = []
        for number, version in enumerate(self.versions(memory), 1):
            if version.text is not None or version.how.startswith("deleted"):
                at = parse_iso(version.timestamp) or memory.changed
                text = version.text or ""
                gist = ("here · " if text == memory.text else "") + version.how
                found.append(ListedVersion(number, at, gist, text))
        return {each.name: each for each in reversed(found)}

    def set_seen(self, memory: ClaudeMemory, seen: Seen) -> str:
        memories, before = self._model.claude_memories, memory.seen
        memories.mark(memory, seen)
        if seen != "approved":
            return ""
        undo, redo = (partial(memories.mark, memory, each) for each in (before, seen))
        self._model.changes.add(Change(f"approved {memory.name}", undo, redo))
        return f"{memory.name} is approved. u takes it back."

    def delete(self, memory: ClaudeMemory) -> str:
        with self._changing(f"deleted {memory.name}", memory.path, "it is back"):
            self._model.claude_memories.delete(memory)
        return f"{memory.name} is in the trash, and its line out of {INDEX}. u brings it back."

    def bring_back(self, memory: ClaudeMemory, text: str) -> str:
        """Give a memory a former text; "" removes it. Returns what to say."""
        if not text:
            return self.delete(memory)
        with self._changing(f"brought {memory.name} back", memory.path):
            self._model.claude_memories.put(memory.path, text, expected=memory.text)
        return f"{memory.name} is as it was. u takes it back."

    def store(self, new: dict[str, Any]) -> str:
        backend = self._model.backend
        made = backend.create(**new).id
        self._model.changes.add_stored(f"stored {made}", backend, made)
        return f"Stored as {made}. u takes it back."

    def write(self, path: Path, text: str) -> str:
        """Write a memory of Claude's made of a stored one, with its index line; returns what to say."""
        memories = self._model.claude_memories
        with self._changing(f"wrote {path.name}", path):
            memories.put(path, text, expected=None)
        memories.mark(memories.get(path.name), "seen")
        return f"{path.name} is among Claude's memories, and its line in {INDEX}. u takes it back."

    def _changing(self, what: str, path: Path, undone: str = "") -> AbstractContextManager[Making]:
        return self._model.changes.of_files(what, [path, path.with_name(INDEX)], undone)


def as_stored(memory: ClaudeMemory, project: Project) -> dict[str, Any]:
    """A memory of Claude's, without front matter and secrets, as arguments of `MemoryStore.create`."""
    from memtui.transcript.short_text import one_line

    said = f"{memory.name}: {memory.description}" if memory.description else memory.name
    return {
        "body": masked(body_of(memory.text)).encode("utf-8", "replace"),
        "project": str(project.root),
        "description": one_line(masked(said)),
        "tags": (memory.kind,) if memory.kind in KINDS else (),
        "source": "claude",
    }


def as_claudes(stored: StoredMemory, title: str, folder: Path) -> tuple[Path, str]:
    """A stored memory as one of Claude's: a free path in its folder, and the text, without secrets."""
    from memtui.documents.memory import dump
    from memtui.transcript.short_text import one_line

    title = one_line(masked(title))
    name = re.sub(r"[\W_]+", "-", title.lower())[:50].strip("-") or stored.meta.id.lower()
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    path = next(path for each in names if not os.path.lexists(path := folder / f"{each}.md"))
    kind = next((tag for tag in stored.meta.tags if tag in KINDS), "project")
    head = dump({"name": path.stem, "description": title})
    body = masked(stored.body.decode("utf-8", "replace")).strip("\n")
    return path, f"---\n{head}metadata:\n  type: {kind}\n---\n\n{body}\n"
