"""The doctor's check of the MCP server: registered, approved and answering."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtui.ground.files import FileOutside, FileProblem
from memtui.ground.project import Places
from memtui.setup.claude_files import servers_file
from memtui.setup.command_probe import is_this_python, is_this_script, run_isolated, why_not_tried
from memtui.setup.file_change import read, text_of
from memtui.setup.findings import Finding, broken, note, ok, warning
from memtui.setup.hook_settings import SettingsProblem
from memtui.setup.mcp_entry import Kind, find_server
from memtui.setup.mcp_registration import Registered, approval, registered

_CHECK = "mcp"
_SECONDS = 20.0

_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "memtui doctor", "version": "1"},
    },
}


def check_server(
    places: Places, own_settings: Sequence[Mapping[str, Any]] = (), env: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """Whether Claude Code can start the MCP server: registered, approved, and answering.

    Args:
        places: the project and the folders.
        own_settings: the user's own settings, which approve servers.
        env: the environment with the PATH.
    """
    problem = _file_problem(places)
    if problem is not None:
        yield problem
    entries = registered(places)
    if not entries:
        if problem is None:
            yield note(_CHECK, "The MCP server is not registered with Claude Code", "Run `memtui init`.")
        return
    first, *others = entries
    yield _tried(first, places, own_settings, env)
    for other in others:
        message = (
            f"The entry in {other.path} ({other.scope}) is passed over: the {first.scope} one is stronger"
        )
        yield note(_CHECK, message)


def _file_problem(places: Places) -> Finding | None:
    try:
        target = servers_file(places)
        find_server(text_of(read(target), target.path))
    except FileOutside as outside:
        return warning(_CHECK, str(outside))
    except FileProblem as problem:
        reason = problem.reason.removeprefix("is not edited: it ")
        return broken(_CHECK, f"{problem.path} {reason}", "Claude Code skips such a file; correct it.")
    except SettingsProblem as problem:
        return broken(_CHECK, f"{target.path} {problem}", "Claude Code skips such a file; correct it.")
    return None


def _tried(
    entry: Registered, places: Places, own_settings: Sequence[Mapping[str, Any]], env: Mapping[str, str]
) -> Finding:
    words = entry.server.words
    where = f"{entry.path} ({entry.scope})"
    path = env.get("PATH", "")
    if entry.server.kind is Kind.THEIRS:
        return note(_CHECK, f"{where} starts the MCP server by a custom command, which was not tried")
    if entry.server.kind is Kind.SHARED:
        advice = "Put memtui on the PATH, for instance with `pipx install` or `uv tool install`."
        if not is_this_script(words[0], path):
            found = shutil.which(words[0], path=path)
            if found is None:
                return broken(_CHECK, f"{where} finds no memtui on the PATH", advice)
            return warning(
                _CHECK, f"{where} finds {found}, which is not this memtui's; it was not tried", advice
            )
    else:
        advice = "Run `memtui init` again."
        if not os.path.lexists(words[0]):
            return broken(_CHECK, f"{where} uses {words[0]}, which does not exist", advice)
        if not is_this_python(words[0]):
            message = f"{where} {why_not_tried(words[0], places)}"
            return warning(_CHECK, message, "If that is yours, run `memtui init` with it.")
    why = _answers(words, path)
    if not why and entry.scope == "project" and not (approved := approval(places, own_settings)):
        if approved is None:
            message = f"The MCP server of {where} works, but was refused: Claude Code does not start it"
            return note(_CHECK, message, "Take it out of disabledMcpjsonServers if you want it.")
        message = f"The MCP server of {where} works, but is not approved: Claude Code does not start it"
        return warning(_CHECK, message, "Run `memtui init`, or say yes when Claude Code asks.")
    if not why:
        return ok(_CHECK, f"The MCP server answers; registered in {where}")
    return broken(_CHECK, f"The MCP server of {where} {why}", advice)


def _answers(words: tuple[str, ...], path: str) -> str:
    """The problem with starting a server; "" if it answers."""
    apart = run_isolated(shlex.join(words), path, given=json.dumps(_HELLO) + "\n", seconds=_SECONDS)
    if apart.problem:
        return apart.problem
    try:
        answer = json.loads(apart.printed.partition("\n")[0])
        return "" if answer["result"]["serverInfo"]["name"] == "memtui" else "is another one"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "does not answer as an MCP server does"
