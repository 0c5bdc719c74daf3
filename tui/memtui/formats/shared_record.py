"""A record shared by machines: one change of one memory, written once and never altered.

Between one's own machines, versions of session states and the set of pins travel as records, too.

A Markdown file: YAML front matter, then the text byte for byte. A record either gives a memory its text or
changes marks (tags, archived, deleted). Its name contains its hash, so equal records have equal names, and
tampering is detected. A memory is the result of all its records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationError

from memtui.formats.front_matter import dump, load, quick_load
from memtui.formats.model import FormatError, Line, Moment, Record
from memtui.ground.clock import parse_iso

LIMIT = 4 << 20
"""Maximum size of a record in bytes."""

MACHINE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
"""A machine's name."""

PINS = "PINS@all"
"""The key of the pins of all machines."""

_SESSION = r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}"
STATE = re.compile(rf"ST-({_SESSION})-v(\d{{4,8}})@({MACHINE.pattern})", re.ASCII)
"""The key of a version of a session state: the session, the version, and the machine that wrote it."""

MEMORY = re.compile(rf"CMEM-\d{{8}}-\d{{6}}@{MACHINE.pattern}", re.ASCII)
"""The key of a memory: its Recovery ID, and the machine on which it was made."""

FORGOTTEN = "forgotten"
"""The source of a tombstone: the record that stays of a memory which was forgotten everywhere."""

_KEY = rf"(?:CMEM-\d{{8}}-\d{{6}}|ST-{_SESSION}-v\d{{4,8}})@{MACHINE.pattern}|{PINS}"
NAME = re.compile(rf"({_KEY})\.([0-9a-f]{{32}})\.md", re.ASCII)
"""A record's file name: the key of its memory, and the beginning of the record's SHA-256."""

_OPENING, _CLOSING = b"---\n", b"\n---\n"
_HEAD_LIMIT = 32 << 10
_FARTHEST = timedelta(hours=14)
"""Maximum difference between a local time and UTC."""
_KEYS = frozenset(
    {
        "kind", "memory", "machine", "author", "at", "project", "created", "source",
        "description", "tags", "untagged", "archived", "deleted", "superseded_by",
    }
)  # fmt: skip
_FLAGS = {"true": True, "false": False}


def _memory(text: str) -> str:
    if not NAME.fullmatch(f"{text}.{'0' * 32}.md"):
        raise ValueError("not of the form CMEM-YYYYMMDD-HHMMSS@machine")
    return text


def _successor(text: str) -> str:
    if text and not MEMORY.fullmatch(text):
        raise ValueError("not of the form CMEM-YYYYMMDD-HHMMSS@machine")
    return text


def _machine(text: str) -> str:
    if not MACHINE.fullmatch(text):
        raise ValueError("not a machine's name")
    return text


class SharedRecord(Record):
    """One change of a memory."""

    kind: Literal["text", "marks"]
    """Whether it contains a text, or only changes marks."""
    memory: Annotated[str, AfterValidator(_memory)]
    """The key: Recovery ID and the machine on which the memory was made, ``CMEM-20260102-101500@laptop``.
    For a session state or the pins: see `STATE` and `PINS`."""
    machine: Annotated[str, AfterValidator(_machine)]
    """The machine that made the change."""
    author: Line = ""
    """The author of the change."""
    at: Moment
    """Time of the change, by that machine's clock."""
    project: Line = ""
    """Name of the project's folder."""
    created: Moment
    """Time at which the memory was created."""
    source: Line = ""
    """The command that created the memory: ``review``, ``compact`` ..."""
    description: Line | None = None
    """None leaves it unchanged."""
    tags: tuple[Line, ...] = ()
    """Tags added."""
    untagged: tuple[Line, ...] = ()
    """Tags removed."""
    archived: bool | None = None
    deleted: bool | None = None
    superseded_by: Annotated[str, AfterValidator(_successor)] | None = None
    """The key of the memory that replaces it; "" undoes that, and None leaves it unchanged."""
    body: bytes = b""
    """The text; empty if only marks change."""


def render_record(record: SharedRecord) -> bytes:
    """The file of a record.

    Raises:
        FormatError: its front matter is so long that it would not be read.
    """
    values: dict[str, object] = {
        "kind": record.kind,
        "memory": record.memory,
        "machine": record.machine,
        "author": record.author,
        "at": record.at.isoformat(),
        "project": record.project,
        "created": record.created.isoformat(),
        "source": record.source,
    }
    if record.description is not None:
        values["description"] = record.description
    values |= {
        key: list(tags) for key, tags in (("tags", record.tags), ("untagged", record.untagged)) if tags
    }
    flags = (("archived", record.archived), ("deleted", record.deleted))
    values |= {key: flag for key, flag in flags if flag is not None}
    if record.superseded_by is not None:
        values["superseded_by"] = record.superseded_by
    head = f"---\n{dump(values)}---\n".encode()
    if len(head) > _HEAD_LIMIT:
        raise FormatError("its description and tags are too long")
    return head + record.body


def record_name(memory: str, data: bytes) -> str:
    """The file name of a record."""
    return f"{memory}.{sha256(data).hexdigest()[:32]}.md"


def check_record(name: str, data: bytes) -> str:
    """The key in the name of an untrusted record, whose content is not parsed.

    Raises:
        FormatError: it is too large, or does not match its name.
    """
    found = NAME.fullmatch(name)
    if found is None:
        raise FormatError("its name is not that of a record")
    if len(data) > LIMIT:
        raise FormatError(f"it is larger than {LIMIT >> 20} MB")
    if record_name(found[1], data) != name:
        raise FormatError("its content is not what its name says")
    return found[1]


def parse_record(name: str, data: bytes) -> SharedRecord:
    """Parse an untrusted record.

    Raises:
        FormatError: it is too large, does not match its name, or is not a record.
    """
    memory = check_record(name, data)
    begin = len(_OPENING)
    end = data.find(_CLOSING, begin, begin + _HEAD_LIMIT + len(_CLOSING))
    if end == -1 or not data.startswith(_OPENING):
        raise FormatError("it has no front matter")
    text = data[begin : end + 1].decode("utf-8", "replace")
    values = quick_load(text.rstrip("\n").split("\n"), _KEYS)
    if values is None:
        values = load(text)
    try:
        record = SharedRecord.model_validate(_fields(values, data[end + len(_CLOSING) :]))
    except ValidationError as error:
        problem = error.errors()[0]
        raise FormatError(f"its {problem['loc'][0]} is wrong: {problem['msg']}") from None
    if record.memory != memory:
        raise FormatError("its front matter names another memory than its name")
    if record.kind == "marks" and record.body:
        raise FormatError("it changes marks and has a text")
    return record


def _fields(values: Mapping[str, object], body: bytes) -> dict[str, object]:
    if unknown := set(values) - _KEYS:
        raise FormatError(f"its front matter has an unknown key: {min(unknown)[:40]!r}")
    fields: dict[str, object] = {**values, "body": body}
    for key in ("at", "created"):
        moment = parse_iso(str(values.get(key, "")))
        if moment is None or abs(moment.utcoffset() or timedelta()) > _FARTHEST:
            raise FormatError(f"its front matter has no valid time: {key}")
        fields[key] = moment
    for key in ("archived", "deleted"):
        if key in values:
            fields[key] = _FLAGS.get(str(values[key]))
    return fields
