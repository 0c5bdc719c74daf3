"""Syncing memories with a remote, by one rule.

A copy here is based on a version of the remote. If only the remote has a newer one, it is taken; if only the
copy has changed, it becomes the next version, which the engine refuses when somebody was first; then it is
compared again. If both have changed, the remote's stays, and the copy's text becomes a memory of its own. No
clock and no sequence decides anything.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from memtui.formats.model import FormatError, Record
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileChanged,
    FileMissing,
    FileProblem,
    lock,
    private_folder,
    read_within,
    write_atomic,
)
from memtui.ground.files.appending import append_line
from memtui.ground.files.problems import writing
from memtui.ground.files.safe import existing_above
from memtui.ground.project import Home
from memtui.secrets.secrets import find, holds_secrets
from memtui.share.contract import (
    LIMIT,
    Document,
    Head,
    Names,
    Remote,
    RemoteProblemError,
    made_at,
    neutral,
    parse_document,
)
from memtui.share.remotes import NamedRemote, Remotes, open_remote, place_of, this_author, this_machine
from memtui.store.archive_settings import ArchiveSettings, archive_settings
from memtui.store.base import New
from memtui.store.memories import MemoryStore
from memtui.store.stored_files import objective

_STATE_LIMIT = 64 << 20
_TRIES = 12
"""The most writes of one sync: others may write at the same time."""
_ROUND = 16 << 20
"""Bytes that are written together."""
_HEAD = 64 << 10
"""Room for a document's front matter."""
_PAST = 20
_OFTEN = 100
"""Memories taken between two writes of the state."""
_DELETED = "deleted"
_YOUNG = 2_000_000_000
"""A file changed less than this many nanoseconds ago may change again with the same signature."""


class SecretsFoundError(FileProblem):
    """A memory holds secrets and stays here; the message names them by line."""


class Known(Record):
    """What is known of a memory that this machine shares through a remote."""

    version: int = 0
    """The version that the copy here is based on; 0 for none yet."""
    digest: str = ""
    """Of that version's document."""
    here: str = ""
    """The content that the copy and that version had in common; see `_Here.content`."""
    past: tuple[str, ...] = ()
    """Earlier contents that the remote has had."""
    sent: str = ""
    """Digest of the document that was written last: a killed process may not know that it arrived."""
    sent_here: str = ""
    """Its content."""
    signature: str = ""
    """Of the file with the content `here`; "" if it has to be read."""
    allowed: tuple[str, ...] = ()
    """Digests of lines that may be sent although they look like secrets."""
    withheld: bool = False
    """Whether nothing more is sent of it until it is shared again: it was forgotten."""

    @property
    def is_there(self) -> bool:
        """Whether the remote has it, and not as a deleted one."""
        return self.version > 0 and self.here != _DELETED

    def based(self, version: int, digest: str, content: str, signature: str = "") -> Known:
        """The same, based on another version of the remote."""
        past = dict.fromkeys((self.here, *self.past)) if self.here != content else self.past
        return self.replace(
            version=version, digest=digest, here=content, past=tuple(past)[:_PAST], signature=signature
        )


class State(Record):
    """What this machine knows of a remote; if it is lost, the next sync compares all texts."""

    synced: str = ""
    """Time of the last sync."""
    problem: str = ""
    """Why the last one failed, as a sentence, and as a `Trouble`."""
    trouble: str = ""
    memories: dict[str, Known] = Field(default_factory=dict)
    passed: dict[str, str] = Field(default_factory=dict)
    """Digests of newest versions that are not taken, by their keys."""


@dataclass
class Synced:
    """The outcome of a sync."""

    sent: int = 0
    fetched: int = 0
    notes: list[str] = field(default_factory=list)
    """A sentence for each memory that was held back, kept beside another, or came back."""

    @property
    def summary(self) -> str:
        """A clause that counts the versions."""
        return f"sent {self.sent}, fetched {self.fetched}"


