"""Undo and redo of recorded changes, for the app and the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clock import Clock, age, parse_iso
from memtui.ground.files import FileChanged, FileMissing, FileProblem, existing_above, lock, private_folder
from memtui.ground.project import Home, Project
from memtui.store.change_log import Change, FileChange, digest
from memtui.store.changes import APP, CLI, HOOK, MCP, SYNC, Changes, Together
from memtui.store.content_restore import ContentRestorer, UndoProblem

BY = {APP: "the app", CLI: "the command line", HOOK: "a hook", MCP: "the model, by MCP", SYNC: "a sync"}
"""The programs that make changes, in words."""

_LOCK_SECONDS = 5.0
_PEOPLE = frozenset({APP, CLI})
"""Programs used by people; "the last change" is one of theirs."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A change, and whether it was undone."""

    change: Change
    last: Change
    """The change itself, or the last undo or redo of it, which is the one to revert next."""
    undone: bool = False

    @property
    def by(self) -> str:
        """The program that made it, in words."""
        return BY.get(self.change.by, self.change.by)


def recorded(changes: Iterable[Change]) -> list[Recorded]:
    """Changes newest first, without undos and redos.

    Args:
        changes: the log, oldest first.
    """
    found: dict[str, Recorded] = {}
    first: dict[str, str] = {}
    for change in changes:
        if not change.reverts:
            found[change.id] = Recorded(change, change)
            first[change.id] = change.id
        elif (root := first.get(change.reverts)) is not None:
            first[change.id] = root
            found[root] = Recorded(found[root].change, change, not found[root].undone)
    return list(reversed(found.values()))


@dataclass(frozen=True, slots=True)
class _Step:
    """The effect of reverting on one file."""

    path: Path
    now: bytes | None
    then: bytes | None
    merge: tuple[bytes, bytes] | None = None
    """The change's texts before and after, for a shared file that others may have written since."""
    done: bool = False
    """Already done, by an interrupted try or by another program."""


class Content(NamedTuple):
    """The content of one of a change's files, for viewing."""

    path: Path
    data: bytes | None
    """The current content; for a deleted file the one recorded with the change, or None."""
    there: bool
    """Whether the file exists."""


