"""``memtui facts``: what can be read off a transcript without a model."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import is_terminal, print_groups, print_json, say
from memtui.flows.compact import refuse_strange
from memtui.project import find_root
from memtui.reading.evidence import evidence
from memtui.reading.facts import Facts, read_facts, to_json


@click.command("facts")
@click.argument("transcript", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(transcript: Path, as_json: bool) -> None:
    """Print what can be read off a transcript without a model.

    TRANSCRIPT is a JSONL file of Claude Code, usually ~/.claude/projects/<project>/<session>.jsonl. The
    output has the prompts, the files changed and read, the plan, the todos, decisions, constraints, errors,
    answers and compactions.
    """
    facts = _read(transcript)
    if as_json:
        print_json(to_json(facts))
        return
    groups = evidence(facts, _root(facts))
    print_groups((group.title, [item.text for item in group.items]) for group in groups)
    if facts.skipped_lines and is_terminal():
        say(f"{facts.skipped_lines} of {facts.lines} lines could not be read (torn, too long or not JSON).")


def _read(transcript: Path) -> Facts:
    if transcript.is_dir():
        raise click.ClickException(f"{transcript} is a folder; name one of the .jsonl files in it.")
    facts = read_facts(transcript)
    refuse_strange(transcript, facts)
    return facts


def _root(facts: Facts) -> Path | None:
    """The project that the session worked in, to shorten paths; None when it is not on this machine."""
    folder = Path(facts.cwd) if facts.cwd else None
    return find_root(folder) if folder is not None and folder.is_dir() else folder
