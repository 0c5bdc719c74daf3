"""The searched files of all projects, besides the stored memories.

These are captures, memory files of reviews and pins of each project, the user's own pins, and the current
state document of each session. Projects are known from the sessions and memories in the index; of one whose
folder is missing, only sessions, memories and states are found.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from memtui.formats.capture import Capture, parse_capture
from memtui.formats.capture_text import opening
from memtui.formats.memory import parse_memory
from memtui.formats.model import FormatError
from memtui.formats.pins import parse_pins
from memtui.formats.session_state import parse_session_state
from memtui.ground.files import FileProblem, read_within
from memtui.ground.project import Home, Project, find_root
from memtui.secrets.secrets import masked
from memtui.store.index.database import Database
from memtui.store.index.document import Document, PlainMeta
from memtui.store.index.documents import DocumentIndex
from memtui.store.index.schema import DocKind, IndexBroken, IndexUnavailable
from memtui.store.index.writer import read_projects
from memtui.store.listing import CAPTURE_NAME, MEMORY_FILE_NAME, Entry, scan
from memtui.store.memory_labels import stored_id
from memtui.store.state_files import SESSION, VERSION, newest_version, written_at

FRESH = 1.0
"""Seconds for which a listing is reused."""
_LIMIT = 8 << 20
"""The most bytes of a file that are searched."""
_CAPTURE, _FILE = "-autocompact.md", re.compile(r"-memory(-\d{1,2})?\.md")
_BESIDE = re.compile(f"{CAPTURE_NAME.pattern}|{MEMORY_FILE_NAME.pattern}")


class ProjectFiles:
    """Lists and reads them, by their paths; used by one thread."""

    kinds = (DocKind.FILE, DocKind.CAPTURE, DocKind.STATE, DocKind.PINS)

    def __init__(self, home: Home, known: Callable[[], Iterable[str]]) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            known: returns folders in the known projects; only absolute paths count.
        """
        self._home = home
        self._known = known
        self._roots: dict[str, Path] = {}
        self._all: dict[str, Entry] = {}
        self._looked = -math.inf

    def entries(self, *, full: bool) -> dict[str, Entry]:
        """All files; the same object as before if nothing has changed. Unlistable folders are skipped."""
        if full or time.monotonic() - self._looked > FRESH:
            found = {f"{entry.folder}{os.sep}{entry.name}": entry for entry in self._listed()}
            self._all = self._all if found == self._all else found
            self._looked = time.monotonic()
        return self._all

    def _listed(self) -> Iterator[Entry]:
        for root in dict.fromkeys(map(self._root, filter(os.path.isabs, self._known()))):
            project = Project(root)
            with suppress(FileProblem):  # its pane reports the problem
                yield from scan(project.compacts, _BESIDE, within=root)
                yield from _file(project.pins)
        yield from _file(self._home.pins)
        with suppress(FileProblem):
            for each in scan(self._home.states, SESSION):
                if newest := newest_version(self._home, each.name):
                    yield newest

    def _root(self, folder: str) -> Path:
        """The root of the project that a folder belongs to."""
        if folder not in self._roots:
            with suppress(OSError, ValueError, RuntimeError):
                self._roots[folder] = find_root(Path(folder))
        return self._roots.setdefault(folder, Path(folder))

    def kind_of(self, entry: Entry) -> DocKind:
        """The kind of a file, by its name."""
        if entry.name.endswith(_CAPTURE):
            return DocKind.CAPTURE
        if _FILE.search(entry.name):
            return DocKind.FILE
        return DocKind.STATE if VERSION.fullmatch(entry.name) else DocKind.PINS

    def read(self, entries: Iterable[Entry]) -> Iterator[Document]:
        """Documents in their order; of an unreadable file only the name is indexed. Secrets are masked."""
        return map(self._read, entries)

    def _read(self, entry: Entry) -> Document:
        kind = self.kind_of(entry)
        make = {DocKind.CAPTURE: _capture, DocKind.FILE: _memory_file, DocKind.STATE: _state}.get(kind, _pins)
        return make(entry, self._text(entry, kind), self._root_of(entry, kind))

    def _root_of(self, entry: Entry, kind: DocKind) -> str:
        """The root of the project that a file lies in, "" for one in memtui's own folders."""
        if kind is DocKind.STATE or entry.path == self._home.pins:
            return ""
        return str(entry.path.parents[2 if kind in (DocKind.CAPTURE, DocKind.FILE) else 1])

    def _text(self, entry: Entry, kind: DocKind) -> str:
        try:
            data = read_within(
                entry.path, Path(self._root_of(entry, kind) or self._home.data), limit=_LIMIT, follow=False
            )
        except FileProblem:
            return ""
        return masked(data.decode("utf-8", "replace"))


