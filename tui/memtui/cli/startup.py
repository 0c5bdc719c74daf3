"""Starting a command or the app: the commands' names, streams, exit codes, and the app without click.

Importing click and the commands takes a tenth of the time to the app's first paint.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from memtui.ground.project import expanded, find_root

COMMANDS = {
    "captures": "captures.captures",
    "review": "review.review",
    "compact": "compact.compact",
    "transcript": "transcript.transcript",
    "search": "search.search",
    "lost": "lost.lost",
    "pin": "lost.pin",
    "sessions": "sessions.sessions",
    "archive": "sessions.archive",
    "export": "export.export",
    "restore": "export.restore",
    "command": "command.command",
    "memory": "memory.memory",
    "state": "state.state",
    "compactor": "state.compactor",
    "share": "share.share",
    "sync": "share.sync",
    "remote": "share.remote",
    "init": "install.init",
    "uninstall": "install.uninstall",
    "doctor": "install.doctor",
    "mcp": "install.mcp",
    "core-memory": "memory.core_memory",
    "mod": "mod.mod",
    "completion": "main.completion",
    "demo": "main.demo",
}
"""Names of the commands, the most used first, and where `memtui.cli` defines them: module and function."""

BAD_INPUT, USAGE, INTERRUPTED = 1, 2, 130

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors when the output is redirected to a file that cannot grow."""


def run_to_end(work: Callable[[], object]) -> int:
    """Do the work; return the exit code.

    0 success, 1 bad input (one sentence on stderr), 2 wrong usage, 130 interrupted. Unexpected exceptions are
    bugs and propagate with their traceback.
    """
    prepare_streams()
    try:
        code = work()
        sys.stdout.flush()
    except BaseException as error:
        known = _exit_code(error)
        if known is None:
            raise
        return known
    return code if isinstance(code, int) else 0


def root_to_open(arguments: Sequence[str]) -> Path | None:
    """The root of the project that ``memtui`` or ``memtui PATH`` opens; None for all else, and for errors."""
    if len(arguments) > 1 or "_MEMTUI_COMPLETE" in os.environ or not can_show_app():
        return None
    word = arguments[0] if arguments else "."
    with suppress(OSError, ValueError):
        folder = expanded(word)
        known = word in COMMANDS or word.startswith("-") or not folder.is_dir()
        return None if known else find_root(folder)
    return None


def can_show_app() -> bool:
    """Whether stdin, and the stream that Textual draws on, are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


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


def _exit_code(error: BaseException) -> int | None:
    """Print an error as one sentence and return the exit code; None for a bug."""
    import click

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader has ended, for instance `| head`
        _forget_output()
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
        _forget_output()
        _complain(f"the output cannot be written: {error.strerror}.")
        return BAD_INPUT
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.ctx.get_help())  # a group's name alone asks for its help
        return 0
    if isinstance(error, click.UsageError):
        _complain(error.format_message())
        path = error.ctx.command_path if error.ctx else "memtui"
        click.echo(f"Try '{path} --help'.", err=True)
        return USAGE
    sentence = _sentence(error)
    if sentence is None:
        return None
    _complain(sentence)
    return BAD_INPUT


def _complain(sentence: str) -> None:
    import click

    from memtui.ground.clean import clean_line

    click.echo(f"memtui: {clean_line(sentence)}", err=True)


def _forget_output() -> None:
    """Discard what stdout still buffers: the interpreter flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: BaseException) -> str | None:
    import click

    from memtui.ground.files import FileProblem

    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, FileProblem):
        return f"{error}."
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{os.fsdecode(error.filename)}': {error.strerror}."
    return None
