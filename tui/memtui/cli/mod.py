"""``memtui mod``: what the plugin's mod asks from within Claude Code. JSON in, JSON out.

The mod draws and carries; whatever has to be decided is decided here. Each event's input has the `session`
and its `transcript`; the answers are typed in ``plugin/types/index.d.ts``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from memtui.cli.options import places_option
from memtui.cli.output import print_json
from memtui.flows.aftermath import standing_rules
from memtui.ground.clock import system_clock
from memtui.ground.files.problems import reading
from memtui.ground.project import Places
from memtui.hooks.log import Run, record
from memtui.lost.choosing import WAYS, choice_of, choose_way, keys_of, prompt_for, said_by, way_of
from memtui.lost.handover_marks import mark_of, with_mark
from memtui.lost.notes import Comparison, compare, line_for_person, note_of, rows_json
from memtui.lost.outbox import NOTE, PINS, Message, Outbox, note_mod, take_delivery, what_of
from memtui.store.sessions import find_transcript

_LIMIT = 8 << 20
_EVENTS = ["start", "before", "ask", "note", "choose", "waiting"]
Given = dict[str, Any]


@click.command("mod", hidden=True)
@click.argument("event", type=click.Choice(_EVENTS))
@places_option
def mod(event: str, places: Places) -> None:
    """Answer the plugin's mod; standard input is JSON."""
    started = time.monotonic()
    try:
        given = json.loads(sys.stdin.read(_LIMIT)) if sys.stdin else None
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not isinstance(given.get("session"), str):
        raise click.ClickException("standard input must be JSON with the session.")
    answer = _ANSWERS[event](places, given)
    detail, taken = answer.pop("detail", ""), answer.pop("taken", [])
    print_json(answer, indent=None)
    sys.stdout.flush()
    for message in taken:
        Outbox(places.home, given["session"]).remove(message)
    if detail:
        ms = round((time.monotonic() - started) * 1000)
        at = system_clock().isoformat(timespec="milliseconds")
        root = str(places.project.root)
        record(places.home.hook_log, Run(at, "mod", ms, "ok", detail, given["session"][:100], root))


def _start(places: Places, given: Given) -> Given:
    """The mod is at work in a session: the hooks leave its notes to it."""
    note_mod(places.home, given["session"])
    return {"outbox": str(Outbox(places.home, given["session"]).folder), "way": way_of(places.home)}


def _before(places: Places, given: Given) -> Given:
    """A compaction begins: what the session's own model is asked, if it chooses."""
    answer = _start(places, given)
    return answer if answer["way"] != "own" else answer | _asked(places, given, "own")


def _ask(places: Places, given: Given) -> Given:
    """There is a summary: what a small model is asked."""
    return _asked(places, given, "small")


def _asked(places: Places, given: Given, way: str) -> Given:
    compared = _compared(places, given)
    return {
        "way": way,
        "prompt": prompt_for(way, compared, _summary(given)),
        "keys": keys_of(compared),
    }


def _note(places: Places, given: Given) -> Given:
    """What is handed over with the next request."""
    compared = _compared(places, given)
    choice = choice_of(compared, given.get("asked"))
    made = note_of(compared, compared.chosen() if choice.numbers is None else choice.numbers)
    handed = said_by(choice, len(made.numbers))
    take_delivery(places.home, given["session"])
    return {
        "note": made.text,
        "line": line_for_person(compared, made, handed),
        "rows": rows_json(compared, made.numbers),
        "way": way_of(places.home),
        "detail": _detail(what_of(Message(NOTE, made.text, rows=len(made.numbers))), made.text),
    }


def _choose(places: Places, given: Given) -> Given:
    """The person has said who chooses."""
    for way in WAYS:
        if way == given.get("way"):
            choose_way(places.home, way)
            return {"way": way_of(places.home)}
    raise click.ClickException("a choice is made by small, own or no.")


def _waiting(places: Places, given: Given) -> Given:
    """What waits for the session, taken out, to go with its next request."""
    outbox = Outbox(places.home, given["session"])
    texts, whats, taken = [], [], []
    for message in outbox.waiting():
        # What a hook may have delivered is left to the hooks, which look for it in the transcript.
        repeats = message.unless or message.printed or message.kind == PINS
        if repeats or (mine := outbox.take(message)) is None:
            continue
        texts.append(message.text)
        whats.append(what_of(message))
        taken.append(mine)
    text = with_mark("\n\n".join(texts)) if texts else ""
    return {
        "text": text,
        "detail": _detail("; ".join(whats), text),
        "taken": [outbox.note(each, mark_of(text)) for each in taken],
    }


def _compared(places: Places, given: Given) -> Comparison:
    named = given.get("transcript")
    path = Path(named) if isinstance(named, str) and named else find_transcript(places, given["session"])
    kept = given.get("kept")
    kept = [str(each) for each in kept] if isinstance(kept, list) else []
    with reading(path):
        return compare(path, places.project, _summary(given), kept, standing_rules(places))


def _summary(given: Given) -> str:
    return str(given.get("summary") or "")


def _detail(what: str, text: str) -> str:
    """The words of the hook log, by which receipts know the text again."""
    return f"{what}; {len(text)} characters of context, memtui:{mark_of(text)}" if text else ""


_ANSWERS = dict(zip(_EVENTS, (_start, _before, _ask, _note, _choose, _waiting), strict=True))
