"""The three keys of a stored memory's front matter that decide whether and where a list shows it.

Standard library only, and fast: a list of 100,000 memories is made from these, and the first paint waits for
the newest ones. Anything that needs a YAML parser is left to `stored_memory`.
"""

from __future__ import annotations

import re

from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred

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
