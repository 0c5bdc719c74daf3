"""Syncing memories with a remote, by one rule.

A copy here is based on a version of the remote. If only the remote has a newer one, it is taken; if only the
copy has changed, it becomes the next version, which the engine refuses when somebody was first; then all is
compared again. If both have changed, the remote's stays, and the copy's text becomes a memory of its own. No
clock and no sequence decides anything.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from memtui.documents.memory import MemoryMeta, StoredMemory, moment_of
from memtui.documents.record import Record
from memtui.ground import files
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileChanged, FileMissing, FileProblem
from memtui.ground.project import Home
from memtui.ground.text import FormatError
from memtui.secrets.secrets import find, holds_secrets
from memtui.share.contract import LIMIT, Document, Head, Remote, RemoteProblemError, neutral, portions
from memtui.share.remotes import NamedRemote, Remotes, open_remote, place_of, this_author, this_machine
from memtui.store.archive_settings import archive_settings
from memtui.store.memories import MemoryStore, title_of

_STATE_LIMIT, _TRIES, _PAST = 64 << 20, 12, 20
_DELETED = "deleted"


class Known(Record):
    """What is known of a memory that this machine shares through a remote: what the copy here is based on."""

    model_config = ConfigDict(extra="ignore")  # older versions kept more

    version: int = 0
    digest: str = ""
    here: str = ""
    """The content that the copy and that version had in common; see `Sharing.look`."""
    past: tuple[str, ...] = ()
    """Earlier contents that the remote has had."""
    withheld: bool = False
    """Whether nothing is sent of it until it is shared again: it was forgotten."""

    @property
    def is_there(self) -> bool:
        """Whether the remote has it, and not as a deleted one."""
        return self.version > 0 and self.here != _DELETED

    def based(self, version: int, digest: str, here: str) -> Known:
        """The same, based on another version."""
        past = tuple(dict.fromkeys((self.here, *self.past)))[:_PAST] if self.here != here else self.past
        return self.replace(version=version, digest=digest, here=here, past=past)


class State(Record):
    """What this machine knows of a remote; if it is lost, the next sync compares all texts."""

    synced: str = ""
    problem: str = ""
    """Why the last sync failed, as a sentence."""
    trouble: str = ""
    """The same in two or three words."""
    memories: dict[str, Known] = Field(default_factory=dict)
    passed: dict[str, str] = Field(default_factory=dict)
    """Digests of newest versions that are not taken, by their keys."""


@dataclass
class Synced:
    """The outcome of a sync; a note is a sentence on a memory held back, deleted or kept beside another."""

    sent: int = 0
    fetched: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        return f"sent {self.sent}, fetched {self.fetched}"

    @property
    def news(self) -> str:
        """The first note, and how many others there are; "" without any."""
        more = f" And {len(self.notes) - 1} more." if len(self.notes) > 1 else ""
        return f"{self.notes[0]}.{more}" if self.notes else ""


def _content(about: MemoryMeta | Document, body: bytes) -> str:
    """A digest of what machines share of a memory."""
    shared = json.dumps([about.description, sorted(about.tags)]).encode() + b"\0" + body
    return sha256(shared).hexdigest()[:32]


class Sharing:
    """A remote and the memories of this machine. Methods raise `FileProblem` and `RemoteProblemError`."""

    def __init__(self, home: Home, clock: Clock, name: str, named: NamedRemote) -> None:
        self.name, self.named, self.home, self.clock = name, named, home, clock
        self.machine = this_machine(home)
        self.store = MemoryStore(home, clock)
        self._path = place_of(home, name, named).with_suffix(".json")

    @cached_property
    def remote(self) -> Remote:
        return open_remote(self.name, self.named, self.home, this_author(), self.machine)

    def key(self, memory_id: str) -> str:
        """The key of a memory with a Recovery ID of this machine."""
        return memory_id if "@" in memory_id else f"{memory_id}@{self.machine}"

    def here(self, key: str) -> str:
        """The Recovery ID of a memory on this machine."""
        return key.removesuffix(f"@{self.machine}")

    def is_own(self, key: str) -> bool:
        return "@" not in self.here(key)

    def state(self) -> State:
        try:
            data = files.read_within(self._path, self.home.data, limit=_STATE_LIMIT)
            return State.model_validate_json(data)
        except FileMissing:
            return State()
        except ValidationError:
            raise FileProblem(self._path, "is broken: delete it; the next sync makes it anew") from None

    def share(self, memory_id: str) -> bool:
        """Mark a memory to be sent with the next sync; False if the remote has it as it is."""
        if "@" in memory_id:
            raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to share")
        key = self.key(memory_id)
        known = self.state().memories.get(key, Known())
        stored = self.store.get(memory_id)
        if known.here == self.look(key)[1] and not known.withheld:
            return False
        self._refuse(stored)
        self.save({key: known.replace(withheld=False)}, passed={key: ""})
        return True

    def forget(self, memory_id: str) -> str:
        """Remove a memory's texts from the remote, and put it into the trash here.

        Returns a sentence on what cannot be removed. Even if this fails, nothing of the memory is sent until
        it is shared again.
        """
        key = self.key(memory_id)
        if (known := self.state().memories.get(key)) is None:
            raise FileProblem(Path(memory_id), f"was not shared with {self.name}")
        with self._alone():
            known = known.replace(withheld=True)
            self.save({key: known})
            version = max([known.version, *(each.version for each in self.versions(memory_id))])
            version = min(version + 1, Document.LAST)
            gone = self.document(key, None, version).replace(forgotten=True).render()
            remains = self.remote.forget(key, (version, gone))
            if self.look(key)[0] is not None:
                self.store.delete(self.here(key))
            self.save({key: known.based(version, self.remote.digest(gone), _DELETED)})
        return remains

    def versions(self, memory_id: str) -> list[Document]:
        """The versions of a memory in the remote, oldest first; broken ones are left out."""
        key, documents = self.key(memory_id), []
        for data in self.remote.history(key) if key in self.state().memories else ():
            with suppress(FormatError):
                documents.append(Document.parse(data))
        return documents

    def sync(self) -> Synced:
        """Take what is new in the remote, and write what has changed here."""
        done = Synced()
        with self._alone():
            if self.state().memories and not self.home.memories.is_dir():
                raise FileProblem(self.home.memories, "is missing, so nothing is synced")
            try:
                for number in range(_TRIES):
                    if _Round(self, done).run():
                        break
                    time.sleep(random.uniform(0, 0.05 * 2 ** min(number, 5)))  # noqa: S311
                else:
                    raise RemoteProblemError(self.name, "is changed by others all the time; sync again")
            except RemoteProblemError as problem:
                self.save({}, problem=str(problem), trouble=problem.trouble)
                raise
            self.save({}, problem="", trouble="", synced=self.clock().isoformat())
        return done

    def look(self, key: str) -> tuple[StoredMemory | None, str]:
        """A memory as it is here, and a digest of what machines share of it.

        The digest is "" if its file is just gone, which deletes nothing.
        """
        local = self.here(key)
        if self.store.has(local):
            stored = self.store.get(local)
            return stored, _content(stored.meta, neutral(stored.body, stored.meta.project))
        return None, _DELETED if self.store.is_deleted(local) else ""

    def document(self, key: str, stored: StoredMemory | None, version: int) -> Document:
        """The document of a memory as it is here; None is a deleted one. Refused if it may not leave."""
        if version > Document.LAST:  # somebody counted wrongly, or means harm
            raise FileProblem(Path(self.here(key)), f"is not sent: {self.name} has its last possible version")
        values = {"version": version, "author": this_author(), "machine": self.machine}
        values |= {"at": self.clock(), "created": moment_of(key) or self.clock(), "deleted": stored is None}
        if stored is not None:
            meta = stored.meta
            values |= {"project": Path(meta.project).name, "body": neutral(stored.body, meta.project)}
            values |= {each: getattr(meta, each) for each in ("created", "description", "tags", "source")}
            self._refuse(stored)
        return Document.model_validate(values)

    def _refuse(self, stored: StoredMemory) -> None:
        """Refuse a memory with secrets, a large one, and one of a private project."""
        meta = stored.meta
        if archive_settings(self.home).is_private(Path(meta.project or "/")):
            reason = f"is of a project that never leaves this machine: {meta.project}"
            raise FileProblem(Path(meta.id), reason)
        if len(stored.body) > LIMIT - (64 << 10):  # room for the front matter
            raise FileProblem(Path(meta.id), f"is too large to be shared: {len(stored.body):,} bytes")
        text = neutral(stored.body, meta.project).decode("utf-8", "replace")
        if found := [*find(text), *find("\n".join((meta.description, *meta.tags)))]:
            raise FileProblem(Path(meta.id), f"is not shared. {holds_secrets(found)}; take them out first")

    def save(self, known: Mapping[str, Known], passed: Mapping[str, str] | None = None, **facts: str) -> None:
        """Change what is known of some memories; what others change meanwhile stays."""
        files.private_folder(self._path.parent)
        with files.lock(self._path, within=self._path.parent):
            was = self.state()
            passed = {**was.passed, **(passed or {})}
            now = was.replace(memories={**was.memories, **known}, passed=passed, **facts)
            if now != was:
                files.write_atomic(self._path, now.model_dump_json(exclude_defaults=True).encode())

    def _alone(self) -> AbstractContextManager[None]:
        files.private_folder(self._path.parent)
        return files.lock(self._path.with_suffix(".sync"), timeout=0, within=self._path.parent)


class _Round:
    def __init__(self, sharing: Sharing, done: Synced) -> None:
        self._of, self._done = sharing, done
        self._remote, self._store = sharing.remote, sharing.store
        self._sends_all = sharing.named.sync == "all"
        state = sharing.state()
        self._known, self._before = dict(state.memories), state.passed
        self._new, self._passed = dict[str, Known](), dict[str, str]()
        """What has become known, and is not saved yet."""
        self._writes: dict[str, int] = {}
        """The numbers of the versions to be written."""
        self._complete = True

    def run(self) -> bool:
        """Compare, take and write; False if somebody was first, and all has to be compared again."""
        heads = self._remote.heads()
        if self._sends_all:
            self._add_all(heads)
        gone = self._look_here(heads)
        new = {key: head for key, head in heads.items() if key in gone or self._is_new(key, head)}
        bases = {key: self._known[key].digest for key in new if key in self._known}
        held = self._remote.holds(bases) if any(bases.values()) else ()
        for key, data in self._remote.read(new):
            try:
                self._compare(key, heads[key], Document.parse(data), is_held=key in held)
            except FormatError as error:
                self._passed[key] = heads[key].digest
                self._done.notes.append(f"{key} in {self._of.name} is not read: {error}")
            except FileChanged:
                self._complete = False
            except FileProblem as problem:
                self._done.notes.append(str(problem))
        for batch in portions(self._versions(), lambda each: len(each[1][1])):
            self._send(dict(batch))
        self._save()
        return self._complete

    def _is_new(self, key: str, head: Head) -> bool:
        known = self._known.get(key)
        return head.digest not in (known.digest if known else "", self._before.get(key))

    def _add_all(self, heads: Mapping[str, Head]) -> None:
        settings = archive_settings(self._of.home)
        for listed in self._store.list().items:
            key = self._of.key(listed.id)
            if key in self._known or key in heads or "@" in listed.id or listed.problem:
                continue
            if not settings.is_private(Path(listed.meta.project or "/")):
                self._know(key, Known())

    def _look_here(self, heads: Mapping[str, Head]) -> set[str]:
        """Find what has changed here alone; returns memories whose files are just gone."""
        gone = set()
        for key, known in list(self._known.items()):
            there = key in heads
            if known.withheld or (there and self._is_new(key, heads[key])):
                continue
            try:
                _, content = self._of.look(key)
            except FileProblem as problem:
                self._done.notes.append(str(problem))
                continue
            if not content:
                gone |= {key} if known.here != _DELETED else set()
            elif content != known.here or not there:
                self._writes[key] = max(known.version + (content != known.here), 1)
        return gone

    def _compare(self, key: str, head: Head, document: Document, *, is_held: bool) -> None:
        """Bring together a memory and its newest version in the remote, which is new to it."""
        stored, content = self._of.look(key)
        theirs = _DELETED if document.deleted else _content(document, document.body)
        known, who = self._known.get(key, Known()), document.author or "somebody"
        changed = content not in ("", known.here)
        if content != theirs:
            if key not in self._known and content and self._of.is_own(key) and not self._sends_all:
                why = f"in {self._of.name} is not what is here and was never shared: it is not taken"
                self._note(key, why)
                self._passed[key] = head.digest
                return
            if known.digest and not is_held and theirs in known.past and content:
                self._writes[key] = document.version + 1  # the remote was rolled back
                return
            lost = bool(known.digest) and not is_held and not document.forgotten
            if changed and not lost and document.deleted and not document.forgotten:
                self._note(key, f"was deleted by {who} and changed here: the change stays")
                self._writes[key] = document.version + 1
            else:
                keep = changed or lost
                if content == _DELETED:
                    if changed:
                        self._note(key, f"was deleted here and changed by {who}: it is back")
                    self._store.restore(self._of.here(key))
                    stored, content = self._of.look(key)
                    keep = content not in (known.here, *known.past)
                self._take(key, stored, document, keep=keep)
                self._done.fetched += 1
        known = known.replace(withheld=known.withheld or document.forgotten)
        self._know(key, known.based(document.version, head.digest, theirs))

    def _take(self, key: str, stored: StoredMemory | None, document: Document, *, keep: bool) -> None:
        """Make a memory what the remote says; `keep` the text from here as a memory of its own."""
        local = self._of.here(key)
        if keep and stored is not None:
            self._keep(key, stored, document)
        mine = self._of.is_own(key) and document.author == this_author()
        author = "" if mine else f"{document.author or document.machine} ({self._of.name})"
        about: dict[str, Any] = {"description": document.description, "tags": document.tags, "author": author}
        if stored is not None and document.deleted:
            self._store.delete(local)
            self._note(key, f"was deleted by {document.author or 'somebody'}: it is in the trash here")
        elif stored is not None:
            self._store.update(local, expected=stored, body=document.body, **about)
        elif not document.deleted:
            about |= {"created": document.created, "updated": document.at, "source": document.source}
            self._store.create(document.body, document.project, id=local, **about)

    def _keep(self, key: str, stored: StoredMemory, document: Document) -> None:
        """Keep a text as a memory of its own, which is shared as the other one is."""
        now, meta = self._of.clock(), stored.meta
        # The difference stands first: the ends of long titles are cut in lists.
        title = f"From {self._of.machine}, {now.day} {now:%b}: {title_of(stored)}"
        found = [each.id for each in self._store.list().items if each.title == title]
        # A killed process may have kept it already.
        kept = next((each for each in found if self._store.get(each).body == stored.body), "")
        if not kept:
            about = {each: getattr(meta, each) for each in ("tags", "session_id", "source")}
            kept = self._store.create(stored.body, meta.project, description=title, **about).id
        who = document.author or "somebody"
        self._note(key, f"was changed here and by {who}: theirs stays, and the text from here is {kept}")
        if not document.forgotten:
            self._know(self._of.key(kept), Known())
            self._writes[self._of.key(kept)] = 1
            self._save()  # before the text is replaced, from which a killed process could tell

    def _versions(self) -> Iterator[tuple[str, tuple[int, bytes, str]]]:
        """The versions to be written: key, number, document and content."""
        for key, version in self._writes.items():
            try:
                stored, content = self._of.look(key)
                yield key, (version, self._of.document(key, stored, version).render(), content)
            except FileProblem as problem:
                self._done.notes.append(str(problem))

    def _send(self, batch: Mapping[str, tuple[int, bytes, str]]) -> None:
        self._save()
        written = self._remote.write({key: (version, data) for key, (version, data, _) in batch.items()})
        for key in written:
            version, data, content = batch[key]
            self._know(key, self._known[key].based(version, self._remote.digest(data), content))
        self._save()
        self._complete = self._complete and len(written) == len(batch)
        self._done.sent += len(written)

    def _know(self, key: str, known: Known) -> None:
        self._known[key] = self._new[key] = known

    def _note(self, key: str, what: str) -> None:
        self._done.notes.append(f"{self._of.here(key)} {what}")

    def _save(self) -> None:
        if self._new or self._passed:
            self._of.save(self._new, self._passed)
            self._new = {}


def holding(home: Home, memory_id: str) -> list[str]:
    """The remotes that have a memory, as far as was seen with the last exchange."""
    opened = [Sharing(home, system_clock, *each) for each in Remotes(home).all().items()]
    known = {each.name: each.state().memories.get(each.key(memory_id), Known()) for each in opened}
    return [name for name, each in known.items() if each.is_there]


def open_sharing(home: Home, clock: Clock, name: str = "") -> Sharing:
    """A remote by its name; "" means the only one."""
    return Sharing(home, clock, *Remotes(home).find(name))


def keep_syncing(
    sync: Callable[[], object],
    wait: Callable[[float, threading.Event], None],
    seconds: float,
    failed: Callable[[FileProblem], None],
    stopped: threading.Event,
) -> None:
    """Sync until `stopped`, at most once a second, after `seconds` or when `wait` ends; see `failed`."""
    pause = 1.0
    while not stopped.is_set():
        try:
            sync()
            stopped.wait(1.0)
            wait(seconds, stopped)
            pause = 1.0
        except FileProblem as problem:
            failed(problem)
            stopped.wait(pause)
            pause = min(2 * pause, seconds)
