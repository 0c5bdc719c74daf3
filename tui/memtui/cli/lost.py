"""``memtui lost`` and ``pin``: what a compaction kept and lost, handing it over, and what must stay."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path

import click

from memtui.cli.options import common_options
from memtui.cli.output import print_groups, print_json, print_result, say
from memtui.documents.pins import Pin
from memtui.documents.quotes import citation
from memtui.flows.aftermath import as_object, newest_or_named, standing_rules
from memtui.flows.rescue import fitting, hand_over, rescue_text
from memtui.ground.clock import local_minute, parse_iso, system_clock
from memtui.ground.files import FileProblem, reading
from memtui.ground.project import Places, current_session, memtui_home
from memtui.ground.text import counted
from memtui.lost.choosing import prompt_for
from memtui.lost.notes import ChoiceError, candidate_json, compare, line_for_person, note_of, rows_json
from memtui.lost.outbox import lines_wait, rows_waiting
from memtui.lost.pins import ROOM, Pinned, Pins
from memtui.lost.records import OPEN, Aftermath, Row, Unfounded
from memtui.plugin.installing import has_all_hooks
from memtui.secrets.secrets import masked, masked_in
from memtui.store.sessions import find_transcript, named_session, refuse_several, transcripts_of
from memtui.transcript.short_text import shortened, tokens


@click.command("lost")
@click.argument("compaction", default="", metavar="[CAPTURE|SESSION]")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Every line of every compaction of the session; with --hand-over, every missing line.",
)
@click.option("--hand-over", "handing", is_flag=True, help="Hand lines over with the session's next prompt.")
@click.option("--row", "wanted", multiple=True, metavar="NUMBER|KEY", help="Hand over this line; repeat it.")
@click.option("--print", "printing", is_flag=True, help="With --hand-over: print a prompt to paste instead.")
@click.option("--note", is_flag=True, help="Print the note for a summary that standard input gives.")
@click.option("--candidates", "listing", is_flag=True, help="Print what a compaction may lose, numbered.")
@click.option("--choose", metavar='"R 4 17 S 33"', help="The note with these candidates, by heading.")
@click.option("--digest", default="", help="With --choose: the digest that --candidates has printed.")
@click.option(
    "--prompt", "asking", type=click.Choice(["small", "own"]), help="Print what a model is asked to choose."
)
@click.option("--transcript", type=click.Path(path_type=Path), help="With these: the session's transcript.")
@common_options
def lost(
    compaction: str,
    every: bool,
    handing: bool,
    wanted: tuple[str, ...],
    printing: bool,
    note: bool,
    listing: bool,
    choose: str | None,
    digest: str,
    asking: str | None,
    transcript: Path | None,
    as_json: bool,
    places: Places,
) -> None:
    """Print what a compaction kept and lost, or hand it over.

    That is the newest compaction of SESSION (an id, the beginning of one, or a transcript; without it the
    project's newest), or the one that CAPTURE belongs to. Each line worth having of the conversation that was
    replaced is kept by the summary (✓), handed over by memtui (↺), lost (✗; × is of less weight), or maybe
    kept (?), or waits for the next prompt (⏳), in the groups and the order of the app; what is worth most
    comes first. The first ten that count are printed, with --all every line. L476 names line 476 of the
    transcript.

    --hand-over delivers the losses that count, or the lines that --row names, with the session's next prompt,
    once. At most 8,300 characters have room; what is worth most comes first.

    --note prints what is handed to Claude right after a compaction, in at most 2,500 characters; standard
    input is the summary, or JSON {"summary": ..., "kept": [...]} with the messages that stayed. --candidates
    prints the numbered lines that it is chosen from, --choose makes the note of a choice among them. --prompt
    prints what the small model is asked once there is a summary, or the session's own before there is one.
    """
    if note or listing or choose is not None or asking:
        _note(places, transcript, listing, choose, digest, asking, as_json)
        return
    if handing:
        if wanted and every:
            raise click.UsageError("--row and --all exclude each other.")
        _hand_over(places, compaction, wanted, every, printing, as_json)
        return
    if wanted or printing:
        raise click.UsageError("--row and --print go with --hand-over.")
    found = newest_or_named(places, compaction, every=every)
    if as_json:
        print_json([masked_in(as_object(each)) for each in found])
        return
    for number, each in enumerate(found):
        if number:
            say()
        say(_headline(each))
        say()
        _print_rows(each, every)


def _print_rows(found: Aftermath, every: bool) -> None:
    numbers = itertools.count(1)
    waiting = {key for each in rows_waiting(memtui_home(), found.session_id) for key in each.keys}
    groups, left, more = [], sys.maxsize if every else 10, 0
    for title, rows in found.groups.items():
        some = rows[: max(0, left)] if every or title in OPEN else ()
        if some:
            groups.append((title, [masked(_line(row, numbers, waiting)) for row in some]))
        left, more = left - len(some), more + len(rows) - len(some)
    print_groups(groups)
    if not groups:
        say("Nothing that counts was lost.")
    if more:
        say()
        say(f"{counted(more, 'more line')}: --all prints every line of every compaction of the session.")


def _hand_over(
    places: Places, compaction: str, wanted: tuple[str, ...], every: bool, printing: bool, as_json: bool
) -> None:
    (found,) = newest_or_named(places, compaction)
    rows = [_row(found, name) for name in wanted] or list(found.missing if every else found.counted_losses)
    kept = fitting(rows)
    if not kept:
        reason = "nothing of this compaction is to be handed over; `memtui lost` shows its lines."
        raise click.ClickException(reason)
    session = found.session_id
    if printing:
        text = rescue_text(found, kept, places.project.name)
        made = {"operation": "print", "session_id": session, "rows": len(kept), "text": text}
        print_result(made, text, as_json)
    else:
        done = hand_over(places, system_clock, found, kept)
        said = f"{lines_wait(done.rows)} of session {session[:8]}."
        print_result({"operation": "hand-over", "session_id": session, "rows": done.rows}, said, as_json)
        if not as_json and not has_all_hooks(places):
            say("The hooks that deliver it are not installed: memtui init installs them.", err=True)
    if len(kept) < len(rows):
        say(f"{len(rows) - len(kept)} lines have no room and were left out.", err=True)


def _note(
    places: Places,
    transcript: Path | None,
    listing: bool,
    choose: str | None,
    digest: str,
    asking: str | None,
    as_json: bool,
) -> None:
    path = transcript or find_transcript(places)
    given = sys.stdin.read(8 << 20) if sys.stdin and not sys.stdin.isatty() else ""
    summary, kept = ("", []) if asking == "own" else _given(given)
    if not summary and not listing and asking != "own":
        raise click.ClickException("standard input is empty: give it the summary.")
    with reading(path):
        compared = compare(path, places.project, summary, kept, standing_rules(places))
    if asking:
        text = prompt_for(asking, compared, summary)
        print_result({"prompt": text, "tokens": tokens(text)}, text, as_json)
        if not as_json:
            say(f"about {tokens(text):,} tokens", err=True)
        return
    if listing:
        numbered = [candidate_json(compared, number) for number in range(1, len(compared.rows) + 1)]
        text = "\n".join(f"{each['n']}. {each['kind']} {each['text']}" for each in numbered)
        print_result({"digest": compared.digest, "candidates": numbered}, text, as_json, indent=None)
        return
    try:
        chosen = compared.chosen() if choose is None else compared.parsed(choose, digest)
    except ChoiceError as problem:
        raise click.ClickException(f"{problem}.") from None
    made = note_of(compared, chosen)
    line, rows = line_for_person(compared, made), rows_json(compared, made.numbers)
    found = {"note": made.text, "line": line, "rows": rows, "digest": compared.digest}
    if as_json or made.text:
        print_result(found, made.text, as_json, indent=None)


def _given(text: str) -> tuple[str, list[str]]:
    if text.lstrip().startswith("{"):
        with suppress(ValueError):
            given = json.loads(text)
            kept = given.get("kept")
            return str(given.get("summary") or ""), list(map(str, kept)) if isinstance(kept, list) else []
    return text.strip(), []


def _row(found: Aftermath, name: str) -> Row:
    if name.isdecimal() and 0 < int(name) <= len(found.missing):
        return found.missing[int(name) - 1]
    if row := next((row for row in found.rows if row.key == name), None):
        return row
    raise click.BadParameter(f"there is no line {name} in `memtui lost`", param_hint="--row")


def _headline(aftermath: Aftermath) -> str:
    """``2026-02-23 13:32  155k -> 42k  7 lost, 5 of less weight, 31 kept``."""
    compaction = aftermath.compaction
    moment = parse_iso(compaction.source.timestamp)
    sizes = [f"{round(size / 1000)}k" for size in (compaction.pre_tokens, compaction.post_tokens) if size]
    asked = sum(row.asked for row in aftermath.kept)
    parts = (
        local_minute(moment) if moment else "",
        f"session {aftermath.session_id[:8]}",
        " -> ".join(sizes),
        f"{aftermath.counts}{f', {asked} of them because asked' if asked else ''}",
    )
    return "  ".join(part for part in parts if part)


def _line(row: Row | Unfounded, numbers: Iterator[int], waiting: Container[str]) -> str:
    if isinstance(row, Unfounded):
        return f"⚠ {row.text}: {row.reason}"
    why = "still there" if row.preserved else "because asked" if row.asked else ""
    notes = (citation(row.source), row.need.label if row.need else "", why)
    remarks = ", ".join(note for note in notes if note)
    mark = "⏳" if row.key in waiting else row.mark
    mark += f" {next(numbers)}." if row.missing else ""
    return f"{mark} {shortened(row.quote, 200)}{f' ({remarks})' if remarks else ''}"


@click.command("pin")
@click.argument("text", required=False)
@click.option("--everywhere", is_flag=True, help="For all your projects, not only for this one.")
@click.option("--line", "source", default="", metavar="L412", help="The transcript's line it comes from.")
@click.option("--session", default="", metavar="ID", help="The session of that line, else the newest.")
@click.option("--remove", default="", metavar="NUMBER|TEXT", help="Remove the pin with this number or text.")
@click.option(
    "--confirm",
    default="",
    metavar="NUMBER|TEXT|all",
    help="Let a pin from the repository count, or all of them.",
)
@common_options
def pin(
    text: str | None,
    everywhere: bool,
    source: str,
    session: str,
    remove: str,
    confirm: str,
    as_json: bool,
    places: Places,
) -> None:
    """Pin a line that no compaction may lose; without TEXT, list the pins.

    Pins are kept in .project/pins.md, those for all projects beside the memories: one list item each, to be
    edited by hand, too. They have 2,000 characters together. The hooks give them word for word
    to the summariser, and to the session after a compaction and after /clear. TEXT - is read from
    standard input.

    Lines of .project/pins.md that you have neither pinned with memtui nor confirmed are listed as "from the
    repository": anyone may have written them, and Claude is not handed them until --confirm.
    """
    if sum((text is not None, bool(remove), bool(confirm))) > 1:
        raise click.UsageError("a text, --remove and --confirm exclude each other.")
    pins = Pins(places.project, memtui_home())
    if not everywhere and (text is not None or not pins.all()):
        refuse_several(places)
    if text is not None:
        if text == "-":
            text = sys.stdin.read(1 << 16) if sys.stdin else ""
        _add(pins, text, everywhere, source, session, as_json, places)
        if not as_json and not has_all_hooks(places):
            say("No summary gets it yet: the hooks are not installed; memtui init installs them.", err=True)
    elif remove:
        words = _named(pins.all(), remove)
        pins.remove(words)
        print_result({"operation": "remove", "text": words}, f"Removed: {words}", as_json)
    elif confirm:
        _confirm(pins, confirm, as_json)
    else:
        _list(pins.all(), as_json)


def _add(
    pins: Pins, text: str, everywhere: bool, source: str, session: str, as_json: bool, places: Places
) -> None:
    line = re.fullmatch(r"L?(\d{1,9})", source)
    if source and line is None:
        raise click.BadParameter("a line is a number, such as L412", param_hint="--line")
    session = session or current_session()
    with suppress(FileProblem):  # a session that is gone, or of another project, is kept as it was typed
        session = named_session(places, transcripts_of(places), session)[0] if line else session
    added = Pin(" ".join(text.split()), session[:8] if line else "", int(line[1]) if line else 0)
    made = pins.add(added, everywhere=everywhere)
    print_result({"operation": "add", "text": made.text}, f"Pinned: {made.item[2:]}", as_json)


def _confirm(pins: Pins, name: str, as_json: bool) -> None:
    known = pins.all()
    words = _named(known, name)
    waiting = [each.pin.text for each in known if not each.confirmed]
    texts = [each for each in waiting if name == "all" or each == words]
    if not texts:
        raise FileProblem(pins.path(everywhere=False), "has no such pin that waits to be confirmed")
    pins.confirm(texts)
    for text in texts:
        print_result({"operation": "confirm", "text": text}, f"Confirmed: {text}", as_json)


def _list(found: list[Pinned], as_json: bool) -> None:
    used = sum(len(each.pin.text) for each in found if each.confirmed)
    values = [it.pin._asdict() | {"everywhere": it.everywhere, "confirmed": it.confirmed} for it in found]
    if as_json or not found:
        print_result(values, 'No pin yet; `memtui pin "never push to main"` adds one.', as_json)
        return
    groups: dict[str, list[str]] = {title: [] for title in _PINS}
    for number, each in enumerate(found, 1):
        title = _PINS[2] if not each.confirmed else _PINS[1] if each.everywhere else _PINS[0]
        groups[title].append(f"{number}. {each.pin.text}{f' (L{each.pin.line})' if each.pin.line else ''}")
    print_groups((title, lines) for title, lines in groups.items() if lines)
    if used > ROOM:
        say(f"{used:,} characters; the last ones do not fit into {ROOM:,} and are not handed over.", err=True)


_PINS = (
    "This project",
    "Everywhere",
    "From the repository: not handed over until --confirm NUMBER, or all, lets them count",
)


def _named(found: list[Pinned], name: str) -> str:
    if name.isdecimal() and 0 < int(name) <= len(found):
        return found[int(name) - 1].pin.text
    return name
