"""``memtui mod``: what the plugin's mod asks from within Claude Code. JSON in, JSON out.

The mod draws and carries; whatever has to be decided is decided here. Each event's input has the `session`
and its `transcript`; the answers are typed in ``plugin/types/index.d.ts``.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from memtui.cli.options import places_option
from memtui.cli.output import print_json
from memtui.flows.aftermath import standing_rules
from memtui.ground.clock import system_clock
from memtui.ground.files import reading
from memtui.ground.project import Places
from memtui.hooks.records import Run, record
from memtui.lost.ahead import lines_of, read_measured, what_would_go, write_measured
from memtui.lost.choosing import WAYS, choice_of, choose_way, keys_of, prompt_for, said_by, way_of
from memtui.lost.context_gauge import limit_of
from memtui.lost.handover_marks import mark_of, with_mark
from memtui.lost.notes import Comparison, compare, line_for_person, note_of, rows_json
from memtui.lost.outbox import NOTE, PINS, Message, Outbox, note_mod, take_delivery, what_of
from memtui.secrets.quoting import safe
from memtui.store.captures import compactions_in
from memtui.store.sessions import find_transcript
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.records import CompactionFact

Given = dict[str, Any]


def _start(places: Places, given: Given) -> Given:
    """The mod is at work in a session: the hooks leave its notes to it."""
    note_mod(places.home, given["session"])
    return {"outbox": str(Outbox(places.home, given["session"]).folder), "way": way_of(places.home)}


def _before(places: Places, given: Given) -> Given:
    """A compaction begins: what the session's own model is asked, if it chooses."""
    answer = _start(places, given)
    return answer | (_asked(places, given, "own") if answer["way"] == "own" else {"keys": []})


def _asked(places: Places, given: Given, way: str = "small") -> Given:
    """The prompt for the model that chooses, and the keys of its candidates; `way` is `small` or `own`."""
    compared = _compared(places, given)
    return {"prompt": prompt_for(way, compared, _summary(given)), "keys": keys_of(compared)}


def _note(places: Places, given: Given) -> Given:
    """The message to append to the next request, and a line for the person."""
    compared = _compared(places, given)
    choice = choice_of(compared, given.get("asked"))
    made = note_of(compared, compared.chosen() if choice.numbers is None else choice.numbers)
    handed = said_by(choice, len(made.numbers))
    what = what_of(Message(NOTE, made.text, rows=len(made.numbers)))
    take_delivery(places.home, given["session"])
    return {
        "note": made.text,
        "line": line_for_person(compared, made, handed),
        "rows": [_row(each) for each in rows_json(compared, made.numbers)],
        "detail": _detail(what + handed.partition(" handed over")[2], made.text),
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


def _measured(places: Places, given: Given) -> Given:
    """Claude Code has measured the context: kept for memtui, with a line when a compaction is near."""
    tokens, window = given.get("tokens"), given.get("window")
    if type(tokens) is not int or type(window) is not int:
        raise click.ClickException("a measurement has tokens and window.")
    now = system_clock().isoformat()
    measured = read_measured(places.home, given["session"]).with_size(tokens, window, now)
    if not measured.limit.low or measured.shrank:
        # The sizes at which this session is compacted, else those of the project's newest sessions.
        path, own, others = _path(places, given), list[CompactionFact](), list[int]()
        for transcript in TranscriptStore(places.project, places.claude).entries()[:20]:
            for each in compactions_in(transcript):
                if transcript.path == path:
                    own.append(CompactionFact(each.trigger, each.tokens, None))
                elif each.trigger == "auto":
                    others.append(each.tokens or 0)
        measured = measured._replace(limit=limit_of(own, others, ()))
    write_measured(places.home, given["session"], measured)
    return {"near": measured.line}


def _ahead(places: Places, given: Given) -> Given:
    """The candidates of the next compaction, as lines to show."""
    path = _path(places, given)
    with reading(path):
        ahead = what_would_go(path, places.project, _standing(places))
    return {"next": [ahead.line, *(f"· {safe(each)}" for each in lines_of(ahead, 10))]}


def _compared(places: Places, given: Given) -> Comparison:
    path = _path(places, given)
    kept = given.get("kept")
    kept = [str(each) for each in kept] if isinstance(kept, list) else []
    with reading(path):
        return compare(path, places.project, _summary(given), [*kept, *_standing(places)])


def _standing(places: Places) -> list[str]:
    """Pins and rules of active commands, which the hook of the session's start hands over."""
    return [each.text for each in standing_rules(places)]


def _path(places: Places, given: Given) -> Path:
    named = given.get("transcript")
    return Path(named) if isinstance(named, str) and named else find_transcript(places, given["session"])


def _summary(given: Given) -> str:
    return str(given.get("summary") or "")


def _row(row: Given) -> Given:
    source = f" (L{row['line']})" if row["line"] else ""
    return {"n": row["n"], "text": row["text"], "source": source, "handed_over": row["handed_over"]}


def _detail(what: str, text: str) -> str:
    """The words of the hook log, by which receipts know the text again."""
    return f"{what}; {len(text)} characters of context, memtui:{mark_of(text)}" if text else ""


_ANSWERS = {
    "start": _start,
    "before": _before,
    "ask": _asked,
    "note": _note,
    "choose": _choose,
    "waiting": _waiting,
    "measured": _measured,
    "ahead": _ahead,
}


@click.command("mod", hidden=True)
@click.argument("event", type=click.Choice(list(_ANSWERS)))
@places_option
def mod(event: str, places: Places) -> None:
    """Answer the plugin's mod; standard input is JSON."""
    started = time.monotonic()
    given = None
    with suppress(ValueError, RecursionError):
        given = json.loads(sys.stdin.read(8 << 20)) if sys.stdin else None
    if not isinstance(given, dict) or not isinstance(given.get("session"), str):
        raise click.ClickException("standard input must be JSON with the session.")
    answer = _ANSWERS[event](places, given)
    detail, taken = answer.pop("detail", ""), answer.pop("taken", [])
    print_json({"event": event, **answer}, indent=None)
    sys.stdout.flush()
    for message in taken:
        Outbox(places.home, given["session"]).remove(message)
    if detail:
        ms = round((time.monotonic() - started) * 1000)
        at = system_clock().isoformat(timespec="milliseconds")
        root = str(places.project.root)
        record(places.home.hook_log, Run(at, "mod", ms, "ok", detail, given["session"][:100], root))
