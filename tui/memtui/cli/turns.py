"""``memtui turns``: lists the turns of a session."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import print_json, say
from memtui.cli.project import project_of, root_option
from memtui.flows.sessions import find_transcript, refuse_strange
from memtui.ground.clock import local_minute, parse_iso
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.facts import read_facts, turn_json
from memtui.transcript.records import Source, Turn
from memtui.transcript.short_text import one_line, shortened

_LINE = 300
"""Maximum length of a displayed text in characters; `--json` has all."""


@click.command("turns")
@click.argument("session", default="")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, with every text whole.")
@root_option
def command(session: str, as_json: bool, root: Path | None) -> None:
    """List the turns of a session: what was asked, how much work it took, and the closing message.

    SESSION is a session's id, the beginning of one, or a transcript; without it, it is the session that
    memtui was started from, else the project's newest. L476 names line 476 of the transcript:
    `memtui transcript SESSION --at 476` prints it with its surroundings.
    """
    transcript = find_transcript(Places(project_of(root), memtui_home(), claude_config()), session)
    facts = read_facts(transcript)
    refuse_strange(transcript, facts)
    if as_json:
        print_json([masked_in(turn_json(turn) | {"source": turn.source._asdict()}) for turn in facts.turns])
    else:
        say(
            "\n".join(line for turn in facts.turns for line in _lines(turn, turn is facts.turns[-1]))
            or "The session has no turn yet."
        )


def short_source(source: Source) -> str:
    """A source in short form: ``L476 2026-01-02 14:53``, without unknown parts."""
    moment = parse_iso(source.timestamp)
    return f"L{source.line}" + (f" {local_minute(moment)}" if moment else "")


def _lines(turn: Turn, last: bool) -> list[str]:
    end = turn.end if last or turn.end != "running" else "the user spoke meanwhile"
    calls = f"{turn.calls} call{'' if turn.calls == 1 else 's'}"
    lines = [f"{turn.number}. {short_source(turn.source)}  {turn.kind}, {calls}, {end}"]
    for mark, text in (("❯", turn.ask), ("●", turn.closing.text if turn.closing else "")):
        flat = one_line(masked(text))
        lines += [f"   {mark} {shortened(flat, _LINE)}"] if flat else []
    return lines
