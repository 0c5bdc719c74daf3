"""Secrets in a text: keys and tokens recognised by their form, values by the name they are assigned to.

One set of rules, ``rules.toml``, for every document, note, answer and export. A secret is replaced by its
kind: ``[masked: github token]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui.ground.named import TYPE_CHECKING, NamedTuple
from memtui.secrets.excerpts import as_seen, may_hold_secret, suspect_lines

if TYPE_CHECKING:
    from typing import Any

    from memtui.secrets.rules import Span

MASK = "[masked: "
"""The beginning of every mask."""
_NAMED = 5


class Hit(NamedTuple):
    """A reported secret."""

    line: int
    """1-based."""
    kind: str


def masked(text: str) -> str:
    """The text with each secret replaced by ``[masked: <kind>]``.

    Pass a whole text, and cut what is returned: half a secret, or one without its name, is not recognised.
    """
    parts: list[str] = []
    begin = 0
    for span in _spans(text):
        parts += (text[begin : span.start], f"{MASK}{span.kind}]")
        begin = span.end
    return "".join((*parts, text[begin:])) if parts else text


def find(text: str) -> tuple[Hit, ...]:
    """The secrets in a text, in order."""
    return tuple(Hit(text.count("\n", 0, span.start) + 1, span.kind) for span in _spans(text))


def holds_secrets(hits: Sequence[Hit]) -> str:
    """A sentence without its full stop that names the first secrets of a text and their lines."""
    named = ", ".join(f"{hit.kind} (line {hit.line})" for hit in hits[:_NAMED])
    more = f", and {len(hits) - _NAMED} more" if len(hits) > _NAMED else ""
    return f"It holds {'a secret' if len(hits) == 1 else f'{len(hits)} secrets'}: {named}{more}"


def masked_in(value: Any) -> Any:
    """A JSON value or a named tuple with its texts masked, keys included; a key names its value."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked_in(key): _masked_under(key, item) for key, item in value.items()}
    if hasattr(value, "_fields"):
        return type(value)(*map(masked_in, value))
    if isinstance(value, list | tuple):
        return [masked_in(item) for item in value]
    return value


def _masked_under(key: Any, item: Any) -> Any:
    if not isinstance(item, str):
        return masked_in(item)
    before = f'"{key}": "'
    alone, named = masked(item), masked(f'{before}{item}"')
    return named[len(before) : -1] if alone == item and named.startswith(before) else alone


def _spans(text: str) -> list[Span]:
    """Spans in order, without overlap: private keys first, then known forms, then places and names."""
    if not may_hold_secret(text):
        return []
    seen = as_seen(text)
    found = [
        span._replace(start=seen.origin(span.start), end=seen.origin(span.end - 1) + 1)
        for span in _found(seen.text)
    ]
    if MASK in text:  # existing masks are kept
        found = [span for span in found if MASK not in text[max(0, span.start - len(MASK)) : span.end]]
    taken = bytearray(len(text)) if found else bytearray()
    kept: list[Span] = []
    for span in found:
        if not any(taken[span.start : span.end]):
            kept.append(span)
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
    return sorted(kept)


def _found(text: str) -> Iterator[Span]:
    from memtui.secrets.places import assigned
    from memtui.secrets.rules import placed, tokens

    yield from tokens(text)
    excerpt = suspect_lines(text, _lowered(text))
    lowered = _lowered(excerpt.text)
    for rule in (placed, assigned) if excerpt.text else ():
        for span in rule(excerpt.text, lowered):
            yield span._replace(start=excerpt.origin(span.start), end=excerpt.origin(span.end - 1) + 1)


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if char.isascii() else char for char in text)  # as İ becomes two characters
