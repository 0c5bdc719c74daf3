"""The hook process, guarded: it exits 0, prints for the model alone, and stops itself.

An exit code of 2 would block the person at Claude Code, and a slow hook lets them wait (Claude Code fact). So
everything that can fail, the imports too, happens within the guard of `main`.
"""

from __future__ import annotations

import os
import sys
import time


def main() -> None:
    """Run the hook that the first argument names. Never returns; the exit code is 0."""
    started = time.monotonic()
    try:
        # Here and not above: a broken installation must not harm Claude Code either.
        from memtui.hooks.run import run

        run(sys.argv[1:], started)
    except BaseException:  # noqa: S110 - there is nobody left to tell
        pass
    finally:
        # Not sys.exit: the interpreter would flush a closed stdout once more and say 120.
        os._exit(0)