class _Here(NamedTuple):
    """A memory as it is on this machine."""

    stored: StoredMemory | None = None
    in_trash: bool = False
    signature: str = ""

    @property
    def content(self) -> str:
        """A digest of what machines share of it; "" if its file is just gone, which deletes nothing."""
        if self.stored is None:
            return _DELETED if self.in_trash else ""
        meta = self.stored.meta
        return _digest(meta.description, meta.tags, neutral(self.stored.body, meta.project))


def _content_of(document: Document) -> str:
    if document.deleted:
        return _DELETED
    return _digest(document.description, document.tags, document.body)


def _digest(description: str, tags: Iterable[str], body: bytes) -> str:
    return sha256(json.dumps([description, sorted(tags)]).encode() + b"\0" + body).hexdigest()[:32]


class Sharing:
    """A remote and the memories of this machine."""

    def __init__(self, home: Home, clock: Clock, name: str, named: NamedRemote) -> None:
        """Make the object; nothing is opened."""
        self.name = name
        self.home = home
        self.clock = clock
        self.named = named
        self._path = place_of(home, name, named).with_suffix(".json")
        self.names = Names(this_machine(home))
        self.store = MemoryStore(home, clock)

    @cached_property
    def remote(self) -> Remote:
        """The remote."""
        return open_remote(self.name, self.named, self.home, this_author(), self.names.machine)

    def state(self) -> State:
        """What is known of the remote.

        Raises:
            FileProblem: it cannot be read.
        """
        try:
            data = read_within(self._path, self.home.data, limit=_STATE_LIMIT)
            return State.model_validate_json(data)
        except FileMissing:
            return State()
        except ValidationError:
            raise FileProblem(self._path, "is broken: delete it; the next sync makes it anew") from None

    def share(self, memory_id: str, allowed: Collection[int] = ()) -> bool:
        """Mark a memory to be sent with the next sync; False if the remote has it as it is.

        Args:
            memory_id: one of this machine's own.
            allowed: lines that the user allows although they look like secrets.

        Raises:
            SecretsFoundError: it holds secrets in other lines.
            FileProblem: it is private, another machine's, or cannot be read; nothing is shared.
        """
        if "@" in memory_id:
            raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to share")
        stored = self.store.get(memory_id)
        key = self.names.key(memory_id)
        known = self.state().memories.get(key, Known())
        if known.here == _Here(stored).content and not known.withheld:
            return False
        lines = neutral(stored.body, stored.meta.project).decode("utf-8", "replace").split("\n")
        passing = {sha256(lines[each - 1].encode()).hexdigest() for each in allowed if each <= len(lines)}
        known = known.replace(allowed=tuple(sorted({*known.allowed, *passing})), withheld=False)
        self.refuse(stored, known, archive_settings(self.home))
        for each in sorted(allowed):
            noted = {"at": self.clock().isoformat(), "memory": memory_id, "line": each}
            with writing(self.home.allowed_log):
                append_line(self.home.allowed_log, json.dumps(noted), limit=1 << 20)
        self.save({key: known}, passed={key: ""})
        return True

    def set_up(self) -> int:
        """Set up the remote; what this machine shared by an older memtui is marked to be sent again.

        Returns the number of these memories.

        Raises:
            FileProblem: the remote cannot be set up.
        """
        self.remote.set_up()
        known, new = self.state().memories, dict[str, Known]()
        for old in self._path.parent.glob(f"{self.name}-*.db"):
            with suppress(sqlite3.Error), closing(sqlite3.connect(old)) as database:
                shared = database.execute("select memory from applied where not deleted").fetchall()
                new |= {key: Known() for (key,) in shared if self.names.is_own(key) and key not in known}
            for each in self._path.parent.glob(f"{old.name}*"):
                each.unlink()
            shutil.rmtree(old.with_suffix(".git"), ignore_errors=True)
        new = {key: each for key, each in new.items() if self.look(key).stored is not None}
        self.save(new)
        return len(new)

    def forget(self, memory_id: str) -> str:
        """Remove a memory's texts from the remote, and put it into the trash here.

        Returns a sentence on what cannot be removed. Even if this fails, nothing of the memory is sent until
        it is shared again.

        Raises:
            FileProblem: it was not shared, another sync is running, or the remote cannot be reached.
        """
        key = self.names.key(memory_id)
        known = self.state().memories.get(key)
        if known is None:
            raise FileProblem(Path(memory_id), f"was not shared with {self.name}")
        with self._alone():
            known = known.replace(withheld=True)
            self.save({key: known})
            head = self.remote.heads().get(key)
            newest = [data for _, data in self.remote.read({key: head} if head else {})]
            version = max([known.version, *(parse_document(data).version for data in newest)]) + 1
            gone = self.document(key, _Here(in_trash=True), version).replace(forgotten=True)
            remains = self.remote.forget(key, (version, gone.render()))
            if self.look(key).stored is not None:
                self.store.delete(self.names.here(key))
            self.save({key: known.based(version, self.remote.digest(gone.render()), _DELETED)})
        return remains

    def versions(self, memory_id: str) -> list[Document]:
        """The versions of a memory in the remote, oldest first; broken ones are left out.

        Raises:
            RemoteProblemError: the remote cannot be read.
        """
        key = self.names.key(memory_id)
        if key not in self.state().memories:
            return []
        found = []
        for data in self.remote.history(key):
            try:
                found.append(parse_document(data))
            except FormatError:
                continue
        return found

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """Wait until the remote has something new, or the time is over.

        Raises:
            RemoteProblemError: the remote cannot be reached.
        """
        try:
            self.remote.wait(seconds, stopped)
        except RemoteProblemError as problem:
            self.save({}, problem=str(problem), trouble=problem.trouble)
            raise

    def sync(self, progress: Callable[[Synced], None] = lambda done: None) -> Synced:
        """Take what is new in the remote, and write what has changed here.

        Args:
            progress: called repeatedly with the outcome so far.

        Raises:
            RemoteProblemError: the remote cannot be used; nothing is lost by that.
            FileProblem: the store or the state cannot be read or written, or another sync is running.
        """
        done = Synced()
        with self._alone():
            if self.state().memories and not self.home.memories.is_dir():
                raise FileProblem(self.home.memories, "is missing, so nothing is synced")
            try:
                for number in range(_TRIES):
                    if _Round(self, done, progress).run():
                        break
                    time.sleep(random.uniform(0, 0.05 * 2 ** min(number, 5)))  # noqa: S311
                else:
                    raise RemoteProblemError(self.name, "is changed by others all the time; sync again")
            except RemoteProblemError as problem:
                self.save({}, problem=str(problem), trouble=problem.trouble)
                raise
            self.save({}, problem="", trouble="", synced=self.clock().isoformat())
        return done

    def look(self, key: str) -> _Here:
        """A memory as it is here.

        Raises:
            FileProblem: it cannot be read.
        """
        local = self.names.here(key)
        if not (signature := self.store.signature(local)):
            return _Here(in_trash=self.store.is_deleted(local))
        return _Here(self.store.get(local), signature=signature)

    def document(self, key: str, here: _Here, version: int) -> Document:
        """The document of a memory as it is here."""
        about = {
            "version": version,
            "author": this_author(),
            "machine": self.names.machine,
            "at": self.clock(),
        }
        if here.stored is None:
            return Document(**about, created=made_at(key) or self.clock(), deleted=True)
        meta = here.stored.meta
        return Document(
            **about,
            project=Path(meta.project).name,
            created=meta.created,
            description=meta.description,
            tags=meta.tags,
            source=meta.source,
            body=neutral(here.stored.body, meta.project),
        )

    def refuse(self, stored: StoredMemory, known: Known, settings: ArchiveSettings) -> None:
        """Refuse a memory that must not leave this machine.

        Raises:
            SecretsFoundError: it holds secrets.
            FileProblem: it is of a private project, or too large.
        """
        meta, body = stored.meta, neutral(stored.body, stored.meta.project)
        if settings.is_private(Path(meta.project or "/")):
            reason = f"is of a project that never leaves this machine: {meta.project}"
            raise FileProblem(Path(meta.id), reason)
        if len(body) > LIMIT - _HEAD:
            raise FileProblem(Path(meta.id), f"is too large to be shared: {len(body):,} bytes")
        text = body.decode("utf-8", "replace")
        lines = text.split("\n")
        hits = [hit for hit in find(text) if _line_digest(lines, hit.line) not in known.allowed]
        if found := (*hits, *find("\n".join((meta.description, *meta.tags)))):
            raise SecretsFoundError(Path(meta.id), f"is not shared. {holds_secrets(found)}")

    def save(self, known: Mapping[str, Known], passed: Mapping[str, str] | None = None, **facts: str) -> None:
        """Change what is known of some memories; what others change meanwhile stays."""
        private_folder(self._path.parent, within=existing_above(self._path.parent))
        with lock(self._path, within=self._path.parent):
            before = self.state()
            after = before.replace(
                memories={**before.memories, **known}, passed={**before.passed, **(passed or {})}, **facts
            )
            if after != before:
                write_atomic(self._path, after.model_dump_json(exclude_defaults=True).encode())

    def _alone(self) -> AbstractContextManager[None]:
        private_folder(self._path.parent, within=existing_above(self._path.parent))
        return lock(self._path.with_suffix(".sync"), timeout=0, within=self._path.parent)


