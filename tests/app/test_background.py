"""Background work: no running read or wait keeps the program from ending."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest

from memtui.app.terminal import DaemonThreads
from tests.app.terminal import running
from tests.app.world import World, furnished


def test_the_end_does_not_wait_for_a_thread() -> None:
    never = threading.Event()

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(DaemonThreads())
        waiting = asyncio.create_task(asyncio.to_thread(never.wait, 120))
        assert await asyncio.to_thread(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        waiting.cancel()

    started = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - started < 60
    never.set()


_WAITS_LONG = """
from memtui.__main__ import main
from memtui.store import commands_file
commands_file.PATIENCE = 120.0
main()
"""


def test_leaving_while_a_lock_is_waited_for_leaves_at_once(world: World) -> None:
    furnished(world)
    lock = world.write(
        world.project.session_state_json.with_name("session-state.json.lock"), f"{os.getpid()}\n"
    )
    os.utime(lock)  # its holder has only just begun, and is alive
    with running(world.root, (100, 30), world.env, program=_WAITS_LONG) as terminal:
        terminal.until_shown("babysit")
        terminal.press("3")
        terminal.until_quiet()
        terminal.press("xq")
        started = time.monotonic()
        assert terminal.until_left() == 0
        assert time.monotonic() - started < 60
    assert lock.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_gives_the_terminal_back(world: World, number: signal.Signals) -> None:
    furnished(world)
    with running(world.root, (100, 30), world.env) as terminal:
        terminal.until_shown("● live")
        os.kill(terminal.pid, number)
        assert terminal.until_left() == 0
    assert b"\x1b[?1049l" in terminal.output
    assert b"\x1b[?1000l" in terminal.output
    assert b"\x1b[?25h" in terminal.output.rpartition(b"\x1b[?1049l")[2]