class History:
    """The changes of one user, seen from one project."""

    def __init__(self, home: Home, clock: Clock, changes: Changes) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            clock: gives the current time.
            changes: records undos; its project is the one for `last`.
        """
        self._home = home
        self._clock = clock
        self._changes = changes
        self._log = changes.log

    def all(self) -> list[Recorded]:
        """Every recorded change, newest first.

        Raises:
            FileProblem: the log cannot be read.
        """
        return recorded(self._read())

    def _read(self) -> list[Change]:
        try:
            return self._log.changes()
        except OSError as error:
            raise FileProblem(self._log.path, f"cannot be read: {error.strerror}") from error

    def last(self, *, undone: bool = False, passing: Collection[str] = ()) -> Recorded | None:
        """The last change that a person made in the project; with `undone`, the last one undone.

        Args:
            undone: look for a change to redo; there is none after another change.
            passing: ids of changes to skip, such as those that cannot be undone.
        """
        changes = self._read()  # only once: another process may begin a new log at any time
        own = [each for each in recorded(changes) if self._is_own(each)]
        if not undone:
            return next((each for each in own if not each.undone and each.change.id not in passing), None)
        order = [change.id for change in changes]
        back = [each for each in own if each.undone and each.change.id not in passing]
        latest = max(back, key=lambda each: order.index(each.last.id), default=None)
        if latest is None or any(
            not each.undone and order.index(each.change.id) > order.index(latest.last.id) for each in own
        ):
            return None
        return latest

    def has_undone(self) -> bool:
        """Whether any change that a person made in the project is undone."""
        return any(each.undone and self._is_own(each) for each in self.all())

    def find(self, beginning: str) -> Recorded:
        """The change whose id begins like this.

        Raises:
            UndoProblem: no id begins like this, or several do.
        """
        found = [each for each in self.all() if beginning and each.change.id.startswith(beginning)]
        if len(found) != 1:
            what = "several changes that begin with" if found else "no change"
            raise UndoProblem(self._log.path, f"has {what} {beginning}; `memtui log` lists them")
        return found[0]

    def contents(self, found: Recorded) -> list[Content]:
        """The files of a change, for viewing; an unreadable one counts as deleted."""
        putter, contents = self._putter(found.change), []
        for file in found.change.files:
            path, data = Path(file.path), None
            with suppress(FileProblem):
                data = putter.content(path)
            there = data is not None
            for name in () if there else (file.before, file.after):
                if data is None and name:
                    with suppress(UndoProblem):
                        data = self._text(name, path)
            contents.append(Content(path, data, there))
        return contents

    def _is_own(self, each: Recorded) -> bool:
        change = each.change
        return change.by in _PEOPLE and change.project == self._changes.project and not change.final

    def revert(self, change_id: str, *, undone: bool = False) -> Recorded:
        """Undo a change, or redo an undone one (`undone`); returns its new record.

        Raises: UndoProblem: a file has changed since, its text is no longer kept, or the change cannot be
        undone; nothing was changed. FileProblem: a file cannot be written; nothing was changed.
        """
        private_folder(self._home.state, within=existing_above(self._home.state))
        with lock(self._log.path, timeout=_LOCK_SECONDS):
            found = self.find(change_id)
            if found.change.final:
                raise UndoProblem(Path(found.change.what), f"cannot be undone: {found.change.final}")
            if found.undone is not undone:
                word = "is not taken back" if undone else "is taken back already"
                raise UndoProblem(Path(found.change.what), word)
            together, steps = self._do(found)
            try:
                change = self._changes.record(together, reverts=found.last.id)
            except (OSError, ValueError, FileProblem) as error:
                self._forward(self._putter(found.change), steps)
                if isinstance(error, FileProblem):
                    raise
                raise FileProblem(self._log.path, f"cannot be written: {error}") from error
        assert change is not None
        if all(step.done for step in steps):
            # Recorded all the same, so that the next undo continues with the change before.
            path = self._shown(Path(found.change.files[-1].path))
            raise UndoProblem(path, "is as it was before already: there is nothing to take back")
        return Recorded(found.change, change, not found.undone)

    def _do(self, found: Recorded) -> tuple[Together, list[_Step]]:
        """Revert the files; returns the writes and the steps done."""
        putter = self._putter(found.change)
        steps = [self._step(putter, found, file) for file in reversed(found.last.files)]
        together = Together(found.change.what)
        done: list[_Step] = []
        for step in steps:
            try:
                self._take(putter, step, together)
            except FileProblem as problem:
                self._forward(putter, done)
                if isinstance(problem, (FileChanged, FileMissing)):
                    raise self._conflict(found, step.path) from problem
                raise
            done.append(step)
        return together, done

    def _step(self, putter: ContentRestorer, found: Recorded, file: FileChange) -> _Step:
        """The step for a file: none if it already has the content from before the change."""
        path = Path(file.path)
        now = putter.content(path)
        if digest(now) == file.before:
            with suppress(UndoProblem):
                return _Step(path, self._text(file.after, path), now, done=True)
            return _Step(path, now, now, done=True)
        then = self._text(file.before, path)
        same = digest(now) == file.after
        if now is not None and then is not None and file.after and putter.is_shared(path):
            return _Step(path, now, then, (then, now if same else self._text(file.after, path) or b""))
        if same:
            return _Step(path, now, then)
        raise self._conflict(found, path, gone=now is None)

    def _text(self, name: str, path: Path) -> bytes | None:
        if not name:
            return None
        text = self._log.text(name)
        aside = self._home.trash / path.name
        if text is None and path.is_relative_to(self._home.memories):
            with suppress(OSError):
                text = aside.read_bytes()
        if text is None or digest(text) != name:
            raise UndoProblem(self._shown(path), "cannot be put back: its old text is no longer kept")
        return text

    def _take(self, putter: ContentRestorer, step: _Step, together: Together) -> None:
        if step.done:
            together.add(together.what, step.path, step.now, step.then, shared=putter.is_shared(step.path))
            return
        if step.now is not None:
            self._log.keep(step.now)  # first, so that it can be redone
        if step.merge is not None:
            edit = putter.take_back(*step.merge)
            together.add(together.what, step.path, edit.old.encode(), edit.new.encode(), shared=True)
            return
        putter.put(step.path, step.now, step.then)
        together.add(together.what, step.path, step.now, step.then, shared=putter.is_shared(step.path))

    def _forward(self, putter: ContentRestorer, done: Iterable[_Step]) -> None:
        """Undo finished steps as far as possible."""
        for step in done:
            if step.merge is None and not step.done:
                with suppress(FileProblem):
                    putter.put(step.path, step.then, step.now)

    def _conflict(self, found: Recorded, path: Path, *, gone: bool = False) -> UndoProblem:
        """The problem that names the later change of a file."""
        changes = self._read()
        # Where the change is gone from the log meanwhile, all that is left is newer.
        at = next((number for number, each in enumerate(changes) if each.id == found.last.id), -1)
        since = changes[at + 1 :]
        newer = [each for each in since if any(file.path == str(path) for file in each.files)]
        if not newer:
            reason = "no longer exists" if gone else "has changed since; it is kept as it is"
            return UndoProblem(self._shown(path), f"{reason}: another program did that")
        last = newer[-1]
        when = age(moment, self._clock()) if (moment := parse_iso(last.at)) else last.at
        undone = any(each.last.id == last.id and each.undone for each in recorded(changes))
        verb = "undone: " if undone else ""
        by = BY.get(last.by, last.by)
        return UndoProblem(
            self._shown(path), f"has changed since ({verb}{last.what}, {when}, by {by}); undo that first"
        )

    def _shown(self, path: Path) -> Path:
        """A file's name for messages: a memory's id, or a path from the project's root."""
        if path.is_relative_to(self._home.memories):
            return Path(path.stem)
        root = self._changes.project
        return path.relative_to(root) if root and path.is_relative_to(root) else path

    def _putter(self, change: Change) -> ContentRestorer:
        root = Path(change.project) if change.project else None
        return ContentRestorer(self._home, self._clock, Project(root) if root else None)
