# ruff: noqa: E501 - escaped words of other scripts
"""Places in a text where secrets stand."""

from __future__ import annotations

from memtui.named import NamedTuple
from memtui.patterns import deferred


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """The kind of secret: ``github token``."""


class Hit(NamedTuple):
    """A secret as it is reported."""

    line: int
    """The first one is 1."""
    kind: str


FULL_WIDTH = deferred("[\uff01-\uff5e]")
"""Letters, digits and marks as wide as Chinese ones, which are read as the ASCII ones."""

PASSWORDS_ELSEWHERE = (
    "contrase\xf1a", "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",
    "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638", "\uc554\ud638", "wachtwoord", "has\u0142o",
    "l\xf6senord", "heslo", "\u015fifre", "parola", "salasana", "jelsz\xf3", "lozinka", "geslo", "adgangskode",
    "kodeord", "passord", "kata sandi", "m\u1eadt kh\u1ea9u", "\u05e1\u05d9\u05e1\u05de\u05d4", "\u05e1\u05d9\u05e1\u05de\u05d0",
    "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631", "\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631",
    "\u092a\u093e\u0938\u0935\u0930\u094d\u0921", "\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19",
    "\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",
)  # fmt: skip
"""What a password is called in other languages than English, where the word does not hold ``pass``."""

_NAMES = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "bearer", "basic", "sig",
    "mnemonic", "phrase", "psk", "login", "connect", "senha", "clave", "identified by", "net use", "add_user",
    "{sha}", "-u", "-a ", "-p", "-b ", "-w ", "-k ", "/p", ":*:", "code=", "sudo -s", "securestring", "fernet",
    "hmac", "begin(", "config", "static key", "sqlplus", "echo", "printf", "unseal", "snmp", "community", "net use", "signtool", "client(", "bind", "pdo(", "handler(", "@tcp(", "@unix(", "search(", "salt", "install", *PASSWORDS_ELSEWHERE,
)  # fmt: skip
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
    if not text.isascii() and FULL_WIDTH.search(text):
        return True
    if any(name in lowered for name in _NAMES) or ("://" in text and "@" in text):
        return not _is_prose(text, lowered)
    return any(len(word) >= _LENGTH and (_has_digit(word) or _is_mixed(word)) for word in text.split())


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


def _is_mixed(word: str) -> bool:
    """Whether it may be a token without a digit, which has a mark behind its beginning."""
    return ("-" in word or "_" in word) and word != word.lower() and word != word.upper()


def _has_digit(word: str) -> bool:
    return any("0" <= char <= "9" for char in word)
