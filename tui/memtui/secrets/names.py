"""Secrets by the name before them: after ``=``, ``:`` or "is", in a flag, an element, a call, a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from memtui.secrets.rules import Span
from memtui.secrets.values import (
    any_of,
    fits,
    is_password,
    is_path,
    is_phrase,
    is_random,
    is_reference,
    is_said,
    is_strong,
    pattern,
    table,
)

_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$-"
_LEFT = 60
_LEAST = {"some key": 16, "login": 30, "pat": 20}  # characters of the value of such a name; of any other:
_LEAST_OTHERS = 12
_HEADING = 300  # the most characters of a table's heading on either side of a name


class Value(NamedTuple):
    """A possible secret."""

    text: str
    start: int
    quoted: bool
    style: str  # the name of the gap between the name and it
    alone: bool = False  # the line has nothing else, as in a file of settings


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table()["names"][name])


@lru_cache(maxsize=10_000)
def family(name: str, assigned: bool = False) -> str:
    """The kind of a value by its name: password, secret, token, key; "" if it is not a secret.

    ``some key`` and ``login`` are weaker evidence: their value has to look more like a secret. `assigned`
    means that an equals sign follows directly; "Pass" alone is the result of a test.
    """
    plain = name.lstrip("-$.")
    lowered = plain.lower()
    if name in ("PASS", "Pass") and not assigned:
        return "" if name.isupper() else "pass"
    if fits("name of a phrase", lowered):
        return "mnemonic"
    if lowered in _words("passwords"):
        return "password"
    parts = [part.lower() for part in pattern("part of a name").findall(plain)]
    while len(parts) > 1 and (parts[-1] in _words("endings") or parts[-1].isdigit()):
        if parts[-2:] == ["key", "id"]:
            break
        parts.pop()
    return _of_parts(plain, parts[-1], parts[-2] if len(parts) > 1 else "") if parts else ""


def _of_parts(name: str, last: str, before: str) -> str:
    lowered = name.lower()
    if last in _words("passwords") or fits("name of a password", lowered):
        return "" if before in _words("no_passwords") else "password"
    if last in _words("secrets") or last.endswith("secret"):
        return "secret"
    if last in _words("tokens") or lowered.endswith("token"):
        return "" if before in _words("no_tokens") and not name.isupper() else "token"
    if last == "pat":  # in lower case it may be a pattern variable
        return "token" if name.isupper() else "pat"
    if last == "login":
        return "login"
    is_key = last in _words("keys")
    if (not is_key and not (last.endswith("key") and len(last) > 3)) or before in _words("no_keys"):
        return ""
    if lowered == "key":
        return "key alone"
    kinds = _words("kinds_of_keys")
    if before in kinds or (is_key and last not in ("key", "keys")) or last[:-3] in kinds:
        return "key"
    return "some key" if before and (name.isupper() or fits("header name", name)) else ""


def _kind(family: str, name: str) -> str:
    if family != "key":
        return {"pass": "password", "login": "token", "pat": "token"}.get(family, family.split()[-1])
    return f"{next((each for each in ('private', 'access', 'api') if each in name.lower()), '')} key".strip()


def assigned(text: str, lowered: str, lines: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Spans of the values of passwords, secrets, tokens and keys whose names are in `lines`."""
    at, cores = 0, any_of(_words("cores"))
    for start, stop in lines:
        at = max(at, start)
        while (core := cores.search(lowered, at, stop)) is not None:
            before = text[max(0, core.start() - _LEFT) : core.start()]
            begin = core.start() - len(before) + len(before.rstrip(_NAME))
            right = pattern("rest of a name").match(text, core.end())
            end = begin + len(text[begin : right.end() if right else core.end()].rstrip(".-"))
            at = max(core.end(), end)
            if (span := _named(text, begin, end)) is not None:
                at = max(at, span.end)
                yield span
                end = span.end  # further items of a list
                while (item := pattern("next item").match(text, end)) and is_strong(item["value"]):
                    yield Span(*item.span("value"), span.kind)
                    end = item.end("value")
            else:
                yield from _column(text, begin, end)


