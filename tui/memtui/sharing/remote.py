"""The contract of a remote: a set of records, of which only `erase` removes some.

Its tests: `tests/sharing/contract.py`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memtui.files import FileProblem

SECONDS = 60.0
"""How long one exchange with a remote may take before it counts as out of reach."""


class Trouble(StrEnum):
    """Why a remote cannot be used, as the status line shows it."""

    UNREACHABLE = "unreachable"
    NO_PERMISSION = "no permission"
    NOT_SET_UP = "not set up"
    NEEDS_NEWER = "needs a newer memtui"
    NEEDS_INIT = "needs memtui remote init"
    NOT_INSTALLED = "not installed"
    """A program or library that it needs is missing."""
    FOREIGN = "not memtui's"


class RemoteProblemError(FileProblem):
    """A remote cannot be used; the message is a sentence that names it and says what to do."""

    def __init__(self, remote: str, reason: str, trouble: Trouble = Trouble.UNREACHABLE) -> None:
        super().__init__(Path(remote), reason)
        self.remote = remote
        self.trouble = trouble

    def __str__(self) -> str:
        return f"{self.remote} {self.reason}"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record that is to be added."""

    name: str
    """See `memtui.formats.shared_record.NAME`."""
    project: str
    """Name of the project's folder; "" for none."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records of a remote."""

    place: str
    """Where reading goes on behind them: opaque, in the remote's own order."""
    records: tuple[tuple[str, bytes], ...]
    """Names and contents. They come from elsewhere and may be anything."""
    passed_over: int = 0
    """Files that cannot be records: too large, links, names of another form."""


def counted(number: int) -> str:
    """A number of records: ``1 record``, ``1,200 records``."""
    return f"{number:,} {'record' if number == 1 else 'records'}"


class Remote(ABC):
    """One remote. Methods may be called from any thread, and from several machines at once."""

    @abstractmethod
    def check(self) -> str:
        """What the remote is, in a few words: ``12 records, last by alex``.

        Raises:
            RemoteProblemError: it cannot be reached or read, or memtui has not been set up in it.
        """

    @abstractmethod
    def set_up(self) -> None:
        """Make what the remote needs, once; again it changes nothing.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def put(self, records: Sequence[Outgoing]) -> None:
        """Add records; those that are there already stay as they are. All or none.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def erase(self, key: str, tombstone: Outgoing) -> str:
        """Remove all records of a memory, and add one that says so; returns a sentence on what stays.

        Args:
            key: of the memory; see `memtui.formats.shared_record.SharedRecord.memory`.
            tombstone: the record that stays.

        Raises:
            RemoteProblemError: it cannot be reached or written.
        """

    @abstractmethod
    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        """All records that were added behind a place, in batches.

        Args:
            place: the last batch's; "" from the beginning.
            projects: names of the projects that are wanted; none means all.

        Raises:
            RemoteProblemError: it cannot be reached or read.
        """

    def wait(self, seconds: float, place: str, projects: Sequence[str], stopped: threading.Event) -> None:
        """Return when something may have been added behind a place, at the latest after some seconds.

        Args:
            seconds: how long.
            place: how far was read; see `since`.
            projects: see `since`.
            stopped: ends the waiting early.

        Raises:
            RemoteProblemError: it cannot be reached.
        """
        stopped.wait(seconds)
