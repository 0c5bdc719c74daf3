"""The contract of a remote, and the document that a memory is in it.

A remote holds for each memory a line of versions, each a document, and knows which one is the newest. Its
tests: `tests/share/test_contract.py`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, Protocol, Self, TypeVar

from pydantic import BeforeValidator, Field, ValidationError

from memtui.documents.memory import dump, load, split
from memtui.documents.record import Line, Moment, Record
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.text import FormatError

LIMIT = 4 << 20
"""Maximum size of a document in bytes."""
MACHINE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
MEMORY = re.compile(rf"CMEM-\d{{8}}-\d{{6}}@{MACHINE.pattern}", re.ASCII)
"""The key of a memory: its Recovery ID, and the machine on which it was made."""
_PORTION, _HEAD_LIMIT = 16 << 20, 64 << 10

Item = TypeVar("Item")


class RemoteProblemError(FileProblem):
    """A remote cannot be used: a sentence that names it and says what to do; `trouble` is short for it."""

    def __init__(self, remote: str, reason: str, trouble: str = "unreachable") -> None:
        super().__init__(remote, reason)
        self.trouble = trouble


def refuse_schema(remote: str, found: int, own: int, name: str) -> None:
    """Refuse a remote that another version of memtui has set up; `found` is 0 if none has."""
    if found == own:
        return
    reason, trouble = f"is not set up: {f'memtui remote init {name}'.strip()} does it", "not set up"
    if found > own:
        reason, trouble = "was set up by a newer memtui: update this one", "needs a newer memtui"
    elif found:
        reason, trouble = "was set up by an older memtui: share through a new one", "not memtui's"
    raise RemoteProblemError(remote, reason, trouble)


class Document(Record):
    """A version of a memory in a remote: YAML front matter, then the text byte for byte."""

    LAST: ClassVar = (1 << 62) - 1
    version: Annotated[int, BeforeValidator(lambda value: str(value).removeprefix("v")), Field(ge=1, le=LAST)]
    author: Line = ""
    machine: Line = ""
    at: Moment
    """Its time of writing, by the clock of its machine: shown, and never compared."""
    project: Line = ""
    """Name of the project's folder."""
    created: Moment
    description: Line = ""
    tags: tuple[Line, ...] = ()
    source: Line = ""
    deleted: bool = False
    forgotten: bool = False
    """Whether its texts were removed for good: a copy that was changed elsewhere is not sent any more."""
    body: bytes = b""

    def render(self) -> bytes:
        values = self.model_dump(exclude={"body", "deleted", "forgotten"})
        values |= {"version": f"v{self.version}", "tags": list(self.tags)}
        values |= {"at": self.at.isoformat(), "created": self.created.isoformat()}
        values |= {key: True for key in ("deleted", "forgotten") if getattr(self, key)}
        return f"---\n{dump(values)}---\n".encode() + self.body

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a document, which is from outside; `FormatError` if it is none."""
        head, body = split(data, _HEAD_LIMIT)
        keys = cls.model_fields.keys() - {"body"}
        values = {key: value for key, value in load(head).items() if key in keys}
        values |= {key: parse_iso(str(values.get(key, ""))) for key in ("at", "created")}
        try:
            return cls.model_validate({**values, "body": body})
        except ValidationError as error:
            wrong = error.errors()[0]["loc"][0]
            raise FormatError(f"the {wrong} in its front matter is not valid") from error


class Head(NamedTuple):
    """The newest version of a memory: the digest and the size of its document."""

    digest: str
    size: int


class Remote(Protocol):
    """One remote, for any thread; its methods raise `RemoteProblemError` if it cannot be used."""

    def check(self) -> str:
        """A short description of the remote: ``12 memories``."""

    def set_up(self) -> None:
        """Create what the remote needs; idempotent."""

    def heads(self) -> dict[str, Head]:
        """The newest version of each memory, by its key."""

    def read(self, heads: Mapping[str, Head]) -> Iterator[tuple[str, bytes]]:
        """Keys and documents of these heads, a portion at a time; those over the limit are left out."""
        fitting = [each for each in heads.items() if each[1].size <= LIMIT]
        for portion in portions(fitting, lambda each: each[1].size):
            yield from self._read({key: head.digest for key, head in portion}).items()

    def _read(self, digests: Mapping[str, str]) -> dict[str, bytes]:
        """The documents of these keys and digests."""

    def holds(self, digests: Mapping[str, str]) -> Collection[str]:
        """The keys whose line of versions has this document, be it the newest or not."""

    def digest(self, data: bytes) -> str:
        """The digest of a document, as it is in `Head`."""

    def write(self, documents: Mapping[str, tuple[int, bytes]]) -> Collection[str]:
        """Add versions, each a number and a document; returns those that nobody came before since `heads`."""

    def history(self, key: str) -> list[bytes]:
        """The documents of a memory, oldest first."""

    def forget(self, key: str, tombstone: tuple[int, bytes]) -> str:
        """Replace all versions of a memory by a tombstone; returns a sentence on what cannot be removed."""

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """Wait until there may be something new since `heads`, the time is over, or `stopped` is set."""
        stopped.wait(seconds)


def portions(items: Iterable[Item], size_of: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Items in portions of at most 16 MB, or of one item."""
    portion, size = list[Item](), 0
    for item in items:
        if portion and size + size_of(item) > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += size_of(item)
    if portion:
        yield portion


def shared_root(name: str) -> str:
    """The project's root in texts without a machine's folders."""
    return f"/project/{name}"


def neutral(body: bytes, project: str) -> bytes:
    """A text without this machine's folders: the project's root is ``/project/NAME``, the home folder ``~``.

    Restoring maps such paths to the local root of the project.
    """
    for folder, short in ((project, shared_root(Path(project).name)), (str(Path.home()), "~")):
        if folder.strip("/\\"):
            stem = re.escape(folder.rstrip("/\\").encode())
            body = re.sub(rb"(?<![\w/\\.~-])" + stem + rb"(?![\w.-])", short.encode(), body)
    return body
