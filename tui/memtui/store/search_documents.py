"""What is searched: transcripts, memories, Claude's own, memory files, captures, session states, pins.

All are read as messages, a document as one (of a file of pins one each): so they are indexed and shown alike.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memtui.documents.pins import parse_pins
from memtui.ground.files import FileMissing, FileProblem, Signature, read_within
from memtui.ground.project import SLUG_LENGTH, Places, Project, find_root, transcript_slug
from memtui.ground.text import FormatError, opening
from memtui.secrets.secrets import masked
from memtui.store import listing
from memtui.store.claude_memory import MARKDOWN, body_of, fields_of, memory_folder
from memtui.store.listing import Entry, scan
from memtui.store.states import SESSION, newest_version, project_path
from memtui.store.transcripts import Sources, cwd_in, first_cwd, is_agent, is_archived, is_text, session_of
from memtui.transcript.messages import Message, Reading, Role, read_messages


class Kind(StrEnum):
    """The kinds of results, in the order in which they are shown."""

    SESSION = "session"
    MEMORY = "memory"
    CLAUDE = "Claude's memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"
    PIN = "pin"


_NAMES = ("sessions", "memories", "claude", "files", "captures", "states", "pins")
KINDS = dict(zip(_NAMES, Kind, strict=True))  # by the words that ``in:`` accepts
# What the index has as the path of a document: FTS5 then ranks documents without ranking all sessions.
DOCUMENT_MARK = "memtuidocument"
_LIMIT = 8 << 20  # the most bytes of a document that are searched
_TITLE = 300
_BROKEN = "broken"
_PINS = re.compile(r"pins\.md")


@dataclass(slots=True)
class File:
    """A file in the index; secrets are masked."""

    path: str = ""
    kind: Kind = Kind.SESSION
    project: str = ""
    session: str = ""
    agent: str = ""  # the subagent whose transcript it is, by its name
    stem: str = ""  # where the archive has it, if Claude Code has deleted it
    name: str = ""  # Recovery ID, else the file's name; of a session what it is named by, without its branch
    title: str = ""
    note: str = ""  # a session's branch, tags, a memory's kind, a capture's status, what a file was stored as
    mtime_ns: int = 0  # with `size`: of what is indexed as a whole
    size: int = 0
    inode: int = 0
    offset: int = 0
    line: int = 1  # where reading continues

    @property
    def signature(self) -> Signature:
        return self.mtime_ns, self.size, self.inode

    def take(self, reading: Reading) -> None:
        """Note where reading continues, and name a session: as it is called, else after what was asked."""
        self.offset, self.line = reading.end, reading.next_number
        self.note = reading.branch or self.note
        for message in reading.messages:
            if message.role in (Role.TITLE, Role.ASK):
                from memtui.transcript.session import SessionSummary, better_name  # if something is new

                text = message.text.strip()[:_TITLE]
                self.name = text if message.role is Role.TITLE else better_name(self.name, text)
                self.title = SessionSummary(self.name, branch=self.note).name


def listed(places: Places, sources: Sources, folders: Iterable[str]) -> dict[str, tuple[File, Entry]]:
    """All files to search by their paths; `folders` are some in known projects, only absolute ones count.

    Of an archived transcript it is the file of the archive. A project is noted if the place tells it.
    """
    found = {path: (File(path), entry) for path, entry in sources.entries().items()}
    for kind, entry, project in _documents(places, folders):
        path = f"{entry.folder}{os.sep}{entry.name}"
        found[path] = File(path, kind, project, name=entry.name, title=entry.name), entry
    return {path: each for path, each in found.items() if is_text(path)}


def _documents(places: Places, folders: Iterable[str]) -> Iterator[tuple[Kind, Entry, str]]:
    """Those of all projects that are known; folders that cannot be listed are left out."""
    home, projects = places.home, places.claude / "projects"
    roots = {_root(folder) for folder in folders if os.path.isabs(folder)}  # noqa: PTH117
    slugs = {transcript_slug(root)[:SLUG_LENGTH]: str(root) for root in roots}
    months, own = scan(home.memories, listing.MONTH_NAME), _in(projects, listing.ANY_NAME)
    where = [(Kind.MEMORY, each.path, listing.STORED_NAME, "") for each in months]
    for folder in (memory_folder(places), *(each.path / "memory" for each in own)):
        above = folder.parent  # those of an unknown project belong to Claude Code's folder of it
        project = slugs.get(above.name, str(above)) if above.parent == projects else ""
        where.append((Kind.CLAUDE, folder, MARKDOWN, project))
    for root in roots:
        of = Project(root)
        where.append((Kind.CAPTURE, of.compacts, listing.CAPTURE_NAME, str(root)))
        where.append((Kind.FILE, of.compacts, listing.MEMORY_FILE_NAME, str(root)))
        where.append((Kind.PIN, of.pins.parent, _PINS, str(root)))
    for kind, folder, names, project in (*where, (Kind.PIN, home.pins.parent, _PINS, "")):
        within = Path(project) if project and kind is not Kind.CLAUDE else None
        yield from ((kind, each, project) for each in _in(folder, names, within))
    versions = (newest_version(home, each.name) for each in _in(home.states, SESSION))
    yield from ((Kind.STATE, newest, "") for newest in versions if newest)


def _in(folder: Path, names: re.Pattern[str], within: Path | None = None) -> list[Entry]:
    with suppress(FileProblem):  # its pane reports the problem
        return scan(folder, names, within=within)
    return []


def _root(folder: str) -> Path:
    with suppress(OSError, ValueError, RuntimeError):
        return find_root(Path(folder))
    return Path(folder)


def opened(file: File, entry: Entry) -> Iterable[Reading]:
    """The messages of a new or changed file, which is described; a broken document by its name and text."""
    path = Path(file.path)
    if file.kind is Kind.SESSION:
        file.stem = str(entry.path.with_suffix("")) if is_archived(entry) else ""
        copy = _unpacked(file.stem) if file.stem else None  # one that is not whole is shown nowhere
        file.project = str((cwd_in(copy.getvalue()) if copy else first_cwd(path)) or "")
        file.agent, file.session = path.stem if is_agent(path) else "", session_of(path, entry)
        return readings(file)
    text, created = text_of(file), "" if file.kind is Kind.PIN else (entry.time or entry.written).isoformat()
    try:
        created = _describe(file, entry, text) or created
    except FormatError:
        file.note = _BROKEN
    return _reading(file, text, created)


def readings(file: File, start: int = 0, first: int = 1, *, few: bool = False) -> Iterable[Reading]:
    """The messages of a file; of a transcript those from line `first` at `start` on."""
    if file.kind is not Kind.SESSION:
        return _reading(file, text_of(file))
    source = _unpacked(file.stem) if file.stem else Path(file.path)
    return read_messages(source, start, first, agent=bool(file.agent), few=few)


def _unpacked(stem: str) -> io.BytesIO:
    from memtui.store.archive import Copy  # most transcripts are not

    return io.BytesIO(b"".join(Copy(Path(stem)).parts()))


def text_of(file: File) -> str:
    """A document, masked; "" if it is there and cannot be read."""
    path = Path(file.path)
    root = path.parents[2] if file.kind in (Kind.MEMORY, Kind.STATE) else path.parent
    if file.project and file.kind in (Kind.CAPTURE, Kind.FILE, Kind.PIN):
        root = Path(file.project)
    try:
        data = read_within(path, root, limit=_LIMIT, follow=False)
    except FileMissing:
        raise
    except FileProblem:
        return ""
    return masked(data.decode("utf-8", "replace")).removeprefix("\ufeff")


def _reading(file: File, text: str, created: str = "") -> list[Reading]:
    if file.kind in (Kind.MEMORY, Kind.CLAUDE) and file.note != _BROKEN:  # of others it is what stands there
        more = file.note if file.kind is Kind.MEMORY else fields_of(text).get("name", "")
        body, title = body_of(text), file.title if file.title != file.name else ""
        text = "\n".join((*(each for each in (more, title) if each and each not in body), body))
    texts = [pin.text for pin in parse_pins(text)] if file.kind is Kind.PIN else [f"{file.name}\n{text}"]
    found = enumerate(texts, 1)
    return [Reading([Message(Role.DOCUMENT, one, DOCUMENT_MARK, 0, at, created) for at, one in found], 0, 1)]


def _describe(file: File, entry: Entry, text: str) -> str:
    """Note what a document says about itself; returns when it was made, "" if it does not say."""
    # Formats are imported where one is read: that takes longer than a search.
    if file.kind is Kind.MEMORY:
        from memtui.store.memories import id_of, read_stored, title_of

        file.name = file.title = id_of(entry)
        stored = read_stored(file.name, text.encode())
        file.title, file.note = title_of(stored), " ".join(f"#{tag}" for tag in stored.meta.tags)
        file.project, file.session = stored.meta.project, stored.meta.session_id
        return stored.meta.created.isoformat()
    if file.kind is Kind.CLAUDE:
        fields = fields_of(text)
        file.title = fields.get("description") or fields.get("name") or entry.name
        file.note = fields.get("type", "")
    elif file.kind is Kind.FILE:
        from memtui.documents.memory_file import parse_memory

        file.title, file.note = entry.name.removesuffix(".md"), listing.stored_id(text.encode())
        file.title = parse_memory(text).title or file.title
    elif file.kind is Kind.CAPTURE:
        from memtui.documents.capture import parse_capture
        from memtui.transcript.short_text import without_persona

        capture = parse_capture(text)
        file.session, file.note = capture.session_id, capture.status
        file.title = opening(without_persona(capture.first_message)) or entry.name
        return capture.timestamp.isoformat()
    elif file.kind is Kind.STATE:
        from memtui.documents.session_state import parse_session_state
        from memtui.documents.work import goal_words

        file.name = file.session = Path(entry.folder).name
        file.title, file.note = f"session {file.session[:8]}", entry.name.removesuffix(".md")
        identity = parse_session_state(text).identity
        file.project, file.title = project_path(identity.project), goal_words(identity.goal) or file.title
    return ""
