"""Importing the memories of a project's own folder, ``.memtui/shared/CMEM-...@machine.md``.

They become others' memories in the store, and move to the trash when their files are gone. The files are
untrusted: they are read as text, within limits, and links are not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from memtui.flows.shared_folder_state import GONE, SharedFolderState, all_states, state_path
from memtui.flows.shared_names import Names, digest
from memtui.formats.errors import FormatError
from memtui.formats.shared_record import LIMIT, MACHINE, SharedRecord, parse_record, record_name
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileLocked,
    FileMissing,
    FileNotRegular,
    FileProblem,
    FileTooLarge,
    existing_above,
    load_within,
    lock,
    private_folder,
    sweep_temps,
)
from memtui.ground.git import ask
from memtui.ground.project import Home, Project
from memtui.share.remotes import this_machine
from memtui.store.base import New
from memtui.store.listing import Entry, newest
from memtui.store.memory_files import FilesBackend

_NAME = re.compile(rf"(CMEM-\d{{8}}-\d{{6}}@{MACHINE.pattern})\.md", re.ASCII)
_MOST = 1_000
"""The most files read, the newest by name."""
_PROBLEMS = 20
"""The most errors before giving up: the disk may be full."""
_LONGEST_NAME = 60
_MARK = " (project)"
"""Suffix of the author's name in a memory from a project's folder."""


class ImportProblems(NamedTuple):
    """Sentences on files that could not be imported."""

    new: Sequence[str] = ()
    """Found by this call."""
    standing: Sequence[str] = ()
    """All current ones, including those found by an earlier call."""


def import_shared_folder(project: Project, home: Home, clock: Clock) -> ImportProblems:
    """Update the store from the project's own folder; quick if nothing has changed.

    Never raises: the store stays readable whatever happens, and problems are returned.
    """
    new: list[str] = []
    try:
        listing, known = _Listing.of(project), SharedFolderState.of(project.root, home)
        if not listing.is_known(known):
            known, new = _import(project, home, clock)
    except FileLocked:  # another process is importing them
        return ImportProblems((), files_not_imported(project, home))
    except FileProblem as problem:
        of_store = problem.path != project.shared
        new.append(f"{project.shared} is not taken in: {problem}." if of_store else f"{problem}.")
        return ImportProblems(new, new)
    return ImportProblems(new, tuple(dict.fromkeys((*known.notes.values(), *listing.notes(project), *new))))


def files_not_imported(project: Project, home: Home) -> Sequence[str]:
    """Sentences on files that could not be imported; changes nothing."""
    try:
        listing = _Listing.of(project)
    except FileProblem as problem:
        return (f"{problem}.",)
    return (*SharedFolderState.of(project.root, home).notes.values(), *listing.notes(project))


class _Listing(NamedTuple):
    """The files of the folder."""

    entries: Sequence[Entry]
    """The newest by name."""
    total: int
    is_complete: bool
    """Whether every file has an entry, so that a missing one means a deleted file."""

    @classmethod
    def of(cls, project: Project) -> _Listing:
        """List the folder.

        Raises:
            FileProblem: the folder cannot be listed.
        """
        entries, total = newest(project.shared, _NAME, _MOST, within=project.root)
        there = os.path.isdir(project.root)  # noqa: PTH112 - raises nothing
        return cls(entries, total, there and total == len(entries))

    @property
    def names(self) -> set[str]:
        """The files' names."""
        return {each.name for each in self.entries}

    def is_known(self, known: SharedFolderState) -> bool:
        """Whether everything in it has been imported."""
        unchanged = all(map(known.has, self.entries))
        return unchanged and not (self.is_complete and (known.files.keys() - self.names or self.gone(known)))

    def gone(self, known: SharedFolderState) -> list[str]:
        """The memories imported from here whose files are gone."""
        if not self.is_complete:
            return []
        names = self.names
        return [each for each, text in known.texts.items() if text != GONE and f"{each}.md" not in names]

    def notes(self, project: Project) -> tuple[str, ...]:
        """A note if there are more files than are read."""
        if self.total <= _MOST:
            return ()
        return (f"{project.shared} has {self.total:,} memories; the newest {_MOST:,} are read.",)


def _import(project: Project, home: Home, clock: Clock) -> tuple[SharedFolderState, list[str]]:
    """Import under the lock; checks first whether another process has just done it."""
    path = state_path(project.root, home)
    private_folder(path.parent, within=existing_above(path.parent))
    with lock(path, timeout=0, within=path.parent):
        sweep_temps(path.parent, within=path.parent)
        listing, known = _Listing.of(project), SharedFolderState.of(project.root, home)
        importer = _Importer(project, home, clock, known)
        importer.run(listing)
        try:
            known.keep()
        except FileProblem as problem:
            importer.notes.append(f"{problem}.")
    return known, [*importer.notes, *listing.notes(project)]


