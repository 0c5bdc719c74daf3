"""Applying received records to the store, without losing local changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from memtui.flows.late_writes import LateWrites
from memtui.flows.shared_folder_state import texts_from_projects
from memtui.flows.shared_names import Names, digest
from memtui.flows.sharing_merge import update_of
from memtui.flows.sharing_own import SharedOwn, is_memory
from memtui.flows.sharing_successors import Successors, name_replaced
from memtui.ground.files import FileProblem
from memtui.ground.project import Home
from memtui.share.applied_records import Applied, PassedOver, Waiting, readable_records
from memtui.share.merging import Merged, merged
from memtui.share.replica import Replica
from memtui.store.base import New
from memtui.store.memory_batch import MemoryBatch
from memtui.store.memory_files import FilesBackend

_PROBLEMS = 20
"""The most errors before giving up: the disk may be full."""
_TOGETHER = 2_000
"""Number of memories flushed to the disk together."""


@dataclass
class _Part:
    """A portion of the memories with new records."""

    replica: Replica
    batch: MemoryBatch
    late: LateWrites
    done: dict[str, Applied | None] = field(default_factory=dict)
    """States to note once the memories are on the disk."""
    reached: str = ""
    """The last memory that was tried."""
    changed: int = 0
    problems: int = 0
    notes: list[str] = field(default_factory=list)
    passed: PassedOver = field(default_factory=PassedOver)
    from_projects: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Digests of the texts that project folders gave to memories."""
    successors: Successors = field(default_factory=Successors)

    @property
    def is_hopeless(self) -> bool:
        """Whether so much went wrong that no more is tried."""
        return self.problems >= _PROBLEMS

    def failed(self, problem: FileProblem) -> None:
        """Note a problem."""
        self.notes.append(str(problem))
        self.problems += 1
        if self.is_hopeless:
            self.notes.append("More was not tried; the next sync does.")


