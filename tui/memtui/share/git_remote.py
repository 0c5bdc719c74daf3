"""A remote in git: a repository of its own, with a Markdown file for each record.

``PROJECT/YYYY-MM/CMEM-...md`` on the branch ``main``. Files are added, and removed when a memory is forgotten
everywhere, but never changed; each push builds on the current state, so machines never conflict.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memtui.share.git_program import Git, GitFailedError, release
from memtui.share.git_records import UNSAFE, GitRecords, project_folder
from memtui.share.remote import (
    Batch,
    Outgoing,
    Remote,
    RemoteProblemError,
    Trouble,
    counted,
    needs_newer,
    not_set_up,
)

SCHEMA = 1
_TRIES = 12
"""The most pushes before giving up: others may push at the same time."""
_HELD_SECONDS = 10.0
"""Seconds that others may hold a lock in a repository that is a folder; they need milliseconds."""
_TIP = "refs/remotes/origin/main"
_OUTGOING = "refs/memtui/outgoing"
_ABOUT, _ABOUT_LIMIT = "memtui.json", 4096
_README = b"""# Memories shared with memtui

Each file is one record: a memory's text as it was stored, or a change of its marks. A sync only adds files;
`memtui remote forget ID` removes the texts of a memory, and leaves a record that says it is deleted.
`memtui remote add NAME URL` and `memtui sync` bring them to a machine. What is in them is text, never run.
"""
_LOCAL = re.compile(r"(?:file://|/|\.{1,2}/|~)")


class GitRemote(Remote):
    """A repository as a remote."""

    def __init__(self, url: str, folder: Path, *, author: str, machine: str) -> None:
        """Make the object; nothing is opened.

        Args:
            url: any address that git accepts: ssh, https or a folder.
            folder: the bare repository for fetched commits on this machine.
            author: the author of commits.
            machine: this machine's name.
        """
        self._url = url
        self._served = Path(url.removeprefix("file://")) if _LOCAL.match(url) else None
        self._git = Git(folder)
        self._records = GitRecords(self._git, folder)
        self._author = f"{UNSAFE.sub(' ', author).strip() or machine} <{machine}@memtui.invalid>"
        self._machine = machine

    def check(self) -> str:
        """See `Remote.check`."""
        with self._raising():
            tip = self._tip()
            number = sum(1 for _ in self._records.listed("", tip))
            last = self._git.run("log", "-1", "--format=%an", tip).decode("utf-8", "replace").strip()
        return f"{counted(number)}, last by {last}"

    def set_up(self) -> None:
        """See `Remote.set_up`."""
        with self._raising():
            if self._fetch():
                return
            about = json.dumps({"memtui": SCHEMA}).encode() + b"\n"
            self._commit("", "Set up for memtui", [(_ABOUT, about), ("README.md", _README)])
            self._push()

    def put(self, records: Sequence[Outgoing]) -> None:
        """See `Remote.put`."""
        files = [(_path(each), each.data) for each in records]
        projects = ", ".join(sorted({each.project or "no project" for each in records}))
        title = f"Add {len(files)} records of {UNSAFE.sub(' ', projects)[:100]} from {self._machine}"
        if files:
            self._change(title, files)

    def erase(self, key: str, tombstone: Outgoing) -> str:
        """See `Remote.erase`."""
        self._change(f"Remove {key}", [(_path(tombstone), tombstone.data)], f"{key}.")
        # The tombstone keeps the memory deleted on machines that have never seen it, too.
        kept = f"':(exclude)*/{tombstone.name}'"
        remove = f"git rm -q --cached --ignore-unmatch -- '*/{key}.*' {kept}"
        return (
            "its texts are removed from the newest commit; the history keeps them unless it is rewritten,"
            f' in a clone: git filter-branch --index-filter "{remove}" main && git push --force origin main'
        )

    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        """See `Remote.since`. A place is a commit; between two batches, two commits and a number of files."""
        base, head, done = _read_place(place)
        with self._raising():
            tip = self._tip(known=base if not head else "")
            if tip == base and not head:
                return
            if not self._git.has(*filter(None, (base, head))):
                base, head, done = "", "", 0  # history was rewritten: read everything again
            if head:
                yield from self._records.batches(base, head, done, projects)
                base = head
            if tip != base:
                yield from self._records.batches(base, tip, 0, projects)

    def _tip(self, known: str = "") -> str:
        """Fetch the branch; returns its last commit. See `_fetch`."""
        tip = self._fetch(known)
        if not tip:
            raise not_set_up(self._url)
        return tip

    def _fetch(self, known: str = "") -> str:
        """Fetch the branch; returns its last commit, or "" for an empty one.

        Args:
            known: the last commit read; if the branch has not moved, nothing is fetched.
        """
        self._git.make()
        names = self._git.run("ls-remote", "--heads", "--", self._url, "refs/heads/main").split()
        if not names:
            return ""
        tip = names[0].decode()
        if tip == known:
            return tip
        if not self._git.has(tip):
            self._git.run(
                "fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--",
                self._url, f"+refs/heads/main:{_TIP}", bounded=True, patient=True,
            )  # fmt: skip
            tip = self._git.run("rev-parse", _TIP).decode().strip()
        else:
            self._git.run("update-ref", _TIP, tip)
        self._check_schema(tip)
        return tip

    def _check_schema(self, tip: str) -> None:
        try:
            with self._git.reading("cat-file", "blob", f"{tip}:{_ABOUT}") as output:
                about = json.loads(output.read(_ABOUT_LIMIT))
            schema = int(about["memtui"])
        except (GitFailedError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            if isinstance(error, GitFailedError) and not error.printed:
                raise
            reason = "holds something else than memtui's memories"
            raise RemoteProblemError(self._url, reason, Trouble.FOREIGN) from None
        if schema > SCHEMA:
            raise needs_newer(self._url)

    def _change(self, title: str, files: Sequence[tuple[str, bytes]], removed: str = "") -> None:
        """Commit and push files; `removed` has the name prefixes of files to remove."""
        with self._raising():
            for number in range(_TRIES):
                tip = self._tip()
                gone = [
                    path
                    for path, each in (self._records.listed("", tip) if removed else ())
                    if each.name.startswith(removed)
                ]
                self._commit(tip, title, files, gone)
                try:
                    self._push()
                except GitFailedError as error:
                    if number == _TRIES - 1 or not _was_late(error):
                        raise
                    if self._served is not None and release(error.printed, self._served, _HELD_SECONDS):
                        continue
                    time.sleep(random.uniform(0, 0.05 * 2 ** min(number, 5)))  # noqa: S311
                else:
                    return

    def _commit(
        self, parent: str, title: str, files: Sequence[tuple[str, bytes]], gone: Sequence[str] = ()
    ) -> None:
        lines = [f"commit {_OUTGOING}\ncommitter {self._author} now\n".encode(), _data(title.encode())]
        lines += [f"from {parent}\n".encode()] if parent else []
        lines += [b'D "%b"\n' % _quoted(path) for path in gone]
        lines += [b"M 100644 inline " + path.encode() + b"\n" + _data(data) for path, data in files]
        command = ("fast-import", "--quiet", "--force", "--date-format=now", "--done")
        self._git.run(*command, data=b"".join([*lines, b"done\n"]))

    def _push(self) -> None:
        # A folder's own hooks would run as this user: they are turned off there, too.
        no_hooks = ["--receive-pack=git -c core.hooksPath=/dev/null receive-pack"] if self._served else []
        what = ("--", self._url, f"{_OUTGOING}:refs/heads/main")
        self._git.run("push", "--progress", "--no-verify", *no_hooks, *what, patient=True)

    @contextmanager
    def _raising(self) -> Iterator[None]:
        try:
            yield
        except GitFailedError as error:
            refused = b"permission denied" in error.printed.lower()
            trouble = Trouble.NO_PERMISSION if refused else Trouble.UNREACHABLE
            raise RemoteProblemError(self._url, f"cannot be used: {error}", trouble) from error


def _path(record: Outgoing) -> str:
    kind, _, rest = record.name.partition("-")
    folder = f"{rest[:4]}-{rest[4:6]}" if kind == "CMEM" else "states" if kind == "ST" else "pins"
    return f"{project_folder(record.project)}/{folder}/{record.name}"


def _quoted(path: str) -> bytes:
    """A path that people may have chosen, as fast-import reads it between quotation marks."""
    return re.sub(rb'(["\\])', rb"\\\1", os.fsencode(path)).replace(b"\n", rb"\n")


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _read_place(place: str) -> tuple[str, str, int]:
    """The two commits and the number of files in a place."""
    parts = place.split()
    if len(parts) == 3:
        return parts[0].strip("-"), parts[1], int(parts[2])
    return (parts[0] if parts else ""), "", 0


def _was_late(error: GitFailedError) -> bool:
    """Whether a push was refused because another one came first."""
    return any(
        word in error.printed for word in (b"(fetch first)", b"(non-fast-forward)", b"cannot lock ref")
    )
