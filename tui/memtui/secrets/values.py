"""Whether a value is a password, a secret or a key by what it looks like, or only code or a placeholder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

_RAREST_FIRST = "012345678{}*<@(qzjxkvw=:/-_bgfpycumdlhrsniatoe. "


def rarest(word: str) -> int:
    return word.index(min(word, key=_RAREST_FIRST.find))


# What follows a word that is common otherwise: in pattern, passed, design, addresses without a password.
_FOLLOWED = {
    "pat": "(?:[^cht]|c[^h]|c?$)",
    "pass": "(?:[^ei]|e[^d]|i[^n]|[ei]?$)",
    "sig": "(?:[^n]|nature|new|$)",
    "rman": "(?:\\s|$)",
    "://": "[^\\s/\"'`<>]+@",
}


def any_word(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) + _FOLLOWED.get(word, "") for word in words)


@cache
def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that searches for the rarest character of each of these words.

    A search stops only at characters with which a match may begin: at one in ten instead of two in three.
    """
    by_letter: dict[str, list[str]] = {}
    for word in words:
        at = rarest(word)
        behind = f"(?<={re.escape(word)})" if at else ""
        ahead = f"(?={_FOLLOWED[word]})" if word in _FOLLOWED else ""
        by_letter.setdefault(word[at], []).append(re.escape(word[at + 1 :]) + behind + ahead)
    parts = (f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in by_letter.items())
    return re.compile("|".join(parts))


@cache
def table() -> dict[str, Any]:
    """The content of ``rules.toml``."""
    import tomllib  # only where there is something to look for

    read = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
    read["place"] = [{"kind": "password", "if": "given", **rule} for rule in read["place"]]
    for rule in read["place"]:
        for name, part in read["parts"].items():
            rule["find"] = rule["find"].replace(f"<{name}>", part)
    read["patterns"] = {name: rule["find"] for name, rule in {**read["gap"], **read["value"]}.items()}
    return read


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the rules by its name, or a pattern itself, compiled once."""
    return re.compile(table()["patterns"].get(name, name), re.MULTILINE)


def fits(name: str, value: str) -> bool:
    """Whether a value contains a match of a pattern of the rules."""
    return pattern(name).search(value) is not None


def is_reference(value: str) -> bool:
    """Whether a value refers to another one, or to none: a variable, a placeholder, asterisks."""
    return fits("reference", value) or (
        fits("placeholder", value) and not is_random(value) and not is_phrase(value)
    )


def is_random(value: str) -> bool:
    """Whether letters and digits look random: no words, no path, no date."""
    if len(value) < 8 or " " in value or "bcdefghijklm" in value.lower() or not value.isascii():
        return False
    if any(map(str.isdigit, value)):
        return any(map(str.isalpha, value)) and unexplained(value) >= 0.3
    if len(value) < 16 or not fits("letters of base64", value):
        return False
    return fits("hard", value.lower()) if value.islower() or value.isupper() else unexplained(value) >= 0.5


def is_path(value: str) -> bool:
    return fits("path", value) and unexplained(re.sub(r"[/\\.]", "-", value)) < 0.5


def is_password(value: str, *, alone: bool, quoted: bool = False) -> bool:
    """Whether the value of a password's name is one that a person or a program chose: ``SummerRain2024``.

    `alone`: nothing but a value is possible there, as on a whole line, in quotes, after a flag.
    """
    if not 4 <= len(value) <= 200 or not any(map(str.isalnum, value)) or is_path(value):
        return False
    if " " in value or "\t" in value:
        return alone and is_phrase(value)
    if value.isdigit():
        return alone or len(value) >= 6
    if value.isalpha():
        chosen = value.islower() or fits("two words", value)
        return alone and len(value) >= 6 and chosen and not fits("word of code", value)
    if value.replace("_", "").replace("-", "").isalpha():
        return is_random(value) if alone and quoted else alone and fits("hyphenated", value)
    if quoted and not fits("identifier", value):
        return True
    return (quoted or not fits("expression", value)) and (
        not fits("named in code", value) or is_strong(value) or not fits("identifier", value)
    )


def is_phrase(value: str) -> bool:
    """Whether several words are a passphrase and no sentence about one."""
    return not fits("sentence about", value) and fits("several words", value)


def is_said(value: str) -> bool:
    """Whether a word after "the password is" is one: with a digit, a sign or a capital inside."""
    is_word = 5 <= len(value) <= 100 and fits("said word", value)
    return is_word and (not fits("named in code", value) or is_strong(value))


def is_strong(value: str) -> bool:
    """Whether it is almost certainly a password or key, wherever it occurs."""
    if not 8 <= len(value) <= 400 or is_path(value) or fits("never in password", value):
        return False
    if fits("typical", value) or (fits("mark", value) and fits("letter and digit", value)):
        return True
    return is_random(value) and unexplained(value) >= 0.5 and not fits("uuid", value)


def unexplained(value: str) -> float:
    """The share of a value's letters and digits that is not in words or numbers, from 0 to 1."""
    plain = sum(map(str.isalnum, value))
    return 1 - sum(map(_explained, re.split("[-_./: ]", value))) / max(1, plain)


def _explained(part: str) -> int:
    mixed = fits("between digits", part)  # as in 4f2a: neither part is a word or a number
    found = (each.lower() for each in pattern("word").findall(part) if not (mixed and len(each) < 3))
    words = (each for each in found if not fits("hard", each) and (len(each) <= 3 or fits("vowel", each)))
    numbers = [] if mixed else pattern("number").findall(part)
    return sum(map(len, words)) + sum(map(len, numbers))
