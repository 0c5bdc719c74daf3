"""``memtui facts``: the facts of a transcript."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import is_terminal, print_groups, print_json, say
from memtui.cli.project import project_of, root_option
from memtui.documents.evidence import evidence
from memtui.flows.review import capture_facts
from memtui.flows.sessions import find_transcript, refuse_strange
from memtui.ground.project import Places, claude_config, find_root, memtui_home
from memtui.secrets.secrets import masked, masked_in
from memtui.store.captures import CaptureStore
from memtui.transcript.facts import Facts, read_facts, to_json


@click.command("facts")
@click.argument("transcript", required=False, type=click.Path(path_type=Path))
@click.option("--session", default="", metavar="ID", help="A session of this project, or its id's beginning.")
@click.option("--capture", default="", help="Only what this capture covers: its path, file name or time.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@root_option
def command(transcript: Path | None, session: str, capture: str, as_json: bool, root: Path | None) -> None:
    """Print the facts of a transcript, read without a model.

    TRANSCRIPT is a JSONL file of Claude Code, usually ~/.claude/projects/<project>/<session>.jsonl; without
    it, it is the session that memtui was started from, else the project's newest. The output has the turns,
    the files changed and read, the plan, tasks, errors, answers and compactions, each with its line.
    """
    if sum(map(bool, (transcript, session, capture))) > 1:
        raise click.UsageError("a transcript, --session and --capture exclude each other; name one.")
    facts = _covered(capture, root) if capture else _read(transcript, session, root)
    if as_json:
        print_json(masked_in(to_json(facts)))
        return
    groups = evidence(facts, _root(facts))
    print_groups((group.title, [masked(item.text) for item in group.items]) for group in groups)
    if facts.skipped_lines and is_terminal():
        lines = "line" if facts.lines == 1 else "lines"
        read = f"{facts.skipped_lines} of {facts.lines} {lines}"
        say(f"{read} could not be read (torn, too long or not JSON).")


def _read(transcript: Path | None, session: str, root: Path | None) -> Facts:
    if transcript is None:
        transcript = find_transcript(Places(project_of(root), memtui_home(), claude_config()), session)
    if transcript.is_dir():
        raise click.ClickException(f"{transcript} is a folder; name one of the .jsonl files in it.")
    facts = read_facts(transcript)
    refuse_strange(transcript, facts)
    return facts


def _covered(capture: str, root: Path | None) -> Facts:
    places = Places(project_of(root), memtui_home(), claude_config())
    store = CaptureStore(places.project)
    facts, problem = capture_facts(store.load(store.resolve(capture)), places)
    if problem:
        say(problem, err=True)
    return facts


def _root(facts: Facts) -> Path | None:
    """The project the session worked in, to shorten paths; None if it is not on this machine."""
    folder = Path(facts.cwd) if facts.cwd else None
    return find_root(folder) if folder is not None and folder.is_dir() else folder
