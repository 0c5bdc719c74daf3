"""Values by the name before them: after ``=``, ``:`` or "is", in a flag, an element, a call, a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from memtui.ground.named import NamedTuple
from memtui.secrets.rules import Span
from memtui.secrets.values import (
    is_chosen,
    is_generated,
    is_hex,
    is_password,
    is_path,
    is_random,
    is_reference,
    is_said,
    is_strong,
    is_typical,
    is_uuid,
    pattern,
    table,
)

_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$-"
_LEFT_LENGTH = 60
_LEAST = {"some key": 16, "login": 30, "pat": 20}
"""Minimum length of the value of such a name, in characters; `_LEAST_OTHERS` of any other."""
_LEAST_OTHERS = 12
_TRAILING = ",;:.)]}\\"
_MANY_SETTINGS = 200
_COLUMNS = "|\t,;"
_HEADING = 300
"""Maximum length of a table's heading on either side of a name, in characters."""


class Value(NamedTuple):
    """A possible secret."""

    text: str
    start: int
    quoted: bool
    style: str
    """Notation: ``setting`` (``a=b``), ``assigned`` (``a: b``), ``environment``, ``flag``, ``said``,
    ``listed`` (``"a", "b"``), ``cell`` (``| a | b |``), ``filled`` (``type("a").fill("b")``)"""
    alone: bool = False
    """The line has nothing else, as in a file of settings."""


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table()["names"][name])


@lru_cache(maxsize=10_000)
def family(name: str, assigned: bool = False) -> str:
    """The kind of a value by its name: password, secret, token, key; "" if it is not a secret.

    ``some key`` and ``login`` are weaker evidence: their value has to look more like a secret.

    Args:
        name: the name.
        assigned: whether an equals sign follows directly; "Pass" alone is the result of a test.
    """
    plain = name.lstrip("-$.")
    lowered = plain.lower()
    if name in ("PASS", "Pass") and not assigned:
        return "" if name.isupper() else "pass"
    if pattern("name of a phrase").search(lowered):
        return "mnemonic"
    if lowered in ("x-amz-signature", "x-amz-credential"):
        return "token"
    if lowered in _words("passwords"):
        return "password"
    parts = [part.lower() for part in pattern("part of a name").findall(plain)]
    while (
        len(parts) > 1
        and (parts[-1] in _words("endings") or parts[-1].isdigit())
        and parts[-2:] != ["key", "id"]
    ):
        parts.pop()
    return _of_parts(plain, parts[-1], parts[-2] if len(parts) > 1 else "") if parts else ""


def _of_parts(name: str, last: str, before: str) -> str:
    lowered = name.lower()
    if last in _words("passwords") or pattern("name of a password").search(lowered):
        return "" if before in _words("no_passwords") else "password"
    if last in _words("secrets") or last.endswith("secret"):
        return "secret"
    if last in _words("tokens") or lowered.endswith("token"):
        return "" if before in _words("no_tokens") and not name.isupper() else "token"
    if last == "pat":  # in lower case it may be a pattern variable
        return "token" if name.isupper() else "pat"
    if last == "login":
        return "login"
    if last not in _words("keys") and not (last.endswith("key") and len(last) > 3):
        return ""
    if lowered == "key":
        return "key alone"
    if before in _words("no_keys") or last in _words("no_keys"):
        return ""
    kinds = _words("kinds_of_keys")
    if before in kinds or last in _words("keys") - {"key", "keys"} or last[:-3] in kinds:
        return "key"
    return "some key" if before and (name.isupper() or pattern("header name").fullmatch(name)) else ""


def _kind(family: str, name: str) -> str:
    if family in ("some key", "key alone", "login", "pat"):
        return "key" if "key" in family else "token"
    if family != "key":
        return "password" if family == "pass" else family
    return f"{next((each for each in ('private', 'access', 'api') if each in name.lower()), '')} key".strip()


def assigned(text: str, lowered: str) -> Iterator[Span]:
    """Spans of the values of passwords, secrets, tokens and keys; `lowered` is the text in lower case."""
    at = 0
    while (core := pattern("core").search(lowered, at)) is not None:
        begin, end = _name(text, core.start(), core.end())
        at = max(core.end(), end)
        if (span := _named(text, begin, end)) is not None:
            at = max(at, span.end)
            yield span
            end = span.end  # further items of a list
            while (item := pattern("next item").match(text, end)) is not None and is_strong(item["value"]):
                yield Span(*item.span("value"), span.kind)
                end = item.end("value")
        else:
            yield from _column(text, begin, end)


