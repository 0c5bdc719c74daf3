"""Sentences out of messages: prose only, without code, quotes, logs and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 320
"""Longest sentence considered, in characters: what is longer is a paste, not a rule."""

_PASTE = 4_000
_HEAD, _TAIL = 2_000, 1_000

_FENCES = frozenset({"```", "~~~", '"""', "'''"})
_MARKS = frozenset(">|$❯✓✗×❌✅⎿│╭╰├└#%@+")
_NOT_PROSE = re.compile(
    r"[-=*_]{3,}|\d+[:|→]|\[\d|\w+(?:Error|Exception):|at \S+ \(|(?:npm|error|warn)\b.*:", re.IGNORECASE
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
# A single letter before the dot is a mark ("A. is fine") or an abbreviation ("e.g. this").
_END = re.compile(r"(?:\.(?<!\b\w\.)|[!?;…])[\"')\]]*(?=\s)|[。！？；]")
_JOINTS = frozenset({"the", "a", "an", "and", "or", "of"})
_MARKUP = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


def prose_lines(text: str) -> Iterator[str]:
    """The lines of a message that may hold sentences; of a very long message only those at its ends."""
    fenced = False
    if len(text) > _PASTE:
        text = f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"
    for line in text.split("\n"):
        stripped = line.lstrip()
        if stripped[:3] in _FENCES:
            fenced = not fenced
        elif stripped and not fenced and not _is_code(stripped):
            yield stripped


def _is_code(line: str) -> bool:
    """A quotation, a table, a heading, output of a program."""
    return line[0] in _MARKS or _NOT_PROSE.match(line) is not None


class Stems:
    """Pieces of words in lower case, one of which a sentence must hold to be looked at more closely."""

    def __init__(self, *stems: str) -> None:
        self._stems = stems
        self._ascii = tuple(stem for stem in stems if stem.isascii())

    def __or__(self, other: Stems) -> Stems:
        return Stems(*dict.fromkeys(self._stems + other._stems))

    def in_(self, lowered: str) -> list[str]:
        """Those that a text in lower case holds."""
        return [stem for stem in (self._ascii if lowered.isascii() else self._stems) if stem in lowered]

    def any_in(self, lowered: str) -> bool:
        """Whether a text in lower case holds one of them."""
        # A loop: any() with a generator takes twice as long.
        for stem in self._ascii if lowered.isascii() else self._stems:  # noqa: SIM110
            if stem in lowered:
                return True
        return False


def sentences_with(text: str, lowered: str, stems: Stems) -> Iterator[str]:
    """The sentences of the lines of a message, outside of code blocks, that hold one of some stems.

    Args:
        text: the message.
        lowered: the same in lower case, which is worth making once for several calls.
        stems: what to look for.
    """
    for line in _lines_with(text, lowered, stems.in_(lowered)):
        yield from line_sentences(line)


def _lines_with(text: str, lowered: str, stems: list[str]) -> Iterator[str]:
    if len(lowered) != len(text):
        lowered = text  # some letters change their length
    starts: set[int] = set()
    for stem in stems:
        at = lowered.find(stem)
        while at >= 0:
            starts.add(lowered.rfind("\n", 0, at) + 1)
            end = lowered.find("\n", at)
            at = lowered.find(stem, end) if end >= 0 else -1
    for start in sorted(starts):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else None].lstrip()
        if line and text.count("```", 0, start) % 2 == 0 and not _is_code(line):
            yield line


def sentences(text: str) -> Iterator[str]:
    """The sentences of a message, one by one."""
    for line in prose_lines(text):
        yield from line_sentences(line)


def line_sentences(line: str) -> Iterator[str]:
    """The sentences of one line, without bullets and emphasis."""
    line = _BULLET.sub("", line, 1)
    if "*" in line or "__" in line:
        line = _MARKUP.sub("", line)
    start = 0
    for end in (*(match.end() for match in _END.finditer(line)), len(line)):
        piece = line[start:end].strip(" \t\\")
        start = end
        if 2 < len(piece) <= LONGEST and not _is_fragment(piece):
            yield piece


def _is_fragment(piece: str) -> bool:
    """A quotation, or a piece of text that was wrapped by hand."""
    return piece[0] in "\"“”'«)]" or piece[-1] in ",(—" or piece.rsplit(None, 1)[-1] in _JOINTS


def is_question(sentence: str) -> bool:
    """Whether a sentence asks; in Chinese and Japanese also without a question mark."""
    stripped = sentence.rstrip("\"')] ")
    return stripped.endswith(("?", "？", "吗", "呢", "ですか", "ますか")) or bool(_ASKING.match(sentence))


_ASKING = re.compile(
    r"(?:(?:and|but|so|also|ok(?:ay)?|hmm|q)[,:]?\s+)*"
    r"(?:do(?!\s+(?:it|this|that|the|these|those)\b)|can|could|would|will|should|shall|does|did|is|are|was|were|has|have"
    r"|why|what|when|where|which|who|how)\s+"
    r"(?:we|you|i|it|this|that|they|there|the|these|those|he|she)\b",
    re.IGNORECASE,
)
