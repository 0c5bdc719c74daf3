"""Registering the MCP server with Claude Code by editing a file where possible.

Claude Code fact: a project's servers are listed in its ``.mcp.json``; those of one user, for one project or
for all, in ``.claude.json``. Claude Code writes the latter all the time, and other programs' edits have
broken it: memtui only reads it, and names the command of Claude Code that registers the server there.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.files import FileProblem, read_within
from memtui.ground.git import git_tracks
from memtui.ground.project import Places
from memtui.setup.change_records import Records
from memtui.setup.claude_files import Scope, servers_file
from memtui.setup.file_change import Change, read, text_of
from memtui.setup.hook_settings import SettingsProblem
from memtui.setup.json_edits import Edit, plan_putting_in
from memtui.setup.mcp_approval import is_approved, is_refused
from memtui.setup.mcp_entry import (
    NAME,
    Kind,
    Server,
    find_server,
    own_server,
    register,
    server_of,
    shared_server,
    unregister,
)

_LIMIT = 64 << 20
"""Size of the largest ``.claude.json`` that is read, in bytes: it has the history of all projects."""


class Registered(NamedTuple):
    """An entry by which Claude Code starts our server."""

    scope: str
    """In Claude Code's terms: ``local``, ``project`` or ``user``."""
    path: Path
    server: Server


def server_edit(places: Places, scope: Scope, python: str = "", isolation: str = "-I") -> Edit | None:
    """The edit of ``.mcp.json`` for a scope; None for `USER`, which has no such file.

    Raises:
        FileOutside: see `servers_file`.
    """
    if scope is Scope.USER:
        return None
    shared = scope is Scope.SHARED
    entry = shared_server() if shared else own_server(python, isolation)
    kind = Kind.SHARED if shared else Kind.OWN
    take_out = partial(unregister, kind=kind)
    return Edit(servers_file(places), partial(register, entry=entry), take_out, 0o644)


def registering(
    places: Places, scope: Scope, python: str, isolation: str, records: Records
) -> tuple[Change | None, str]:
    """The change that registers the server, or a sentence on how to do it by hand.

    Raises:
        FileProblem: ``.mcp.json`` cannot be edited as it is.
    """
    command = shlex.join([python, isolation, "-m", "memtui", "mcp"])
    edit = server_edit(places, scope, python, isolation)
    if edit is None:
        if any(entry.scope == "user" for entry in registered(places)):
            return None, ""
        return None, f"to register the MCP server, run: claude mcp add --scope user {NAME} -- {command}"
    change = plan_putting_in(edit, records)
    if change is None or scope is Scope.SHARED or not git_tracks(places.project.root, edit.target.path):
        return change, ""
    if any(entry.scope in ("local", "user") for entry in registered(places)):
        return None, ""
    return None, (
        f"{edit.target.path} is committed, so this machine's Python is not written into it; to register the "
        f"MCP server for yourself, run: claude mcp add --scope local {NAME} -- {command}"
    )


def is_own(places: Places, python: str) -> bool:
    """Whether ``.mcp.json`` has the entry that `init` wrote for this interpreter, and git does not track it.

    A file that others can change is not approved: the approval is by name, whatever the entry starts later.
    """
    own = [each for each in _of_project(places) if each.server.kind is Kind.OWN]
    return any(
        each.server.words[0] == python and not git_tracks(places.project.root, each.path) for each in own
    )


def approval(places: Places, all_settings: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether the user has approved the server of ``.mcp.json``; None if they have refused it.

    Args:
        places: the project and the folders.
        all_settings: the user's own settings; those of a repository cannot approve (Claude Code fact).
    """
    projects = _user_file(places)[1].get("projects")
    noted = projects.get(str(places.project.root)) if isinstance(projects, dict) else None
    everything = [*all_settings, *([noted] if isinstance(noted, dict) else [])]
    if any(map(is_refused, everything)):
        return None
    return any(map(is_approved, everything))


def server_note(places: Places, scope: Scope) -> str:
    """A sentence on an entry that `uninstall` leaves in ``.claude.json``, or ""."""
    mine = {Scope.USER: "user", Scope.PROJECT: "local"}.get(scope)
    if mine is None or all(entry.scope != mine for entry in registered(places)):
        return ""
    return f"the MCP server stays registered; to remove it, run: claude mcp remove --scope {mine} {NAME}"


def registered(places: Places) -> list[Registered]:
    """The entries called memtui, the one used by Claude Code first; unreadable files are skipped."""
    return [*_of_user(places, "local"), *_of_project(places), *_of_user(places, "user")]


def _of_project(places: Places) -> Iterator[Registered]:
    try:
        target = servers_file(places)
        server = find_server(text_of(read(target), target.path))
    except (FileProblem, SettingsProblem):
        return
    if server is not None:
        yield Registered("project", target.path, server)


def _of_user(places: Places, scope: str) -> Iterator[Registered]:
    path, everything = _user_file(places)
    part: object = everything
    if scope == "local":
        projects = everything.get("projects")
        part = projects.get(str(places.project.root)) if isinstance(projects, dict) else None
    server = server_of(part.get("mcpServers")) if isinstance(part, dict) else None
    if server is not None:
        yield Registered(scope, path, server)


def _user_file(places: Places) -> tuple[Path, dict[str, Any]]:
    """``.claude.json``: beside Claude Code's folder, or in it where a variable names the folder."""
    for folder in (places.claude, places.claude.parent):
        path = folder / ".claude.json"
        try:
            content = json.loads(read_within(path, folder, limit=_LIMIT))
        except (FileProblem, ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            return path, content
    return places.claude.parent / ".claude.json", {}
