"""Sentences out of messages: prose only, without code, quotes, logs and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 320
"""Longest sentence considered, in characters: what is longer is a paste, not a rule."""

_PASTE = 4_000
_HEAD, _TAIL = 2_000, 1_000

_FENCE = re.compile(r"^\s*(?:```|~~~|\"\"\"|''')")
_NOT_PROSE = re.compile(
    r"^\s*(?:[>|$❯✓✗×❌✅⎿│╭╰├└#%@+]|[-=*_]{3,}|\d+[:|→]|\[\d|\w+(?:Error|Exception):|at \S+ \(|(?:npm|error|warn)\b.*:)"
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_END = re.compile(r"(?<=[.!?;…])[\"')\]]*\s+|(?<=[。！？；])")
# A quotation, or a piece of text that was wrapped by hand.
_FRAGMENT = re.compile(r"^[\"“”'«)\]]|[,(—]$|\b(?:the|a|an|to|and|or|of|from|with|in|by)$", re.IGNORECASE)
_MARKUP = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a message, one by one; of a very long one only those at its ends."""
    if len(text) > _PASTE:
        text = f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and not _NOT_PROSE.match(line):
            yield from line_sentences(line)


def line_sentences(line: str) -> Iterator[str]:
    """The sentences of one line, without bullets and emphasis."""
    for piece in _END.split(_MARKUP.sub("", _BULLET.sub("", line))):
        piece = piece.strip()
        if 2 < len(piece) <= LONGEST and not _FRAGMENT.search(piece):
            yield piece


def first_sentence(text: str) -> str:
    """The first sentence with something to say: no greeting, no bare link, no markup."""
    best = ""
    for sentence in sentences(text):
        if not _EMPTY_PHRASE.fullmatch(sentence) and not sentence.startswith(("http://", "https://")):
            return sentence
        best = best or sentence
    return best or " ".join(text.split())[:LONGEST]


_EMPTY_PHRASE = re.compile(
    r"(?:hi|hello|hey|ok(?:ay)?|yes|no|sure|great|thanks?(?: you)?|good|please|sorry|bonjour|salut|merci|oui|non"
    r"|你好|好的?|谢谢|こんにちは|はい|ありがとう)?[\s,.!?;:。！？、…]*",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks; in Chinese and Japanese also without a question mark."""
    stripped = sentence.rstrip("\"')] ")
    return stripped.endswith(("?", "？", "吗", "呢", "ですか", "ますか")) or bool(_ASKING.match(sentence))


_ASKING = re.compile(
    r"(?:(?:and|but|so|also|ok(?:ay)?|hmm|q)[,:]?\s+)*"
    r"(?:can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|why|what|when|where|which|who|how)\s+"
    r"(?:we|you|i|it|this|that|they|there|the|these|those|he|she)\b",
    re.IGNORECASE,
)
