"""Parsing tags as typed on the command line and in the app."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[,\n]")


def tags_of(*texts: str) -> tuple[str, ...]:
    """The tags in texts: separated by commas, with or without a ``#``; each once, regardless of case."""
    parts = (part for text in texts for part in _SEPARATORS.split(text))
    found: dict[str, str] = {}
    for tag in filter(None, (" ".join(part.split()).lstrip("# ") for part in parts)):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())
