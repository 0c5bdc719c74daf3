"""Error messages and exit codes: the only place that decides them."""

from __future__ import annotations

import errno
import os
import sys
from difflib import get_close_matches

import click

from memtui.ground.clean import clean_line

BAD_INPUT, USAGE, INTERRUPTED = 1, 2, 130

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors when the output is redirected to a file that cannot grow."""


def exit_code(error: BaseException) -> int | None:
    """Print an error as one sentence and return the exit code; None for a bug."""
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader has ended, for instance `| head`
        _forget_output()
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
        _forget_output()
        click.echo(f"memtui: the output cannot be written: {error.strerror}.", err=True)
        return BAD_INPUT
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.ctx.get_help())  # a group's name alone asks for its help
        return 0
    if isinstance(error, click.UsageError):
        return _usage(error)
    sentence = _sentence(error)
    if sentence is None:
        return None
    click.echo(f"memtui: {clean_line(sentence)}", err=True)
    return BAD_INPUT


def _forget_output() -> None:
    """Discard what stdout still buffers: the interpreter flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: click.UsageError) -> int:
    if isinstance(error, click.NoSuchOption):
        # click compares the dashes, too, which makes --bogus resemble --user.
        bare = {option.lstrip("-"): option for option in error.possibilities or ()}
        near = [bare[name] for name in get_close_matches(error.option_name.lstrip("-"), bare)]
        error = click.NoSuchOption(error.option_name, possibilities=near, ctx=error.ctx)
    click.echo(f"memtui: {clean_line(error.format_message())}", err=True)
    path = error.ctx.command_path if error.ctx else "memtui"
    click.echo(f"Try '{path} --help'.", err=True)
    return USAGE


def _sentence(error: BaseException) -> str | None:
    if isinstance(error, click.ClickException):
        return error.format_message()
    # Imported here: most runs succeed.
    from memtui.ground.files import FileProblem

    if isinstance(error, FileProblem):
        return f"{error}."
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{os.fsdecode(error.filename)}': {error.strerror}."
    return None
