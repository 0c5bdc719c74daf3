"""Starting a command or the app: streams, exit code, and the way into the app that does not import click.

Importing click and the commands takes a tenth of the time to the app's first paint.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from memtui.cli.command_table import COMMANDS
from memtui.ground.project import expanded, find_root


def run_to_end(work: Callable[[], object]) -> int:
    """Do the work; return the exit code. Errors are reported as `memtui.cli.errors` decides."""
    prepare_streams()
    try:
        code = work()
        sys.stdout.flush()
    except BaseException as error:
        from memtui.cli.errors import exit_code

        known = exit_code(error)
        if known is None:
            raise
        return known
    return code if isinstance(code, int) else 0


def root_to_open(arguments: Sequence[str]) -> Path | None:
    """The root of the project that ``memtui`` or ``memtui PATH`` opens; None for all else, and for errors."""
    if len(arguments) > 1 or "_MEMTUI_COMPLETE" in os.environ or not can_show_app():
        return None
    word = arguments[0] if arguments else "."
    try:
        folder = expanded(word)
        known = word in COMMANDS or word.startswith("-") or not folder.is_dir()
        return None if known else find_root(folder)
    except (OSError, ValueError):
        return None


def can_show_app() -> bool:
    """Whether stdin, and the stream that Textual draws on (stderr; stdout on Windows), are a terminal."""
    streams = (sys.stdin, sys.stdout if sys.platform == "win32" else sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)


def prepare_streams() -> None:
    """Make stdout and stderr able to print any text.

    Pipes and files get UTF-8 in every locale, as programs read them. A terminal keeps its own encoding,
    unless that is ASCII, which may only mean that no locale is set. A closed stream (`>&-`) is replaced by
    one that discards everything.
    """
    sys.stdout = sys.stdout or _null_stream()
    sys.stderr = sys.stderr or _null_stream()
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        keep = stream.isatty() and stream.encoding.lower() not in ("ascii", "us-ascii", "ansi_x3.4-1968")
        stream.reconfigure(encoding=stream.encoding if keep else "utf-8", errors="replace")


def _null_stream() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open for the rest of the run