class _Round:
    """One comparison of everything here with the remote."""

    def __init__(self, sharing: Sharing, done: Synced, progress: Callable[[Synced], None]) -> None:
        self._of = sharing
        self._remote = sharing.remote
        self._done = done
        self._progress = progress
        self._settings = archive_settings(sharing.home)
        state = sharing.state()
        self._known = dict(state.memories)
        self._passed = dict(state.passed)
        self._new: dict[str, Known] = {}
        """What has become known, and is not saved yet."""
        self._writes: dict[str, int] = {}
        """The numbers of the versions to be written."""
        self._complete = True

    def run(self) -> bool:
        """Compare, take and write; False if somebody was first, and all has to be compared again."""
        heads = self._remote.heads()
        if self._of.named.sync == "all":
            self._add_all(heads)
        gone = self._look_here(heads)
        new = {key: head for key, head in heads.items() if key in gone or self._is_new(key, head)}
        held = self._remote.holds({key: known.digest for key, known in self._among(new) if known.digest})
        sent = self._remote.holds({key: known.sent for key, known in self._among(new) if known.sent})
        for number, (key, data) in enumerate(self._remote.read(new), 1):
            try:
                self._compare(key, heads[key], parse_document(data), is_held=key in held, is_sent=key in sent)
            except FormatError as error:
                self._pass(key, heads[key], f"{key} in {self._of.name} is not read: {error}")
            except FileChanged:
                self._complete = False
            except FileProblem as problem:
                self._done.notes.append(str(problem))
            if not number % _OFTEN:
                self._save()
        self._write()
        self._save()
        return self._complete

    def _among(self, keys: Iterable[str]) -> list[tuple[str, Known]]:
        return [(key, self._known[key]) for key in keys if key in self._known]

    def _is_new(self, key: str, head: Head) -> bool:
        known = self._known.get(key)
        return head.digest not in (known.digest if known else "", self._passed.get(key))

    def _add_all(self, heads: Mapping[str, Head]) -> None:
        """Share all memories of this machine."""
        for listed in self._of.store.list().items:
            key = self._of.names.key(listed.meta.id)
            known = key in self._known or key in heads or "@" in listed.meta.id or listed.problem
            if not known and not self._settings.is_private(Path(listed.meta.project or "/")):
                self._know(key, Known())

    def _look_here(self, heads: Mapping[str, Head]) -> set[str]:
        """Find what has changed here alone; returns memories whose files are just gone."""
        gone = set()
        for key, known in self._known.items():
            there = key in heads
            if known.withheld or (there and self._is_new(key, heads[key])):
                continue
            signature = self._of.store.signature(self._of.names.here(key))
            if there and signature == known.signature != "":
                continue
            try:
                here = self._of.look(key)
            except FileProblem as problem:
                self._done.notes.append(str(problem))
                continue
            if not here.content:
                if known.here != _DELETED:
                    gone.add(key)
            elif here.content != known.here:
                self._writes[key] = known.version + 1
            elif not there:
                self._writes[key] = max(known.version, 1)
            elif here.signature and _is_old(here.signature):
                self._new[key] = known.replace(signature=here.signature)
        self._known |= self._new
        return gone

    def _compare(self, key: str, head: Head, document: Document, *, is_held: bool, is_sent: bool) -> None:
        """Bring together a memory and its newest version in the remote, which is new to it."""
        here, content = self._of.look(key), _content_of(document)
        known = self._known.get(key)
        if known is None and here.content != content and not self._is_wanted(key, here, document):
            self._pass(key, head)
            return
        known, who = known or Known(), document.author or "somebody"
        changed = here.content not in ("", known.here)
        if here.content == content:
            pass
        elif document.forgotten:
            self._take(key, document, here, known, keep=changed)
        elif known.digest and not is_held:  # the remote was rolled back
            if content in known.past and here.content:
                self._writes[key] = document.version + 1
                return
            self._take(key, document, here, known, keep=True)
        elif not changed or (is_sent and here.content == known.sent_here):
            self._take(key, document, here, known, keep=False)
        elif document.deleted:
            self._note(key, f"was deleted by {who} and changed here: the change stays")
            self._writes[key] = document.version + 1
            self._know(key, known.based(document.version, head.digest, content))
            return
        else:
            if here.stored is None:
                self._note(key, f"was deleted here and changed by {who}: it is back")
            self._take(key, document, here, known, keep=True)
        known = known.replace(withheld=known.withheld or document.forgotten)
        self._know(key, known.based(document.version, head.digest, content))
        self._done.fetched += 1
        self._progress(self._done)

    def _is_wanted(self, key: str, here: _Here, document: Document) -> bool:
        """Whether a memory is taken that this machine did not share."""
        named = self._of.named
        if here.content and self._of.names.is_own(key) and named.sync != "all":
            self._note(key, f"in {self._of.name} is not what is here and was never shared: it is not taken")
            return False
        return not named.projects or document.project in named.projects

    def _take(self, key: str, document: Document, here: _Here, known: Known, *, keep: bool) -> None:
        """Make a memory what the remote says; `keep` its text as a memory of its own."""
        store, local = self._of.store, self._of.names.here(key)
        if here.in_trash and not document.deleted:
            store.restore(local)
            here = self._of.look(key)
            keep = here.content not in (known.here, *known.past)
        if keep and here.stored is not None:
            self._keep(key, here.stored, document)
        if document.deleted:
            if here.stored is not None:
                store.delete(local)
            return
        mine = self._of.names.is_own(key) and document.author == this_author()
        author = "" if mine else f"{document.author or document.machine} ({self._of.name})"
        if here.stored is None:
            new = New(
                body=document.body, project=document.project, description=document.description,
                tags=document.tags, source=document.source, author=author, id=local, created=document.created,
                updated=document.at,
            )  # fmt: skip
            store.create(new)
            return
        values = {"description": document.description, "tags": document.tags, "author": author}
        store.revise(local, here.stored, document.body, **values)

    def _keep(self, key: str, stored: StoredMemory, document: Document) -> None:
        """Keep a text as a memory of its own, which is shared as the other one is."""
        store, now, meta = self._of.store, self._of.clock(), stored.meta
        title = meta.description or objective(stored.body) or meta.id
        title = f"{title} (from {self._of.names.machine}, {now.day} {now:%b})"
        found = [each.meta.id for each in store.list().items if each.title == title]
        # A killed process may have kept it already.
        kept = next((each for each in found if store.get(each).body == stored.body), "")
        if not kept:
            new = New(
                body=stored.body, project=meta.project, description=title, tags=meta.tags,
                session_id=meta.session_id, source=meta.source,
            )  # fmt: skip
            kept = store.create(new).id
        who = document.author or "somebody"
        self._note(key, f"was changed here and by {who}: theirs stays, and the text from here is {kept}")
        if not document.forgotten:
            self._know(self._of.names.key(kept), Known())
            self._writes[self._of.names.key(kept)] = 1
            self._save()  # before the text is replaced, from which a killed process could tell

    def _write(self) -> None:
        batch: dict[str, tuple[Document, bytes, _Here]] = {}
        size = 0
        for key, version in self._writes.items():
            try:
                here = self._of.look(key)
                if here.stored is not None:
                    self._of.refuse(here.stored, self._known[key], self._settings)
            except FileProblem as problem:
                self._done.notes.append(str(problem))
                continue
            document = self._of.document(key, here, version)
            batch[key] = document, document.render(), here
            size += len(batch[key][1])
            if size > _ROUND:
                self._send(batch)
                batch, size = {}, 0
        if batch:
            self._send(batch)

    def _send(self, batch: Mapping[str, tuple[Document, bytes, _Here]]) -> None:
        for key, (_, data, here) in batch.items():
            sent = self._known[key].replace(sent=self._remote.digest(data), sent_here=here.content)
            self._know(key, sent)
        self._save()
        written = self._remote.write({key: (each[0].version, each[1]) for key, each in batch.items()})
        for key in written:
            document, data, here = batch[key]
            known = self._known[key].based(document.version, self._remote.digest(data), here.content)
            self._know(key, known)
        self._save()
        self._complete = self._complete and len(written) == len(batch)
        self._done.sent += len(written)
        self._progress(self._done)

    def _know(self, key: str, known: Known) -> None:
        self._known[key] = self._new[key] = known

    def _pass(self, key: str, head: Head, note: str = "") -> None:
        self._passed[key] = head.digest
        self._done.notes += [note] if note else []

    def _note(self, key: str, what: str) -> None:
        self._done.notes.append(f"{self._of.names.here(key)} {what}")

    def _save(self) -> None:
        self._of.save(self._new, self._passed)
        self._new = {}


def _is_old(signature: str) -> bool:
    return time.time_ns() - int(signature.partition("-")[0]) > _YOUNG


def _line_digest(lines: list[str], number: int) -> str:
    return sha256(lines[number - 1].encode()).hexdigest() if 0 < number <= len(lines) else ""


def open_sharing(home: Home, clock: Clock, name: str = "") -> Sharing:
    """A remote by its name; "" means the only one.

    Raises:
        FileProblem: there is no such remote, or several and no name is given.
    """
    found, remote = Remotes(home).find(name)
    return Sharing(home, clock, found, remote)


def keep_syncing(
    sync: Callable[[], object],
    wait: Callable[[float, threading.Event], None],
    seconds: float,
    failed: Callable[[FileProblem], None],
    stopped: threading.Event,
) -> None:
    """Sync again and again until `stopped` is set, at most once a second.

    Args:
        sync: makes one sync; see `Sharing.sync`.
        wait: waits for something new; see `Sharing.wait`.
        seconds: maximum pause between two syncs.
        failed: receives the reason whenever syncing or waiting failed.
        stopped: ends it after the current sync.
    """
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