class _Importer:
    """Brings the store up to date with some files."""

    def __init__(self, project: Project, home: Home, clock: Clock, known: SharedFolderState) -> None:
        self._project = project
        self._home = home
        self._backend = FilesBackend(home, clock)
        self._names = Names(this_machine(home))
        self._known = known
        self._texts = known.texts
        self.notes: list[str] = []

    def run(self, listing: _Listing) -> None:
        """Import new and changed files, and remove memories whose files are gone."""
        if listing.is_complete:
            self._known.forget(self._known.files.keys() - listing.names)
        changed = [each for each in listing.entries if not self._known.has(each)]
        authors = _added_by(self._project) if any(self._is_new(each) for each in changed) else {}
        steps = [partial(self._import_file, each, authors.get(each.name, "")) for each in changed]
        steps += [partial(self._remove, each) for each in listing.gone(self._known)]
        problems = 0
        for step in steps:
            try:
                step()
            except FileProblem as problem:  # an error of the store: tried again next time
                self.notes.append(f"{problem}.")
                problems += 1
                if problems >= _PROBLEMS:
                    self.notes.append("The rest will be tried the next time.")
                    return

    def _is_new(self, entry: Entry) -> bool:
        return entry.name.removesuffix(".md") not in self._texts

    def _import_file(self, entry: Entry, author: str) -> None:
        self._known.forget([entry.name])
        record = None
        try:
            record = self._read(entry)
        except FormatError as error:
            self._skip(entry, f"{entry.path} is not a shared memory: {error}.")
        except (FileNotRegular, FileTooLarge) as problem:
            self._skip(entry, f"{problem}.")
        except FileMissing:  # deleted since the listing
            return
        except FileProblem as problem:  # a changed mode does not change the signature
            self.notes.append(f"{problem}.")
            return
        if record is not None:
            self._apply(record, author or record.author)
        self._known.files[entry.name] = entry.signature

    def _skip(self, entry: Entry, note: str) -> None:
        self._known.notes[entry.name] = note
        self.notes.append(note)

    def _read(self, entry: Entry) -> SharedRecord | None:
        memory = entry.name.removesuffix(".md")
        if self._names.is_own(memory):
            return None  # only this machine makes memories with its name
        data = load_within(entry.path, self._project.root, limit=LIMIT, follow=False).data
        record = parse_record(record_name(memory, data), data)
        return record if record.kind == "text" else None

    def _apply(self, record: SharedRecord, author: str) -> None:
        memory, text = record.memory, digest(record.body)
        before = self._texts.get(memory)
        if self._backend.signature(memory):
            if not self._is_from_here(memory):
                self._texts.pop(memory, None)
                return  # it came by another way
            self._update_unchanged(record, {text, before})
        elif self._backend.is_deleted(memory):
            if GONE not in (before, *self._texts_elsewhere(memory)):
                return  # deleted by the user: it stays deleted
            self._backend.restore(memory)
            self._update(record, self._backend.get(memory))
        elif before in (None, GONE):
            self._create(record, author)
        else:
            return
        self._texts[memory] = text

    def _is_from_here(self, memory: str) -> bool:
        """Whether this project brought a memory: perhaps in another checkout, or before a crash."""
        meta = self._backend.get(memory).meta
        return meta.author.endswith(_MARK) and meta.project == self._project.name

    def _update_unchanged(self, record: SharedRecord, known: set[str | None]) -> None:
        """Give a memory the text of its file, unless the user has changed it here."""
        stored = self._backend.get(record.memory)
        now = digest(stored.body)
        if now not in known and now not in self._texts_elsewhere(record.memory):
            self.notes.append(f"{record.memory} was changed here, too: its text stays.")
        elif now != digest(record.body):
            self._update(record, stored)

    def _update(self, record: SharedRecord, stored: StoredMemory) -> None:
        if stored.body != record.body:
            self._backend.rewrite(record.memory, record.body)
        tags = tuple(dict.fromkeys((*stored.meta.tags, *record.tags)))  # the user's own tags stay
        self._backend.update(record.memory, description=record.description or "", tags=tags)

    def _create(self, record: SharedRecord, author: str) -> None:
        who = clean_line(author)[:_LONGEST_NAME].strip() or "somebody"
        self._backend.create(
            New(
                body=record.body,
                project=self._project.name,  # regardless of the file's content: it is seen in this project
                description=record.description or "",
                tags=record.tags,
                source=record.source,
                author=f"{who}{_MARK}",
                id=record.memory,
                created=record.created,
                updated=record.at,
            )
        )

    def _remove(self, memory: str) -> None:
        if self._backend.signature(memory):
            text = digest(self._backend.get(memory).body)
            if text != self._texts[memory] or not self._is_from_here(memory):
                del self._texts[memory]  # changed by the user, or received in another way, too
                return
            if not any(each.still_has(memory) for each in self._elsewhere):
                self._backend.delete(memory)
        self._texts[memory] = GONE

    def _texts_elsewhere(self, memory: str) -> set[str]:
        """The texts of a memory in other checkouts of the project, when last imported."""
        return {each.texts[memory] for each in self._elsewhere if memory in each.texts}

    @cached_property
    def _elsewhere(self) -> list[SharedFolderState]:
        return [each for each in all_states(self._home) if each.path != self._known.path]


def _added_by(project: Project) -> Mapping[str, str]:
    """The author of each file in the folder, by file name, as far as git knows."""
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
