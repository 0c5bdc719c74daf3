"""The labels of many memories, read at little cost: one open folder per month, one read per file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from memtui.ground.files import heads_within
from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred
from memtui.ground.project import Home
from memtui.store.listing import Entry

# The output of `render_stored` for a project that needs no quotes, matched in one step.
_OWN = re.compile(
    rb"---\nid: [A-Z0-9-]+\nproject: (?:''|(/[\w/.+@-]*))\ncreated: '[^'\n]*'\nupdated: '[^'\n]*'\n"
    rb"description: .*\ntags: \[.*\]\nsession_id: .*\nsource: .*\n"
    rb"(?:archived: (?:false|true)\n(?:pinned: true\n)?)?---\n"
)
_LINE = deferred(rb"^(project)[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_QUOTED = deferred(rb"'([^'\x00-\x1f\x7f]*)'")
_PLAIN = deferred(rb"[\w/.~\x80-\xff](?:[^:#\x00-\x1f\x7f]|:(?=[^\s])|(?<=[^\s])#)*")
_NOTHING = (b"", b"~", b"null", b"Null", b"NULL", b"''", b'""')
_NEEDS_YAML = deferred(rb"^[ \t\"'?{&!*]", re.MULTILINE)


class Label(NamedTuple):
    """The fields of a memory that lists need; see `MemoryMeta`."""

    project: str = ""


def read_label(data: bytes) -> Label | None:
    """Read the label from the beginning of a memory's file; None if that needs a YAML parser.

    A file without front matter, put there by hand, has an empty label.
    """
    if own := _OWN.match(data):
        return Label((own[1] or b"").decode())
    if not data.startswith(b"---"):
        return None if data.startswith(b"\xef\xbb\xbf") else Label()
    end = data.find(b"\n---", 3)
    start = data.find(b"\n")
    if end == -1 or data[3:start].strip():
        return None
    head = data[start:end]
    if _NEEDS_YAML.search(head):
        return None
    values: dict[bytes, bytes] = {}
    for key, value in _LINE.findall(head):
        said = _simple(value)
        if said is None or key in values:
            return None
        values[key] = said
    return Label(values.get(b"project", b"").decode("utf-8", "replace"))


def _simple(value: bytes) -> bytes | None:
    if value in _NOTHING:
        return b""
    if quoted := _QUOTED.fullmatch(value):
        return quoted[1]
    return value if _PLAIN.fullmatch(value) else None


HEAD_SIZE = 1024
"""Number of bytes read per file: front matter written by memtui has some 300."""
_FILE_SIZE = 64 << 10
"""Maximum size in bytes of reviews' memory files; usual ones have 2,000, and name the memory at the end."""
# The section added to a memory file by `memtui.store.reviews`.
_STORED_AS = deferred(rb"^## Recovery[ \t\r]*\nRecovery ID: (CMEM-\d{8}-\d{6})[ \t\r]*$", re.MULTILINE)


def quick_labels(entries: Iterable[Entry], home: Home) -> Iterator[tuple[Entry, Label | None]]:
    """The label of each stored memory; None if its whole front matter has to be read.

    Quick when entries of one month follow each other.
    """
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        names = [entry.name for entry in some]
        heads = heads_within(Path(folder), names, home.memories, size=HEAD_SIZE)
        for entry, data in zip(some, heads, strict=True):
            yield entry, None if data is None else read_label(data)


def stored_as(entries: Iterable[Entry], root: Path) -> Iterator[tuple[Entry, str]]:
    """For each memory file, the name of the stored memory of the same review; "" if there is none.

    Args:
        entries: memory files, grouped by folder.
        root: the project's root.
    """
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        heads = heads_within(Path(folder), [entry.name for entry in some], root, size=_FILE_SIZE)
        for entry, data in zip(some, heads, strict=True):
            stored = stored_id(data or b"")
            yield entry, f"{stored}.md" if stored else ""


def stored_id(memory_file: bytes) -> str:
    """The Recovery ID of the stored memory of the same review, from a memory file; "" if there is none."""
    named = _STORED_AS.findall(memory_file)
    return named[-1].decode() if named else ""
