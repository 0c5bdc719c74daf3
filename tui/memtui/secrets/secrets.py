"""Secrets in a text: keys and tokens recognised by their form, values by the name they are assigned to.

One set of rules for every document, note, answer and export. A secret is replaced by its kind: ``[masked:
github token]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_letters, digits

from memtui.ground.named import TYPE_CHECKING
from memtui.secrets.address_secrets import address_spans
from memtui.secrets.assigned_secrets import assigned
from memtui.secrets.secret_spans import FULL_WIDTH, Hit, Span
from memtui.secrets.suspect_lines import suspect_lines
from memtui.secrets.tokens import tokens

if TYPE_CHECKING:
    from typing import Any

__all__ = ["MASK", "Hit", "find", "holds_secrets", "masked", "masked_in"]

MASK = "[masked: "
"""The beginning of every mask."""


_NAMED = 5
_FULL_WIDTH = {code + 0xFEE0: code for code in map(ord, ascii_letters + digits + "_-@#!$%")}
"""Full-width letters and digits, mapped to the ASCII ones they look like."""


def masked(text: str) -> str:
    """The text with each secret replaced by ``[masked: <kind>]``."""
    spans = _spans(text)
    if not spans:
        return text
    parts: list[str] = []
    begin = 0
    for span in spans:
        parts += (text[begin : span.start], f"{MASK}{span.kind}]")
        begin = span.end
    return "".join((*parts, text[begin:]))


def find(text: str) -> tuple[Hit, ...]:
    """The secrets in a text, in order."""
    hits: list[Hit] = []
    line, at = 1, 0
    for span in _spans(text):
        line += text.count("\n", at, span.start)
        at = span.start
        hits.append(Hit(line, span.kind))
    return tuple(hits)


def holds_secrets(hits: Sequence[Hit]) -> str:
    """A sentence without its full stop that names the first secrets of a text and their lines."""
    named = ", ".join(f"{hit.kind} (line {hit.line})" for hit in hits[:_NAMED])
    more = f", and {len(hits) - _NAMED} more" if len(hits) > _NAMED else ""
    return f"It holds {'a secret' if len(hits) == 1 else f'{len(hits)} secrets'}: {named}{more}"


def masked_in(value: Any) -> Any:
    """A JSON value with its texts masked, keys included."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked_in(key): masked_in(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_in(item) for item in value]
    return value


def _placed(text: str) -> Iterator[Span]:
    """Secrets recognised by their place, searched for only in suspicious lines."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case has two characters
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
    excerpt = suspect_lines(text, lowered)
    for rules in (address_spans, assigned) if excerpt.text else ():
        for span in rules(excerpt.text):
            yield Span(excerpt.origin(span.start), excerpt.origin(span.end - 1) + 1, span.kind)


def _spans(text: str) -> list[Span]:
    """Spans in order, without overlap: private keys first, then known forms, then assignments."""
    if not text.isascii() and FULL_WIDTH.search(text):
        text = text.translate(_FULL_WIDTH)
    found = [*tokens(text), *_placed(text)]
    if MASK in text:  # existing masks are kept
        found = [span for span in found if MASK not in text[max(0, span.start - len(MASK)) : span.end]]
    taken = bytearray(len(text)) if found else bytearray()
    kept: list[Span] = []
    for span in found:
        if not any(taken[span.start : span.end]):
            kept.append(span)
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
    return sorted(kept)
