"""Whether the value of a name like password, secret, token or key is a secret, or only code."""

from __future__ import annotations

import re

from memtui.ground.patterns import deferred

_REFERENCE = deferred(
    r"\$\{|\$\(|(?<![A-Za-z0-9])\$[A-Za-z_]|\{\{|\}\}|%\(|%[sdv]\b|\[masked\b|<[\w .-]*>|\{[\w.!:]*\}|^%\w+%$|\.{3}|\u2026|://"
    r"|\benv[.\[(]|environ|getenv|process\.|secrets?\.|\bvars\.|\bconfig\.|\bsettings\.|import\.meta|\bself\.|\bthis\."
    r"|\bkeyring\.|vault:|ssm:|arn:|op://|file:|\bref\+|\*{3}|[x\u2022#]{6}|^\*\*|_{6}|\bX{4,}|^\\|^:\w+:",
    re.IGNORECASE,
)
_PLACEHOLDER = deferred(
    r"(?:your|my|the|some|an?|insert|enter|put|replace|change|example|sample|placeholder|redacted|masked|dummy|fake"
    r"|todo|tbd|foo|bar|null|none|nil|true|false|undefined|string|str|text|number|required|optional|empty|default"
    r"|changeme|changeit|hidden|secret|password|passwd|passwort|token|key|value|test|xxx+|n/?a|unset|missing|invalid)"
    r"(?:[\W_].*)?",
    re.IGNORECASE | re.DOTALL,
)
_RULE = deferred(
    r"(?:^|\|)(?:required|nullable|min|max|size|confirmed|string|sometimes)(?:[:|]|$)", re.IGNORECASE
)
_VERSION = deferred(r"[\^~<>=v]*\d{1,5}(?:\.[\dx*]{1,5})+(?:[-+.][\w.]+)?")
_UUID = deferred(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = deferred(r"(?:0x)?[0-9a-f]+|(?:0x)?[0-9A-F]+")
_COLOUR = deferred(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_EXPRESSION = deferred(r"[A-Za-z]\.[A-Za-z]+\.|\?\.|::|->")
_MEMBER_IN_CODE = deferred(
    r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+[,})\]]|[a-z]\w+\.(?:[A-Z][a-z0-9]+){2,}$"
)
_MEMBER = deferred(r"[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+[!?;]*")
_IDENTIFIER = deferred(r"[A-Za-z_$][\w$]*[!?;]?")
_PATH = deferred(r"(?:[A-Za-z]:)?[~.]{0,2}[\\/]|[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}$|@[\w-]+/")
_WORD = deferred(
    r"[A-Z]?[a-z]{3,}|(?<![A-Za-z0-9])[A-Z]{2,}(?![A-Za-z0-9])|(?<![A-Za-z])(?:[A-Z]?[a-z]{1,2})(?![A-Za-z])"
)
_NUMBER = deferred(r"(?<!\d)\d{1,4}(?!\d)")
_SEPARATORS = deferred("[-_./: ]")
_MIXED = deferred(r"\d[A-Za-z]+\d")
_HARD = deferred(r"[bcdfghjklmnpqrstvwxz]{5}")
_SYLLABLES = deferred("[A-Z]?[a-z]{3,}")
_NAMED_WORDS = deferred(
    r"passw|pwd|token|secret|key|cred|auth|hash|salt|sha\d|md5|crypt|argon|pbkdf|utf|base64|int\d|uint|float\d|varchar"
    r"|arg|param|value|field|input|string|type|name|user|login|result|data|node|item|len|fn|func|obj|new|old|raw|plain|tmp|var\d",
    re.IGNORECASE,
)
_NEVER_IN_PASSWORD = deferred(r"[\s(){}\[\]<>\"'`|;,]|^[\w.+-]+@[\w-]+\.\w|^#|^/|&&|=.*&|^[%$]|^@")
_MARK = deferred(r"[!#$%^*~@]")
_RANDOM = 0.3
"""Minimum share of a value that is not explained by words for it to count as random."""


def is_reference(value: str) -> bool:
    """Whether a value refers to another one, or to none: a variable, a placeholder, asterisks."""
    if (
        _REFERENCE.search(value)
        or _VERSION.fullmatch(value)
        or _COLOUR.fullmatch(value)
        or _RULE.search(value)
    ):
        return True
    return _PLACEHOLDER.fullmatch(value) is not None and not is_random(value)


