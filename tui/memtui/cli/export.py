"""``memtui export``: a session or a memory as one file."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_store import full_id, opened_here
from memtui.cli.output import print_bytes, say
from memtui.cli.project import project_of, root_option
from memtui.flows.export import (
    LAST,
    Form,
    Range,
    export_parts,
    form_of,
    memory_parts,
    session_file,
    session_parts,
)
from memtui.flows.sessions import find_transcript
from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, claude_config, expanded, memtui_home

_LINES = re.compile(r"(?P<first>[1-9]\d{0,8})?(?P<to>-(?P<last>[1-9]\d{0,8})?)?")


@click.command("export")
@click.argument("name", metavar="SESSION|ID", shell_complete=complete_id)
@click.option("--html", "form", flag_value="html", help="A page that runs and loads nothing (the default).")
@click.option("--md", "form", flag_value="md", help="Markdown.")
@click.option("--lines", metavar="A-B", default="", help="Only these lines of the session's transcript.")
@click.option(
    "-o", "--output", metavar="FILE", default="", help="The file, instead of one in this folder; - is stdout."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--unmasked", is_flag=True, help="Do not mask secrets; only at a terminal.")
@root_option
def command(
    name: str, form: str | None, lines: str, output: str, force: bool, unmasked: bool, root: Path | None
) -> None:
    """Write a session or a memory as one file, to read or to attach.

    SESSION is a session's id, the beginning of one, or a transcript, live or archived; ID is a Recovery ID.
    Secrets are masked and private parts left out. Without --output the file is named
    after its content; an existing file is kept. An output that ends in .md is Markdown.
    """
    if unmasked and not (sys.stdin is not None and sys.stdin.isatty()):
        raise click.ClickException("--unmasked writes secrets: only a person at a terminal may say so.")
    made = Form(form) if form else form_of(output)
    wanted = _range(lines) if lines else None
    if name.upper().startswith("CMEM-"):
        if wanted:
            raise click.UsageError("--lines goes with a session.")
        backend = opened_here(root)
        memory = backend.get(full_id(backend, name, root))
        called = f"{memory.meta.id}.{made}"
        parts = memory_parts(memory, made, system_clock(), mask=not unmasked)
    else:
        transcript = find_transcript(Places(project_of(root), memtui_home(), claude_config()), name)
        called = session_file(transcript, made)
        parts = session_parts(transcript, made, system_clock(), lines=wanted, mask=not unmasked)
    if output == "-":
        for part in parts:
            print_bytes(part.encode("utf-8", "replace"))
        return
    target = expanded(output) if output else Path(called)
    if not force and os.path.lexists(target):
        raise FileProblem(target, "already exists; name another file, or replace it with --force")
    say(export_parts(target, parts, mask=not unmasked, replace=force))


def _range(text: str) -> Range:
    found = _LINES.fullmatch(text)
    if found is None or text == "-":
        raise click.UsageError("--lines wants numbers of lines: 100-200, 100-, -200.")
    first = int(found["first"] or 1)
    last = int(found["last"] or LAST) if found["to"] else first
    if last < first:
        raise click.UsageError("--lines wants the smaller number first.")
    return first, last
