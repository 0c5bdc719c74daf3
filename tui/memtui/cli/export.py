"""``memtui export`` and ``restore``: a session as a page, for another agent, or for a new session."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote

import click

from memtui.cli import handoff
from memtui.cli.options import agreed, common_options, complete_id, session_option, yes_option
from memtui.cli.output import copied, is_terminal, print_bytes, print_json, print_result, say
from memtui.flows.restore import restore_memory, restore_session
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.files import FileMissing, FileProblem, read_within
from memtui.ground.project import Places, downloads, expanded
from memtui.ground.text import FormatError
from memtui.secrets.secrets import holds_secrets
from memtui.store.export import Form, export_parts, form_of, session_file, session_parts
from memtui.store.sessions import find_transcript, transcripts_of


@click.command("export")
@click.argument("name", default="", metavar="[SESSION]")
@click.option("--html", "form", flag_value="html", help="A page that runs and loads nothing (the default).")
@click.option("--md", "form", flag_value="md", help="Markdown.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="",
    help="The file, instead of one in your downloads; - is stdout.",
)
@click.option("--print", "printing", is_flag=True, help="Print it instead of writing a file.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option(
    "--for",
    "agent",
    type=click.Choice(tuple(handoff.FILES)),
    help="Hand it over to an agent: into AGENTS.md, GEMINI.md or HANDOFF.md.",
)
@click.option("--done", is_flag=True, help="With --for: take it out of the file again.")
@yes_option
@common_options
def export(
    name: str,
    form: str | None,
    output: str,
    printing: bool,
    force: bool,
    agent: str | None,
    done: bool,
    yes: bool,
    as_json: bool,
    places: Places,
) -> None:
    """Write a session as one file, to read, to attach, or for another agent.

    SESSION is a session's id, the beginning of one, or a transcript, live or archived; without it it is the
    session that runs the command, else the newest one.
    Secrets are masked and private parts left out. Without --output the file is named after its content and
    lies in your downloads, or else in your home folder; an existing file is kept. An output that ends in .md
    is Markdown.

    With --for it is one prompt: pins, open tasks, the exact last words, and the state document; what has no
    room is left out, and named. It becomes a section between marks of the agent's file in the project, after
    you have been asked: all else in the file stays as it is, a second one replaces it, --done takes it out.
    """
    if printing and output not in ("", "-"):
        raise click.UsageError("--print and --output exclude each other.")
    output = "-" if printing else output
    if agent is not None:
        if form or force:
            raise click.UsageError("--for goes with --output, --print, --done, --yes and --json alone.")
        if done and output == "-":
            raise click.UsageError("--done takes it out of a file; it goes without --print.")
        _hand_over(name, agent, output, done, yes, as_json, places)
        return
    if done or yes or as_json:
        raise click.UsageError("--done, --yes and --json go with --for.")
    transcript = find_transcript(places, name)
    page = Form(form) if form else form_of(output)
    parts = session_parts(transcript, page, system_clock())
    if output == "-":
        for part in parts:
            print_bytes(part.encode("utf-8", "replace"))
        return
    target = expanded(output) if output else downloads() / session_file(transcript, page)
    if not force and os.path.lexists(target):
        raise FileProblem(target, "already exists; name another file, or replace it with --force")
    say(export_parts(target, parts, replace=force))


def _hand_over(
    name: str, agent: str, output: str, done: bool, yes: bool, as_json: bool, places: Places
) -> None:
    if output == "-":
        made = handoff.make_handoff(places, name)
        print_result(_handoff_json("print", made), made.text, as_json)
        return
    top = places.project.root
    path = Path(os.path.abspath(expanded(output))) if output else top / handoff.FILES[agent]  # noqa: PTH100 - links stay
    above = top if path.is_relative_to(top) else path.parent  # no link is followed below it
    before = None
    with suppress(FileMissing):
        before = read_within(path, above, limit=4 << 20, follow=False)
    try:
        known = handoff.section_in(before or b"")
        if done:
            _take_out(path, above, before, as_json)
            return
        made = handoff.make_handoff(places, name)
        after = handoff.with_section(before, made.text)
    except FormatError as error:
        raise FileProblem(path, str(error)) from error
    how = (
        "replaces the one in" if known else "is added to" if before is not None else "goes into the new file"
    )
    size = f"{len(made.text):,} characters"
    if not agreed(f"The handoff, {size}, {how} {path}. Write it?", yes):
        say("Nothing was changed.")
        return
    handoff.write_file(path, above, before, after)
    note = handoff.why_unread(path, top) if agent == "codex" else ""
    if as_json:
        print_json(_handoff_json("write", made, path, note))
        return
    say(f"The handoff of session {made.session_id[:8]} is in {path}, {size}.")
    named = f" -o {quote(clean_line(output))}" if output else ""
    say(f"`memtui export --for {agent}{named} --done` removes it again.")
    if note:
        say(note, err=True)


def _take_out(path: Path, above: Path, before: bytes | None, as_json: bool) -> None:
    around = handoff.section_in(before or b"")
    after = before if around is None else b"".join(around) or None
    if after == before:
        said = f"{path} holds no handoff."
    else:
        handoff.write_file(path, above, before, after)
        said = f"Removed the handoff from {path}."
        if after is None:
            said = f"Removed {path}: it held the handoff alone."
    print_result({"operation": "done", "path": str(path), "changed": after != before}, said, as_json)


def _handoff_json(
    operation: str, made: handoff.Handoff, path: Path | None = None, note: str = ""
) -> dict[str, object]:
    return {
        "operation": operation,
        "session_id": made.session_id,
        "path": str(path) if path else None,
        "characters": len(made.text),
        "left_out": made.left_out,
        "note": note,
        "text": made.text,
    }


@click.command("restore")
@click.argument("memory", default="", metavar="[ID]", shell_complete=complete_id)
@click.option(
    "--id", "memory_id", metavar="CMEM-...", default="", shell_complete=complete_id,
    help="The memory with this Recovery ID, or its beginning or end.",
)  # fmt: skip
@session_option
@click.option("--full", is_flag=True, help="Leave nothing out, regardless of length.")
@click.option("--print", "printed", is_flag=True, help="Print it even on a terminal, instead of copying it.")
@common_options
def restore(
    memory: str, memory_id: str, session: str, full: bool, printed: bool, as_json: bool, places: Places
) -> None:
    """Hand an earlier session's knowledge over to a new one.

    Makes the text that a new session gets after /clear: quoted notes of less than 9,000 characters on where
    the project's newest session stands, or on another session, or from a stored memory (ID: of either). On
    a terminal it is copied, ready to be pasted into Claude Code; anywhere else it is printed.
    """
    memory_id = memory_id or memory
    if memory_id and session:
        raise click.UsageError("a memory and a session are two different things; name one.")
    if memory and not session and memory in {each[: len(memory)] for each in transcripts_of(places)}:
        memory_id, session = "", memory
    if memory_id:
        restored = restore_memory(places, system_clock, memory_id, full=full)
    else:
        restored = restore_session(places, system_clock, session=session, full=full)
    if not restored.text:
        raise click.ClickException(f"there is nothing in {restored.name}.")
    if restored.secrets:
        say(f"{holds_secrets(restored.secrets)}; masked.", err=True)
    if as_json or printed or not is_terminal():
        print_result({"name": restored.name, "text": restored.text}, restored.text, as_json)
        return
    done = copied(restored.text, restored.name)
    if not done.sure:  # a terminal may truncate a text of this length without notice
        say(restored.text)
    say(f"{done.message}.", err=True)
