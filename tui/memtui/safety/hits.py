"""Places in a text where secrets stand."""

from __future__ import annotations

from memtui.named import NamedTuple


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """What it is, in a few words: ``github token``."""


class Hit(NamedTuple):
    """A secret as it is reported."""

    line: int
    """The first one is 1."""
    kind: str


_NAMES = (
    *(
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "cred",
        "auth",
        "cookie",
        "jwt",
        "bearer",
        "basic",
        "sig",
    ),
    *(
        "mnemonic",
        "phrase",
        "psk",
        "login",
        "connect",
        "contrase\xf1a",
        "senha",
        "clave",
        "identified by",
        "net use",
        "add_user",
        "{sha}",
    ),
    *(
        "-u",
        "-a ",
        "-p",
        "-w ",
        ":*:",
        "\u043f\u0430\u0440\u043e\u043b\u044c",
        "\u5bc6\u7801",
        "\u5bc6\u78bc",
    ),
    *("\u53e3\u4ee4", "\u30d1\u30b9", "\ube44\ubc00"),
)
"""Words of which one is near every secret that is found by its place."""
_LENGTH = 14
"""Characters of the shortest token that is known by its form."""
_NO_VALUE, _NO_VALUE_JOINED = 15, 11
"""Letters of the longest word that is no secret by itself, and of the longest with a hyphen in it."""
_BEFORE_WORDS = ("basic", "phrase", "mnemonic")
_DECLARATIONS = ("ENV", "ARG", "setx", "-x", "-gx", "-Ux")
"""After these a word of letters alone may be a secret."""


def may_hold_secret(text: str) -> bool:
    """A quick look, without the patterns: False only where there is no secret."""
    lowered = text.lower()
    if any(name in lowered for name in _NAMES) or ("://" in text and "@" in text):
        return not _is_prose(text, lowered)
    return any(len(word) >= _LENGTH and _has_digit(word) for word in text.split())


def _is_prose(text: str, lowered: str) -> bool:
    """Whether a text is plain words and sentences: it speaks of secrets, but nothing in it can be a value."""
    if any(mark in lowered for mark in _BEFORE_WORDS) or any(mark in text for mark in _DECLARATIONS):
        return False
    return all(_is_word(word.rstrip(".,;")) for word in lowered.split())


def _is_word(word: str) -> bool:
    letters = word.replace("'", "").replace("-", "")
    if not letters.isalpha() or not letters.isascii() or not word[0].isalpha():
        return False
    return len(word) <= (_NO_VALUE_JOINED if "-" in word else _NO_VALUE)


def _has_digit(word: str) -> bool:
    return any("0" <= char <= "9" for char in word)
