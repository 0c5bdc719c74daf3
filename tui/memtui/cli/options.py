"""What commands share: their project and places, common options, and asking a person."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem

from memtui.cli.output import can_answer, say
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem, reading
from memtui.ground.project import Home, Places, Project, claude_config, expanded, find_root, memtui_home
from memtui.ground.text import FormatError

if TYPE_CHECKING:
    from memtui.store.memories import MemoryStore

T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., object])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
engine_option = click.option(
    "--engine",
    type=click.Choice(["facts", "claude"]),
    default="facts",
    show_default=True,
    help="How to word it: from the facts alone, or by claude -p under the same rules.",
)


transcript_option = click.option(
    "--transcript",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The session of this transcript (JSONL), of any project.",
)
session_option = click.option("--session", default="", help="The session with this id, or beginning of one.")


def one_session(session: str, transcript: Path | None) -> None:
    """Refuse a session that is named twice."""
    if transcript is not None and session:
        raise click.UsageError("name the session once: with --session or with --transcript.")


def project_of(folder: Path | None) -> Project:
    """The project of a folder; None: the current one, unless it has been deleted."""
    try:
        return Project(find_root(folder or Path()))
    except FileNotFoundError:
        reason = "the current folder no longer exists; go to another one, or name one with --root."
        raise click.ClickException(reason) from None


def _places(ctx: click.Context, option: click.Parameter, root: Path | None) -> Places | None:
    if ctx.resilient_parsing:  # while words are completed
        return None
    return Places(project_of(root), memtui_home(), claude_config())


places_option = click.option(
    "--root",
    "places",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    callback=_places,
    help="A folder of the project, instead of the current one.",
)
"""The project of a folder or of the current one, with the user's folders: `Places`."""


def common_options(command: C) -> C:
    """``--json`` and ``--root``, which most commands have."""
    return json_option(places_option(command))


def is_empty(project: Project, home: Home, claude: Path) -> bool:
    """Whether there is nothing for the app to show: no transcript here, and nothing that memtui has written.

    A folder that cannot be listed counts as content: the app reports the problem.
    """
    from memtui.store.transcripts import TranscriptStore  # for this alone

    written = (project.compacts, project.session_state_json, home.memories, home.states)
    with suppress(FileProblem, OSError):
        return not any(map(os.path.lexists, written)) and not TranscriptStore(project, claude).entries()
    return False


def opened() -> MemoryStore:
    from memtui.store.memories import MemoryStore  # pydantic takes longer to import than a search

    return MemoryStore(memtui_home(), system_clock)


def store_and_id(beginning: str, places: Places) -> tuple[MemoryStore, str]:
    """The stored memories, and the full id for the beginning of one: of this project's first, then of all."""
    store = opened()
    return store, store.find(beginning, project=str(places.project.root))


def complete_id(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """The ids that begin or end with the typed text, newest first, with their titles; none on errors."""
    end, begin = typed.upper(), (typed.upper(), f"CMEM-{typed.upper()}")
    with suppress(FileProblem, OSError):
        items = opened().list(limit=500).items
        found = (each for each in items if each.id.startswith(begin) or each.id.endswith(end))
        return [CompletionItem(each.id, help=clean_line(each.title)) for each in found]
    return []


def agreed(question: str, yes: bool, *, default: bool = True) -> bool:
    """Whether the user agrees to a change, or has done so with --yes; without a terminal it is refused."""
    if not yes and not can_answer():
        reason = f"Nothing was changed, as only --yes answers without a terminal: {question}"
        raise click.ClickException(reason)
    return yes or click.confirm(clean_line(question), default=default, err=True)  # stdout may be JSON


def given_bytes(name: str, limit: int) -> bytes:
    """The content of a file, or of standard input if the name is ``-``; at most `limit` bytes."""
    path = expanded(name)
    if name != "-":
        if path.is_dir():
            raise click.ClickException(f"'{name}' is a folder; name a file in it.")
        with reading(path), path.open("rb") as file:  # including a pipe: import <(...)
            data = file.read(limit + 1)
    elif sys.stdin is None:
        raise click.ClickException("standard input is closed; name a file, or pipe a text in.")
    else:
        if sys.stdin.isatty():
            click.echo("Type or paste the text; ctrl+d on a line of its own ends it.", err=True)
        data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        what = "standard input" if name == "-" else f"'{name}'"
        raise click.ClickException(f"{what} is larger than {limit >> 20} MB.")
    return data


@contextmanager
def asking_claude() -> Iterator[Callable[[], bool]]:
    """Announce the wait; yields a function that returns whether it has been cancelled.

    The first ctrl+c only cancels the model: the draft from the facts is kept. A second one ends memtui, and
    so does a termination signal, together with the model's process.
    """
    from memtui.ground.machine import handling  # most commands start no program

    cancelled = threading.Event()

    def cancel(number: int, frame: FrameType | None) -> None:
        cancelled.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if sys.stderr.isatty():
        say("Asking claude: that may take some minutes. ctrl+c keeps the draft from the facts.", err=True)
    ended = handling(lambda number, _: sys.exit(128 + number), signal.SIGTERM, signal.SIGHUP)
    with handling(cancel, signal.SIGINT), ended:
        yield cancelled.is_set


def draft_note(problem: str, *notes: str) -> str:
    """The notes on a draft and the reason why the model was not used, as one text; "" if there are none."""
    mine = f"from the facts: {clean_line(problem)}" if problem else ""
    return "; ".join(note for note in (mine, *notes) if note)


def accepted_draft(draft: T, question: str, show: Callable[[T], None], edit: Callable[[T], T]) -> T | None:
    """The draft as shown, edited and accepted; None if rejected. The question names y, e and n."""
    show(draft)
    while True:
        answer = click.prompt(question, prompt_suffix=" ").strip().lower()
        if answer in ("y", "n"):
            return draft if answer == "y" else None
        if answer != "e":
            say(f"memtui: the answers are y, e and n, not {answer}.", err=True)
            continue
        draft = edit(draft)
        show(draft)


def edited(text: str, read: Callable[[str], T], what: str) -> T | None:
    """The text after editing, as read; a text that is no `what` is edited again. None if rejected."""
    while True:
        try:
            changed = click.edit(text, extension=".md")
        except (FileNotFoundError, UnicodeDecodeError):  # of the file made by `click.edit`
            say("The edited file is gone, or not UTF-8; the text is unchanged.")
            return None
        if changed is None:
            return None
        try:
            return read(changed)
        except FormatError as error:
            say(f"This is not a {what}: {error}.")
            if not click.confirm("Edit again?", default=True):
                return None
            text = changed
