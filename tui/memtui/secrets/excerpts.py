"""The parts of a text that may hold a secret; most hold none, and are passed by quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from memtui.ground.patterns import deferred
from memtui.secrets.folding import Folded
from memtui.secrets.values import pattern, table

PASSWORDS_ELSEWHERE = (
    "contraseña", "пароль", "пароля", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호",
    "wachtwoord", "hasło", "lösenord", "heslo", "şifre", "parola", "salasana", "jelszó", "lozinka",
    "geslo", "adgangskode", "mot de passe", "kodeord", "passord", "kata sandi", "mật khẩu", "סיסמה",
    "סיסמא", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน", "κωδικός",
)  # fmt: skip
"""Words for passwords in other languages than English."""
_NEAR = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "bearer", "basic",
    "sig", "mnemonic", "phrase", "psk", "login", "connect", "senha", "clave", "identified by",
    "net use", "add_user", "{sha}", "-u", "-a ", "-p", "-b ", "-w ", "-k ", "/p", ":*:", "code=",
    "sudo -s", "securestring", "fernet", "hmac", "begin(", "config", "static key", "sqlplus", "echo",
    "printf", "unseal", "snmp", "community", "signtool", "client(", "bind", "pdo(", "handler(", "@tcp(",
    "@unix(", "search(", "salt", "install", ":5432:", *PASSWORDS_ELSEWHERE,
)  # fmt: skip
"""Words, one of which is near every secret recognised by its place."""
_LENGTH = 14
"""Minimum length of a token recognised by its form, in characters."""
_SHORT = 4_000
"""A longer text is not looked at word by word."""
_WORD = deferred(r"[a-z](?:[a-z']{0,14}|[a-z'-]{0,11})[.,;]{0,2}")
_MEANT = ("basic", "phrase", "mnemonic")
_DECLARATIONS = ("ENV", "ARG", "setx", "-x", "-gx", "-Ux")
"""Words after which a word of letters alone may be a secret."""
_RAREST_FIRST = "012345678{}*<@(qzjxkvw=:/-_bgfpycumdlhrsniatoe. "
_NEXT_LINES = 3
_LONG = 200
_OPEN = ":=|>,([{\\-\"'"
_TABLE = 2_000
"""The most lines of a table that are looked at."""
_HIDDEN = deferred(
    "[\xad\u034f\u061c\u200b-\u200f\u2060-\u2064\ufeff]|(?:[\x1b\u241b]\\[|\x9b)[0-?]{0,40}[ -/]{0,4}[@-~]"
)
"""What is not seen: zero-width characters and colours."""
_WIDE = deferred("[\uff01-\uff5e]")
_FULL_WIDTH = {
    code + 0xFEE0: chr(code) for code in (*range(48, 58), *range(65, 91), *range(97, 123), *b"_-@#!$%")
}
"""Full-width letters and digits with the ASCII ones they look like."""


def may_hold_secret(text: str) -> bool:
    """Quick check, without the rules: False only if there certainly is no secret."""
    if (
        len(text) > _SHORT
        or (not text.isascii() and (_WIDE.search(text) or _HIDDEN.search(text)))
        or "\x1b" in text
    ):
        return True
    lowered = text.lower()
    if _anything_near().search(lowered) or ("://" in text and "@" in text):
        if any(mark in lowered for mark in _MEANT) or any(mark in text for mark in _DECLARATIONS):
            return True
        return not all(map(_WORD.fullmatch, lowered.split()))
    return any(len(word) >= _LENGTH and _may_be_token(word) for word in text.split())


def _may_be_token(word: str) -> bool:
    return any("0" <= char <= "9" for char in word) or (
        ("-" in word or "_" in word) and word != word.lower() and word != word.upper()
    )


def as_seen(text: str) -> Folded:
    """The text without colours and zero-width characters, full-width letters as plain ones."""
    if text.isascii() and "\x1b" not in text:
        return Folded(text, [], [])
    if _WIDE.search(text):
        text = text.translate(_FULL_WIDTH)
    at = 0
    spans = []
    for hidden in _HIDDEN.finditer(text):
        spans.append((at, hidden.start()))
        at = hidden.end()
    return _cut(text, [*spans, (at, len(text))], "") if spans else Folded(text, [], [])


def _cut(text: str, spans: list[tuple[int, int]], gap: str) -> Folded:
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for start, end in spans:
        parts += (text[start:end], gap)
        starts.append(length)
        length += end - start + len(gap)
    return Folded("".join(parts), starts, [start for start, _ in spans])


def suspect_lines(text: str, lowered: str) -> Folded:
    """The lines that may contain a secret by its place, related lines next to each other."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(_lines(lowered)):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    # Pieces are separated by a non-blank: no rule may take the end of one and the next as neighbours.
    return _cut(text, joined, "\n\0\n")


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that searches for the rarest character of each of these words.

    A search only stops at characters with which a match may begin: at one in ten instead of two in three.
    """
    by_letter: dict[str, list[str]] = {}
    for word in words:
        at = word.index(min(word, key=lambda char: _RAREST_FIRST.find(char)))
        behind = f"(?<={re.escape(word)})" if at else ""
        by_letter.setdefault(word[at], []).append(re.escape(word[at + 1 :]) + behind)
    return re.compile(
        "|".join(f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in by_letter.items())
    )


@cache
def _anything_near() -> re.Pattern[str]:
    return _any_of(_NEAR)


@cache
def _names_and_signs() -> tuple[tuple[str, ...], re.Pattern[str]]:
    """The names of values, and a pattern for them and the signs of the other rules."""
    names = table()["names"]
    return tuple(names["suspect"]), _any_of((*names["suspect"], *names["signs"]))


def _lines(lowered: str) -> Iterator[tuple[int, int]]:
    """Start and end of each suspicious line, with the following lines that may hold its value."""
    names, near = _names_and_signs()
    at = start = end = 0
    while (found := near.search(lowered, at)) is not None:
        at = found.end()
        if at > end or not end:
            start, end = _line(lowered, at - 1)
        if not lowered.endswith(names, 0, at):
            yield start, end
        elif (lines := _lines_of_name(lowered, at, start, end)) is not None:
            yield lines
            at = end
    for name in () if lowered.isascii() else PASSWORDS_ELSEWHERE:
        at = -1 if name.isascii() else lowered.find(name)
        while at >= 0:
            at += len(name)
            if (lines := _lines_of_name(lowered, at, *_line(lowered, at - 1))) is not None:
                yield lines
            at = lowered.find(name, at)
    if "@" in lowered and "://" in lowered:
        yield from (
            _line(lowered, found.start()) for found in pattern("address with a user").finditer(lowered)
        )


def _lines_of_name(lowered: str, end: int, start: int, stop: int) -> tuple[int, int] | None:
    """The lines of a name that ends at `end` in the line from `start` to `stop`; None if it has no value."""
    if not pattern("before a value").match(lowered, end):
        return None
    if stop - end <= 1 and lowered[start:stop].strip() in ("pass", "pass,", "pass."):
        return None
    if stop - start < _LONG and (table := _table(lowered, start, stop)) > stop:
        return start, table
    tail = lowered[end:stop].rstrip()
    if len(tail) > _LONG or (tail and " " in tail and tail[-1] not in _OPEN):
        return start, stop
    for _ in range(_NEXT_LINES):
        following = lowered.find("\n", stop + 1)
        stop = following if following >= 0 else len(lowered)
    return start, stop


def _table(lowered: str, start: int, stop: int) -> int:
    """The end of the table whose heading is this line; `stop` if it is none."""
    sign = next((each for each in "|\t,;" if each in lowered[start:stop]), "")
    count = lowered.count(sign, start, stop) if sign else 0
    above = lowered.rfind("\n", max(0, start - _LONG), max(0, start - 1)) + 1
    if lowered.count(sign, above, start) == count:  # not the heading
        return stop
    for _ in range(_TABLE if count else 0):
        following = lowered.find("\n", stop + 1)
        following = following if following >= 0 else len(lowered)
        line = lowered[stop + 1 : following]
        if not line or (line.count(sign) != count and not pattern("line of a table").fullmatch(line)):
            break
        stop = following
    return stop


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end
