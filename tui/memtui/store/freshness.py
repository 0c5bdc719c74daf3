"""Freshness of memories: which of the files they name have changed since they were stored."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memtui.documents.memory import StoredMemory
from memtui.documents.recovery import is_elsewhere, is_unknown, mapped, parse_recovery
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem, read_within
from memtui.ground.machine import ask_git
from memtui.ground.text import FormatError, counted
from memtui.secrets.quoting import safe
from memtui.secrets.secrets import MASK
from memtui.store.listing import project_test

_GONE_THEN = re.compile(r"\blater (?:deleted|moved)\b")
"""The part of a file's role that says the session itself removed it."""
_NAMED = 5  # the most files named in a note
_LENGTH = 80  # maximum length of a file's name in a note


class Freshness(NamedTuple):
    """The state of the files named by a memory."""

    files: int = 0
    """Number of named files within the project that the session itself had not removed."""
    changed: tuple[str, ...] = ()
    """Those written since, relative to the project's root."""
    gone: tuple[str, ...] = ()

    @property
    def is_stale(self) -> bool:
        return bool(self.changed or self.gone)

    @property
    def summary(self) -> str:
        """``3 of 5 files changed since, 2 gone``; "" if it is fresh."""
        files = counted(self.files, "file")
        if not self.changed:
            return f"{len(self.gone)} of {files} gone" if self.gone else ""
        gone = f", {len(self.gone)} gone" if self.gone else ""
        return f"{len(self.changed)} of {files} changed since{gone}"


def freshness(memory: StoredMemory, root: Path) -> Freshness:
    """Compare the files that a memory names with those of its project now.

    By their times; a checkout gives old files a new one, so git is asked about those. Empty for a project
    that does not exist here, if none of the files does, and for a very long text. `root`, the current
    project's, also stands for memories made below it, or elsewhere.
    """
    project = memory.meta.project
    root = root if project_test(str(root))(project) else Path(project)
    if len(memory.body) > 1 << 20 or not os.path.isdir(root):  # noqa: PTH112 - raises nothing
        return Freshness()
    since = int(memory.meta.created.timestamp())
    there: dict[str, bool] = {}
    gone: list[str] = []
    for path, role in dict(_named(memory.body.decode("utf-8", "replace"), root)).items():
        try:
            status = os.lstat(root / path)
        except (FileNotFoundError, NotADirectoryError):
            gone += [] if _GONE_THEN.search(role) else [path]
        except (OSError, ValueError):
            continue
        else:
            if stat.S_ISREG(status.st_mode):
                there[path] = int(status.st_mtime) > since
    if not there:
        return Freshness()  # perhaps another project's files
    newer = [path for path, is_newer in there.items() if is_newer]
    # A file that a checkout made newer has the content of the last commit before.
    commits = _commits(root, int(time.monotonic() / 10)) if newer else []
    commit = next((name for at, name in commits if at <= since), "")
    known = _blobs(root, commit) if commit else {}
    changed = tuple(
        path for path in newer if not (blob := known.get(path)) or _blob(root / path, len(blob)) != blob
    )
    return Freshness(len(there) + len(gone), changed, tuple(gone))


@lru_cache(maxsize=4)
def _commits(root: Path, moment: int) -> list[tuple[int, str]]:
    """Time and name of each commit, newest first; all memories ask for them within a `moment`."""
    log = ask_git(root, "log", "--first-parent", "--format=%ct %H")
    lines = log.stdout.decode().split("\n") if log is not None else []
    return [(int(at), name) for at, _, name in (line.partition(" ") for line in lines) if name]


@lru_cache(maxsize=8)
def _blobs(root: Path, commit: str) -> dict[str, bytes]:
    """The names that git gives to the contents of the files in a commit; {} if it does not answer."""
    tree = ask_git(root, "ls-tree", "-r", "-z", commit)
    entries = (line.partition(b"\t") for line in tree.stdout.split(b"\0")) if tree is not None else ()
    return {os.fsdecode(name): entry.split()[-1] for entry, _, name in entries if name}


def _blob(path: Path, length: int) -> bytes:
    """The name that git gives to the content of a file; empty if it is too large, or cannot be read."""
    with suppress(FileProblem):
        data = read_within(path, path.parent, limit=16 << 20, follow=False)
        kind = "sha1" if length == 40 else "sha256"
        made = hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False)
        return made.hexdigest().encode()
    return b""


def _named(text: str, root: Path) -> Iterator[tuple[str, str]]:
    """Path relative to the project's root, and role, of each file of a recovery text within the project."""
    try:
        recovery = parse_recovery(text)
    except FormatError:
        return
    base, top = recovery.project_root.strip(), os.path.join(root, "")  # noqa: PTH118 - ends in a slash
    elsewhere = is_elsewhere(base, root)
    folder = base if f"{base}{os.sep}".startswith(top) else top
    for file in (*recovery.working_files, *recovery.reference_files):
        path = mapped(file.path, base, root) if elsewhere else file.path
        if not is_unknown(path) and MASK not in path and (below := _below(path, folder, top)):
            yield below, file.role


def _below(path: str, folder: str, top: str) -> str:
    """A path relative to the root `top/`; "" if outside or none. Without `Path`, which is slow."""
    if not os.path.isabs(path):  # noqa: PTH117
        if " " in path or not re.compile(r"[./]").search(path) or path.startswith("~"):
            return ""
        path = f"{folder}/{path}"
    path = os.path.normpath(path)
    return path.removeprefix(top) if path.startswith(top) and "\0" not in path else ""


def note_on(memory: StoredMemory, root: Path) -> str:
    """The first line of a restored memory that is stale; "" for another one; for `root` see `freshness`."""
    state = freshness(memory, root)
    if not state.is_stale:
        return ""
    stale = (*state.gone, *state.changed)
    shown = [safe(clean_line(path)) for path in stale[:_NAMED]]
    names = ", ".join(name if len(name) <= _LENGTH else f"…{name[-_LENGTH:]}" for name in shown)
    more = f" and {len(stale) - _NAMED} more" if len(stale) > _NAMED else ""
    return f"{memory.meta.id} may be stale: {state.summary} ({names}{more})."
