"""Freshness of memories: which of the files they name have changed since they were stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from memtui.documents.path_mapping import is_elsewhere, mapped
from memtui.flows.superseding import note_on as superseded_note
from memtui.formats.model import FormatError
from memtui.formats.recovery import is_unknown, named_files
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute
from memtui.secrets.quoting import safe
from memtui.secrets.secrets import MASK
from memtui.store.changed_files import Change, Repository
from memtui.store.project_test import ProjectTest

_GONE_THEN = re.compile(r"\blater (?:deleted|moved)\b")
"""The part of a file's role that says the session itself removed it."""
_LIKE_A_PATH = re.compile(r"[./]")
_LONGEST = 1 << 20
"""Maximum size in bytes of texts that are searched for files; a recovery text has some ten thousand."""
_NAMED = 5
"""The most files named in a note."""
_LENGTH = 80
"""Maximum length of a file's name in a note."""


class NamedFile(NamedTuple):
    """A file named by a memory, and its change since."""

    path: str
    """Relative to the project's root."""
    change: Change


class Freshness(NamedTuple):
    """The state of the files named by a memory."""

    files: tuple[NamedFile, ...] = ()
    """Only those within the project that the session itself had not removed."""
    by_git: bool = False
    """Whether commits and contents were compared; otherwise only file times."""

    @property
    def changed(self) -> int:
        """Number of files that have changed."""
        return sum(file.change.kind == "changed" for file in self.files)

    @property
    def gone(self) -> int:
        """Number of files that are gone."""
        return sum(file.change.kind == "gone" for file in self.files)

    @property
    def is_stale(self) -> bool:
        """Whether any has changed or is gone."""
        return any(file.change.kind for file in self.files)

    @property
    def summary(self) -> str:
        """``3 of 5 files changed since, 2 gone``; "" if it is fresh."""
        if not self.is_stale:
            return ""
        number = len(self.files)
        files = f"{number} file{'' if number == 1 else 's'}"
        basis = "" if self.by_git else " (by their times: without git)"
        if not self.changed:
            return f"{self.gone} of {files} gone{basis}"
        gone = f", {self.gone} gone" if self.gone else ""
        return f"{self.changed} of {files} changed since{gone}{basis}"

    @property
    def short(self) -> str:
        """``3/5 changed, 2 gone``; "" if it is fresh."""
        changed = f"{self.changed}/{len(self.files)} changed" if self.changed else ""
        gone = f"{self.gone} gone" if self.gone else ""
        return ", ".join(filter(None, (changed, gone)))

    @property
    def stale(self) -> tuple[NamedFile, ...]:
        """The files that have changed or are gone."""
        return tuple(file for file in self.files if file.change.kind)


class Repositories:
    """The projects of memories. Thread-safe."""

    def __init__(self, root: Path) -> None:
        """Make the object; nothing is run.

        Args:
            root: of the current project; it also stands for memories made below it, or elsewhere.
        """
        self._root = root
        self._concerns = ProjectTest(root)
        self._known: dict[Path, Repository] = {}
        self._lock = Lock()

    def refresh(self) -> None:
        """Check again which commits are checked out."""
        for repository in list(self._known.values()):
            repository.refresh()

    def freshness(self, memory: StoredMemory) -> Freshness:
        """The freshness of a memory; empty for a project that does not exist here."""
        project = memory.meta.project
        root = self._root if self._concerns(project) else Path(project)
        if not os.path.isdir(root):  # noqa: PTH112 - raises nothing
            return Freshness()
        with self._lock:
            if root not in self._known:
                self._known[root] = Repository(root)
                self._known[root].refresh()
        return freshness(memory, self._known[root])

    def note_on(self, memory: StoredMemory) -> str:
        """The first line of a restored memory; see `note_on`."""
        return note_on(memory, self.freshness(memory))


def freshness(memory: StoredMemory, repository: Repository) -> Freshness:
    """Compare the files named by a memory with the project's current ones.

    Args:
        memory: the memory; a text that is very long or not a recovery text names no file.
        repository: the project's; see `Repository.refresh`.
    """
    if len(memory.body) > _LONGEST:
        return Freshness()
    since = memory.meta.created.timestamp()
    found: dict[str, NamedFile] = {}
    for path, role in _named(memory.body.decode("utf-8", "replace"), repository.root):
        change = repository.change(path, since) if path not in found else None
        if change is not None and not (change.kind == "gone" and _GONE_THEN.search(role)):
            found[path] = NamedFile(path, change)
    files = tuple(found.values())
    if all(file.change.kind == "gone" and file.change.by != "commit" for file in files):
        return Freshness()  # none of them may ever have existed in this folder: nothing is known
    return Freshness(files, repository.has_git)


def _named(text: str, root: Path) -> Iterator[tuple[str, str]]:
    """Path relative to the project's root, and role, of each file of a recovery text within the project."""
    try:
        recovery = named_files(text)
    except FormatError:
        return
    base, top = recovery.project_root.strip(), os.path.join(root, "")  # noqa: PTH118 - ends in a slash
    elsewhere = is_elsewhere(base, root)
    folder = base if f"{base}{os.sep}".startswith(top) else top
    for file in recovery.files:
        path = mapped(file.path, base, root) if elsewhere else file.path
        if not is_unknown(path) and MASK not in path and (below := _below(path, folder, top)):
            yield below, file.role


def _below(path: str, folder: str, top: str) -> str:
    """A path relative to the project's root `top`, which ends in a slash; "" if it is outside or no path.

    Relative paths start at `folder`. Avoids `Path`, which takes a quarter of the time for a long list.
    """
    if not os.path.isabs(path):  # noqa: PTH117
        if " " in path or not _LIKE_A_PATH.search(path) or path.startswith("~"):
            return ""
        path = f"{folder}/{path}"
    path = os.path.normpath(path)
    return path.removeprefix(top) if path.startswith(top) and "\0" not in path else ""


def since_when(change: Change) -> str:
    """The time of a change and its evidence: ``commit 1a2b3c4, 2026-01-02 10:15``."""
    when = local_minute(datetime.fromtimestamp(change.at, UTC)) if change.at else ""
    what = {
        "commit": f"commit {change.commit[:7]}" if change.commit else "not committed",
        "content": "not committed",
        "time": "by its time" if change.at else "it is not there",
    }
    return ", ".join(filter(None, (what[change.by], when)))


def _named_in_a_note(path: str) -> str:
    name = safe(clean_line(path))
    return name if len(name) <= _LENGTH else f"…{name[-_LENGTH:]}"


def note_on(memory: StoredMemory, state: Freshness) -> str:
    """The first line of a restored memory: superseded or stale; "" if it is neither."""
    notes = [superseded_note(memory.meta)]
    if state.is_stale:
        names = ", ".join(_named_in_a_note(file.path) for file in state.stale[:_NAMED])
        more = f" and {len(state.stale) - _NAMED} more" if len(state.stale) > _NAMED else ""
        notes.append(f"{memory.meta.id} may be stale: {state.summary} ({names}{more}).")
    return " ".join(filter(None, notes))
