"""``memtui pin``: lines that no compaction may lose."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from memtui.cli.changes import changes_in
from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.formats.pins import Pin
from memtui.ground.project import current_session, memtui_home
from memtui.lost.pins import ROOM, Pinned, PinProblem, Pins

_LIMIT = 1 << 16
_SOURCE = re.compile(r"L?(\d{1,9})")


@click.command("pin")
@click.argument("text", required=False)
@click.option("--everywhere", is_flag=True, help="For all your projects, not only for this one.")
@click.option("--line", "source", default="", metavar="L412", help="The transcript's line it comes from.")
@click.option("--session", default="", metavar="ID", help="The session of that line.")
@click.option("--remove", default="", metavar="NUMBER|TEXT", help="Remove the pin with this number or text.")
@click.option(
    "--confirm",
    default="",
    metavar="NUMBER|TEXT|all",
    help="Let a pin from the repository count, or all of them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@root_option
def command(
    text: str | None,
    everywhere: bool,
    source: str,
    session: str,
    remove: str,
    confirm: str,
    as_json: bool,
    root: Path | None,
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
    project = project_of(root)
    pins = Pins(project, memtui_home(), changes_in(project.root).wrote)
    if text is not None:
        _add(pins, _read() if text == "-" else text, everywhere, source, session, as_json)
    elif remove:
        words = _named(pins.all(), remove)
        pins.remove(words)
        _print_result("remove", words, as_json)
    elif confirm:
        _confirm(pins, confirm, as_json)
    else:
        _list(pins.all(), as_json)


def _add(pins: Pins, text: str, everywhere: bool, source: str, session: str, as_json: bool) -> None:
    line = _SOURCE.fullmatch(source)
    if source and line is None:
        raise click.BadParameter("a line is a number, such as L412", param_hint="--line")
    session = (session or current_session())[:8] if line else ""
    pin = Pin(" ".join(text.split()), session, int(line[1]) if line else 0)
    _print_result("add", pins.add(pin, everywhere=everywhere).text, as_json)


def _confirm(pins: Pins, name: str, as_json: bool) -> None:
    known = pins.all()
    words = _named(known, name)
    texts = [
        each.pin.text for each in known if not each.confirmed and (name == "all" or each.pin.text == words)
    ]
    if not texts:
        raise PinProblem(pins.path(everywhere=False), "has no such pin that waits to be confirmed")
    pins.confirm(texts)
    for text in texts:
        _print_result("confirm", text, as_json)


_DONE = {"add": "Pinned", "remove": "Removed", "confirm": "Confirmed"}


def _print_result(operation: str, text: str, as_json: bool) -> None:
    if as_json:
        print_json({"operation": operation, "text": text})
    else:
        say(f"{_DONE[operation]}: {text}")


def _list(found: list[Pinned], as_json: bool) -> None:
    used = sum(len(each.pin.text) for each in found if each.confirmed)
    if as_json:
        print_json(
            [
                each.pin._asdict() | {"everywhere": each.everywhere, "confirmed": each.confirmed}
                for each in found
            ]
        )
        return
    if not found:
        say('No pin yet; `memtui pin "never push to main"` adds one.')
        return
    rows = [
        (str(number), each.pin.text, f"L{each.pin.line}" if each.pin.line else "-", _where(each))
        for number, each in enumerate(found, 1)
    ]
    print_table(("", "Pin", "Line", "Holds"), rows, flexible=1)
    if not all(each.confirmed for each in found):
        say(
            "Those from the repository are not handed over; --confirm NUMBER or all lets them count.",
            err=True,
        )
    if used > ROOM:
        say(f"{used:,} characters; the last ones do not fit into {ROOM:,} and are not handed over.", err=True)


def _where(pinned: Pinned) -> str:
    if not pinned.confirmed:
        return "from the repository"
    return "everywhere" if pinned.everywhere else "here"


def _named(found: list[Pinned], name: str) -> str:
    if name.isdecimal() and 0 < int(name) <= len(found):
        return found[int(name) - 1].pin.text
    return name


def _read() -> str:
    return sys.stdin.read(_LIMIT) if sys.stdin else ""
