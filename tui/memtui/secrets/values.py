"""Whether a value is a password, a secret or a key by what it looks like, or only code or a placeholder."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from memtui.ground.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_RANDOM = 0.3
"""Minimum share of a value that is not explained by words for it to count as random."""


@cache
def table() -> dict[str, Any]:
    """The content of ``rules.toml``."""
    import tomllib  # only where there is something to look for

    read = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
    for rule in read["place"]:
        for name, part in read["parts"].items():
            rule["find"] = rule["find"].replace(f"<{name}>", part)
    read["patterns"] = {rule["name"]: rule["find"] for rule in (*read["gap"], *read["value"])}
    return read


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the rules by its name, or a pattern itself, compiled once."""
    return re.compile(table()["patterns"].get(name, name), re.MULTILINE)


def is_reference(value: str) -> bool:
    """Whether a value refers to another one, or to none: a variable, a placeholder, asterisks."""
    return (
        pattern("reference").search(value) is not None
        or pattern("no secret").fullmatch(value) is not None
        or (pattern("placeholder").fullmatch(value) is not None and not is_random(value))
    )


def is_random(value: str) -> bool:
    """Whether letters and digits look random: no words, no path, no date."""
    if len(value) < 8 or " " in value or "bcdefghijklm" in value.lower():  # an alphabet is not a secret
        return False
    if not value.isascii() or not any(map(str.isalpha, value)):
        return False
    if any(map(str.isdigit, value)):
        return _unexplained(value) >= _RANDOM
    if len(value) < 16 or not value.replace("+", "").replace("/", "").replace("=", "").isalpha():
        return False
    if not (value.islower() or value.isupper()):
        return _unexplained(value) >= 0.5
    return pattern("hard").search(value.lower()) is not None


def is_uuid(value: str) -> bool:
    """Whether it is a UUID, which is a secret only with such a name."""
    return pattern("uuid").fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Whether it is hexadecimal, like hashes and ids."""
    return pattern("hex").fullmatch(value) is not None


def is_path(value: str) -> bool:
    """Whether it is a path of words."""
    if not ("/" in value or "\\" in value or "." in value) or pattern("path").match(value) is None:
        return False
    return _unexplained(re.sub(r"[/\\.]", "-", value)) < 0.5


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether the value of a password name is a password: letters and others mixed, not a name in code."""
    if not 4 <= len(value) <= 200 or " " in value or "\t" in value:
        return False
    if value.isdigit():
        return len(value) >= 6
    if value.isalpha() or not any(map(str.isalnum, value)):
        return False
    if value.replace("_", "").replace("-", "").isalpha():
        return quoted and is_random(value)
    if quoted:
        return not is_path(value)
    if "(" in value or "[" in value or pattern("member").fullmatch(value) or is_path(value):
        return is_random(value) and "(" not in value and "[" not in value
    if pattern("identifier").fullmatch(value):
        if len(value) >= 10 and _unexplained(value) >= 0.5 and is_random(value):
            return True
        return len(value) >= 6 and not _named_in_code(value) and len(pattern("syllable").findall(value)) < 2
    return len(value) >= 6


def is_chosen(value: str, *, alone: bool) -> bool:
    """Whether a word after a password's name and a separator is a password that a person chose.

    Args:
        value: the word: ``SummerRain2024``, ``moonlight``.
        alone: whether nothing but a value is possible there: a whole line, or quotes.
    """
    if not 4 <= len(value) <= 64 or " " in value or _named_in_code(value) or is_path(value):
        return False
    if value.isdigit():
        return alone
    if pattern("chosen").fullmatch(value):
        return alone or len(value) >= 6
    if not alone or len(value) < 6 or pattern("word of code").fullmatch(value):
        return False
    return value.islower() or pattern("two words").fullmatch(value) is not None


def is_said(value: str) -> bool:
    """Whether a word after "the password is" is one: with a digit, a sign or a capital inside."""
    if not 5 <= len(value) <= 100 or _named_in_code(value) or is_path(value):
        return False
    return pattern("said word").fullmatch(value) is not None


def _named_in_code(value: str) -> bool:
    return pattern("named in code").search(value) is not None


def is_strong(value: str) -> bool:
    """Whether it is almost certainly a password or key, wherever it occurs."""
    if not 8 <= len(value) <= 400 or not value.isascii() or is_path(value):
        return False
    if pattern("never in password").search(value):
        return False
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if pattern("mark").search(value):
        return True
    return is_random(value) and _unexplained(value) >= 0.5 and not is_uuid(value)


def is_typical(value: str) -> bool:
    """Whether it has letters of both cases, digits and signs, and does not look like code."""
    return pattern("typical").fullmatch(value) is not None


def is_generated(value: str) -> bool:
    """Whether it looks generated: letters of both cases and digits, or many hexadecimal digits."""
    mixed = all(re.search(each, value) for each in ("[a-z]", "[A-Z]", r"\d"))
    return (
        len(value) >= 8
        and (mixed or (len(value) >= 32 and is_hex(value)))
        and is_password(value, quoted=False)
    )


def _unexplained(value: str) -> float:
    """The share of a value's letters and digits that is not in words or numbers, from 0 to 1."""
    plain = sum(map(str.isalnum, value))
    return 1 - sum(map(_explained, re.split("[-_./: ]", value))) / max(1, plain)


def _explained(part: str) -> int:
    mixed = re.search(r"\d[A-Za-z]+\d", part) is not None  # as in 4f2a: neither part is a word or a number
    words = [each for each in pattern("word").findall(part) if not (mixed and len(each) < 3)]
    numbers = [] if mixed else re.findall(r"(?<!\d)\d{1,4}(?!\d)", part)
    return sum(len(each) for each in words if _is_word(each)) + sum(map(len, numbers))


def _is_word(word: str) -> bool:
    lowered = word.lower()
    return not pattern("hard").search(lowered) and (
        len(word) <= 3 or re.search("[aeiouy]", lowered) is not None
    )
