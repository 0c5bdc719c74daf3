"""PyYAML for front matter that people may have edited: every scalar stays text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from memtui.ground.text import FormatError


def dump(values: Mapping[str, object]) -> str:
    """Values as YAML, one line per key whatever its length: `stored_memory.read_head` relies on it."""
    return yaml.dump(
        dict(values),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=1 << 30,
    )


class _Dumper(yaml.SafeDumper):
    """Writes lists on one line, but not the outer mapping."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        return super().represent_mapping(tag, mapping, flow_style=False)


_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml takes a twelfth of the time
_NULL = ("", "~", "null", "Null", "NULL")
_DEEPEST = 50


def load(text: str) -> dict[str, object]:
    """The values of a mapping: texts, lists or mappings; numbers, truth values and times stay as written.

    Raises:
        FormatError: it is not a valid mapping, or too deep, or has an alias or a tag.
    """
    try:
        found = _values(text)
    except (yaml.YAMLError, TypeError, ValueError):  # a list as a key, half a character
        raise FormatError("its front matter is not valid YAML") from None
    values = found[0] if len(found) == 1 else None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise FormatError("its front matter is not a list of keys and values")
    return values


def _values(text: str) -> list[Any]:
    """The values of a text; a null is an empty text."""
    stack: list[list[Any]] = [[]]
    for event in yaml.parse(text, Loader=_PARSER):
        if isinstance(event, yaml.ScalarEvent) and event.tag in (None, "!"):
            is_null = event.implicit[0] and event.value in _NULL
            stack[-1].append("" if is_null else event.value)
        elif isinstance(event, yaml.CollectionStartEvent) and event.tag is None and len(stack) < _DEEPEST:
            stack.append([])
        elif isinstance(event, yaml.SequenceEndEvent):
            items = stack.pop()
            stack[-1].append(items)
        elif isinstance(event, yaml.MappingEndEvent):
            items = stack.pop()
            stack[-1].append(dict(zip(items[::2], items[1::2], strict=True)))
        elif isinstance(event, yaml.NodeEvent):
            raise yaml.YAMLError("an alias, a tag, or too deep")
    return stack[0]
