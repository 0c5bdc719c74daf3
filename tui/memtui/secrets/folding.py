"""Text as a reader sees it: without invisible code points, look-alikes and entities as plain characters.

A tag can be written in many ways that a model, or a person, still reads as that tag. So tags are searched for
in the folded text, and mapped back to their place in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple


@cache
def _entity() -> re.Pattern[str]:
    """An entity or an escape; compiled when there may be one, as that takes long."""
    return re.compile(
        r"[&\uff06\ufe60](?:amp[;\uff1b]|#38[;\uff1b]|#x26[;\uff1b]){0,8}(?:#0{0,8}(?P<decimal>\d{1,7})"
        r"|#x0{0,8}(?P<hex>[0-9a-f]{1,6})"
        r"|(?P<name>[rl]s?aquo|[rl]ang|[lg]t|sol|lowbar|hyphen|dash|nbsp|tab|newline|zwn?j|shy|zerowidthspace|nobreak))[;\uff1b]?"
        r"|\\{1,4}(?:u(?P<unicode>[0-9a-f]{4})|u\{0{0,4}(?P<braces>[0-9a-f]{2,6})\}|x(?P<byte>[0-9a-f]{2}))"
        r"|%(?:25){0,8}(?P<percent>[2-7][0-9a-f])",
        re.IGNORECASE,
    )


# In either case spelled out: with re.IGNORECASE a dotless i, a long s and the Kelvin sign are in " -~".
_ODD = re.compile(r"[^\n\t -~]|&(?=[#A-Za-z])|\\(?=[UXux\\])|%(?=[2-7])")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\u2400-\u2421]"
)
"""Invisible characters, with the pictures and U+FFFD by which `memtui.ground.clean` replaces some of them."""


class Folded(NamedTuple):
    """A text in its folded form."""

    text: str  # in lower case, ASCII wherever a character looks like it
    starts: list[int]  # of the pieces in the folded text
    origins: list[int]  # and in the original

    def origin(self, at: int) -> int:
        """The offset in the original of the folded character at `at`."""
        piece = bisect_right(self.starts, at) - 1
        origin = self.origins[piece] + at - self.starts[piece]
        # One character may be folded to several.
        return min(origin, self.origins[piece + 1]) if piece + 1 < len(self.origins) else origin


def replaced(text: str, spans: Iterable[tuple[int, int, str]]) -> Folded:
    """A text with spans of it replaced: each its start and end, and the new text."""
    parts: list[str] = []
    starts, origins = [0], [0]
    at = length = 0
    for begin, end, new in spans:
        parts += (text[at:begin], new)
        length += begin - at
        if new:
            starts.append(length)
            origins.append(begin)
            length += len(new)
        starts.append(length)
        origins.append(end)
        at = end
    return Folded("".join((*parts, text[at:])), starts, origins)


def folded(text: str) -> Folded:
    """Fold a text: drop invisible code points, and turn look-alikes and entities into ASCII."""
    parts: list[tuple[int, int, str]] = []
    at = 0
    while (odd := _ODD.search(text, at)) is not None:
        plain, at = _plain(text, odd.start())
        parts.append((odd.start(), at, plain))
    found = replaced(text, parts)
    return found._replace(text=found.text.lower())


def _plain(text: str, at: int) -> tuple[str, int]:
    """The replacement of a special character or entity at a place, and the offset after it."""
    char = text[at]
    if char not in "&\\%\uff06\ufe60" or (entity := _entity().match(text, at)) is None:
        return _of_char(char), at + 1
    if name := entity["name"]:
        return _of_char(_entities()[name.lower()]), entity.end()
    digits = entity["hex"] or entity["unicode"] or entity["braces"] or entity["byte"] or entity["percent"]
    code = int(digits, 16) if digits else int(entity["decimal"])
    return _of_char(chr(code)) if code < 0x110000 else "", entity.end()


@cache
def _plain_of() -> dict[str, str]:
    lines = Path(__file__).with_name("lookalikes.txt").read_text("utf-8").splitlines()
    return {char: line[0] for line in lines for char in line[2:]}


@cache
def _entities() -> dict[str, str]:
    from html.entities import html5  # rarely needed

    return {name.rstrip(";").lower(): char for name, char in html5.items()}


def _of_char(char: str) -> str:
    if char.isascii():
        return "" if _INVISIBLE.match(char) else char.lower()
    if (plain := _plain_of().get(char)) is not None:
        return plain
    if _INVISIBLE.match(char):
        return ""
    from unicodedata import category, normalize  # rarely needed

    # Without diacritics; a letter may stand for several ("ﬁ"), and look like another.
    bare = [part for part in normalize("NFKD", char) if category(part) not in ("Mn", "Me", "Cf")]
    return "".join(_plain_of().get(part, part) for part in "".join(bare).lower())