def _file(path: Path) -> Iterator[Entry]:
    """A file, if it exists."""
    with suppress(OSError):
        status = path.lstat()
        yield Entry(path.name, str(path.parent), status.st_mtime_ns, status.st_size, status.st_ino)


def _capture(entry: Entry, text: str, root: str) -> Document:
    head, name, made = entry.name, entry.name, entry.time or written_at(entry)
    try:
        capture = parse_capture(text)
    except FormatError:
        meta = PlainMeta(made, root)
        return Document(DocKind.CAPTURE, meta, name, head, text, entry, said="broken")
    meta = PlainMeta(capture.timestamp, root, capture.session_id)
    title = opening(capture.first_message) or name
    return Document(DocKind.CAPTURE, meta, title, head, _capture_text(capture), entry, capture.status)


def _capture_text(capture: Capture) -> str:
    """All texts of a capture."""
    parts = (
        capture.first_message,
        capture.summary,
        capture.header,
        capture.transcript_note,
        capture.memory_note,
        *(f"{section.heading}\n{section.text}" for section in capture.extra),
        capture.session_id,
    )
    return "\n".join(filter(None, parts))


def _memory_file(entry: Entry, text: str, root: str) -> Document:
    title = entry.name.removesuffix(".md")
    with suppress(FormatError):
        title = parse_memory(text).title or title
    meta = PlainMeta(entry.time or written_at(entry), root, _session_of(entry, root))
    return Document(DocKind.FILE, meta, title, entry.name, text, entry, said=stored_id(text.encode()))


def _session_of(entry: Entry, root: str) -> str:
    """The session of a memory file: that of the capture that was reviewed."""
    path = entry.path.with_name(_FILE.sub(_CAPTURE, entry.name))
    with suppress(FileProblem, FormatError):
        data = read_within(path, Path(root), limit=_LIMIT, follow=False)
        return parse_capture(data.decode("utf-8", "replace")).session_id
    return ""


def _state(entry: Entry, text: str, root: str) -> Document:
    session = Path(entry.folder).name
    project = goal = ""
    with suppress(FormatError):
        state = parse_session_state(text)
        project, goal = _named(state.identity.project), state.identity.goal
    meta = PlainMeta(written_at(entry), project, session)
    title = goal or f"session {session[:8]}"
    return Document(DocKind.STATE, meta, title, session, text, entry, said=entry.name.removesuffix(".md"))


def _named(identity: str) -> str:
    """The path in a document's IDENTITY, ``name (path)`` or a path alone; "" if there is none."""
    start = 0 if identity.startswith(os.sep) else identity.rfind(f"({os.sep}") + 1
    return identity[start:].removesuffix(")") if start or identity.startswith(os.sep) else ""


def _pins(entry: Entry, text: str, root: str) -> Document:
    lines = "\n".join(pin.item for pin in parse_pins(text.removeprefix("\ufeff")))
    meta = PlainMeta(written_at(entry), root, pinned=True)
    return Document(DocKind.PINS, meta, "pins", "", lines, entry)


def project_documents(home: Home, root: Path) -> DocumentIndex:
    """The index of the files of the project at `root`, and of all projects in the index."""
    database = Database(home.search_index)

    def known() -> list[str]:
        with suppress(IndexUnavailable, IndexBroken):
            return [str(root), *database.read(read_projects)]
        return [str(root)]

    return DocumentIndex(home, ProjectFiles(home, known))
