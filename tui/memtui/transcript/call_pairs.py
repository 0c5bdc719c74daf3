"""A transcript's blocks, each call together with its result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memtui.transcript.blocks import Block
from memtui.transcript.events import Boundary, Call, Result, Words

_MOST_WAITING = 50
"""The most blocks held back while a call waits for its result; a later result is a block of its own."""


class Pair(NamedTuple):
    """A block; for a call, with its result."""

    number: int
    """Number of its line, 1-based."""
    block: Block
    result: Result | None = None


def paired(found: Iterable[tuple[int, Block]]) -> Iterator[Pair]:
    """Blocks in order, results with their calls; holds only a few at a time.

    Args:
        found: the line number and the block of each.
    """
    held: deque[Pair] = deque()
    waiting: set[str] = set()
    results: dict[str, Result] = {}
    for number, block in found:
        event = block.event
        if isinstance(event, Result) and event.id in waiting:
            waiting.discard(event.id)
            results[event.id] = event
        else:
            held.append(Pair(number, block))
            if isinstance(event, Call) and event.id:
                waiting.add(event.id)
        ends = isinstance(event, Boundary) or (isinstance(event, Words) and block.is_ask)
        while held and (ends or len(held) > _MOST_WAITING or _identity(held[0]) not in waiting):
            yield _released(held.popleft(), waiting, results)
    for pair in held:
        yield _released(pair, waiting, results)


def _identity(pair: Pair) -> str:
    """The id of a call; "" for anything else."""
    return pair.block.event.id if isinstance(pair.block.event, Call) else ""


def _released(pair: Pair, waiting: set[str], results: dict[str, Result]) -> Pair:
    name = _identity(pair)
    waiting.discard(name)
    return pair._replace(result=results.pop(name, None) if name else None)