class Inward:
    """Applies records to the store."""

    def __init__(
        self,
        home: Home,
        backend: FilesBackend,
        names: Names,
        remote: str,
        own: SharedOwn | None,
    ) -> None:
        """Make the object.

        Args:
            home: memtui's own folders.
            backend: the store of memories.
            names: maps ids between machines.
            remote: the name of the remote they come from.
            own: applies states and pins, if all machines are one's own; None skips them.
        """
        self._home = home
        self._backend = backend
        self._names = names
        self._remote = remote
        self._own = own

    def apply(self, replica: Replica) -> tuple[int, list[str]]:
        """Apply new records; returns the number of changed memories, and a sentence for each failure."""
        arrived = replica.count_unapplied()
        if not arrived:
            return 0, []
        batch = MemoryBatch(self._home, number=arrived)
        late = LateWrites(self._backend)
        part = _Part(replica, batch, late, from_projects=texts_from_projects(self._home))
        try:
            more = True
            while more and not part.is_hopeless:
                with replica.reading():
                    more = self._apply_some(part)
                self._finish(part)
        finally:
            batch.discard()
            late.close()
        return part.changed, [*part.passed.notes(), *part.notes]

    def _apply_some(self, part: _Part) -> bool:
        """Apply as many as are flushed together; returns whether there may be more."""
        with closing(part.replica.unapplied(part.reached)) as waiting:
            for each in waiting:
                part.reached = each.memory
                try:
                    self._apply_one(part, each)
                except FileProblem as problem:
                    part.failed(problem)
                    if part.is_hopeless:
                        return False
                if len(part.done) >= _TOGETHER or part.late.is_full or part.batch.is_full:
                    return True
        return False

    def _finish(self, part: _Part) -> None:
        """Store the memories of a portion, and note that their records are applied."""
        made = part.batch.finish()
        self._name_replaced(part)
        self._keep_late(part)
        part.changed += len(made)
        for memory, applied in part.done.items():
            if applied is not None and (signature := made.get(self._names.here(memory))):
                part.done[memory] = replace(applied, signature=signature)
        part.replica.store_results(part.done)
        part.done.clear()

    def _name_replaced(self, part: _Part) -> None:
        """Let newer memories name the older ones that they replace; the next sync tries again what fails."""
        for successor, replaced in part.successors.take(part.replica).items():
            if part.is_hopeless or not self._name(part, successor, replaced):
                for each in (successor, *replaced):
                    part.done.pop(each, None)

    def _name(self, part: _Part, successor: str, replaced: Collection[str]) -> bool:
        try:
            revised = name_replaced(self._backend, self._names, successor, sorted(replaced))
        except FileProblem as problem:
            part.failed(problem)
            return False
        if revised is not None:
            part.late.hold(successor, revised)
        if part.late.is_full:
            self._keep_late(part)
        return True

    def _keep_late(self, part: _Part) -> None:
        for memory in part.late.keep():
            part.done.pop(memory, None)

    def _apply_one(self, part: _Part, waiting: Waiting) -> None:
        """Bring one memory up to date with its records."""
        memory = waiting.memory
        found = merged(readable_records(waiting.records, part.passed))
        if found is None:
            part.done[memory] = None
            return
        if not is_memory(memory):
            part.done[memory] = self._own.apply(part.replica, memory, found) if self._own else None
            return
        signature = self._bring(part, memory, waiting.applied, found)
        part.done[memory] = Applied(digest(found.newest.body), found.marks, signature)

    def _bring(self, part: _Part, memory: str, base: Applied | None, found: Merged) -> str:
        """Bring the store up to date; returns the signature of the file if it was so already, else ""."""
        local = self._names.here(memory)
        there, deleted = part.batch.has(local), found.marks.deleted
        if base is None and not deleted and self._is_from_a_project(part, local, there=there):
            self._take_place(local, found)
            part.successors.note_new(memory, found.marks)
            part.changed += 1
        elif deleted:
            if there:
                self._backend.delete(local)
                part.changed += 1
        elif there:
            before = self._backend.signature(local)
            if self._update(part, local, base, found):
                return before
        elif base is None:
            if not self._backend.is_deleted(local):  # deleted here: it stays deleted
                part.batch.add(self._new(local, found))
                part.successors.note_new(memory, found.marks)
        elif base.marks.deleted and self._backend.is_deleted(local):
            changed = part.changed
            self._backend.restore(local)
            self._update(part, local, base, found)
            part.changed = changed + 1
        return ""  # the next sync looks at the file: it may be another by then

    def _is_from_a_project(self, part: _Part, local: str, *, there: bool) -> bool:
        """Whether a memory is only here because a project's folder had it, and nobody has changed it."""
        texts = part.from_projects.get(local, ())
        if there:
            return bool(texts) and digest(self._backend.get(local).body) in texts
        return bool(texts) and self._backend.is_deleted(local)

    def _take_place(self, local: str, found: Merged) -> None:
        """Replace a memory that came from a project's folder, whose author is not verified."""
        if not self._backend.signature(local):
            self._backend.restore(local)
        new = self._new(local, found)
        self._backend.rewrite(
            local,
            new.body,
            project=new.project,
            created=new.created,
            description=new.description,
            tags=new.tags,
            source=new.source,
            author=new.author,
            archived=new.archived,
            superseded_by=new.superseded_by,
        )

    def _new(self, local: str, found: Merged) -> New:
        record = found.newest
        return New(
            body=record.body,
            project=record.project,
            description=found.marks.description,
            tags=found.marks.tags,
            source=record.source,
            author=f"{record.author} ({self._remote})",
            id=local,
            created=record.created,
            updated=record.at,
            archived=found.marks.archived,
            superseded_by=self._names.here(found.marks.superseded_by),
        )

    def _update(self, part: _Part, local: str, base: Applied | None, found: Merged) -> bool:
        """Bring a memory up to date; returns whether it was already."""
        stored, memory = self._backend.get(local), found.newest.memory
        update = update_of(self._names, stored, base, found)
        if base is None:
            part.successors.note_new(memory, found.marks)
        if update.was.superseded_by != found.marks.superseded_by:
            part.successors.note(memory, update.was, found.marks)
        if update.changed_here:
            part.notes.append(
                f"{local} was changed here, too: its text stays, and the newer one is kept aside"
            )
        if update.body is None and not update.values:
            return update.is_current
        body = stored.body if update.body is None else update.body
        part.late.hold(memory, self._backend.revise(local, stored, body, **update.values))
        part.changed += 1
        return False
