"""A pins file: Markdown that people may edit, one list item per pin, the most important first.

    - never push to main (90dd90a0 L412)

The end in brackets names the source: the beginning of a session's id, and a line of its transcript; either
may be missing. Everything else in the file is kept as it is. Standard library only.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TITLE = "# Pins\n\nLines that no compaction may lose, one list item each; the first ones count most.\n\n"

_ITEM = re.compile(r"[-*+] +(?:\[[ xX]\] +)?(\S.*)")
_SOURCE = re.compile(r" \((?:([\w-]{1,60}) )?L(\d{1,9})\)$")


class Pin(NamedTuple):
    """A line that must never be lost."""

    text: str
    session: str = ""
    """The beginning of the session's id."""
    line: int = 0
    """The transcript's line; 0 if unknown."""

    @property
    def item(self) -> str:
        if not self.line:
            return f"- {self.text}"
        return f"- {self.text} ({f'{self.session} ' if self.session else ''}L{self.line})"


def parse_pins(text: str) -> list[Pin]:
    return [pin for pin, _, _ in _items(text)]


def with_pin(text: str, pin: Pin) -> str:
    """The file with another pin behind the last one."""
    lines = (text or TITLE).split("\n")
    items = _items(text)
    at = items[-1][2] if items else len(lines) - (not lines[-1])
    lines.insert(at, pin.item)
    return "\n".join(lines).rstrip("\n") + "\n"


def without_pin(text: str, words: str) -> str:
    """The file without the first pin with this text."""
    lines = text.split("\n")
    for pin, begin, end in _items(text):
        if pin.text == words:
            del lines[begin:end]
            break
    return "\n".join(lines)


def _items(text: str) -> list[tuple[Pin, int, int]]:
    """Each pin with its first line and the one after its last; indented lines continue it."""
    found: list[tuple[str, int, int]] = []
    for number, line in enumerate(text.split("\n")):
        line = line.rstrip("\r")
        if item := _ITEM.match(line):
            found.append((item[1].strip(), number, number + 1))
        elif found and found[-1][2] == number and line.startswith("  ") and line.strip():
            words, begin, _ = found[-1]
            found[-1] = (f"{words} {line.strip()}", begin, number + 1)
    return [(_pin(words), begin, end) for words, begin, end in found]


def _pin(words: str) -> Pin:
    source = _SOURCE.search(words)
    if source is None:
        return Pin(words)
    return Pin(words[: source.start()].rstrip(), source[1] or "", int(source[2]))
