"""The rules of ``rules.toml``: read and compiled on first use."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator
from functools import cache

from memtui.ground.named import TYPE_CHECKING, NamedTuple
from memtui.ground.patterns import deferred
from memtui.secrets.values import (
    is_hex,
    is_password,
    is_path,
    is_random,
    is_reference,
    is_strong,
    is_typical,
    is_uuid,
    pattern,
    table,
)

if TYPE_CHECKING:
    from typing import Any


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """The kind of secret: ``github token``."""


# Not \b, which is Unicode-aware: there is no boundary next to Chinese text or an underscore.
# Text before a match is examined afterwards: a pattern that begins with a letter is ten times faster.
_BEFORE = deferred("[A-Za-z0-9]")
_END = "(?![A-Za-z0-9])"
_SHORTEST = 14
"""Length of the shortest token, in characters."""
_FIRST = deferred(r"[\w]|\\[^\w]")
_DIGIT = deferred("[0-9]")
_KEY_BEGIN = deferred(
    r"-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"|Private-Lines: \d{1,4}(?=\s)"
)
_KEY_LENGTH = 20_000
_KEY_LINES = deferred(r"(?:\s{0,40}(?:\\{1,2}[rn]|[>|+\"'#] ?){0,4}\s?[A-Za-z0-9+/=:,-]{1,80})*+")


def tokens(text: str) -> Iterator[Span]:
    """Spans of known keys and tokens, and of private keys."""
    if "PRIVATE KEY" in text or "Static key" in text or "Private-Lines" in text:
        yield from _key_blocks(text)
    long = {word for word in text.split() if len(word) >= _SHORTEST}
    words = "\n".join(long)
    rules = table()["token"]
    if not _known_beginnings().search(words):  # other tokens begin with any letters
        rules = _beginning_with_any()
        words = "\n".join(filter(_DIGIT.search, long))
    for rule in rules if words else ():
        # No token contains a blank: only the few words with such a literal are examined.
        if rule["part"] in words and next(_fitting(rule["find"], words), None) is not None:
            yield from (Span(*found.span(), rule["kind"]) for found in _fitting(rule["find"], text))


@cache
def _known_beginnings() -> re.Pattern[str]:
    """A pattern for the tokens with a literal beginning, which fails faster than all of them separately."""
    by_letter: dict[str, list[str]] = {}
    for rule in table()["token"]:
        if first := _FIRST.match(rule["find"]):
            by_letter.setdefault(first[0], []).append(rule["find"][first.end() :])
    either = "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_letter.items())
    return re.compile(f"(?<![A-Za-z0-9])(?:{either})")


@cache
def _beginning_with_any() -> list[dict[str, str]]:
    return [rule for rule in table()["token"] if not _FIRST.match(rule["find"])]


def _fitting(expression: str, text: str) -> Iterator[re.Match[str]]:
    search, at = pattern(expression + _END).search, 0
    while (found := search(text, at)) is not None:
        start = found.start()
        if start and _BEFORE.match(text, start - 1):
            at = start + 1
        else:
            at = found.end()
            yield found


def _key_blocks(text: str) -> Iterator[Span]:
    for begin in _KEY_BEGIN.finditer(text):
        start = begin.end()
        end = text.find("-----", start, start + _KEY_LENGTH) if begin[0][0] == "-" else -1
        if end < 0:  # without its end, or a very long one: as far as its lines reach
            lines = _KEY_LINES.match(text, start)
            end = lines.end() if lines else start
        if text[start:end].strip():
            yield Span(start, end, "private key")


def placed(text: str, lowered: str) -> Iterator[Span]:
    """Spans of secrets in addresses, headers, command lines and calls."""
    for rule in table()["place"]:
        if not any(word in lowered for word in rule["near"]):
            continue
        fits = _CHECKS[rule["if"]]
        for found in pattern(rule["find"]).finditer(text):
            for each in (
                pattern(rule["each"]).finditer(text, *found.span("in")) if "each" in rule else (found,)
            ):
                value = each["value"].rstrip(rule.get("trim", ""))
                if fits(value, found):
                    yield Span(each.start("value"), each.start("value") + len(value), rule["kind"])


def _is_code(value: str) -> bool:
    return pattern("code").search(value) is not None


def _is_authorization(value: str, found: re.Match[str]) -> bool:
    parts = (value, *re.split("[.:]", value))
    sure = found["scheme"] or any(is_random(part) or is_uuid(part) for part in parts)
    return bool(sure) and not is_reference(value) and not _is_code(value)


def _has_scheme(value: str, found: re.Match[str]) -> bool:
    if found["scheme"].lower() != "basic":
        return len(value) >= 12 and is_random(value) and not is_reference(value)
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (Error, ValueError):
        return False
    return ":" in plain and plain.isprintable() and len(plain) >= 4


def _unmistakable(value: str, _: Any) -> bool:
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return mixed and not is_reference(value) and is_password(value, quoted=False)


_CHECKS: dict[str, Callable[[str, Any], bool]] = {
    "any": lambda value, _: not is_reference(value),
    "given": lambda value, _: not is_reference(value) and not value.startswith(("$", "-", "/")),
    "unmistakable": _unmistakable,
    "random": lambda value, _: is_random(value) and not is_reference(value),
    "random or uuid": lambda value, _: (is_random(value) or is_uuid(value)) and not is_reference(value),
    "random and not hex": lambda value, _: is_random(value) and not is_hex(value),
    "password": lambda value, _: not is_reference(value) and is_password(value, quoted=False),
    "argument": lambda value, _: (is_strong(value) or is_typical(value)) and not is_reference(value),
    "address": lambda value, _: pattern("no_password").search(value) is None,
    "random address": lambda value, _: is_random(value) and not is_path(value),
    "authorization": _is_authorization,
    "scheme": _has_scheme,
    "header": lambda value, _: (
        (is_random(value) or is_uuid(value)) and not is_reference(value) and not _is_code(value)
    ),
    "cookie": lambda value, _: any(is_random(part) or is_uuid(part) for part in re.split(r"[=;\s]+", value)),
}
"""What a value must be in addition to its place."""
