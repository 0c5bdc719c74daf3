"""Words in any script, and what stands out in a text: identifiers, quoted commands, blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtui.transcript.short_text import one_line

SHELLS = frozenset({"", "bash", "sh", "shell", "console", "zsh"})
"""Languages of blocks that hold commands."""
COMMAND = re.compile(r"`[a-z][\w./-]* (?![=!<>:+*]+ )[^`\n]+`")
"""A quoted command, which is no assignment or comparison."""
IDENTIFIER = re.compile(
    r"`[^`\n]+`|(?:[\w.@~-]{0,99}/){1,40}[\w.@-]+|\b[\w-]{2,99}\.[A-Za-z]\w{0,4}\b|--[\w-]+|#\d+|\b[0-9a-f]{7,40}\b"
    r"|\b\w*\d[\w.:,%-]*|\b[a-z]+(?:[A-Z]\w*)+|\b\w+_\w+\b|\b[A-Z]{2,}-[A-Z\d-]*\b|[\"“「『][^\"”」』\n]{2,60}[\"”」』]"
)
"""A path, a number, a flag, an id, a word of code, or quoted words; bounded, as a line may be long."""
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W_]+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(\w*)")
_RUN = re.compile(r"^\s*(?:\$ )?([a-z][\w./-]* [^\n]{3,160})$")
"""A command in a block of a shell."""


class Span(NamedTuple):
    """A place in a text, as character offsets."""

    start: int
    end: int


def words(text: str) -> frozenset[str]:
    """The words of a text; runs of Chinese, Japanese or Korean as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        pairs = [word[at : at + 2] for at in range(max(1, len(word) - 1))] if WIDE.match(word) else [word]
        found.update(pairs)
    return frozenset(found)


def named(text: str) -> set[str]:
    """The identifiers in a text with three letters or more, paths also by their last part."""
    found = {each[0].strip('`"“”「」『』') for each in IDENTIFIER.finditer(text)}
    found |= {each.rpartition("/")[2] for each in found}
    return {each for each in found if sum(map(str.isalpha, each)) > 2}


def blocks(text: str) -> Iterator[tuple[str | None, str]]:
    """The lines of a text, each with the language of its block; None outside of blocks."""
    language = None
    for line in text.split("\n"):
        if fence := _FENCE.match(line):
            language = fence[1] if language is None else None
        else:
            yield language, line


def fenced(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a text's blocks, each with the block's language."""
    return ((language, line) for language, line in blocks(text) if language is not None)


def unfenced(text: str) -> str:
    return "\n".join(line for language, line in blocks(text) if language is None)


def commands_in(text: str) -> Iterator[str]:
    """The commands in a text's blocks of a shell."""
    return (found for language, line in fenced(text) if language in SHELLS and (found := command_in(line)))


def command_in(line: str) -> str:
    """The command on a line of a shell's block; "" for none."""
    found = _RUN.match(line)
    return one_line(found[1]) if found else ""
