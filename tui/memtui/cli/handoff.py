"""``memtui handoff``: hands a session over to another agent."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import click

from memtui.cli.changes import changes_in
from memtui.cli.output import print_json, say
from memtui.cli.project import project_of, root_option
from memtui.documents.handoff import LEAST
from memtui.flows.handoff import FILES, ROOM, Made, make_handoff, put_into, take_out
from memtui.ground.clean import clean_line
from memtui.ground.clipboard import copy, osc52
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, claude_config, expanded, memtui_home


@click.command("handoff")
@click.argument("session", default="", metavar="[SESSION]")
@click.option(
    "--to",
    "agent",
    type=click.Choice(tuple(FILES)),
    help="Write it into this agent's file: AGENTS.md, GEMINI.md, or HANDOFF.md.",
)
@click.option("--out", metavar="FILE", help="Write it into this file instead.")
@click.option("--copy", "copying", is_flag=True, help="Copy it instead of writing it.")
@click.option("--print", "printing", is_flag=True, help="Print it instead (the default without --to).")
@click.option(
    "--max", "limit", type=click.IntRange(LEAST, 200_000), default=ROOM, show_default=True, metavar="CHARS",
    help="The most characters.",
)  # fmt: skip
@click.option("--done", is_flag=True, help="Remove the handoff from the file again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@root_option
def command(
    session: str,
    agent: str | None,
    out: str | None,
    copying: bool,
    printing: bool,
    limit: int,
    done: bool,
    as_json: bool,
    root: Path | None,
) -> None:
    """Hand a session over to another agent, such as Codex or Gemini.

    One prompt: pins, open tasks, the exact last words, and the state document; what has no room is left out
    by section, and named. Secrets are masked, private parts left out. In a file it is a section between
    marks: all else in the file stays as it is, a second handoff replaces it, --done takes it out. SESSION is
    an id or the beginning of one; without it, the session that runs the command, else the newest one.
    """
    if sum((copying, printing, done)) > 1:
        raise click.UsageError("--copy, --print and --done exclude each other.")
    if done and not (agent or out):
        raise click.UsageError("--done needs --to or --out: which file is it?")
    if (copying or printing) and out:
        raise click.UsageError("--out writes a file; it goes without --copy and --print.")
    places = Places(project_of(root), memtui_home(), claude_config())
    path = _file(places.project.root, agent, out)
    if done and path is not None:
        _take_out(places.project.root, path, as_json)
        return
    made = make_handoff(places, system_clock, session=session, limit=limit)
    if copying:
        copied = copy(made.text, lambda text: click.echo(osc52(text), nl=False), name=_name(made))
        say(f"{copied.message}.", err=True)
    elif printing or path is None:
        _print(made, as_json)
    else:
        done_by = (
            f"memtui handoff {f'--out {quote(clean_line(str(out)))}' if out else f'--to {agent}'} --done"
        )
        _write(places.project.root, path, made, agent or "", done_by, as_json)
    if made.handoff.left_out:
        say(f"Left out, for there was no room: {', '.join(made.handoff.left_out)}.", err=True)


def _name(made: Made) -> str:
    return f"the handoff of session {made.session_id[:8]}"


def _print(made: Made, as_json: bool) -> None:
    if as_json:
        print_json(_as_json("print", made))
    else:
        say(made.text)


def _write(root: Path, path: Path, made: Made, agent: str, done_by: str, as_json: bool) -> None:
    note = put_into(path, _above(path, root), made.text, changes_in(root).wrote, agent=agent)
    if as_json:
        print_json(_as_json("write", made, path, note))
        return
    say(f"T{_name(made)[1:]} is in {path}, {len(made.text):,} characters.")
    say(f"`{done_by}` removes it again.")
    if note:
        say(note, err=True)


def _file(root: Path, agent: str | None, out: str | None) -> Path | None:
    if out:
        return Path(os.path.abspath(expanded(out)))  # noqa: PTH100 - a link stays a link
    return root / FILES[agent] if agent else None


def _above(path: Path, root: Path) -> Path:
    """The folder below which no link is followed."""
    return root if path.is_relative_to(root) else path.parent


def _take_out(root: Path, path: Path, as_json: bool) -> None:
    taken = take_out(path, _above(path, root), changes_in(root).wrote)
    if as_json:
        print_json({"operation": "done", "path": str(path), "changed": taken})
    elif taken:
        say(
            f"Removed the handoff from {path}."
            if path.exists()
            else f"Removed {path}: it held the handoff alone."
        )
    else:
        say(f"{path} holds no handoff.")


def _as_json(operation: str, made: Made, path: Path | None = None, note: str = "") -> dict[str, object]:
    return {
        "operation": operation,
        "session_id": made.session_id,
        "path": str(path) if path else None,
        "characters": len(made.text),
        "left_out": list(made.handoff.left_out),
        "note": note,
        "text": made.text,
    }
