# ruff: noqa: E501 - long patterns
"""The lines of a text that may contain a secret recognised by its place; most lines do not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred
from memtui.secrets.secret_spans import PASSWORDS_ELSEWHERE

_NAMES = (
    "pass", "pw", "secret", "token", "key", "cred", "auth", "jwt", "sig", "cookie", "login", "phrase", "psk",
    "mnemonic", "salt", "senha", "clave", "_pat", " pat", "-pat", *filter(str.isascii, PASSWORDS_ELSEWHERE),
)  # fmt: skip
"""Parts of the names in `secret_names`, in lower case, near which a value may be."""
_OTHER_NAMES = tuple(name for name in PASSWORDS_ELSEWHERE if not name.isascii())
_OTHER_LETTERS = deferred(f"[{''.join({char for char in ''.join(_OTHER_NAMES) if not char.isascii()})}]")
_SIGNS = (
    "bearer", "basic", "ssws", "-team", "connect", "mysqli", "wifi.begin", "fernet", "hmac", "cipher",
    "aes.new", "identified", "net use", "add_user", "{sha}", "securestring", "bundle config", "jdbc:", "code=",
    "<<<", ":*:", "echo ",  "printf ", "unseal", "snmp", "community", "net user", "signtool", "client(", "bind", "pdo(", "handler(", "@tcp(", "@unix(", "search(", "service install", "sqlplus", ":587", ":465", ":pserver:", "values ", "values(", "pdp ", "sqlldr", "/p:", "sudo -s", " --user",
    *(f" -{flag}" for flag in "abkptuw"),
)  # fmt: skip
"""Text in lines that `address_secrets` and `command_lines` may find a secret in, without such a name."""
_RAREST_FIRST = "012345678{}*<@(qzjxkvw=:/-_bgfpycumdlhrsniatoe. "


def _any_of(words: tuple[str, ...]) -> str:
    """A pattern for any of these words that searches for the rarest character of each.

    A search only stops at characters with which a match may begin: with letters as rare as k and w, at one in
    ten instead of two in three.
    """
    by_letter: dict[str, list[str]] = {}
    for word in words:
        at = word.index(min(word, key=_RAREST_FIRST.index))
        behind = f"(?<={re.escape(word)})" if at else ""
        by_letter.setdefault(word[at], []).append(re.escape(word[at + 1 :]) + behind)
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in by_letter.items())


_WORD = deferred(_any_of((*_NAMES, *_SIGNS)))
_VALUE = deferred(
    r"[a-z0-9_.$-]{0,40}(?:[\"'`\])*\\]{0,4}(?:[ \t]{0,20}\n|\s{0,20}[=:>,(|?\"'`[\uff1a\uff1d]|</|\Z|[^\x00-\x7f])"
    r"|[ \t][^\n]{0,120}(?:[0-9\"'`]|:\n))"
)
"""Separators after a name that may have a value."""
_ADDRESS, _ADDRESS_LENGTH = "://", 700
_PORT = deferred(r":[56]\d{3}:")
_NEXT_LINES = 3
_STATEMENTS = ("pass", "pass,", "pass.")


class Excerpt(NamedTuple):
    """Some lines of a text."""

    text: str
    starts: list[int]
    origins: list[int]
    """The offsets of the pieces in the excerpt and in the text."""

    def origin(self, at: int) -> int:
        """The offset in the text of the excerpt's character at `at`."""
        piece = bisect_right(self.starts, at) - 1
        return self.origins[piece] + at - self.starts[piece]


def suspect_lines(text: str, lowered: str) -> Excerpt:
    """The lines that may contain a secret by its place, related lines next to each other.

    Args:
        text: the text.
        lowered: the same in lower case, of the same length.
    """
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for start, end in _joined(sorted(_lines(lowered))):
        # Pieces are separated by a non-blank: no rule may take the end of one and the next as neighbours.
        part = text[start:end] + "\n\0\n"
        parts.append(part)
        starts.append(length)
        origins.append(start)
        length += len(part)
    return Excerpt("".join(parts), starts, origins)


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans in order, merged where they overlap or touch."""
    if not spans:
        return
    start, end = spans[0]
    for begin, stop in spans[1:]:
        if begin <= end + 1:
            end = max(end, stop)
        else:
            yield start, end
            start, end = begin, stop
    yield start, end


def _lines(lowered: str) -> Iterator[tuple[int, int]]:
    """Start and end of each suspicious line, with the following lines that may hold its value."""
    at = 0
    while (found := _WORD.search(lowered, at)) is not None:
        at = found.end()
        if not lowered.endswith(_NAMES, 0, at):
            yield _line(lowered, at - 1)
        elif (lines := _lines_of_name(lowered, at)) is not None:
            yield lines
            at = _line(lowered, at - 1)[1]
    if not lowered.isascii() and _OTHER_LETTERS.search(lowered):
        for name in _OTHER_NAMES:
            at = lowered.find(name)
            while at >= 0:
                at += len(name)
                if (lines := _lines_of_name(lowered, at)) is not None:
                    yield lines
                at = lowered.find(name, at)
    yield from _addresses(lowered)
    for found in _PORT.finditer(lowered):
        yield _line(lowered, found.start())


def _lines_of_name(lowered: str, end: int) -> tuple[int, int] | None:
    """The lines of a name that ends at `end`; None if it has no value."""
    if not _VALUE.match(lowered, end):
        return None
    start, stop = _line(lowered, end - 1)
    if stop - end <= 1 and lowered[start:stop].strip() in _STATEMENTS:
        return None
    return start, _with_next(lowered, end, stop)


def _addresses(lowered: str) -> Iterator[tuple[int, int]]:
    at = lowered.find(_ADDRESS) if "@" in lowered else -1
    while at >= 0:
        start, end = _line(lowered, at)
        if lowered.find("@", at, min(end, at + _ADDRESS_LENGTH)) >= 0:
            yield start, end
        at = lowered.find(_ADDRESS, at + 1)


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _with_next(text: str, at: int, end: int) -> int:
    """The end of a line, or of a later one that may hold its value."""
    tail = text[at:end].rstrip()
    if len(tail) > _LONG or (tail and " " in tail and tail[-1] not in _OPEN):
        return end
    for _ in range(_NEXT_LINES):
        following = text.find("\n", end + 1)
        if following < 0:
            return len(text)
        end = following
    return end


_LONG = 200
_OPEN = ":=|>,([{\\-\"'"