def _named(text: str, begin: int, end: int) -> Span | None:
    name = text[begin:end]
    named = family(name, text.startswith("=", end))
    if named in ("", "key alone") and name.lower() in ("key", "keys", "phrase"):  # "API key"
        before = pattern("word before").search(text[max(0, begin - 16) : begin])
        name = f"{before[0].strip().lower()}_{name.lower()}" if before else name
        named = family(name)
    if not named:
        return None
    if named == "mnemonic":
        phrase = pattern("phrase").match(text, end)
        return Span(*phrase.span("value"), "recovery phrase") if phrase else None
    value = _value(text, begin, end)
    if value is None:
        return None
    stop = value.start + len(value.text)
    paired = named in ("secret", "login") or value.style == "said"
    pair = pattern("user and password").fullmatch(value.text) if paired else None
    if pair and not is_reference(pair["value"]) and is_password(pair["value"], alone=False):
        return Span(stop - len(pair["value"]), stop, "password")
    return Span(value.start, stop, _kind(named, name)) if _is_secret(named, name, value) else None


def _value(text: str, begin: int, end: int) -> Value | None:
    """The possible value of the name from `begin` to `end`."""
    if end < len(text) and not pattern("after a name").match(text, end):
        return None
    for gap in ("element",) if begin and text[begin - 1] == "<" else ("next element", "in attribute"):
        found = pattern(gap).match(text, end)
        if found and (inside := pattern("in element").match(text, found.end())):
            return Value(inside[0], inside.start(), True, "element", True)
    for style, rule in table()["gap"].items():
        if (found := pattern(style).match(text, end)) is None:
            continue
        if style == "assigned" and pattern("verb").match(text, end) and pattern("sentence").match(text, end):
            continue
        before = rule.get("before")
        if before is None or pattern(before).search(text[max(0, begin - 100) : end]):
            return _value_at(text, found.end(), _style(style, found, text[begin:end]), begin)
    return None


def _style(style: str, gap: re.Match[str], name: str) -> str:
    if style == "assigned" and gap["sign"].strip().isalpha():
        return "said"
    if style != "assigned" or gap[0] not in ("=", ":=", "?="):
        return "environment" if style == "declared" else style
    return "environment" if name.lstrip("-").isupper() or name.startswith("-") else "setting"


def _value_at(text: str, at: int, style: str, begin: int) -> Value | None:
    found = pattern("quoted alike").match(text, at) or pattern("quoted").match(text, at)
    if found is not None:
        return Value(found["value"], found.start("value"), True, style, True)
    bare = pattern("bare").match(text, at)
    if bare is None:
        return None
    value = bare[0]
    if len(value) > 200 and "=" in value.rstrip("="):  # a row of settings follows
        return None
    if "&" in value and (style != "environment" or "?" in text[max(0, begin - 200) : begin]):
        value = pattern("next parameter").split(value)[0]
    value = pattern("next setting").split(value)[0]
    if value[:1].isascii() and not value.isascii():
        value = pattern("other script").sub("", value)
    value = pattern("escaped end").sub("", value)
    trailing = ",;\\" if style == "environment" else ",;:.)]\\" if "{" in value else ",;:.)]}\\"
    value = value.rstrip(trailing)
    begun = pattern("begin of setting").search(text, max(0, begin - _LEFT), begin)
    alone = begun and pattern("end of setting").match(text, at + len(value))
    words = pattern("words of a line").match(text, at) if alone is None and style == "assigned" else None
    if words and begun and is_phrase(words[0]):
        return Value(words[0], at, False, style, True)
    return Value(value, at, False, style, alone is not None) if value else None


def _is_secret(family: str, name: str, value: Value) -> bool:
    text, style = value.text, value.style
    if len(text) < 4 or is_reference(text) or (style == "spaced" and fits("settings", text)):
        return False
    if not value.quoted and style != "environment" and fits("member in code", text):
        return False
    if family == "key alone":
        fitting = value.quoted and style == "assigned" and len(text) >= 32 and not fits("hex", text)
        return fitting and is_random(text) and not text.islower()
    if family in ("password", "pass"):
        return _is_password(name, value, unsure=family == "pass")
    if style in ("listed", "cell", "filled") and not name.startswith("--"):
        marks = re.findall(r"[^\w./:-]", text)
        least = _LEAST.get(family, 16)
        return len(text) >= least and is_strong(re.sub("[^A-Za-z0-9]", "", text) if len(marks) > 1 else text)
    if style in ("beside", "sentence"):
        return style == "beside" and len(text) >= 20 and is_strong(text) and not fits("hex", text)
    chosen = family == "secret" and style in ("assigned", "setting") and fits("letter and digit", text)
    if chosen and (fits("mark", text) or not text.isascii()):
        return is_password(text, alone=value.alone, quoted=value.quoted)
    return not is_path(text) and " " not in text and _is_key(family, name, value)


