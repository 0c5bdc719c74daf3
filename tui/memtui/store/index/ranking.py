"""The order of matches: relevance (BM25) times recency.

::

    score   = sum over the terms of  idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))
              * (0.5 + 0.5 * 0.5 ** (age / HALF_LIFE))
    idf     = ln(1 + (memories - frequency + 0.5) / (frequency + 0.5))
    tf      = how often the term stands in the text, at the beginning of a word counted twice;
              IN_HEAD more when it stands in the id, the description or a tag

So of two equal texts the newer one comes first, and an old one has at least half the score of a new one. With
equal scores the newer one comes first, then the larger id. Only the `POOL` matches indexed last are scored;
any others follow in the order of indexing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui.store.index.document import Document

POOL = 150
POOL_BYTES = 4 << 20
"""Maximum number of matches that are scored, and bytes of their texts."""

K1 = 1.2
B = 0.75
IN_HEAD = 4
HALF_LIFE = 60 * 86_400
"""Seconds after which the fading half of a score has halved."""


@dataclass(frozen=True, slots=True)
class Match:
    """A matching document."""

    name: str
    """Its file name; "" for a transcript, which may have many matches."""
    created: float
    length: int
    """Bytes of its folded text."""
    counts: tuple[int, ...]
    """`tf` of each term; empty if it was not scored."""
    document: Document | None = None
    """Set if it was already read."""
    id: int = 0
    """Its number in the index."""


def count(terms: Sequence[bytes], folded: bytes, head: int) -> tuple[int, ...]:
    """The `tf` of each term in a folded text, whose first `head` bytes are id, description and tags."""
    return tuple(
        folded.count(term) + folded.count(b" " + term) + (IN_HEAD if folded.find(term, 0, head) >= 0 else 0)
        for term in terms
    )


def ranked(
    matches: Sequence[Match],
    terms: Sequence[str],
    frequency: Mapping[str, int],
    *,
    memories: int,
    average: float,
    now: float,
) -> list[tuple[float, Match]]:
    """Matches with their scores, best first.

    Args:
        matches: the matches.
        terms: those of the query, in the order of `Match.counts`.
        frequency: number of memories with each term.
        memories: number of all memories.
        average: bytes of a folded text on average.
        now: seconds since 1970.
    """
    weights = []
    for term in terms:
        often = min(frequency.get(term, 0), memories)
        weights.append((K1 + 1) * math.log(1 + (memories - often + 0.5) / (often + 0.5)))
    scored = []
    for match in matches:
        norm = K1 * (1 - B + B * match.length / max(average, 1.0))
        age = max(0.0, now - match.created)
        telling = (
            sum(weight * tf / (tf + norm) for weight, tf in zip(weights, match.counts, strict=False))
            if terms
            else 1.0
        )
        scored.append((telling * (0.5 + 0.5 * 0.5 ** (age / HALF_LIFE)), match))
    scored.sort(key=lambda each: (each[0], each[1].created, each[1].name), reverse=True)
    return scored
