"""Forms of lines: those that programs print, and items of lists, which people type."""

from __future__ import annotations

import re

_FRAME = 4
"""Minimum number of box-drawing characters in a line of a program."""
LIST = re.compile(
    r"[ \t]*(?:[-*•+](?:\s|$)|[(（]?\d{1,3}(?:\.\d{1,2})*[.)）、．:]?(?:\s|$)"
    r"|[(（]?\d{1,2}[.)）、．]|[a-zA-Z][.)]\s|#{1,6}\s)"
)
_TAG = re.compile(r"\s*(\[[^\]\n]{1,40}\]|\w[\w.-]{0,30}[:>|](?=\s)|at\s+\S+\s*\()")
_DRAWN = re.compile(r"[\u2500-\u259f]")
_RULE = re.compile(r"([^\w\s])\1{7}")
"""Rules and boxes that programs draw."""
_SECONDS = re.compile(r"\s*(\d+\.\d+)\s")
_DIGITS = re.compile(r"\d+")
_FORMS = (
    ("time", re.compile(r"\W*\d{1,4}[-/:.]\d\d[-/:.]\d\d")),
    ("mark", re.compile(r"\s*([^\w\s\"'“‘«»(（「『/@`#*.¿¡-][^\w\s]*)(?:\s|$)")),
    ("place", re.compile(r"\s*[\w./\\-]+\.\w{1,6}:\d+\b")),
    ("code", re.compile(r"\s*(?://|/\*)|.*[;{}]\s*$")),
    ("indent", re.compile(r"    |\t")),
    ("progress", re.compile(r".*(?:\.\.\.|…)\s*$")),
)


def is_drawn(line: str) -> bool:
    """Whether a line has a terminal's escape codes, or is part of a box."""
    return "\x1b" in line or len(_DRAWN.findall(line)) >= _FRAME


def kind_of(line: str) -> str:
    """The kind of output a line looks like, "" if it does not."""
    if "\x1b" in line or "\x08" in line:
        return "escape"
    if (not line.isascii() and _DRAWN.search(line)) or _RULE.search(line):
        return "mark"
    if seconds := _SECONDS.match(line):
        return seconds[1]
    if not line.strip() or LIST.match(line):
        return ""
    if tag := _TAG.match(line):
        return "frame" if tag[1].startswith("at") and tag[1].endswith("(") else _DIGITS.sub("0", tag[1])
    return next((kind for kind, form in _FORMS if form.match(line)), "")
