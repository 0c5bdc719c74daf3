# ruff: noqa: E501 - escaped words of other scripts
"""Spans of secrets in a text, and a quick test for texts without any."""

from __future__ import annotations

from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """The kind of secret: ``github token``."""


class Hit(NamedTuple):
    """A reported secret."""

    line: int
    """1-based."""
    kind: str


FULL_WIDTH = deferred("[\uff01-\uff5e]")
"""Full-width letters, digits and marks, which are read as ASCII."""

PASSWORDS_ELSEWHERE = (
    "contrase\xf1a", "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",
    "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638", "\uc554\ud638", "wachtwoord", "has\u0142o",
    "l\xf6senord", "heslo", "\u015fifre", "parola", "salasana", "jelsz\xf3", "lozinka", "geslo", "adgangskode",
    "kodeord", "passord", "kata sandi", "m\u1eadt kh\u1ea9u", "\u05e1\u05d9\u05e1\u05de\u05d4", "\u05e1\u05d9\u05e1\u05de\u05d0",
    "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631", "\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631",
    "\u092a\u093e\u0938\u0935\u0930\u094d\u0921", "\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19",
    "\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",
)  # fmt: skip
"""Words for passwords in other languages than English that do not contain ``pass``."""

_NAMES = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "bearer", "basic", "sig",
    "mnemonic", "phrase", "psk", "login", "connect", "senha", "clave", "identified by", "net use", "add_user",
    "{sha}", "-u", "-a ", "-p", "-b ", "-w ", "-k ", "/p", ":*:", "code=", "sudo -s", "securestring", "fernet",
    "hmac", "begin(", "config", "static key", "sqlplus", "echo", "printf", "unseal", "snmp", "community", "net use", "signtool", "client(", "bind", "pdo(", "handler(", "@tcp(", "@unix(", "search(", "salt", "install", *PASSWORDS_ELSEWHERE,
)  # fmt: skip
"""Words, one of which is near every secret recognised by its place."""
_LENGTH = 14
"""Minimum length of a token recognised by its form, in characters."""
_NO_VALUE, _NO_VALUE_JOINED = 15, 11
"""Maximum number of letters in a word that is not a secret by itself, and in one with a hyphen."""
_BEFORE_WORDS = ("basic", "phrase", "mnemonic")
_DECLARATIONS = ("ENV", "ARG", "setx", "-x", "-gx", "-Ux")
"""Words after which a word of letters alone may be a secret."""


def may_hold_secret(text: str) -> bool:
    """Quick check, without the patterns: False only if there certainly is no secret."""
    lowered = text.lower()
    if not text.isascii() and FULL_WIDTH.search(text):
        return True
    if any(name in lowered for name in _NAMES) or ("://" in text and "@" in text):
        return not _is_prose(text, lowered)
    return any(len(word) >= _LENGTH and (_has_digit(word) or _is_mixed(word)) for word in text.split())


def _is_prose(text: str, lowered: str) -> bool:
    """Whether a text is plain words and sentences: it may mention secrets, but contains no possible value."""
    if any(mark in lowered for mark in _BEFORE_WORDS) or any(mark in text for mark in _DECLARATIONS):
        return False
    return all(_is_word(word.rstrip(".,;")) for word in lowered.split())


def _is_word(word: str) -> bool:
    letters = word.replace("'", "").replace("-", "")
    if not letters.isalpha() or not letters.isascii() or not word[0].isalpha():
        return False
    return len(word) <= (_NO_VALUE_JOINED if "-" in word else _NO_VALUE)


def _is_mixed(word: str) -> bool:
    """Whether a word may be a token without digits, with punctuation after its beginning."""
    return ("-" in word or "_" in word) and word != word.lower() and word != word.upper()


def _has_digit(word: str) -> bool:
    return any("0" <= char <= "9" for char in word)
