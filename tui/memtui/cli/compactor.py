"""``memtui compactor``: keeps the session states of a project up to date while Claude Code works."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

import click

from memtui.cli.output import is_terminal, print_json, say
from memtui.cli.project import project_of, root_option
from memtui.flows.follow import Followed, Following
from memtui.flows.sessions import find_transcript
from memtui.flows.states import update_state
from memtui.formats.session_state import SessionState, TaskKind
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.store.states import VersionTaken


@click.command("compactor")
@click.option(
    "--interval",
    type=click.IntRange(min=1, max=3600),
    default=2,
    show_default=True,
    help="Seconds between two checks of the transcripts.",
)
@click.option("--once", is_flag=True, help="Bring the newest session up to date, and end.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print each version as a JSON object on one line: session_id, version, written, doing.",
)
@root_option
def command(interval: int, once: bool, as_json: bool, root: Path | None) -> None:
    """Keep the session states of this project up to date while Claude Code works.

    A new version is written when a session has grown by some 20,000 tokens, and when it pauses. Each version
    prints one line: local time, session, version, what is in progress. It runs until ctrl+c. The app does the
    same while it is open.
    """
    places = Places(project_of(root), memtui_home(), claude_config())
    signal.signal(signal.SIGTERM, _end)
    if once:
        _once(places, as_json)
        return
    following = Following(places, system_clock)
    if is_terminal():
        say(f"Following the sessions of {places.project.name}. ctrl+c ends it.", err=True)
    last = ""
    while True:
        try:
            _tell(following.step(time.monotonic()), as_json)
            last = ""
        except FileProblem as problem:
            if str(problem) != last:  # it may last: report it only once
                last = str(problem)
                say(f"memtui: {clean_line(last)}.", err=True)
        time.sleep(interval)


def _once(places: Places, as_json: bool) -> None:
    path = find_transcript(places)
    session = path.stem
    try:
        stored = update_state(places, system_clock, transcript=path)
    except VersionTaken:  # another program is writing it
        _say_none(session, f"Another program is writing the versions of session {session[:8]}.", as_json)
        return
    if stored is None:
        _say_none(session, f"Nothing new in session {session[:8]}.", as_json)
    _tell([Followed(session, stored)], as_json)


def _say_none(session: str, sentence: str, as_json: bool) -> None:
    """Say why there is no new version."""
    if as_json:
        print_json({"session_id": session, "version": None, "note": sentence}, indent=None)
    else:
        say(sentence)


def _tell(steps: Iterable[Followed], as_json: bool) -> None:
    for followed in steps:
        if followed.problem:
            say(f"memtui: {clean_line(followed.problem)}.", err=True)
        elif followed.stored is not None:
            stored = followed.stored
            if as_json:
                shape = {
                    "session_id": stored.session_id,
                    "version": stored.version,
                    "written": stored.written.isoformat(),
                    "doing": _now(stored.state),
                }
                print_json(shape, indent=None)
                sys.stdout.flush()
                continue
            words = (
                local_minute(stored.written),
                stored.session_id[:8],
                f"v{stored.version}",
                _now(stored.state),
            )
            say("  ".join(map(clean_line, words)).rstrip())
            sys.stdout.flush()


def _now(state: SessionState | None) -> str:
    """The task in progress, else the goal."""
    if state is None:
        return ""
    doing = (task.text for task in state.tasks if task.kind is TaskKind.IN_PROGRESS)
    return next(doing, state.identity.goal)


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
