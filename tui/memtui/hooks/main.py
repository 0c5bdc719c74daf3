"""The guarded hook process: it always exits with 0, prints only for the model, and limits its own time.

An exit code of 2 would block the user of Claude Code, and a slow hook delays them (Claude Code fact). So
everything that can fail, the imports too, happens within the guard of `main`.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from memtui.hooks import LIMIT, PROMPT_EVENT

_KEY = b'"prompt"'
_SPACE = b" \t\r\n"


def may_be_command(data: bytes) -> bool:
    """Whether the prompt in a hook's JSON may begin with a slash, without parsing it."""
    at = data.find(_KEY)
    while at >= 0:
        value = data[at + len(_KEY) : at + len(_KEY) + 40].lstrip(_SPACE)
        text = value[1:].lstrip(_SPACE) if value[:1] == b":" else b""
        if text[:2] == b'"/' or text[:2] == b'"\\':
            return True
        at = data.find(_KEY, at + 1)
    return False


def may_wait(data: bytes) -> bool:
    """Whether the outbox may have messages for the session of a hook's JSON, by its folder names."""
    env = os.environ
    if base := env.get("MEMTUI_HOME"):
        state = os.path.join(os.path.expanduser(base), "state")  # noqa: PTH111, PTH118 - pathlib is slow to import
    else:
        given = env.get("XDG_STATE_HOME", "")
        given = given if given[:1] == "/" else os.path.expanduser("~/.local/state")  # noqa: PTH111
        state = os.path.join(given, "memtui")  # noqa: PTH118
    try:
        names = os.listdir(os.path.join(state, "handover"))  # noqa: PTH118, PTH208
    except OSError:
        return False
    # The folder has the session's id as its name, except for unusual ids.
    return any(len(name) != 36 or name.encode() in data for name in names)


def main() -> None:
    """Run the hook that the first argument names. Never returns; the exit code is 0."""
    started = time.monotonic()
    gc.disable()  # the process ends before garbage matters
    data = None
    try:
        if sys.argv[1:] == [PROMPT_EVENT]:
            data = sys.stdin.buffer.read(LIMIT + 1)
            if not may_be_command(data) and not may_wait(data):
                return  # the case of most prompts, which wait for this
        # Imported here: a broken installation must not harm Claude Code either.
        from memtui.hooks.run import run

        run(sys.argv[1:], started, data)
    except BaseException:  # noqa: S110 - no way is left to report it
        pass
    finally:
        # Not sys.exit: the interpreter would flush a closed stdout once more and say 120.
        os._exit(0)
