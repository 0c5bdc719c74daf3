"""Text as a reader sees it: without invisible code points, look-alikes and entities as plain characters.

A tag can be written in many ways that a model, or a person, still reads as that tag. So tags are searched for
in the folded text, and mapped back to their place in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

_BRACKETS = {
    "<": (
        "\u02c2\u1438\u1470\u16b2\u2039\u2329\u227a\u226a\u276c\u276e\u2770\u27e8"
        "\u27ea\u2991\u29fc\u2a9f\u2aa1\u300a\u3008\ufe3f\ufe3d\ufe64\uff1c\xab"
        "\U0001d236\u1433"
    ),
    ">": (
        "\u02c3\u1437\u203a\u232a\u227b\u226b\u276d\u276f\u2771\u27e9\u27eb\u2992"
        "\u29fd\u2aa0\u2aa2\u300b\u3009\ufe40\ufe3e\ufe65\uff1e\xbb\U0001d237"
    ),
    "/": "\u2044\u2215\u2571\u29f8\u2cc6\u30ce\u4e3f\uff0f\u1735\u27cb\u29f6\u3033",
    "-": (
        "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u02d7\u06d4\u207b\u208b\u2212"
        "\u2796\u2cba\u30fc\uff0d\ufe58\ufe63"
    ),
    "_": "\uff3f\ufe4d\ufe4e\ufe4f\u203f\u02cd",
    "&": "\uff06\ufe60",
}
_LETTERS = {
    "a": "\u0430\u03b1\u0251\uab7a\u13aa\u1d00",
    "b": "\u0432\u0184\u13cf\u0299\u044c",
    "c": "\u0441\u03f2\u1d04\u2ca5",
    "d": "\u0501\u1d05\u217e",
    "e": "\u0435\u0454\u212e\u1d07\u04bd\u03b5\u13ac\uab7c",
    "f": "\ua799\u03dd",
    "g": "\u0261\u0581\u0262\u0433",
    "h": "\u04bb\u0570\u029c\u043d",
    "i": "\u0456\u0269\u03b9\u0131\u026a\u04cf\u13a5\uab75",
    "j": "\u0458\u03f3\u1d0a",
    "k": "\u043a\u03ba\u1d0b",
    "l": "\u029f\u2223\u01c0\u05d5\u217c",
    "m": "\u043c\u1d0d\u217f\u13b7\uab87",
    "n": "\u0578\u057c\u0274\u03b7\u043f",
    "o": "\u043e\u03bf\u0585\u1d0f\u05e1",
    "p": "\u0440\u03c1\u1d18\u2ca3\u13e2\uabb2",
    "q": "\u051b\u0566",
    "r": "\u0433\u1d26\u0280\uab47\u13a1\u13d2\uab71\uaba2",
    "s": "\u017f\u0455\ua731\u01bd\u13da\uabaa",
    "t": "\u0442\u03c4\u1d1b\u13a2\uab72",
    "u": "\u057d\u03c5\u1d1c\u028b",
    "v": "\u0475\u03bd\u1d20\u05d8\u13d9\uaba9",
    "w": "\u051d\u0461\u1d21\u0561",
    "x": "\u0445\u03c7\u2179",
    "y": "\u0443\u03b3\u028f\u04af",
    "z": "\u1d22\u0396",
}
_PLAIN = {
    ord(char): plain for table in (_LETTERS, _BRACKETS) for plain, chars in table.items() for char in chars
}

_NAMED = (
    {
        "lt": "<",
        "gt": ">",
        "amp": "&",
        "laquo": "<",
        "raquo": ">",
        "lsaquo": "<",
        "rsaquo": ">",
        "lang": "<",
        "rang": ">",
        "sol": "/",
        "lowbar": "_",
        "hyphen": "-",
        "dash": "-",
    }
    | dict.fromkeys(("nbsp", "tab", "newline"), " ")
    | dict.fromkeys(("zwj", "zwnj", "shy", "zerowidthspace", "nobreak"), "")
)

_ENTITY = re.compile(
    r"[&\uff06\ufe60](?:amp[;\uff1b]|#38[;\uff1b]|#x26[;\uff1b]){0,8}(?:#0{0,8}(?P<decimal>\d{1,7})"
    r"|#x0{0,8}(?P<hex>[0-9a-f]{1,6})"
    r"|(?P<name>lt|gt|laquo|raquo|lsaquo|rsaquo|lang|rang|sol|lowbar|hyphen|dash|nbsp|tab|newline|zwj|zwnj|shy|zerowidthspace|nobreak))[;\uff1b]?"
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

    text: str
    """In lower case, ASCII wherever a character looks like it."""
    starts: list[int]
    origins: list[int]
    """The offsets of the pieces in the folded text and in the original."""

    def origin(self, at: int) -> int:
        """The offset in the original of the folded character at `at`."""
        if not self.starts:
            return at
        piece = bisect_right(self.starts, at) - 1
        origin = self.origins[piece] + at - self.starts[piece]
        # One character may be folded to several.
        return min(origin, self.origins[piece + 1]) if piece + 1 < len(self.origins) else origin


def folded(text: str) -> Folded:
    """Fold a text: drop invisible code points, and turn look-alikes and entities into ASCII."""
    if not _ODD.search(text):
        return Folded(text.lower(), [], [])
    parts: list[str] = []
    starts, origins = [0], [0]
    at = length = 0
    while (odd := _ODD.search(text, at)) is not None:
        parts.append(text[at : odd.start()].lower())
        length += odd.start() - at
        plain, at = _plain(text, odd.start())
        if plain:
            starts.append(length)
            origins.append(odd.start())
            parts.append(plain)
            length += len(plain)
        starts.append(length)
        origins.append(at)
    parts.append(text[at:].lower())
    return Folded("".join(parts), starts, origins)


def _plain(text: str, at: int) -> tuple[str, int]:
    """The replacement of a special character or entity at a place, and the offset after it."""
    char = text[at]
    if char in "&\\%\uff06\ufe60" and (entity := _ENTITY.match(text, at)) is not None:
        return _of_entity(entity), entity.end()
    return _of_char(char), at + 1


def _of_entity(entity: re.Match[str]) -> str:
    if name := entity["name"]:
        return _NAMED[name.lower()]
    digits = entity["hex"] or entity["unicode"] or entity["braces"] or entity["byte"] or entity["percent"]
    code = int(digits, 16) if digits else int(entity["decimal"])
    return _of_char(chr(code)) if code < 0x110000 else ""


def _of_char(char: str) -> str:
    if char.isascii():
        return "" if _INVISIBLE.match(char) else char.lower()
    if (plain := _PLAIN.get(ord(char))) is not None:
        return plain
    if _INVISIBLE.match(char):
        return ""
    from unicodedata import category, normalize  # rarely needed

    # Without diacritics; a letter may stand for several ("ﬁ"), and look like another.
    bare = [part for part in normalize("NFKD", char) if category(part) not in ("Mn", "Me", "Cf")]
    return "".join(_PLAIN.get(ord(part), part) for part in "".join(bare).lower())
