"""memtui's MCP server in the text of a project's ``.mcp.json``: finding, adding, removing it.

Claude Code fact: the file is strict JSON; servers stand in ``mcpServers.<name>``, by ``command`` and
``args``. As in the settings, only the text of our own entry is ever touched.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from memtui.formats.json_text import add_member, cut_member, member, put_member, root_of, style_of
from memtui.setup.hook_settings import ISOLATIONS, Installed, SettingsProblem, read_settings

NAME = "memtui"
"""Of the server: its tools are ``mcp__memtui__core_memory`` and so on."""

_SERVERS = "mcpServers"
_WORDS = ["-m", "memtui", "mcp"]


class Kind(StrEnum):
    """The origin of an entry."""

    OWN = "own"
    """`memtui init`, for this machine: it names an interpreter."""
    SHARED = "shared"
    """`memtui init --shared`: it takes memtui from the PATH."""
    THEIRS = "theirs"
    """Another program or the user: a custom command."""


class Server(NamedTuple):
    """An entry called memtui."""

    kind: Kind
    words: tuple[str, ...]
    """The command line; () if it is not valid."""


def own_server(python: str, isolation: str = "-I") -> dict[str, Any]:
    """The entry with an absolute interpreter, for this machine."""
    return {"command": python, "args": [isolation, *_WORDS]}


def shared_server() -> dict[str, Any]:
    """The entry for a team, which finds memtui on the PATH."""
    return {"command": "memtui", "args": ["mcp"]}


def server_of(servers: object) -> Server | None:
    """The entry called memtui among the servers of a file, which may have any shape."""
    entry = servers.get(NAME) if isinstance(servers, Mapping) else None
    if entry is None:
        return None
    words = _words(entry)
    if entry == shared_server():
        return Server(Kind.SHARED, words)
    own = [own_server(words[0], each) for each in ISOLATIONS] if words else []
    if entry in own and os.path.isabs(words[0]):  # noqa: PTH117 - any text
        return Server(Kind.OWN, words)
    return Server(Kind.THEIRS, words)


def find_server(text: str) -> Server | None:
    """The entry called memtui in the text of a ``.mcp.json``.

    Raises:
        SettingsProblem: it is not strict JSON, or not an object.
    """
    if not text.strip("\ufeff \t\r\n"):
        return None
    return server_of(read_settings(text).get(_SERVERS))


def register(text: str, entry: Mapping[str, Any]) -> Installed:
    """The text with our server; unchanged if it has a custom entry or a team's.

    Args:
        text: the file's; an empty one becomes a file.
        entry: an `own_server` or the `shared_server`.

    Raises:
        SettingsProblem: the text is not edited, because it is not what Claude Code accepts.
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    servers = read_settings(text).get(_SERVERS, {})
    if not isinstance(servers, dict):
        raise SettingsProblem(f"has '{_SERVERS}' that are not an object")
    there = server_of(servers)
    if there is None:
        return _added(text, entry)
    if there.kind is Kind.THEIRS or (there.kind is Kind.SHARED and entry != shared_server()):
        return Installed(text, ())
    if servers[NAME] == entry:
        return Installed(text, ())
    return Installed(put_member(text, _place(text), NAME, dict(entry), style_of(text)), ())


def unregister(text: str, created: Collection[str] | None, kind: Kind) -> str:
    """The text without our server of this kind, and without objects made for it that are now empty.

    Args:
        text: the file's.
        created: see `Installed.created`; None if unknown: then all empty ones are removed.
        kind: the kind to remove.

    Raises:
        SettingsProblem: see `find_server`.
    """
    there = find_server(text)
    if there is None or there.kind is not kind:
        return text
    text = cut_member(text, _place(text), NAME)
    if read_settings(text).get(_SERVERS) == {} and (created is None or _SERVERS in created):
        return cut_member(text, root_of(text), _SERVERS)
    return text


def _added(text: str, entry: Mapping[str, Any]) -> Installed:
    style = style_of(text)
    if member(text, root_of(text), _SERVERS) is None:
        added = add_member(text, root_of(text), _SERVERS, {NAME: dict(entry)}, style)
        return Installed(added, (_SERVERS,))
    return Installed(add_member(text, _place(text), NAME, dict(entry), style), ())


def _place(text: str) -> int:
    """The offset of the object with the servers."""
    found = member(text, root_of(text), _SERVERS)
    assert found is not None
    return found.value.start


def _words(entry: object) -> tuple[str, ...]:
    if not isinstance(entry, Mapping):
        return ()
    args = entry.get("args", [])
    words = [entry.get("command"), *(args if isinstance(args, list) else [None])]
    texts = tuple(word for word in words if isinstance(word, str))
    return texts if len(texts) == len(words) else ()
