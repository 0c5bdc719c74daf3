"""Secrets by their form (tokens) and by their place (command lines, headers, addresses)."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from memtui.ground.text import matcher
from memtui.secrets import values
from memtui.secrets.values import fits, is_random, is_reference, pattern


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str  # ``github token``


@cache
def _tokens(group: str) -> tuple[re.Pattern[str], str, list[str]]:
    """The rules of a group as one pattern, a group of it for each; a wider one; their kinds."""
    rules = values.table()[group]
    # Not \b, which is Unicode-aware: there is no boundary next to Chinese text or an underscore.
    either = "|".join(f"({rule['find']})" for rule in rules)
    before = "[A-Za-z0-9]" if group == "token" else "[A-Za-z0-9_-]"
    # The quick engine has no look-around, and high counts make it slow.
    wider = re.sub(r"\(\?(?:=|<?!)(?:[^()\\]|\\.|\([^()]*\))*\)", "", either).replace("(?<=", "(?:")
    wider = re.sub(r"\{(\d+)[\d,]*\}", lambda count: f"{{{min(6, int(count[1]))},}}", wider)
    return re.compile(f"(?<!{before})(?:{either})(?![A-Za-z0-9])"), wider, [rule["kind"] for rule in rules]


def tokens(text: str, words: str, group: str) -> Iterator[Span]:
    """Spans of known tokens (group ``token``), or of what has their form; `words` may be some."""
    find, wider, kinds = _tokens(group)
    is_there = matcher(wider, bool)(words) and find.search(words)
    for found in find.finditer(text) if is_there else ():
        if group == "token" or (is_random(found[0]) and values.unexplained(found[0]) >= 0.5):
            yield Span(*found.span(), kinds[(found.lastindex or 1) - 1])


@cache
def _places() -> tuple[re.Pattern[str], dict[str, list[tuple[str, int, dict[str, Any]]]]]:
    """A pattern for the words near the rules' secrets; and these, with their rules, by rarest character."""
    near: dict[str, list[tuple[str, int, dict[str, Any]]]] = {}
    for rule in values.table()["place"]:
        for word in rule["near"]:
            near.setdefault(word[values.rarest(word)], []).append((word, values.rarest(word), rule))
    return values.any_of(tuple(word for words in near.values() for word, *_ in words)), near


def placed(text: str, lowered: str, lines: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Spans of secrets in addresses, headers, command lines, calls and private keys that begin in `lines`."""
    words, near = _places()
    for start, end in lines:
        examined: set[str] = set()
        at = start
        while (hit := words.search(lowered, at, end)) is not None:
            at = hit.start() + 1
            for word, before, rule in near[lowered[hit.start()]]:
                if rule["find"] not in examined and lowered.startswith(word, hit.start() - before):
                    examined.add(rule["find"])
                    stop = end
                    for _ in range(rule.get("lines", 2)):
                        newline = lowered.find("\n", stop + 1)
                        stop = newline if newline >= 0 else len(lowered)
                    yield from _at(rule, text, start, stop)


def _at(rule: dict[str, Any], text: str, start: int, stop: int) -> Iterator[Span]:
    if text.find(rule.get("with", ""), start, stop) < 0:  # quicker than the pattern
        return
    for found in pattern(rule["find"]).finditer(text, start, stop):
        inside = pattern(rule["each"]).finditer(text, *found.span("in")) if "each" in rule else (found,)
        for each in inside:
            value = each["value"].rstrip(rule.get("trim", ""))
            if _CHECKS[rule["if"]](value, found):
                yield Span(each.start("value"), each.start("value") + len(value), rule["kind"])


def _is_authorization(value: str, found: re.Match[str]) -> bool:
    parts = (value, *re.split("[.:]", value))
    sure = found["scheme"] or any(is_random(part) or fits("uuid", part) for part in parts)
    return bool(sure) and not is_reference(value) and not fits("code", value)


def _has_scheme(value: str, found: re.Match[str]) -> bool:
    if found["scheme"].lower() != "basic":
        return len(value) >= 12 and is_random(value) and not is_reference(value)
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (Error, ValueError):
        return False
    return ":" in plain and plain.isprintable() and len(plain) >= 4


_CHECKS: dict[str, Callable[[str, Any], bool]] = {
    "block": lambda value, _: bool(value.strip()),
    "any": lambda value, _: not is_reference(value),
    "given": lambda value, _: not is_reference(value) and not value.startswith(("$", "-", "/")),
    "unmistakable": lambda value, _: (
        not is_reference(value) and fits("letter and digit", value) and values.is_password(value, alone=False)
    ),
    "chosen": lambda value, _: not is_reference(value) and values.is_password(value, alone=True),
    "random": lambda value, _: is_random(value) and not is_reference(value),
    "header": lambda value, _: (
        (is_random(value) or fits("uuid", value)) and not is_reference(value) and not fits("code", value)
    ),
    "random and not hex": lambda value, _: is_random(value) and not fits("hex", value),
    "argument": lambda value, _: values.is_strong(value) and not is_reference(value),
    "address": lambda value, _: not fits("no_password", value),
    "random address": lambda value, _: is_random(value) and not values.is_path(value),
    "authorization": _is_authorization,
    "scheme": _has_scheme,
    "cookie": lambda value, _: any(
        is_random(part) or fits("uuid", part) for part in re.split(r"[=;\s]+", value)
    ),
}
"""What a value must be in addition to its form or place."""
