"""The guarded hook process: it always exits with 0, prints only for the model, and limits its own time.

An exit code of 2 would block the user of Claude Code, and a slow hook delays them (Claude Code fact). So
everything that can fail, the imports too, happens within the guard of `main`.
"""

from __future__ import annotations

import gc
import os
import sys
import time


def main() -> None:
    """Run the hook that the first argument names. Never returns; the exit code is 0."""
    started = time.monotonic()
    gc.disable()  # the process ends before garbage matters
    try:
        # Imported here: a broken installation must not harm Claude Code either.
        from memtui.hooks.run import run

        run(sys.argv[1:], started)
    except BaseException:  # noqa: S110 - no way is left to report it
        pass
    finally:
        # Not sys.exit: the interpreter would flush a closed stdout once more and say 120.
        os._exit(0)
