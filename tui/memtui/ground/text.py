"""Normal forms of text that make formats reversible, and the error of all formats.

A value that is in normal form before it is written is the same value when it is read again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from memtui.ground.clean import without_surrogates


def normal(text: str) -> str:
    r"""Line ends as ``\n``; surrogates joined or, if lone, replaced, so that it can be encoded."""
    text = without_surrogates(text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def file_text(text: str) -> str:
    """The text of a file in normal form, without a byte order mark."""
    return normal(text).removeprefix("\ufeff")


def one_line(text: str) -> str:
    """One line: line breaks, including Unicode's, become spaces; the ends are stripped."""
    if text.isascii() and text.isprintable():
        return text.strip()
    text = normal(text).strip()
    for line_break in ("\n", "\x85", "\u2028", "\u2029"):
        if line_break in text:
            parts = (part.strip() for part in text.split(line_break))
            text = " ".join(part for part in parts if part)
    return text


def matcher(pattern: str, otherwise: Callable[[Any], object] | None = None) -> Callable[[Any], object]:
    """A test whether a text, or UTF-8, has a match of a pattern without look-around.

    If pydantic is loaded by now, its engine takes a twentieth of the time, and finds nothing in a text with
    lone surrogates; its import would take longer than that saves, so that else Python tests: `otherwise`, or
    with the same pattern.
    """
    if "pydantic_core" in sys.modules:
        return _quick_matcher(pattern)
    return otherwise or re.compile(pattern).search


@cache
def _quick_matcher(pattern: str) -> Callable[[Any], object]:
    from pydantic_core import SchemaValidator, core_schema

    return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python


def opening(first_message: str) -> str:
    """The first line of a message that has words, and the next one, too, if it ends with a colon."""
    lines = (line.strip() for line in first_message.split("\n"))
    first, second = [*(line for line in lines if line), "", ""][:2]
    return f"{first} {second.lstrip('-*• ')}".strip() if first.endswith((":", "：")) else first


def block(text: str) -> str:
    """A block of lines without blank lines at either end; the rest is unchanged."""
    lines = normal(text).split("\n")
    return "\n".join(without_blank_ends(lines))


def without_blank_ends(lines: list[str]) -> list[str]:
    start, stop = 0, len(lines)
    while start < stop and not lines[start].strip():
        start += 1
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    return lines[start:stop]


def item(text: str) -> str:
    """The text of a list item: stripped, with empty blank lines."""
    text = normal(text).strip()
    if "\n" not in text:
        return text
    return "\n".join(line if line.strip() else "" for line in text.split("\n"))


def without_backticks(text: str) -> str:
    if text.startswith("`") and text.endswith("`") and text.count("`") == 2:
        return text[1:-1].strip() or text
    return text


def counted(number: int, one: str, many: str = "") -> str:
    """``1 memory``, ``1,200 memories``; `many` is `one` with an s if it is not given."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


class FormatError(ValueError):
    """A text does not have the expected format. The message is one clause; the caller names the file."""
