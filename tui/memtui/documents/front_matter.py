"""YAML front matter as texts: read and written by hand where its lines are simple, otherwise by PyYAML."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from memtui.ground.text import FormatError, without_blank_ends

Value = object
"""A text, a list or a mapping; numbers, truth values and times stay as written."""

KEY = re.compile(r"""(["']?)([^\s"'#:?\[\]{},&*!|>%@`-][^:"']*)\1\s*:(?:\s|$)""")

_SPECIAL = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff"
_QUOTED = rf"'([^'{_SPECIAL}]*(?:''[^'{_SPECIAL}]*)*)'"
_PLAIN = rf"([\w/.][^:#{_SPECIAL}]*(?:(?::(?=\S)|(?<=\S)#)[^:#{_SPECIAL}]*)*)(?<!\s)"
_SIMPLE = re.compile(rf"([a-z_]+): (?:{_PLAIN}|{_QUOTED}|\[([\w./ ,-]*)\])$")
_TAG = re.compile(r"[\w./][\w./ -]*$")
_NULL = ("null", "Null", "NULL")

_OTHER_SPECIAL = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\U0010ffff"
_PRINTED = re.compile(rf"[^{_OTHER_SPECIAL}]+", re.DOTALL)
_BEGINS_PLAIN = re.compile(rf"[A-Za-z/_]|[^{_OTHER_SPECIAL}\x20-\x7e]")
_UNQUOTED = re.compile(r"[A-Za-z/_][\w/.@()-]*(?: +[\w/.@()-]+)*", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", re.ASCII)
_QUOTES = re.compile(r":(?: |$)| #|^ | $|^[\[\]{}#&*!|>'\"%@`,]")
_TAG_WRITTEN = re.compile(r"[A-Za-z_](?:[\w./ -]*[\w./-])?")
_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null"})
"""Texts with another meaning in YAML; written by PyYAML."""


def quick_load(lines: Sequence[str], keys: Collection[str]) -> dict[str, Value] | None:
    """The values of lines as our own writer makes them; None when a line needs a real YAML reader."""
    values: dict[str, Value] = {}
    for line in lines:
        found = _SIMPLE.match(line)
        if found is None:
            return None
        key, plain, quoted, listed = found.groups()
        if key not in keys or key in values or plain in _NULL:
            return None
        if plain is not None:
            values[key] = plain
        elif quoted is not None:
            values[key] = quoted.replace("''", "'")
        else:
            tags = [tag.strip() for tag in listed.split(",")] if listed.strip() else []
            if any(not _TAG.match(tag) or tag in _NULL for tag in tags):
                return None
            values[key] = tags
    return values


def dump(values: Mapping[str, object]) -> str:
    """Values as YAML, one line per key, with the same result by either way."""
    lines = [_written(value) for value in values.values()]
    if None in lines:
        from memtui.documents.yaml_texts import (
            dump as dump_any,  # PyYAML is slow to import, and rarely needed
        )

        return dump_any(dict(values))
    return "".join(f"{key}: {line}\n" for key, line in zip(values, lines, strict=True))


def _written(value: object) -> str | None:
    """A value as PyYAML writes it; None if only PyYAML knows."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _written_text(value)
    if isinstance(value, list) and all(isinstance(each, str) and _is_simple_tag(each) for each in value):
        return f"[{', '.join(value)}]"
    return None


def _is_simple_tag(tag: str) -> bool:
    return tag.isascii() and _TAG_WRITTEN.fullmatch(tag) is not None and tag.lower() not in _WORDS


def _written_text(text: str) -> str | None:
    if not text:
        return "''"
    if _UNQUOTED.fullmatch(text):  # most texts
        return text if text.lower() not in _WORDS else None
    if _UUID.fullmatch(text):
        return text
    if _TIME.fullmatch(text):
        return f"'{text}'"
    if not _PRINTED.fullmatch(text) or text.lower() in _WORDS:
        return None
    if _QUOTES.search(text):
        return "'" + text.replace("'", "''") + "'"
    return text if _BEGINS_PLAIN.match(text) else None


def load(text: str) -> dict[str, Value]:
    """The values of a YAML mapping.

    Raises:
        FormatError: when it is not a mapping.
    """
    from memtui.documents.yaml_texts import load_texts  # PyYAML is slow to import, and rarely needed

    try:
        values = load_texts(text)
    except ValueError:
        raise FormatError("its front matter is not valid YAML") from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise FormatError("its front matter is not a list of keys and values")
    return values


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