def _is_password(name: str, value: Value, unsure: bool) -> bool:
    text, style = value.text, value.style
    if unsure or style == "sentence":
        generated = fits("generated", text) and is_password(text, alone=False)
        return generated and style in ("sentence", "assigned")
    if style == "environment" and not name.islower():
        return not is_path(text) and (" " not in text or is_phrase(text)) and not fits("called", text)
    if style == "said":
        return is_said(text) or (value.quoted and is_password(text, alone=True, quoted=True))
    if style in ("beside", "cell"):
        return not value.quoted and is_said(text) and fits("letter and digit", text) and not fits("hex", text)
    if style in ("listed", "filled") and not name.startswith("--"):
        return is_strong(text)
    if style in ("call", "spaced", "netrc") and (text.isalpha() or text[0] in "-(" or text[-1] == "="):
        return False
    given = value.quoted or style in ("flag", "pair", "listed")
    alone = given or value.alone or style == "netrc"
    return text.lower() not in name.lower() and is_password(text, alone=alone, quoted=given)


def _is_key(family: str, name: str, value: Value) -> bool:
    text, given = value.text, value.style in ("environment", "flag", "setting") or value.quoted
    strong = family in ("secret", "key")
    if fits("set of characters", text) or (not value.quoted and _is_type(text)):
        return False
    if fits("uuid", text):
        return strong or value.style in ("environment", "flag") or fits("access", name)
    called = "(" in text and ")" in text
    if strong and value.style == "environment" and name.isupper() and len(text) >= 8 and text.islower():
        return not called
    if not value.quoted and (called or "[" in text or fits("chain", text)):
        return False
    if strong and given and fits("letter and digit", text):
        return len(text) >= 8 and (is_random(text) or is_password(text, alone=False))
    return not text.isdigit() and len(text) >= _LEAST.get(family, _LEAST_OTHERS) and is_random(text)


def _column(text: str, begin: int, end: int) -> Iterator[Span]:
    """Spans of the values in a table under the heading from `begin` to `end`."""
    if (named := family(text[begin:end])) not in ("password", "secret", "token", "key"):
        return
    start = text.rfind("\n", max(0, begin - _HEADING), begin) + 1
    stop = text.find("\n", end, end + _HEADING)
    if stop < 0 or (not start and begin > _HEADING):
        return
    heading = text[start:stop]
    sign = next((each for each in "|\t,;" if each in heading), "")
    above = text[text.rfind("\n", max(0, start - _HEADING), max(0, start - 1)) + 1 : start]
    if not sign or above.count(sign) == heading.count(sign):
        return
    cells = heading.split(sign)
    column = text.count(sign, start, begin)
    if cells[column].strip(" \"'`*").lower() != text[begin:end].lower():
        return
    if not all(map(pattern("heading").fullmatch, cells)):
        return
    while stop >= 0:
        following = text.find("\n", stop + 1)
        row = text[stop + 1 : following if following >= 0 else len(text)]
        values = row.split(sign)
        if len(values) == len(cells):
            value = values[column].strip(" \"'`*\r")
            if _is_in_table(named, value):
                at = stop + 1 + sum(map(len, values[:column])) + column + values[column].index(value)
                yield Span(at, at + len(value), _kind(named, text[begin:end]))
        elif not pattern("line of a table").fullmatch(row):
            return
        stop = following


def _is_in_table(family: str, value: str) -> bool:
    if len(value) < 4 or is_reference(value) or fits("expression", value):
        return False
    if family in ("password", "secret") and (is_said(value) or is_password(value, alone=False)):
        return True
    return family != "password" and len(value) >= _LEAST_OTHERS and is_random(value)


def _is_type(text: str) -> bool:
    """Whether a bare value is written like a class: ``Pkcs7PrivateKeyTypes``."""
    words = re.findall("[A-Z][a-z]{2,}", text)
    mostly = sum(map(len, words)) >= 0.58 * len(text)
    return text[:1].isupper() and text.isalnum() and len(words) >= 2 and mostly
