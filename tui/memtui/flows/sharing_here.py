"""Memories in the project itself: ``.memtui/shared/CMEM-...@machine.md``, reviewed and cloned with the code.

Whoever opens the project has them in the store, as others' memories, for as long as the files are there. The
files may come from anybody: they are read as text, within bounds, and never followed as links.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from memtui.clean import clean_line
from memtui.clock import Clock
from memtui.files import (
    FileLocked,
    FileProblem,
    existing_above,
    load_within,
    lock,
    private_folder,
    read_within,
    shared_folder,
    write_atomic,
)
from memtui.flows.shared_names import Names, digest, neutral, shared_root
from memtui.flows.sharing_out import check_to_share
from memtui.formats.errors import FormatError
from memtui.formats.shared_record import (
    LIMIT,
    MACHINE,
    SharedRecord,
    parse_record,
    record_name,
    render_record,
)
from memtui.formats.stored_memory import StoredMemory
from memtui.git import ask
from memtui.project import Home, Project
from memtui.sharing.remotes import this_author, this_machine
from memtui.store.base import New
from memtui.store.concerning import ProjectTest
from memtui.store.listing import Entry, newest
from memtui.store.memory_files import FilesBackend

_NAME = re.compile(rf"(CMEM-\d{{8}}-\d{{6}}@{MACHINE.pattern})\.md", re.ASCII)
_MOST = 1_000
"""The most files that are read, the newest by their names."""
_KNOWN_LIMIT = 1 << 20
_SESSION = re.compile(rb"^(##\s*Session ID[^\n]*\n)(?:(?!##).*\n?)*", re.MULTILINE | re.IGNORECASE)
_LONGEST_NAME = 60
_GONE = "gone"
"""Stands for the text of a memory whose file is not there any more."""


def share_here(
    project: Project, home: Home, clock: Clock, memory_id: str, allowed: Collection[int] = ()
) -> Path:
    """Write one of this machine's memories into its project; returns the file.

    Paths in it are relative to the project's root, and it names no session.

    Args:
        project: the project.
        home: memtui's own folders.
        clock: tells the time.
        memory_id: the memory.
        allowed: lines that a person lets pass although they look like secrets.

    Raises:
        SecretsFoundError: it holds secrets in other lines.
        FileProblem: it is private, another machine's or another project's, or cannot be written.
    """
    stored = FilesBackend(home, clock).get(memory_id)
    if "@" in memory_id:
        raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to share")
    if not ProjectTest(project.root)(stored.meta.project):
        raise FileProblem(Path(memory_id), f"is of another project: {stored.meta.project}")
    body = _relative(stored)
    check_to_share(home, clock, stored, body, allowed)
    meta = stored.meta
    machine = this_machine(home)
    memory = Names(machine).everywhere(memory_id)
    record = SharedRecord(
        kind="text",
        memory=memory,
        machine=machine,
        author=this_author(),
        at=clock(),
        project=project.name,
        created=meta.created,
        source=meta.source,
        description=meta.description,
        tags=tuple(sorted(meta.tags)),
        body=body,
    )
    path = project.shared / f"{memory}.md"
    shared_folder(path.parent, within=project.root)
    write_atomic(path, render_record(record), mode=0o644, within=project.root)
    return path


def ignored(project: Project, path: Path) -> bool:
    """Whether git would not commit a file, as far as git can be asked."""
    answer = ask(project.root, "check-ignore", "-q", "--", str(path))
    return answer is not None and answer.code == 0


def _relative(stored: StoredMemory) -> bytes:
    """A memory's text with paths from the project's root, and without the session that it is of."""
    root = Path(stored.meta.project)
    body = neutral(stored.body, str(root), str(Path.home()))
    name = re.escape(shared_root(root.name).encode())
    body = re.sub(name + rb"/(?=[\w.])", b"", body)
    body = re.sub(name + rb"(?![\w.-])", b".", body)
    body = _SESSION.sub(rb"\1N/A\n\n", body)
    session = stored.meta.session_id.encode()
    return body.replace(session, b"N/A") if len(session) >= 8 else body


@dataclass
class _Known:
    """The state of the folder when it was last taken in, kept in a file that can be deleted."""

    path: Path
    files: list[list[object]] = field(default_factory=list)
    """Name and signature of each file."""
    texts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the text of each memory that came from here, or `_GONE`."""

    @classmethod
    def of(cls, project: Project, home: Home) -> _Known:
        """What is known of a project; nothing where that cannot be read."""
        folder = home.data / "sharing"
        path = folder / f"here-{sha256(str(project.root).encode()).hexdigest()[:16]}.json"
        with suppress(FileProblem, ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(read_within(path, folder, limit=_KNOWN_LIMIT))
            texts = {str(memory): str(text) for memory, text in kept["texts"].items()}
            return cls(path, list(kept["files"]), texts)
        return cls(path)

    def keep(self) -> None:
        """Write it.

        Raises:
            FileProblem: it cannot be written.
        """
        value = {"files": self.files, "texts": self.texts}
        write_atomic(self.path, json.dumps(value).encode(), durable=False)


def take_in(project: Project, home: Home, clock: Clock) -> list[str]:
    """Bring the store to what the project's own folder has; quick where nothing has changed.

    Returns:
        Why files were passed over, a sentence each.

    Raises:
        FileProblem: the store cannot be written.
    """
    entries, total = newest(project.shared, _NAME, _MOST, within=project.root)
    known = _Known.of(project, home)
    files: list[list[object]] = [[each.name, each.mtime_ns, each.size, each.inode] for each in entries]
    if files == known.files:
        return []
    private_folder(known.path.parent, within=existing_above(known.path.parent))
    try:
        with lock(known.path, timeout=0, within=known.path.parent):
            taking = _Taking(project, home, clock, known)
            taking.take(entries)
            known.files = files
            known.keep()
    except FileLocked:  # another process is at it
        return []
    if total > len(entries):
        taking.notes.append(f"{project.shared} has {total:,} memories; the newest {len(entries):,} are read.")
    return taking.notes


class _Taking:
    """Brings the store to some files."""

    def __init__(self, project: Project, home: Home, clock: Clock, known: _Known) -> None:
        self._project = project
        self._backend = FilesBackend(home, clock)
        self._names = Names(this_machine(home))
        self._texts = known.texts
        self.notes: list[str] = []

    def take(self, entries: Collection[Entry]) -> None:
        """Take in all that is new or changed, and take out what is gone."""
        records = {record.memory: record for each in entries if (record := self._read(each))}
        new = [memory for memory in records if memory not in self._texts]
        authors = _added_by(self._project) if new else {}
        for memory, record in records.items():
            with self._noting():
                self._bring(record, authors.get(f"{memory}.md") or record.author)
        for memory in self._texts.keys() - records.keys():
            with self._noting():
                self._take_out(memory)

    def _read(self, entry: Entry) -> SharedRecord | None:
        memory = entry.name.removesuffix(".md")
        if self._names.is_own(memory):
            return None  # nobody else speaks for this machine
        with self._noting():
            data = load_within(entry.path, self._project.root, limit=LIMIT, follow=False).data
            try:
                record = parse_record(record_name(memory, data), data)
            except FormatError as error:
                raise FileProblem(entry.path, f"is no shared memory: {error}") from error
            if record.kind == "text":
                return record
        return None

    def _bring(self, record: SharedRecord, author: str) -> None:
        memory, text = record.memory, digest(record.body)
        before = self._texts.get(memory)
        if not self._backend.signature(memory):
            if before == _GONE and self._backend.is_deleted(memory):
                self._backend.restore(memory)
                self._backend.rewrite(memory, record.body)
            elif before is None and not self._backend.is_deleted(memory):
                self._create(record, author)
            else:
                return  # deleted here: it stays so
        elif before in (None, text):
            return  # it came by another way, or is as it was
        elif not self._is_changed_here(memory, before):
            self._backend.rewrite(memory, record.body)
            self._backend.update(memory, description=record.description or "", tags=record.tags)
        else:
            self.notes.append(f"{memory} was changed here, too: its text stays.")
        self._texts[memory] = text

    def _create(self, record: SharedRecord, author: str) -> None:
        who = clean_line(author)[:_LONGEST_NAME].strip() or "somebody"
        self._backend.create(
            New(
                body=record.body,
                project=self._project.name,  # whatever it says: it is seen in this project
                description=record.description or "",
                tags=record.tags,
                source=record.source,
                author=f"{who} (project)",
                id=record.memory,
                created=record.created,
                updated=record.at,
            )
        )

    def _take_out(self, memory: str) -> None:
        before = self._texts[memory]
        if before != _GONE and self._backend.signature(memory):
            if self._is_changed_here(memory, before):
                del self._texts[memory]  # it is this person's own now
                return
            self._backend.delete(memory)
        self._texts[memory] = _GONE

    def _is_changed_here(self, memory: str, text: str | None) -> bool:
        return digest(self._backend.get(memory).body) != text

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Turn a problem with one memory into a note: the others are taken in all the same."""
        try:
            yield
        except FileProblem as problem:
            self.notes.append(f"{problem}.")


def _added_by(project: Project) -> Mapping[str, str]:
    """Who added each file of the folder, by its name, as far as git can be asked."""
    folder = f"{project.shared.relative_to(project.root)}/"
    words = ("log", "--no-textconv", "--no-ext-diff", "--diff-filter=A", "--format=%x00%an", "--name-only")
    answer = ask(project.root, *words, "--", folder)
    if answer is None or answer.code:
        return {}
    found: dict[str, str] = {}
    for commit in answer.output.decode("utf-8", "replace").split("\0")[1:]:
        author, *paths = filter(None, commit.split("\n"))
        for path in paths:
            found.setdefault(path.rpartition("/")[2], author)
    return found
