"""``memtui forget``: deletes everything that memtui keeps of one session."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import say
from memtui.cli.project import project_of, root_option
from memtui.flows.forgetting import Traces, forget, traces_of
from memtui.flows.forgetting_memory import forget_everywhere
from memtui.flows.sessions import named_session, transcripts_of
from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.store.archive import Archive
from memtui.store.changes import CLI
from memtui.store.session_list import size_text


@click.command("forget")
@click.argument("session", metavar="SESSION|ID")
@click.option("--everywhere", is_flag=True, help="Remove the texts of a shared memory, ID, from all remotes.")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@root_option
def command(session: str, everywhere: bool, yes: bool, root: Path | None) -> None:
    """Delete memtui's data of one session: archive, captures, states.

    It says first what will be deleted, and what stays: Claude Code's own transcript is not touched.

    With --everywhere it removes the texts of a shared memory from the remotes: from PostgreSQL, and from
    git's newest commit; git's history keeps them unless it is rewritten.
    """
    if everywhere:
        _forget_everywhere(session, yes=yes)
        return
    places = Places(project_of(root), memtui_home(), claude_config())
    traces = traces_of(places, system_clock, _full_id(places, session))
    if traces.is_empty:
        say(f"memtui has no data of session {traces.session_id}.")
        return
    _show(traces)
    if not yes and not click.confirm("Delete this for good? It cannot be undone.", default=False):
        return
    failed = forget(places, system_clock, traces, by=CLI)
    for each in failed:
        say(each, err=True)
    if failed:
        raise FileProblem(places.home.data, f"still holds parts of session {traces.session_id}")
    say(f"Session {traces.session_id} is forgotten.")


def _forget_everywhere(memory_id: str, *, yes: bool) -> None:
    question = f"Remove the texts of {memory_id} from all remotes for good?"
    if not yes and not click.confirm(question, default=False):
        return
    forgotten = forget_everywhere(memtui_home(), system_clock, memory_id)
    for each in forgotten.done:
        say(each)
    for each in forgotten.failed:
        say(f"{each}.", err=True)
    if forgotten.failed:
        raise click.ClickException(
            f"{memory_id} stays here, and nothing more of it is sent; the same command removes the rest."
        )


def _full_id(places: Places, session: str) -> str:
    """The full id of an existing or archived session by its beginning; else the argument itself."""
    known = [
        *transcripts_of(places),
        *(each.session_id for each in Archive(places.home, system_clock).entries()),
    ]
    fits = session in known or any(each.startswith(session) for each in known)
    return named_session(places, known, session) if fits else session


def _show(traces: Traces) -> None:
    say(f"Of session {traces.session_id} memtui deletes:")
    for kept in traces.copies:
        only = "" if kept.is_live else ", the only copy"
        say(f"  the archived transcript, {size_text(kept.size)}{only}")
    for path in traces.paths:
        say(f"  {path}")
    if traces.indexed:
        say("  the search index of all sessions, as it has this one; the next search makes it anew")
    say("What stays:")
    for each in traces.stays:
        say(f"  {each}")
