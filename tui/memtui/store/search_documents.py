"""What is searched besides transcripts: memories, Claude's own, memory files, captures, session states, pins.

Those of a project are known from the sessions and memories in the index.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from memtui.documents.pins import Pin, parse_pins
from memtui.ground.files import FileProblem, read_within
from memtui.ground.project import SLUG_LENGTH, Home, Places, Project, find_root, transcript_slug
from memtui.ground.text import FormatError, opening
from memtui.secrets.secrets import masked
from memtui.store.claude_memory import MARKDOWN, body_of, fields_of, memory_folder
from memtui.store.listing import (
    ANY_NAME,
    CAPTURE_NAME,
    MEMORY_FILE_NAME,
    MONTH_NAME,
    STORED_NAME,
    Entry,
    scan,
    stored_id,
)
from memtui.store.state_files import SESSION, newest_version, project_path
from memtui.store.transcripts import is_text


class Kind(StrEnum):
    """The kinds of results, in the order in which they are shown."""

    SESSION = "session"
    MEMORY = "memory"
    CLAUDE = "Claude's memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"
    PIN = "pin"


KINDS = dict(
    zip(("sessions", "memories", "claude", "files", "captures", "states", "pins"), Kind, strict=True)
)
"""The kinds by the words that ``in:`` accepts."""

_LIMIT = 8 << 20  # the most bytes of a file that are searched


class Source(NamedTuple):
    """A file to index, and where its new part begins."""

    kind: Kind
    entry: Entry
    project: str = ""
    """Root of the project that it belongs to; "" if only its text can tell, or it belongs to all."""
    path: str = ""  # of a transcript
    name: str = ""
    note: str = ""  # of the part of it that is in the index; see `File`
    offset: int = 0
    line: int = 1


@dataclass(slots=True)
class File:
    """A file in the index; of a document that was just read its texts, too. Secrets are masked."""

    path: str
    kind: Kind
    project: str
    session: str = ""
    agent: str = ""  # the subagent whose transcript it is, by its name
    stem: str = ""  # where the archive has it, if Claude Code has deleted it
    name: str = ""  # Recovery ID, else the file's name; of a session what it is named by, without its branch
    title: str = ""
    note: str = ""
    """Of a session its branch; tags; the kind of a memory of Claude's; the memory that a memory file was
    stored as; a capture's status; a state's version."""
    texts: tuple[str, ...] = ()  # one as a rule; of a file of pins one for each pin
    created: datetime | None = None
    pins: tuple[Pin, ...] = ()


COLUMNS = ("path", "kind", "project", "session", "agent", "stem", "name", "title", "note")
"""The fields that the index has."""


def documents(places: Places, folders: Iterable[str]) -> dict[str, Source]:
    """The documents to search, by their paths. Folders that cannot be listed are left out.

    `folders` are some in known projects; only absolute ones count.
    """
    found = ((f"{each.entry.folder}{os.sep}{each.entry.name}", each) for each in _listed(places, folders))
    return {path: each for path, each in found if is_text(path)}


def _listed(places: Places, folders: Iterable[str]) -> Iterator[Source]:
    home = places.home
    roots = {_root(folder) for folder in folders if os.path.isabs(folder)}  # noqa: PTH117
    for month in scan(home.memories, MONTH_NAME):
        with suppress(FileProblem):
            yield from (Source(Kind.MEMORY, each) for each in scan(month.path, STORED_NAME))
    yield from _claudes(places, {transcript_slug(root)[:SLUG_LENGTH]: str(root) for root in roots})
    for root in roots:
        project = Project(root)
        with suppress(FileProblem):  # its pane reports the problem
            for kind, name in ((Kind.CAPTURE, CAPTURE_NAME), (Kind.FILE, MEMORY_FILE_NAME)):
                files = scan(project.compacts, name, within=root)
                yield from (Source(kind, each, str(root)) for each in files)
        yield from _pins(project.pins, str(root))
    yield from _pins(home.pins, "")
    with suppress(FileProblem):
        for each in scan(home.states, SESSION):
            if newest := newest_version(home, each.name):
                yield Source(Kind.STATE, newest)


def _claudes(places: Places, slugs: dict[str, str]) -> Iterator[Source]:
    """Claude's own memories of all projects; those of an unknown one belong to Claude Code's folder of it."""
    folders = [memory_folder(places)]
    with suppress(FileProblem):
        folders += [each.path / "memory" for each in scan(places.claude / "projects", ANY_NAME)]
    for folder in folders:
        above = folder.parent
        project = slugs.get(above.name, str(above)) if above.parent == places.claude / "projects" else ""
        with suppress(FileProblem):
            yield from (Source(Kind.CLAUDE, each, project) for each in scan(folder, MARKDOWN))


def _pins(path: Path, project: str) -> Iterator[Source]:
    with suppress(OSError):
        yield Source(Kind.PIN, Entry.of(path), project)


def _root(folder: str) -> Path:
    with suppress(OSError, ValueError, RuntimeError):
        return find_root(Path(folder))
    return Path(folder)


def read_document(source: Source, home: Home, *, texts: bool = False) -> File:
    """A document, or just its `texts`; of an unreadable or broken one the name, and its text if any."""
    kind, entry, project, *_ = source
    root = entry.path.parent if kind is Kind.CLAUDE else home.data
    if project and kind in (Kind.CAPTURE, Kind.FILE, Kind.PIN):
        root = Path(project)
    text = ""
    with suppress(FileProblem):
        text = masked(read_within(entry.path, root, limit=_LIMIT, follow=False).decode("utf-8", "replace"))
    found = File(
        f"{entry.folder}{os.sep}{entry.name}", kind, project, name=entry.name, title=entry.name, texts=(text,)
    )
    found.created = entry.time or entry.written
    if kind is Kind.STATE:
        found.name = found.session = Path(entry.folder).name
    if not texts or kind in (Kind.MEMORY, Kind.CLAUDE, Kind.PIN):  # of others it is what stands there
        try:
            _read(kind, found, entry, text)
        except FormatError:
            found.note = "broken"
    if kind is not Kind.PIN:
        found.texts = (f"{found.name}\n{found.texts[0]}",)
    return found


def _read(kind: Kind, found: File, entry: Entry, text: str) -> None:
    # Formats are imported where one is read: that takes longer than a search.
    if kind is Kind.MEMORY:
        from memtui.store.memories import id_of, read_stored, title_of

        found.name = found.title = id_of(entry)
        stored = read_stored(found.name, text.encode())
        meta, body = stored.meta, stored.body.decode("utf-8", "replace")
        found.title, found.note = title_of(stored), " ".join(f"#{tag}" for tag in meta.tags)
        found.created, found.project, found.session = meta.created, meta.project, meta.session_id
        found.texts = ("\n".join((meta.description, *meta.tags, body)),)
    elif kind is Kind.CLAUDE:
        fields = fields_of(text)
        name, found.note = fields.get("name") or entry.name, fields.get("type", "")
        found.title = fields.get("description") or name
        found.texts = (f"{name}\n{found.title}\n{body_of(text)}",)
    elif kind is Kind.FILE:
        from memtui.documents.memory_file import parse_memory

        found.title, found.note = entry.name.removesuffix(".md"), stored_id(text.encode())
        found.title = parse_memory(text).title or found.title
    elif kind is Kind.CAPTURE:
        from memtui.documents.capture import parse_capture

        capture = parse_capture(text)
        found.created, found.session, found.note = capture.timestamp, capture.session_id, capture.status
        found.title = opening(capture.first_message) or entry.name
    elif kind is Kind.STATE:
        from memtui.documents.session_state import parse_session_state
        from memtui.documents.work import goal_words

        found.title, found.note = f"session {found.session[:8]}", entry.name.removesuffix(".md")
        state = parse_session_state(text)
        found.project = project_path(state.identity.project)
        found.title = goal_words(state.identity.goal) or found.title
    else:
        found.pins = tuple(parse_pins(text.removeprefix("\ufeff")))
        found.texts = tuple(pin.text for pin in found.pins)
        found.created = None
