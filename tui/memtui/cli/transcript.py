"""``memtui transcript``: prints a transcript, whole or around a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.output import print_json, say
from memtui.cli.project import project_of, root_option
from memtui.cli.turns import short_source
from memtui.flows.sessions import find_transcript
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.entries import Entry, read_entries

_AROUND = 10
_RESULT = 20
"""Maximum lines shown of a tool's output; ``--json`` has all."""

_LEADS = {
    "ask": "❯ ",
    "said": "",
    "call": "● ",
    "result": "└ ",
    "boundary": "━━ ",
    "summary": "",
    "note": "… ",
}


@click.command("transcript")
@click.argument("session", default="")
@click.option("--at", "line", type=click.IntRange(1), help="Only this line and those around it.")
@click.option(
    "--around", type=click.IntRange(0), default=_AROUND, show_default=True, help="Lines on either side of it."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, with every text whole.")
@root_option
def command(session: str, line: int | None, around: int, as_json: bool, root: Path | None) -> None:
    """Print a session's transcript, or the surroundings of one of its lines.

    SESSION is a session's id, the beginning of one, or a transcript; without it, it is the session that
    memtui was started from, else the project's newest. Lines are counted as in the file; most hold one
    message, call or result, and bookkeeping is left out.
    """
    transcript = find_transcript(Places(project_of(root), memtui_home(), claude_config()), session)
    wanted = (max(1, line - around), line + around) if line else None
    entries = read_entries(transcript, lines=wanted)
    if as_json:
        print_json([masked_in(asdict(entry) | {"source": entry.source._asdict()}) for entry in entries])
        return
    found = False
    for entry in entries:
        found = True
        say(_shown(entry, marked=entry.source.line == line))
    if not found:
        where = f" around line {line}" if line else ""
        raise click.ClickException(
            f"{transcript} has nothing to read{where}; `memtui turns` lists its lines."
        )


def _shown(entry: Entry, *, marked: bool) -> str:
    head = f"{'>' if marked else ' '} {short_source(entry.source)}"
    if entry.agent:
        head += f" ({entry.agent})"
    text = f"{entry.title}  {entry.text}" if entry.title else entry.text
    lines = masked(text).strip("\n").split("\n")
    if entry.kind == "result":
        lines = list(_cut(lines))
    lead = "✗ " if entry.failed else _LEADS.get(entry.kind, "")
    return "\n".join((head, f"    {lead}{lines[0]}", *(f"    {line}" for line in lines[1:])))


def _cut(lines: list[str]) -> Iterable[str]:
    yield from lines[:_RESULT]
    if len(lines) > _RESULT:
        yield f"... {len(lines) - _RESULT} more lines"
