"""The contract of a remote: a set of records that only `erase` removes from.

Its tests: `tests/share/contract.py`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memtui.ground.files import FileProblem

SECONDS = 60.0
"""Seconds that one exchange with a remote may take before it counts as unreachable."""


class Trouble(StrEnum):
    """The kind of problem with a remote, for the status line."""

    UNREACHABLE = "unreachable"
    NO_PERMISSION = "no permission"
    NOT_SET_UP = "not set up"
    NEEDS_NEWER = "needs a newer memtui"
    NEEDS_INIT = "needs memtui remote init"
    NOT_INSTALLED = "not installed"
    """A required program or library is missing."""
    FOREIGN = "not memtui's"


class RemoteProblemError(FileProblem):
    """A remote cannot be used; the message is a sentence that names it and says what to do."""

    def __init__(self, remote: str, reason: str, trouble: Trouble = Trouble.UNREACHABLE) -> None:
        super().__init__(Path(remote), reason)
        self.remote = remote
        self.trouble = trouble

    def __str__(self) -> str:
        return f"{self.remote} {self.reason}"


def not_set_up(remote: str) -> RemoteProblemError:
    """The problem of a remote in which memtui was never set up."""
    return RemoteProblemError(remote, "is not set up: memtui remote init does it", Trouble.NOT_SET_UP)


def needs_newer(remote: str) -> RemoteProblemError:
    """The problem of a remote that only a newer memtui can use."""
    reason = "was set up by a newer memtui: update this one"
    return RemoteProblemError(remote, reason, Trouble.NEEDS_NEWER)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to be added."""

    name: str
    """See `memtui.formats.shared_record.NAME`."""
    project: str
    """Name of the project's folder; "" for none."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of records of a remote."""

    place: str
    """The place after the batch: opaque, in the remote's own order."""
    records: tuple[tuple[str, bytes], ...]
    """Names and contents. They are untrusted."""
    passed_over: int = 0
    """Files that cannot be records: too large, links, or with invalid names."""


def counted(number: int) -> str:
    """A number of records: ``1 record``, ``1,200 records``."""
    return f"{number:,} {'record' if number == 1 else 'records'}"


class Remote(ABC):
    """One remote. Methods may be called from any thread, and from several machines at once."""

    @abstractmethod
    def check(self) -> str:
        """A short description of the remote: ``12 records, last by alex``.

        Raises:
            RemoteProblemError: it cannot be reached or read, or memtui has not been set up in it.
        """

    @abstractmethod
    def set_up(self) -> None:
        """Create what the remote needs; idempotent.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def put(self, records: Sequence[Outgoing]) -> None:
        """Add records, all or none; existing ones stay unchanged.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def erase(self, key: str, tombstone: Outgoing) -> str:
        """Replace all records of a memory by a tombstone; returns a sentence on what cannot be removed.

        Args:
            key: of the memory; see `memtui.formats.shared_record.SharedRecord.memory`.
            tombstone: the only record that stays.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        """The records added after a place, in batches.

        Args:
            place: that of the last batch; "" for the beginning.
            projects: names of the wanted projects; empty means all.

        Raises:
            RemoteProblemError: it cannot be reached or read.
        """

    def wait(self, seconds: float, place: str, projects: Sequence[str], stopped: threading.Event) -> None:
        """Wait until records may have been added after a place, or the time is over.

        Args:
            seconds: maximum time to wait.
            place: see `since`.
            projects: see `since`.
            stopped: ends the waiting early.

        Raises:
            RemoteProblemError: it cannot be reached.
        """
        stopped.wait(seconds)
