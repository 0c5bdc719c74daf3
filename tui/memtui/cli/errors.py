"""How a run of memtui ends when something goes wrong: the one owner of stderr sentences and exit codes."""

from __future__ import annotations

import os
import sys

import click

from memtui.clean import clean_line

BAD_INPUT, USAGE, INTERRUPTED = 1, 2, 130


def exit_code(error: BaseException) -> int | None:
    """Tell the person what went wrong in one sentence and return the exit code; None for a bug."""
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader has gone, for instance `| head`. The interpreter flushes stdout once more on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    if isinstance(error, click.UsageError):
        return _usage(error)
    sentence = _sentence(error)
    if sentence is None:
        return None
    click.echo(f"memtui: {clean_line(sentence)}", err=True)
    return BAD_INPUT


def _usage(error: click.UsageError) -> int:
    click.echo(f"memtui: {clean_line(error.format_message())}", err=True)
    path = error.ctx.command_path if error.ctx else "memtui"
    click.echo(f"Try '{path} --help'.", err=True)
    return USAGE


def _sentence(error: BaseException) -> str | None:
    if isinstance(error, click.ClickException):
        return error.format_message()
    # Here and not above: most runs end well.
    from memtui.files import FileProblem

    if isinstance(error, FileProblem):
        return f"{error}."
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{os.fsdecode(error.filename)}': {error.strerror}."
    return None
