"""Recording the changes that memtui makes in the log.

Writers call `Changes.wrote` (as a `Wrote`) after a file is written, with its content before and after. All
writes within `together` are one change, and undone as one.
"""

from __future__ import annotations

import os
from _thread import get_ident  # importing `threading` is too slow for a hook
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.named import TYPE_CHECKING, NamedTuple
from memtui.ground.project import Home
from memtui.store.change_log import Change, ChangeLog, FileChange, digest

if TYPE_CHECKING:
    from typing import Protocol

    class Wrote(Protocol):
        """Receives the writes of a store; see `Changes.wrote`."""

        def __call__(
            self, what: str, path: Path, before: bytes | None, after: bytes | None, *, shared: bool = False
        ) -> None:
            """Record that a file was written."""


APP, CLI, HOOK, MCP, SYNC = "app", "cli", "hook", "mcp", "sync"
"""The programs that make changes."""


_LONGEST = 200
"""Maximum length of a change's description, which may contain untrusted names."""


def unrecorded(
    what: str, path: Path, before: bytes | None, after: bytes | None, *, shared: bool = False
) -> None:
    """Record nothing."""


class _Written(NamedTuple):
    what: str
    path: str
    before: bytes | None
    after: bytes | None
    shared: bool


class Together:
    """Files that are written as one change."""

    def __init__(self, what: str = "") -> None:
        self.what = what
        """Description of the change; "" takes that of its first file. May be set until its end."""
        self.written: list[_Written] = []

    def add(
        self, what: str, path: Path, before: bytes | None, after: bytes | None, *, shared: bool = False
    ) -> None:
        """Add a file; see `Changes.wrote`."""
        # Not resolved: a link stays a link.
        self.written.append(_Written(what, os.path.abspath(path), before, after, shared))  # noqa: PTH100

    def files(self) -> list[_Written]:
        """The changed files, each once, with its first and last content."""
        merged: dict[str, _Written] = {}
        for each in self.written:
            first = merged.get(each.path, each)
            merged[each.path] = each._replace(before=first.before)
        return [each for each in merged.values() if each.before != each.after]


class Changes:
    """Records the changes of one process in the log."""

    def __init__(self, home: Home, clock: Clock, by: str, root: Path | None = None) -> None:
        """Make the object; nothing is opened.

        Args:
            home: memtui's own folders.
            clock: gives the time of changes.
            by: `APP`, `CLI`, `HOOK` or `MCP`.
            root: root of the project in which changes are made, or None.
        """
        self.log = ChangeLog(home)
        self.project = str(root) if root is not None else ""
        self._clock = clock
        self._by = by
        self._open: dict[int, Together] = {}
        self.problem = ""
        """Why the last change could not be recorded; "" if it was."""

    def wrote(
        self, what: str, path: Path, before: bytes | None, after: bytes | None, *, shared: bool = False
    ) -> None:
        """Record that a file was written. Never raises, as the file is written already.

        Args: what: description of the change, unless it is part of another. path: the file. before: its
        content before; None when there was no file. after: its content now; None when it was removed. shared:
        whether other programs write the file, too: then both texts are kept, so that the change can be undone
        in a later version.
        """
        together = self._open.get(get_ident())
        if together is not None:
            together.add(what, path, before, after, shared=shared)
            return
        alone = Together()
        alone.add(what, path, before, after, shared=shared)
        self._try(alone)

    @contextmanager
    def together(self, what: str = "") -> Iterator[Together]:
        """Record all writes of this thread within the block as one change, even if an error ends it."""
        outer = self._open.get(get_ident())
        if outer is not None:
            yield outer
            return
        together = self._open[get_ident()] = Together(what)
        try:
            yield together
        finally:
            del self._open[get_ident()]
            self._try(together)

    def for_good(self, what: str, why: str) -> None:
        """Record a change that cannot be undone. Never raises.

        Args:
            what: the change in plain words.
            why: a phrase that follows "cannot be undone:".
        """
        self._try(Together(what), final=why)

    def _try(self, together: Together, *, final: str = "") -> None:
        try:
            self.record(together, final=final)
            self.problem = ""
        except FileProblem as problem:
            self.problem = str(problem)
        except (OSError, ValueError) as error:
            self.problem = f"{self.log.path} cannot be written: {error}"

    def record(self, together: Together, *, reverts: str = "", final: str = "") -> Change | None:
        """Append a change to the log; None if no file has changed.

        Raises:
            OSError, ValueError, FileProblem: it cannot be written.
        """
        files = together.files()
        if not files and not reverts and not final:
            return None
        change = Change(
            id=os.urandom(4).hex(),
            at=self._clock().isoformat(timespec="milliseconds"),
            what=(together.what or files[0].what)[:_LONGEST],
            by=self._by,
            project=self.project,
            files=tuple(FileChange(each.path, digest(each.before), digest(each.after)) for each in files),
            reverts=reverts,
            final=final,
        )
        texts = [each.before for each in files] + [each.after for each in files if each.shared]
        self.log.append(change, [text for text in texts if text is not None])
        return change
