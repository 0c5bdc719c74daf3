"""The rule by which a text names a file, a task, a message or a command; the benchmark's own.

A file is named when its path relative to the project's root is in the text (``src/{a.py, b.py}`` counts for
both), or its name does, alone or at the end of its own path, and no other file of the session has that name.
Anything else is named when one line of the text has 80 % of its words; for a command, its first two words,
which name the program, have to be among them. Scripts without spaces are compared by pairs of characters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ENOUGH = 0.8
"""Share of a text's words that one line must have."""

HEAD = 160
"""Length of the part of a message that has to be named, in characters."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BRACES = re.compile(r"([^\s{},]*/)\{([^{}\n]*)\}")


class Span(NamedTuple):
    """The place of a name in a text, as character offsets."""

    start: int
    end: int


def words(text: str) -> frozenset[str]:
    """The words of a text; runs of Chinese, Japanese or Korean as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        pairs = [word[at : at + 2] for at in range(max(1, len(word) - 1))] if _WIDE.match(word) else [word]
        found.update(pairs)
    return frozenset(found)


def head_of(message: str) -> str:
    """The part of a message that has to be named, on one line."""
    return " ".join(message[:HEAD].split())


class SearchedText:
    """A text to search for facts."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.split("\n")
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._expanded = _BRACES.sub(lambda m: ", ".join(m[1] + name for name in m[2].split(", ")), text)
        self._lines = [words(line) for line in self._expanded.split("\n")]

    def name(self, name: str) -> Span | None:
        """The place of a name, alone or at the end of a path."""
        pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
        if found := pattern.search(self.text):
            return Span(*found.span())
        if self._expanded != self.text and (found := pattern.search(self._expanded)):
            return self._line(self._expanded.count("\n", 0, found.start()))
        return None

    def find_text(self, text: str, needed: str = "") -> Span | None:
        """The line with the most of a text's words, if it has enough, and all of the `needed` ones."""
        wanted, must = words(text), words(needed)
        best, most = -1, ENOUGH * len(wanted)
        for number, line in enumerate(self._lines):
            common = len(wanted & line)
            if common >= most and (best < 0 or common > most) and must <= line:
                best, most = number, common
        return self._line(best) if best >= 0 else None

    def command(self, command: str) -> Span | None:
        """The line that names a command."""
        return self.find_text(command, " ".join(command.split(maxsplit=2)[:2]))

    def file(self, relative: str, unique_name: str) -> Span | None:
        """The place where a file is named.

        Args:
            relative: its path relative to the project's root.
            unique_name: its name; "" if another file of the session has the same.
        """
        found = self.name(relative)
        if found is None and unique_name:
            for match in re.finditer(
                rf"(?<![\w./-])([\w.@~/-]*/)?{re.escape(unique_name)}(?![\w-])", self.text
            ):
                if f"/{relative}".endswith(f"/{(match[1] or '').lstrip('./~')}{unique_name}"):
                    return Span(*match.span())
        return found

    def _line(self, number: int) -> Span:
        return Span(self._starts[number], self._starts[number + 1] - 1)
