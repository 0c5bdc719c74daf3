"""Changes of a project's files since a time: by git's commits and contents, else by file times.

Git is run only a few times, for the current commit, the log as far back as needed, and the tree. It never
reads working files, as that may run programs configured by the repository; contents are compared here.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Mapping
from hashlib import sha1, sha256
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from memtui.formats.git_log import LOG_FORMAT, FileCommit, read_log, read_tree
from memtui.ground.files import FileProblem, Signature, is_within, load_within
from memtui.ground.files.safe import signature_of
from memtui.ground.git import ask

COMMITS = 20_000
"""The most commits that are read."""
_SIZE = 16 << 20
"""Maximum size of files whose content is compared, in bytes."""
_MONTH = 30 * 86_400.0
_KEPT = 50_000
"""The most content ids kept."""


class Change(NamedTuple):
    """The change of a file since a time."""

    kind: str
    """``changed``, ``gone``, or "" for neither."""
    by: str = ""
    """The evidence: ``commit``, ``content`` (not committed) or ``time`` (the file's time alone)."""
    at: float = 0.0
    """Time in seconds since 1970; 0 if unknown."""
    commit: str = ""


SAME = Change("")


class _Status(NamedTuple):
    """A regular file."""

    written: float
    signature: Signature


_MISSING = _Status(0.0, (0, 0, 0))


class _Walked(NamedTuple):
    """The part of the log read so far."""

    commits: Mapping[str, list[FileCommit]]
    """By path, newest first."""
    since: float
    """Complete from this time on."""


class Repository:
    """The files of one project, with or without git. Thread-safe."""

    def __init__(self, root: Path) -> None:
        """Make the object; nothing is run before the first question."""
        self.root = root
        self._lock = RLock()
        self._head = ""
        self._too_long = ""
        """A commit whose log could not be read."""
        self._shallow = False
        self._walked: _Walked | None = None
        self._newest = 0.0
        self._tree: Mapping[str, str] | None = None
        self._statuses: dict[str, _Status | None] = {}
        self._inside: dict[Path, bool] = {}
        self._ids: dict[tuple[str, Signature, bool], tuple[str, ...]] = {}

    def refresh(self) -> None:
        """Check the current commit and the files again; answers stay valid until the next call."""
        self._statuses, self._inside = {}, {}
        answer = ask(self.root, "rev-parse", "--verify", "HEAD^{commit}", seconds=5)
        head = answer.output.decode("ascii", "replace").strip() if answer and answer.code == 0 else ""
        with self._lock:
            if head in (self._head, self._too_long):
                return
            self._head, self._walked, self._tree = head, None, None
            if head:
                shallow = ask(self.root, "rev-parse", "--is-shallow-repository")
                self._shallow = shallow is not None and shallow.output.strip() == b"true"

    @property
    def has_git(self) -> bool:
        """Whether git answers, so that commits count."""
        return bool(self._head)

    def change(self, path: str, since: float) -> Change | None:
        """The change of a file since a time.

        Args:
            path: relative to the project's root, with ``/``.
            since: seconds since 1970.

        Returns:
            None if unknown: it is not a regular file, or is outside the project.
        """
        statuses = self._statuses  # another thread may call `refresh` meanwhile
        if path not in statuses:
            statuses[path] = self._status(path)
        status = statuses[path]
        if status is None:
            return None
        if status is _MISSING:
            newest = next(iter(self._commits(path, since)), None)
            if newest is None and self._was_removed(path):
                return None
            if newest is not None and not newest.after:
                return Change("gone", "commit", newest.time, newest.commit)
            return Change("gone", "commit" if newest or self._in_tree(path) else "time")
        if int(status.written) <= int(since):
            return SAME  # committing existing content does not change the file
        return self._compared(path, status, since)

    def _status(self, path: str) -> _Status | None:
        """The status of a regular file, or `_MISSING`; None for anything else."""
        place = self.root / path
        try:
            if not self._is_inside(place.parent):
                return None
            status = os.lstat(place)
        except FileNotFoundError:
            return _MISSING
        except (OSError, ValueError):
            return None
        return _Status(status.st_mtime, signature_of(status)) if stat.S_ISREG(status.st_mode) else None

    def _is_inside(self, folder: Path) -> bool:
        known = self._inside
        if folder not in known:
            known[folder] = is_within(folder, self.root)
        return known[folder]

    def _compared(self, path: str, status: _Status, since: float) -> Change:
        """The change of a file that was written since."""
        commits = self._commits(path, since)
        before = commits[-1].before if commits else self._in_tree(path)
        if before and before in self._content(path, status, len(before) > 40):
            return SAME
        if commits:
            return Change("changed", "commit", commits[0].time, commits[0].commit)
        return Change("changed", "content" if before else "time", status.written)

    def _was_removed(self, path: str) -> bool:
        """Whether the last known commit of a file removed it."""
        walked = self._walked
        commits = walked.commits.get(path, ()) if walked else ()
        return any(not each.after for each in commits[:1])

    def _commits(self, path: str, since: float) -> list[FileCommit]:
        """The commits that changed a file since a time, newest first."""
        if not self._head:
            return []
        with self._lock:
            if self._walked is None or self._walked.since > since:
                self._walk(since)
            if self._walked is None:
                return []
            return [each for each in self._walked.commits.get(path, ()) if each.time > int(since)]

    def _walk(self, since: float) -> None:
        # Further back than requested, so that scrolling down a long list reads the log only a few times.
        self._newest = self._newest or since
        until = max(0, int(since - max(_MONTH, 3 * (self._newest - since))))
        answer = ask(
            self.root, "log", "-z", "--raw", "--no-abbrev", "--no-renames", "-m", "--first-parent",
            "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes", "--no-relative",
            f"-O{os.devnull}", f"--format={LOG_FORMAT}", f"--max-age={until}", f"--max-count={COMMITS}",
            self._head, "--",
        )  # fmt: skip
        if answer is None or answer.code or answer.output.count(b"\0\x01") >= COMMITS - 1:
            self._head, self._too_long = "", self._head  # from now on only file times count
            return
        found: dict[str, list[FileCommit]] = defaultdict(list)
        for each in read_log(answer.output, shallow=self._shallow):
            found[each.path].append(each)
        self._walked = _Walked(found, until)

    def _in_tree(self, path: str) -> str:
        """The id of a file's committed content; "" if it is not committed."""
        if not self._head:
            return ""
        with self._lock:
            if self._tree is None:
                answer = ask(self.root, "ls-tree", "-r", "-z", "--full-tree", self._head)
                self._tree = read_tree(answer.output) if answer else {}
            return self._tree.get(path, "")

    def _content(self, path: str, status: _Status, long: bool) -> tuple[str, ...]:
        """The possible ids of a file's content in git: unchanged, and with LF line ends."""
        key = (path, status.signature, long)
        if (known := self._ids.get(key)) is not None:
            return known
        try:
            data = load_within(self.root / path, self.root, limit=_SIZE, follow=False).data
        except FileProblem:
            return ()
        texts = {data, data.replace(b"\r\n", b"\n")}
        ids = tuple(_blob_id(text, long) for text in texts)
        if len(self._ids) >= _KEPT:
            self._ids.clear()
        self._ids[key] = ids
        return ids


def _blob_id(data: bytes, long: bool) -> str:
    digest = sha256() if long else sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()
