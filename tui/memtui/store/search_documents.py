"""What is searched besides transcripts: memories, memory files, captures, session states and pins.

Those of a project are known from the sessions and memories in the index. A further kind, such as Claude's own
memories, is a name in `KINDS`, its files in `documents`, and a case in `_read`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.documents.capture import parse_capture
from memtui.documents.capture_text import opening
from memtui.documents.memory_file import parse_memory
from memtui.documents.pins import Pin, parse_pins
from memtui.documents.session_state import parse_session_state
from memtui.ground.files import FileProblem, read_within
from memtui.ground.project import Home, Project, find_root
from memtui.ground.text import FormatError
from memtui.secrets.secrets import masked
from memtui.store.listing import CAPTURE_NAME, MEMORY_FILE_NAME, Entry, scan
from memtui.store.memory_labels import stored_id
from memtui.store.sources import is_text
from memtui.store.state_files import SESSION, newest_version, written_at
from memtui.store.stored_files import broken, id_of, listed, read_stored, stored_entries

KINDS = ("sessions", "memories", "files", "captures", "states", "pins")
"""The kinds that ``in:`` accepts; in the index a kind is its place here."""
SESSIONS, MEMORIES, FILES, CAPTURES, STATES, PINS = range(len(KINDS))

_LIMIT = 8 << 20
"""The most bytes of a file that are searched."""
_MEMORY_FILE = re.compile(r"-memory(-\d{1,2})?\.md")


@dataclass(slots=True)
class Document:
    """A file, read for searching; secrets are masked."""

    name: str
    """Recovery ID, file name, session id."""
    title: str
    texts: list[str]
    """One as a rule; of a file of pins one for each pin."""
    created: datetime
    project: str = ""
    session: str = ""
    note: str = ""
    """Tags; the memory that a memory file was stored as; a capture's status; a state's version."""
    pins: tuple[Pin, ...] = ()


def documents(home: Home, folders: Iterable[str]) -> dict[str, tuple[int, Entry]]:
    """The files to search, by their paths, each with its kind. Folders that cannot be listed are left out.

    Args:
        home: memtui's own folders.
        folders: folders in known projects; only absolute ones count.
    """
    found = ((f"{each.folder}{os.sep}{each.name}", (kind, each)) for kind, each in _files(home, folders))
    return {path: file for path, file in found if is_text(path)}


def _files(home: Home, folders: Iterable[str]) -> Iterator[tuple[int, Entry]]:
    yield from ((MEMORIES, entry) for entry in stored_entries(home.memories))
    for root in {_root(folder) for folder in folders if os.path.isabs(folder)}:  # noqa: PTH117
        project = Project(root)
        with suppress(FileProblem):  # its pane reports the problem
            yield from ((CAPTURES, each) for each in scan(project.compacts, CAPTURE_NAME, within=root))
            yield from ((FILES, each) for each in scan(project.compacts, MEMORY_FILE_NAME, within=root))
        yield from _pins(project.pins)
    yield from _pins(home.pins)
    with suppress(FileProblem):
        for each in scan(home.states, SESSION):
            if newest := newest_version(home, each.name):
                yield STATES, newest


def _pins(path: Path) -> Iterator[tuple[int, Entry]]:
    with suppress(OSError):
        status = path.lstat()
        yield PINS, Entry(path.name, str(path.parent), status.st_mtime_ns, status.st_size, status.st_ino)


def _root(folder: str) -> Path:
    with suppress(OSError, ValueError, RuntimeError):
        return find_root(Path(folder))
    return Path(folder)


def read_document(kind: int, entry: Entry, home: Home) -> Document:
    """A document; of an unreadable or broken one the name, and its text if there is one."""
    root = ""
    if kind in (CAPTURES, FILES):
        root = str(entry.path.parents[2])
    elif kind == PINS and entry.path != home.pins:
        root = str(entry.path.parents[1])
    text = ""
    with suppress(FileProblem):
        data = read_within(entry.path, Path(root or home.data), limit=_LIMIT, follow=False)
        text = masked(data.decode("utf-8", "replace"))
    found = Document(entry.name, entry.name, [text], entry.time or written_at(entry), root)
    try:
        _read(kind, found, entry, text)
    except FormatError:
        found.note = "broken"
    found.texts = [f"{found.name}\n{each}" if kind != PINS else each for each in found.texts]
    return found


def _read(kind: int, found: Document, entry: Entry, text: str) -> None:
    if kind == MEMORIES:
        found.name = id_of(entry)
        shown = listed(entry.path, text.encode()) if text else broken(entry.path, "cannot be read")
        meta = shown.meta
        found.title, found.created, found.project, found.session = (
            shown.title, meta.created, meta.project, meta.session_id,
        )  # fmt: skip
        found.note = " ".join(f"#{tag}" for tag in meta.tags)
        body = read_stored(found.name, text.encode()).body.decode("utf-8", "replace")
        found.texts = ["\n".join((meta.description, *meta.tags, body))]
    elif kind == FILES:
        found.title, found.note = entry.name.removesuffix(".md"), stored_id(text.encode())
        found.title = parse_memory(text).title or found.title
    elif kind == CAPTURES:
        capture = parse_capture(text)
        found.created, found.session, found.note = capture.timestamp, capture.session_id, capture.status
        found.title = opening(capture.first_message) or entry.name
    elif kind == STATES:
        found.name = found.session = Path(entry.folder).name
        found.title, found.note = f"session {found.session[:8]}", entry.name.removesuffix(".md")
        found.created = written_at(entry)
        state = parse_session_state(text)
        found.project = _named(state.identity.project)
        found.title = state.identity.goal or found.title
    else:
        found.pins = tuple(parse_pins(text.removeprefix("\ufeff")))
        found.texts = [pin.text for pin in found.pins]
        found.created = written_at(entry)


def _named(identity: str) -> str:
    """The path in a state's IDENTITY, ``name (path)`` or a path alone; "" if there is none."""
    start = 0 if identity.startswith(os.sep) else identity.rfind(f"({os.sep}") + 1
    return identity[start:].removesuffix(")") if start or identity.startswith(os.sep) else ""
