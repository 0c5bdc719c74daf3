"""Turning texts of a transcript into short lines for people."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])")
_NOISE = re.compile(r"^(?:#+\s*|[-*>]\s+|\d+[.)]\s+|/\S+\s+(?=\S))+")
_WORDS = re.compile(r"\w\w")
_GREETING = re.compile(r"^(?:hi|hello|hey|ok|okay|please|pls)\b[\s,!.:]*", re.IGNORECASE)


def one_line(text: str) -> str:
    """White space of all kinds becomes single spaces."""
    return " ".join(text.split())


def shortened(text: str, width: int) -> str:
    """At most `width` characters; a longer text is cut at a word and ends with ``…``."""
    if len(text) <= width:
        return text
    cut = text[: width - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > width * 2 // 3 else cut).rstrip(" ,;:") + "…"


def first_sentence(text: str) -> str:
    """The first sentence of the first line that says something, without list marks and greetings."""
    for line in text.split("\n"):
        told = _GREETING.sub("", _NOISE.sub("", line.strip()), count=1).strip()
        if _WORDS.search(told):
            return _SENTENCE_END.split(told, maxsplit=1)[0].strip()
    return ""


_TELLING = re.compile(
    r"error|exception|failed|failure|fatal|cannot|can't|not found|no such|denied|refused|missing|invalid",
    re.IGNORECASE,
)
_RULED = re.compile(r"[\W_]*|Exit code \d+|[=\-#*]{3,}.*[=\-#*]{3,}")


def telling_line(output: str) -> str:
    """The line of an output that says most about what went wrong, else the first that says anything."""
    lines = [line.strip() for line in output.split("\n")]
    lines = [line for line in lines if not _RULED.fullmatch(line)]
    return next((line for line in lines if _TELLING.search(line)), lines[0] if lines else "")