def _name(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the name that contains the core from `start` to `end`."""
    before = text[max(0, start - _LEFT_LENGTH) : start]
    begin = start - len(before) + len(before.rstrip(_NAME))
    right = pattern("rest of a name").match(text, end)
    name = text[begin : right.end() if right else end].rstrip(".-")
    return begin, begin + len(name)


def _named(text: str, begin: int, end: int) -> Span | None:
    name = text[begin:end]
    named = family(name, text.startswith("=", end))
    if named in ("", "key alone") and name.lower() in ("key", "keys"):  # "API key"
        before = pattern("word before").search(text[max(0, begin - 16) : begin])
        name = f"{before[0].strip().lower()}_{name.lower()}" if before else name
        named = family(name)
    if not named:
        return None
    if named == "mnemonic":
        phrase = pattern("phrase").match(text, end)
        return Span(*phrase.span("value"), "recovery phrase") if phrase else None
    found = value_of(text, begin, end)
    if found is None:
        return None
    stop = found.start + len(found.text)
    is_login = named in ("secret", "login") and found.style in ("assigned", "setting", "said")
    if is_login and (pair := pattern("user and password").fullmatch(found.text)):
        hard = is_password(pair["value"], quoted=False) or is_chosen(pair["value"], alone=False)
        return (
            Span(stop - len(pair["value"]), stop, "password")
            if hard and not is_reference(pair["value"])
            else None
        )
    return Span(found.start, stop, _kind(named, name)) if _is_secret(named, name, found) else None


def value_of(text: str, begin: int, end: int) -> Value | None:
    """The possible value of the name from `begin` to `end`."""
    if end < len(text) and not pattern("after a name").match(text, end):
        return None
    for gap in ("element",) if begin and text[begin - 1] == "<" else ("next element", "in attribute"):
        if (found := pattern(gap).match(text, end)) and (
            value := pattern("in element").match(text, found.end())
        ):
            return Value(value[0], value.start(), True, "element")
    name = text[begin:end]
    for rule in table()["gap"]:
        style = rule["name"]
        found = pattern(style).match(text, end)
        if found is None or (
            style == "assigned" and pattern("verb").match(text, end) and pattern("sentence").match(text, end)
        ):
            continue
        before = rule.get("before")
        if before is None or pattern(before).search(text[max(0, begin - 100) : end]):
            return _value_at(text, found.end(), _style(style, found, name), begin)
    return None


def _style(style: str, gap: re.Match[str], name: str) -> str:
    if style == "declared":
        return "environment"
    if style != "assigned":
        return style
    if gap["sign"].strip().isalpha():
        return "said"
    if gap[0] not in ("=", ":=", "?="):
        return style
    return "environment" if name.lstrip("-").isupper() or name.startswith("-") else "setting"


def _value_at(text: str, at: int, style: str, begin: int) -> Value | None:
    found = pattern("quoted alike").match(text, at) or pattern("quoted").match(text, at)
    if found is not None:
        return Value(found["value"], found.start("value"), True, style)
    bare = pattern("bare").match(text, at)
    if bare is None:
        return None
    value = _ended(bare[0], style, style != "environment" or "?" in text[max(0, begin - 200) : begin])
    behind = pattern("end of setting").match(text, at + len(value))
    before = pattern("begin of setting").search(text, max(0, begin - _LEFT_LENGTH), begin)
    return Value(value, at, False, style, bool(behind and before)) if value else None


def _ended(value: str, style: str, in_address: bool) -> str:
    """A value without the text that follows it in the same word; "" if a row of settings follows."""
    if len(value) > _MANY_SETTINGS and "=" in value.rstrip("="):
        return ""
    if in_address and "&" in value:
        value = pattern("next parameter").split(value)[0]
    if ";" in value:
        value = pattern("next setting").split(value)[0]
    if value[:1].isascii() and not value.isascii():
        value = pattern("other script").sub("", value)
    value = pattern("escaped end").sub("", value)
    trailing = _TRAILING if style != "environment" else ",;\\"
    return value.rstrip(trailing.replace("}", "") if "{" in value else trailing)


def _is_secret(family: str, name: str, value: Value) -> bool:
    text, style = value.text, value.style
    if len(text) < 4 or is_reference(text) or (style == "spaced" and pattern("settings").match(text)):
        return False
    if not value.quoted and style != "environment" and pattern("member in code").match(text):
        return False
    if style == "listed" and name.startswith("--"):  # a command's words
        return is_password(text, quoted=True) if family == "password" else _is_key(family, name, value)
    if family == "key alone":
        fits = value.quoted and style == "assigned" and len(text) >= 32 and not is_hex(text)
        return fits and is_random(text) and not text.islower()
    if style == "sentence" or family == "pass":
        return style in ("sentence", "assigned") and family in ("pass", "password") and is_generated(text)
    if style in ("listed", "cell", "filled"):
        least = 8 if family == "password" else _LEAST.get(family, 16)
        marks = re.findall(r"[^\w./:-]", text)
        return len(text) >= least and is_strong(re.sub("[^A-Za-z0-9]", "", text) if len(marks) > 1 else text)
    if family == "password":
        return _is_password(name, value)
    if style == "beside" and family in ("token", "pat"):
        return len(text) >= 20 and is_strong(text) and not is_hex(text)
    return not is_path(text) and " " not in text and style != "beside" and _is_key(family, name, value)


def _is_password(name: str, value: Value) -> bool:
    text, quoted, style = value.text, value.quoted, value.style
    if style == "environment" and not name.islower():
        return not is_path(text) and " " not in text and pattern("called").match(text) is None
    if not quoted and pattern("expression").search(text):
        return False
    if style == "beside":
        return not quoted and (is_typical(text) or (len(text) >= 16 and is_strong(text) and not is_hex(text)))
    if style in ("spaced", "netrc") and (text[0] in "-(" or text.endswith("=")):
        return False
    if style in ("call", "spaced") and text.isalpha():
        return False
    if style == "said":
        return is_said(text) or (text[-1] not in "!?" and is_password(text, quoted=False))
    if is_password(text, quoted=text.isascii() and (quoted or style in ("flag", "netrc", "pair"))):
        return True
    sure = quoted or value.alone
    return style != "call" and text.lower() not in name.lower() and is_chosen(text, alone=sure)


def _is_key(family: str, name: str, value: Value) -> bool:
    text, style = value.text, value.style
    if pattern("set of characters").search(text) or (not value.quoted and _is_type(text)):
        return False
    strong = family in ("secret", "key")
    if is_uuid(text):
        return (
            strong or style in ("environment", "flag") or re.search("auth|access|api", name, re.I) is not None
        )
    called = "(" in text and ")" in text
    if (
        strong
        and style == "environment"
        and name.isupper()
        and len(text) >= 8
        and text.islower()
        and not called
    ):
        return True
    if not value.quoted and (called or "[" in text or pattern("chain").search(text)):
        return False
    if strong and re.search("[0-9]", text) and (value.quoted or style in ("environment", "setting", "flag")):
        return len(text) >= 8 and (is_random(text) or is_password(text, quoted=False))
    return not text.isdigit() and len(text) >= _LEAST.get(family, _LEAST_OTHERS) and is_random(text)


def _is_type(text: str) -> bool:
    """Whether a bare value is written like a class: ``Pkcs7PrivateKeyTypes``."""
    words = re.findall("[A-Z][a-z]{2,}", text)
    most = sum(map(len, words)) >= 0.58 * len(text)
    return text[:1].isupper() and text.isalnum() and len(words) >= 2 and most


def _column(text: str, begin: int, end: int) -> Iterator[Span]:
    """Spans of the values in a table under the heading from `begin` to `end`."""
    start = text.rfind("\n", max(0, begin - _HEADING), begin) + 1
    stop = text.find("\n", end, end + _HEADING)
    if stop < 0 or (not start and begin > _HEADING):
        return
    heading = text[start:stop]
    sign = next((each for each in _COLUMNS if each in heading), "")
    named = family(text[begin:end])
    above = text[text.rfind("\n", max(0, start - _HEADING), max(0, start - 1)) + 1 : start]
    if (
        not sign
        or above.count(sign) == heading.count(sign)
        or named not in ("password", "secret", "token", "key")
    ):
        return
    cells = heading.split(sign)
    column = text.count(sign, start, begin)
    if cells[column].strip(" \"'`*").lower() != text[begin:end].lower() or not all(map(_is_heading, cells)):
        return
    while stop >= 0 and (following := text.find("\n", stop + 1)) is not None:
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


def _is_heading(cell: str) -> bool:
    return pattern("heading").fullmatch(cell) is not None


def _is_in_table(family: str, value: str) -> bool:
    if len(value) < 4 or is_reference(value) or pattern("expression").search(value):
        return False
    if family == "password":
        return is_password(value, quoted=False) or is_said(value)
    return len(value) >= _LEAST_OTHERS and is_random(value)
