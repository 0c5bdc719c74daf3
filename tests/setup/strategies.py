"""Settings files as people and programs write them: any order, style, line ends and other hooks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from memtui.setup.hook_settings import EVENTS, own_command, shared_command
from tests.examples import shared

COMMANDS = {event: own_command("/opt/my tools/python'3", name) for event, name in EVENTS.items()}
"""Installed commands; the path needs quoting."""
OLDER = {event: own_command("/old/bin/python3", name) for event, name in EVENTS.items()}


MANY = settings(max_examples=2 * settings().max_examples)
"""For properties of texts alone: a text has many spellings, and an example takes little time."""

FEW = settings(max_examples=settings().max_examples // 4)
"""For properties with files, which take long; they are about the files, not about what stands in them."""


@dataclass(frozen=True)
class Raw:
    """A JSON value in a spelling of its own."""

    text: str


@dataclass(frozen=True)
class Style:
    indent: str | None
    newline: str
    comma: str
    colon: str
    bom: bool
    end: str
    ascii: bool
    loose: bool
    """Empty containers have blanks in them."""


_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_numbers = st.sampled_from(["0", "-0", "1.50", "1e5", "1E+05", "10000000000000000000000000", "-0.0"]).map(Raw)
_scalars = st.one_of(st.none(), st.booleans(), _text, _numbers, st.sampled_from([Raw('"\\u00e9\\/"')]))
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_text, inner, max_size=3)),
    max_leaves=6,
)
_others = st.sampled_from(
    ["node scripts/clear.js", "bash 'a b'/c.sh", "echo é && true", "my-memtui-hooks run"]
)
_handlers = st.fixed_dictionaries(
    {"type": st.just("command"), "command": _others}, optional={"timeout": _numbers}
)
_groups = st.fixed_dictionaries(
    {"hooks": st.lists(_handlers, max_size=2)},
    optional={"matcher": st.sampled_from(["", "*", "Bash|Edit"]), "x": _values},
)
_events = st.sampled_from([*EVENTS, "Stop", "PreToolUse"])
_hooks = st.dictionaries(_events, st.lists(_groups, max_size=3), max_size=4)
contents = st.dictionaries(
    st.one_of(st.sampled_from(["model", "permissions", "env", "$schema"]), _text).filter(
        lambda key: key != "hooks"
    ),
    _values,
    max_size=4,
).flatmap(
    lambda rest: st.one_of(
        st.just(rest),
        st.tuples(st.permutations([*rest, "hooks"]), _hooks).map(
            lambda drawn: {key: drawn[1] if key == "hooks" else rest[key] for key in drawn[0]}
        ),
    )
)
"""Contents of a settings file: an object, with hooks of others or without, in any order."""

_servers = st.fixed_dictionaries(
    {}, optional={"command": _text, "args": st.lists(_text, max_size=2), "env": _values, "type": _text}
)
server_contents = st.dictionaries(_text.filter(lambda key: key != "mcpServers"), _values, max_size=3).flatmap(
    lambda rest: st.one_of(
        st.just(rest),
        st.tuples(
            st.permutations([*rest, "mcpServers"]),
            st.dictionaries(_text.filter(lambda name: name != "memtui"), _servers, max_size=3),
        ).map(lambda drawn: {key: drawn[1] if key == "mcpServers" else rest[key] for key in drawn[0]}),
    )
)
"""Contents of a file of MCP servers: an object, with servers of others or without, in any order."""

styles = st.builds(
    Style,
    indent=st.sampled_from([None, "  ", "    ", "\t", " "]),
    newline=st.sampled_from(["\n", "\r\n"]),
    comma=st.sampled_from([",", ", "]),
    colon=st.sampled_from([":", ": ", " : "]),
    bom=st.booleans(),
    end=st.sampled_from(["", "\n", "\n\n", " "]),
    ascii=st.booleans(),
    loose=st.booleans(),
)
drafts = shared(st.tuples(contents, styles))
"""Settings files before they are written."""
files = drafts.map(lambda draft: written(*draft))
"""The texts of settings files."""
server_files = shared(st.builds(lambda content, style: written(content, style), server_contents, styles))
"""The texts of ``.mcp.json``."""


def written(content: Any, style: Style) -> str:
    """A content in a style."""
    end = style.newline if style.end == "\n" else style.end
    return ("\ufeff" if style.bom else "") + _value(content, style, style.newline) + end


def _value(value: Any, style: Style, line: str) -> str:
    if isinstance(value, Raw):
        return value.text
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=style.ascii)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    deeper = line + (style.indent or "")
    children = [
        f"{json.dumps(item, ensure_ascii=style.ascii)}{style.colon}{_value(value[item], style, deeper)}"
        if isinstance(value, dict)
        else _value(item, style, deeper)
        for item in value
    ]
    if not children:
        return opening + (" " if style.loose else "") + closing
    if style.indent is None:
        return opening + style.comma.join(children) + closing
    return opening + deeper + f",{deeper}".join(children) + line + closing


def with_ours(content: dict[str, Any], commands: dict[str, str]) -> dict[str, Any]:
    """A content into which an earlier memtui was installed."""
    hooks = {**content.get("hooks", {})}
    for event, command in commands.items():
        granted = Raw("60" if event == "PreCompact" else "10")
        ours = {"matcher": "", "hooks": [{"type": "command", "command": command, "timeout": granted}]}
        hooks[event] = [*hooks.get(event, []), ours]
    return {**content, "hooks": hooks}


SHARED = {event: shared_command(name) for event, name in EVENTS.items()}
