"""Reading YAML front matter as texts: by hand where its lines are simple, otherwise by PyYAML."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memtui.formats.model import FormatError
from memtui.formats.text import without_blank_ends

Value = object
"""A text, a list or a mapping; numbers, truth values and times stay as they were written."""

KEY = re.compile(r"""(["']?)([^\s"'#:?\[\]{},&*!|>%@`-][^:"']*)\1\s*:(?:\s|$)""")

_SPECIAL = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff"
_SIMPLE = re.compile(rf"([a-z_]+): (?:'((?:[^'{_SPECIAL}]|'')*)'|\[([\w./ ,-]*)\]|(\S.*))$")
_PLAIN = re.compile(rf"[\w/.](?:[^:#{_SPECIAL}]|:(?=\S)|(?<=\S)#)*$")
_TAG = re.compile(r"[\w./][\w./ -]*$")
_NULL = ("null", "Null", "NULL")


def quick_load(lines: Sequence[str], keys: Collection[str]) -> dict[str, Value] | None:
    """The values of lines as our own writer makes them; None when a line needs a real YAML reader."""
    values: dict[str, Value] = {}
    for line in lines:
        found = _SIMPLE.match(line)
        if found is None or found[1] not in keys or found[1] in values:
            return None
        quoted, listed, plain = found[2], found[3], found[4]
        if quoted is not None:
            values[found[1]] = quoted.replace("''", "'")
        elif listed is not None:
            tags = [tag.strip() for tag in listed.split(",")] if listed.strip() else []
            if any(not _TAG.match(tag) or tag in _NULL for tag in tags):
                return None
            values[found[1]] = tags
        elif _PLAIN.match(plain) and plain not in _NULL and not plain[-1].isspace():
            values[found[1]] = plain
        else:
            return None
    return values


def load(text: str) -> dict[str, Value]:
    """The values of a YAML mapping.

    Raises:
        FormatError: when it is not a mapping.
    """
    from memtui.formats.yaml_texts import load_texts  # PyYAML takes a while, and is seldom needed

    try:
        values = load_texts(text)
    except ValueError:
        raise FormatError("its front matter is not valid YAML") from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise FormatError("its front matter is not a list of keys and values")
    return values


def unknown_lines(lines: Sequence[str], keys: Collection[str]) -> str:
    """The lines of the entries that are not among `keys`, and comments."""
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