def is_expression(value: str) -> bool:
    """Whether a bare value looks like code: ``a.b.c``, ``x::y``."""
    return _EXPRESSION.search(value) is not None


def is_member(value: str) -> bool:
    """Whether a bare value begins with an object's member followed by more code, or is a class."""
    return _MEMBER_IN_CODE.match(value) is not None


def is_random(value: str) -> bool:
    """Whether letters and digits look random: no words, no path, no date."""
    if len(value) < 8 or " " in value or "bcdefghijklm" in value.lower():  # an alphabet is not a secret
        return False
    letters = sum(char.isalpha() for char in value)
    if not letters or not value.isascii():
        return False
    if not any(char.isdigit() for char in value):
        return _random_letters(value)
    return _unexplained(value) >= _RANDOM


def is_uuid(value: str) -> bool:
    """Whether it is a UUID, which is a secret only with such a name."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Whether it is hexadecimal, like hashes and ids."""
    return _HEX.fullmatch(value) is not None


def is_path(value: str) -> bool:
    """Whether it is a path of words."""
    if not ("/" in value or "\\" in value or "." in value) or _PATH.match(value) is None:
        return False
    return _unexplained(re.sub(r"[/\\.]", "-", value)) < 0.5


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether the value of a password name is a password: letters and others mixed, not a name in code."""
    if not 4 <= len(value) <= 200 or " " in value or "\t" in value:
        return False
    if value.isdigit():
        return len(value) >= 6
    if value.isalpha() or not any(char.isalnum() for char in value):
        return False
    if value.replace("_", "").replace("-", "").isalpha():
        return quoted and is_random(value)
    if quoted:
        return not is_path(value)
    if "(" in value or "[" in value or _MEMBER.fullmatch(value) or is_path(value):
        return is_random(value) and "(" not in value and "[" not in value
    if _IDENTIFIER.fullmatch(value):
        if len(value) >= 10 and is_random(value) and _unexplained(value) >= 0.5:
            return True
        return len(value) >= 6 and not _NAMED_WORDS.search(value) and len(_SYLLABLES.findall(value)) < 2
    return len(value) >= 6


def is_strong(value: str) -> bool:
    """Whether it is almost certainly a password or key, wherever it occurs."""
    if (
        not 8 <= len(value) <= 400
        or not value.isascii()
        or _NEVER_IN_PASSWORD.search(value)
        or is_path(value)
    ):
        return False
    if not any(char.isdigit() for char in value) or not any(char.isalpha() for char in value):
        return False
    return _MARK.search(value) is not None or (
        is_random(value) and _unexplained(value) >= 0.5 and not is_uuid(value)
    )


def looks_typed_at_random(value: str) -> bool:
    """Whether letters of one case are no word: hardly any vowels, or many consonants in a row."""
    vowels = sum(char in "aeiouy" for char in value.lower())
    return (
        len(value) >= 10 and value.isalpha() and (_HARD.search(value) is not None or vowels * 5 < len(value))
    )


def _random_letters(value: str) -> bool:
    if len(value) < 16 or not value.replace("+", "").replace("/", "").replace("=", "").isalpha():
        return False
    if not (value.islower() or value.isupper()):
        return _unexplained(value) >= 0.5
    return _HARD.search(value.lower()) is not None


def _unexplained(value: str) -> float:
    """The share of a value's letters and digits that is not in words or numbers, from 0 to 1."""
    plain = sum(map(str.isalnum, value))
    return 1 - sum(map(_explained, _SEPARATORS.split(value))) / max(1, plain)


def _explained(part: str) -> int:
    mixed = _MIXED.search(part) is not None  # as in 4f2a: neither part is a word or a number
    words = [word for word in _WORD.findall(part) if _is_word(word) and not (mixed and len(word) < 3)]
    numbers = [] if mixed else _NUMBER.findall(part)
    return sum(map(len, words)) + sum(map(len, numbers))


def _is_word(word: str) -> bool:
    return _HARD.search(word.lower()) is None and (
        len(word) <= 3 or re.search("[aeiouyAEIOUY]", word) is not None
    )
