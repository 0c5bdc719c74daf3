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


def load(text: str) -> dict[str, object]:
    """The values of a mapping: texts, lists or mappings; numbers, truth values and times stay as written.

    Raises:
        FormatError: it is not a valid mapping, or too deep, or has a tag.
    """
    try:
        values = _Loader(text).get_single_data()
    except (yaml.YAMLError, RecursionError):
        raise FormatError("its front matter is not valid YAML") from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise FormatError("its front matter is not a list of keys and values")
    return values


class _Loader(yaml.SafeLoader):
    """Loads every scalar as text."""


def _construct_text(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.YAMLError("an unknown tag")
    return node.value


_Loader.yaml_constructors = {
    "tag:yaml.org,2002:null": lambda _, __: "",
    "tag:yaml.org,2002:seq": yaml.SafeLoader.construct_yaml_seq,
    "tag:yaml.org,2002:map": yaml.SafeLoader.construct_yaml_map,
    None: _construct_text,
}
