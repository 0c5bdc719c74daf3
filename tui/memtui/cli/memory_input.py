"""The text for ``import``: a file or standard input, byte for byte."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memtui.ground.files.problems import reading
from memtui.ground.project import expanded
from memtui.store.stored_files import LIMIT

_STEP = 1 << 20


def given_text(argument: str | None, option: str | None) -> bytes:
    """The text of ``[FILE|-]`` or ``--file FILE``; of standard input when neither is given.

    Raises:
        click.ClickException: there is nothing to import, or more than `LIMIT`.
        click.UsageError: two files are named, or none, with standard input not piped.
    """
    if argument is not None and option is not None:
        raise click.UsageError("name the file once, as FILE or with --file.")
    name = argument if argument is not None else option
    data = _piped(asked=name == "-") if name in (None, "-") else _file(Path(name or ""))
    if not data.strip():
        what = "standard input" if name in (None, "-") else f"'{name}'"
        raise click.ClickException(f"{what} is empty; nothing was imported.")
    return data


def _piped(*, asked: bool) -> bytes:
    if sys.stdin is None:
        raise click.ClickException("standard input is closed; name a file, or pipe a text in.")
    if sys.stdin.isatty():
        if not asked:
            raise click.UsageError("there is no text: name a file, pipe one in, or name - to type it here.")
        click.echo("Type or paste the text; ctrl+d on a line of its own ends it.", err=True)
    parts: list[bytes] = []
    size = 0
    while part := sys.stdin.buffer.read(_STEP):
        parts.append(part)
        size += len(part)
        if size > LIMIT:
            raise click.ClickException(f"standard input is {_TOO_LARGE}; nothing was imported.")
    return b"".join(parts)


def _file(path: Path) -> bytes:
    path = expanded(path)
    if path.is_dir():
        raise click.ClickException(f"'{path}' is a folder; name the file in it.")
    with reading(path), path.open("rb") as file:  # including a pipe: import <(...)
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise click.ClickException(f"'{path}' is {_TOO_LARGE}; nothing was imported.")
    return data


_TOO_LARGE = f"larger than {LIMIT >> 20} MB"
