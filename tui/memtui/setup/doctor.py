"""The doctor: all checks of the installation and of stored data."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.machine import find_program, native_tools, silent_file_system
from memtui.ground.project import Places
from memtui.setup.archive_check import check_archive
from memtui.setup.captures_check import (
    check_compactions,
    check_folders,
    check_pending,
    check_retention,
    check_runs,
    load_captures,
)
from memtui.setup.claude_files import Scope
from memtui.setup.commands_check import check_active
from memtui.setup.findings import Finding, broken, note, ok
from memtui.setup.hooks_check import (
    check_commands,
    check_hooks,
    check_originals,
    check_settings,
    read_all_settings,
)
from memtui.setup.mcp_check import check_server
from memtui.setup.receipts import check_receipts


def diagnose(
    places: Places,
    clock: Clock,
    env: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    *,
    waiting: Callable[[str], object] = bool,
) -> Iterator[Finding]:
    """Run all checks; yields each finding as soon as it is known, prerequisites first.

    The hooks' commands and the MCP server are started once each, with folders of their own.

    Args:
        places: the project and the folders.
        clock: gives the current time.
        env: the environment, with the PATH and the terminal's variables.
        platform: as in `sys.platform`.
        waiting: called with a phrase before each slow check.
    """
    now = clock()
    all_settings = read_all_settings(places)
    own = [
        each.content for each in all_settings if each.scope is not Scope.SHARED and each.content is not None
    ]
    with ThreadPoolExecutor(1) as pool:
        # Last, as it takes longer than all others together.
        server = pool.submit(lambda: list(check_server(places, own, env)))
        yield from check_settings(all_settings)
        yield from check_hooks(all_settings)
        yield from check_originals(all_settings)
        waiting("the commands of the hooks")
        yield from check_commands(all_settings, places, env)
        yield from check_runs(places, now)
        yield from check_folders(places, now)
        yield from check_active(places)
        yield from check_receipts(places)
        try:
            captures, unreadable = load_captures(places)
            yield from unreadable
            yield from check_compactions(places, captures)
            yield from check_pending(captures, now)
            yield from check_retention(places, captures, now)
        except FileProblem as problem:
            yield broken("captures", str(problem))
        yield from check_archive(places, clock)
        yield from _check_clipboard(env, platform)
        yield from _check_watching(places)
        waiting("the MCP server, which takes a few seconds to start")
        yield from server.result()


def _check_clipboard(env: Mapping[str, str], platform: str) -> Iterator[Finding]:
    """The way in which a Recovery ID is copied."""
    tools = native_tools(env, platform)
    there = [tool.name for tool in tools if find_program(tool.argv[0], env.get("PATH"))]
    if there:
        yield ok("clipboard", f"Copies with {there[0]}")
    elif env.get("TMUX"):
        yield ok("clipboard", "Copies into the tmux buffer (paste with prefix ])")
    else:
        message = "Copies are sent to the terminal (OSC 52), which cannot confirm them"
        names = " or ".join(tool.name for tool in tools)
        yield note("clipboard", message, f"Install {names} to be sure." if names else "")


def _check_watching(places: Places) -> Iterator[Finding]:
    """Whether the file system reports changes."""
    silent = silent_file_system(str(places.project.root))
    if silent:
        message = f"The project lies on {silent}, which reports no changes: the app looks every 2 seconds"
        yield note("watching", message)
    else:
        yield ok("watching", "The file system reports changes")
