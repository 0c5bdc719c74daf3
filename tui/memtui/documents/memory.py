"""A memory in the store: YAML front matter, then the imported text byte for byte.

People may have edited the front matter: every scalar stays a text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated

import yaml
from pydantic import AfterValidator, BeforeValidator, ValidationError

from memtui.documents.record import Block, Line, Moment, Record
from memtui.ground.clock import parse_iso
from memtui.ground.text import FormatError, file_text, without_blank_ends

_SEPARATORS = re.compile(r"[,\n]")


class _Texts(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc] # libyaml takes a twelfth of the time
    """Reads numbers, truth values and times as written, and a null as an empty text."""


_NULL = "tag:yaml.org,2002:null"
_Texts.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Texts.add_constructor(_NULL, lambda *_: "")


def load(text: str) -> dict[str, object]:
    """The values of YAML: texts, lists or mappings."""
    try:
        values = yaml.load(text, Loader=_Texts)  # noqa: S506 - it makes texts alone
    except (yaml.YAMLError, ValueError, RecursionError):  # half a character; nested too deeply
        raise FormatError("its front matter is not valid YAML") from None
    if not isinstance(values, dict):
        raise FormatError("its front matter is not a list of keys and values")
    return values


def dump(values: Mapping[str, object]) -> str:
    """Values as YAML, one line per key whatever its length, as `read_head` expects."""
    # With None, lists stand on one line, and a mapping that has none would, too.
    flow = None if any(isinstance(value, list) for value in values.values()) else False
    return yaml.safe_dump(
        dict(values), sort_keys=False, allow_unicode=True, default_flow_style=flow, width=1 << 30
    )


def tags_of(*texts: str) -> tuple[str, ...]:
    """The tags in texts: separated by commas, with or without a ``#``; each once, regardless of case."""
    parts = (part for text in texts for part in _SEPARATORS.split(text))
    found: dict[str, str] = {}
    for tag in filter(None, (" ".join(part.split()).lstrip("# ") for part in parts)):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


RECOVERY_ID = re.compile(r"CMEM-\d{8}-\d{6}(?:@[a-z0-9-]{1,40})?", re.ASCII)
"""A Recovery ID: the local time of creation to the second; behind it the machine, if it is another one."""

HEAD_LIMIT = 32 * 1024  # maximum bytes of front matter

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


def _recovery_id(text: str) -> str:
    if not RECOVERY_ID.fullmatch(text):
        raise ValueError("not of the form CMEM-YYYYMMDD-HHMMSS")
    return text


class MemoryMeta(Record):
    """The values of the front matter."""

    id: Annotated[str, AfterValidator(_recovery_id)]
    project: Line = ""
    created: Moment
    updated: Moment
    description: Line = ""
    tags: Annotated[
        tuple[Line, ...], BeforeValidator(lambda tags: tuple(dict.fromkeys(filter(str.strip, tags))))
    ] = ()
    session_id: Line = ""
    source: Line = ""
    """The command that made it: ``review``, ``import`` ..."""
    author: Line = ""
    """The person who shared it, and the remote it came from; "" for one's own. Written only when set."""
    other: Block = ""
    """Unknown keys, as YAML lines: kept and written back after the known ones."""


_EARLIER = {"archived", "pinned", "superseded_by", "supersedes"}  # read over, and not written back
_KNOWN = MemoryMeta.model_fields.keys() - {"other"} | _EARLIER


class StoredMemory(Record):
    """One stored memory."""

    meta: MemoryMeta
    body: bytes
    """The recovery text byte for byte; it need not even be UTF-8."""


def render_stored(memory: StoredMemory) -> bytes:
    meta = memory.meta
    texts = {
        "created": meta.created.isoformat(),
        "updated": meta.updated.isoformat(),
        "tags": list(meta.tags),
    }
    values: dict[str, object] = {**dict(meta), **texts}
    del values["other"]
    if not meta.author:
        del values["author"]
    head = dump(values)
    other = f"{meta.other}\n" if meta.other else ""
    return f"---\n{head}{other}---\n".encode() + memory.body


def has_front_matter(data: bytes) -> bool:
    """Whether a file, or its beginning, starts with front matter; one made by hand may not."""
    return _OPENING.match(data) is not None


def moment_of(memory_id: str) -> datetime | None:
    """The local time in a Recovery ID; None if it is not a valid time."""
    known = RECOVERY_ID.fullmatch(memory_id)
    return parse_iso(f"{memory_id[5:13]}T{memory_id[14:20]}") if known else None


def parse_stored(data: bytes) -> StoredMemory:
    """Read a stored memory; without an id and a time, as in a file put there by hand, a `FormatError`."""
    head, body = split(data)
    return StoredMemory(meta=_meta(head), body=body)


def read_head(data: bytes) -> MemoryMeta:
    """Read only the front matter; `data` may be just the beginning of the file, but has to hold all of it."""
    return _meta(split(data)[0])


def split(data: bytes, limit: int = HEAD_LIMIT) -> tuple[str, bytes]:
    """The front matter of a document, of at most `limit` bytes, and its text."""
    opening = _OPENING.match(data)
    if opening is None:
        raise FormatError("it has no front matter")
    closing = _CLOSING.search(data, opening.end(), opening.end() + limit)
    if closing is None:
        raise FormatError("its front matter does not end")
    return file_text(data[opening.end() : closing.start()].decode("utf-8", "replace")), data[closing.end() :]


def _meta(head: str) -> MemoryMeta:
    lines = head.rstrip("\n").split("\n")
    values = load(head)
    identifier = _string(values, "id")
    created = parse_iso(_string(values, "created")) or moment_of(identifier)
    if created is None:
        raise FormatError("its front matter has neither a valid id nor a time")
    try:
        return MemoryMeta(
            id=identifier,
            created=created,
            updated=parse_iso(_string(values, "updated")) or created,
            tags=tuple(_strings(values.get("tags", ()))),
            **{
                key: _string(values, key)
                for key in ("project", "description", "session_id", "source", "author")
            },
            other=unknown_lines(lines, _KNOWN),
        )
    except ValidationError as error:
        problem = error.errors()[0]
        reason = problem["msg"].removeprefix("Value error, ")
        raise FormatError(f"the {problem['loc'][0]} in its front matter is {reason}") from None


def _string(values: Mapping[str, object], key: str) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise FormatError(f"the {key} in its front matter is not a text")
    return value


def _strings(value: object) -> Iterable[str]:
    """Tags as a list or with commas between."""
    if isinstance(value, str):
        return value.split(",")
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list | tuple) else ()


KEY = re.compile(r"""(["']?)([^\s"'#:?\[\]{},&*!|>%@`-][^:"']*)\1\s*:(?:\s|$)""")


def unknown_lines(lines: Sequence[str], keys: Collection[str]) -> str:
    """The lines of the entries that are not in `keys`, and comments."""
    kept: list[str] = []
    keeping = False
    for line in lines:
        found = KEY.match(line)
        if found:
            keeping = found[2].strip() not in keys
        elif line.startswith("#"):
            keeping = True
        if keeping:
            kept.append(line)
    return "\n".join(without_blank_ends(kept))
