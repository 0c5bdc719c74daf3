"""``memtui mcp``: runs the server on standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from memtui.ground.clock import Clock, system_clock
from memtui.ground.failures import FailureLog
from memtui.ground.project import Home
from memtui.mcp.calls import Calls
from memtui.mcp.server import make_server
from memtui.mcp.stdio import LAST_ANSWERS, Wire
from memtui.store.memories import MemoryStore


def run_server(home: Home) -> None:
    """Serve one client until it disconnects, or until SIGTERM or SIGINT; running calls are finished."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memtui mcp: %(message)s")
    anyio.run(_serve, calls_of(home, system_clock))


def calls_of(home: Home, clock: Clock, env: Mapping[str, str] = os.environ) -> Calls:
    """The environment of a server that Claude Code has started.

    Claude Code fact: a server's environment names the project (2.1.139) and the session (2.1.163).
    """
    named = env.get("CLAUDE_PROJECT_DIR", "")
    # An unset variable is passed on literally: ${CLAUDE_PROJECT_DIR}
    start = Path(named) if named and os.path.isdir(named) else Path()  # noqa: PTH112 - may hold anything
    return Calls(
        store=MemoryStore(home, clock),
        start=start,
        log=FailureLog(home.failure_log, clock),
        home=home,
        session_id=env.get("CLAUDE_CODE_SESSION_ID", ""),
    )


async def _serve(calls: Calls) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, calls)
        async with stdio_server() as pipes:
            try:
                await Wire(*pipes).run(make_server(calls))
            except anyio.get_cancelled_exc_class():  # the client is gone
                with anyio.CancelScope(shield=True):
                    await _leave(calls)
                raise
        tasks.cancel_scope.cancel()


async def _end_on_signal(calls: Calls) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            await _leave(calls)


async def _leave(calls: Calls) -> None:
    """Finish running calls and end the process, as the thread that reads stdin cannot be interrupted."""
    with anyio.move_on_after(LAST_ANSWERS):
        await calls.finished()
    os._exit(0)
