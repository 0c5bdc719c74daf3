"""Secret values, recognised by the name they are assigned to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.ground.patterns import deferred
from memtui.secrets.secret_names import CORE, family, kind
from memtui.secrets.secret_spans import Span
from memtui.secrets.secret_values import (
    is_expression,
    is_hex,
    is_member,
    is_password,
    is_path,
    is_random,
    is_reference,
    is_strong,
    is_uuid,
    looks_typed_at_random,
)
from memtui.secrets.value_places import Value, value_of

_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$-"
_LEFT_LENGTH = 60
_RIGHT = deferred(r"[A-Za-z0-9_.-]{0,80}")
_WORD_BEFORE = deferred(r"(?<![A-Za-z])[A-Za-z]{2,14} \Z")
_KEY_WORDS = ("key", "keys")
_CALLED = deferred(r"[\w.]+\(")
_PAIR = deferred(r"[\w.@-]{1,40}[:/](?P<password>[^\s:/]{6,100})")
"""A user and a password: ``admin:hunter2``"""
_ACCESS = deferred("auth|access|api", re.IGNORECASE)
_CLASS = deferred(r"\[[^\]\s]*\w-\w[^\]\s]*\]")
"""A set of characters in a regular expression."""
_WORDS_OF_TYPE = deferred("[A-Z][a-z]{2,}")
_MANY_MARKS = deferred(r"(?:[^\w./:-].*){2}")
_NO_ALNUM = deferred("[^A-Za-z0-9]")
_SETTINGS = deferred(r"\w{2,40}=[^;]*;")
"""A row of settings, each of which is examined on its own."""
_NEXT_ITEM = deferred(r"[\"'`]\s{0,3},\s{0,40}[\"'`](?P<value>[^\"'`\n]{8,300})(?=[\"'`])")
_DIGIT = deferred("[0-9]")
_PHRASE = deferred(r"[\"'`]?\s{0,5}[=:]?\s{0,5}[\"'`]?((?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})")
_LEAST = {"some key": 16, "login": 30, "pat": 20}
"""Minimum length of the value of such a name, in characters."""
_LEAST_OTHERS = 12


def assigned(text: str) -> Iterator[Span]:
    """Spans of the values of passwords, secrets, tokens and keys."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case has two characters
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
    at = 0
    while (core := CORE.search(lowered, at)) is not None:
        begin, end = _name(text, core.start(), core.end())
        at = max(core.end(), end)
        if (span := _named(text, begin, end)) is not None:
            at = max(at, span.end)
            yield span
            yield from _further_items(text, span)


def _further_items(text: str, span: Span) -> Iterator[Span]:
    """The remaining items of a list of keys whose first one is at `span`."""
    end = span.end
    while (item := _NEXT_ITEM.match(text, end)) is not None and is_strong(item["value"]):
        yield Span(*item.span("value"), span.kind)
        end = item.end("value")


def _name(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the name that contains the core from `start` to `end`."""
    before = text[max(0, start - _LEFT_LENGTH) : start]
    begin = start - len(before) + len(before.rstrip(_NAME))
    right = _RIGHT.match(text, end)
    name = text[begin : right.end() if right else end].rstrip(".-")
    return begin, begin + len(name)


def _named(text: str, begin: int, end: int) -> Span | None:
    name = text[begin:end]
    named = family(name, text.startswith("=", end))
    if named in ("", "key alone") and name.lower() in _KEY_WORDS:  # "API key"
        name = _with_word_before(text, begin, name)
        named = family(name)
    if not named:
        return None
    if named == "mnemonic":
        return _mnemonic(text, end)
    found = value_of(text, begin, end)
    if found is not None and _is_login(named, found) and (pair := _PAIR.fullmatch(found.text)):
        start = found.start + pair.start("password")
        hard = is_password(pair["password"], quoted=False) and not is_reference(pair["password"])
        return Span(start, found.start + len(found.text), "password") if hard else None
    if found is None or not _is_secret(named, name, found):
        return None
    return Span(found.start, found.start + len(found.text), kind(named, name))


def _is_login(family: str, value: Value) -> bool:
    return family in ("secret", "login") and value.style in ("assigned", "setting", "said")


def _with_word_before(text: str, begin: int, name: str) -> str:
    before = _WORD_BEFORE.search(text[max(0, begin - 16) : begin])
    return before[0].strip().lower() + "_" + name.lower() if before else name


def _is_secret(family: str, name: str, value: Value) -> bool:
    if len(value.text) < 4 or is_reference(value.text):
        return False
    if value.style == "spaced" and _SETTINGS.match(value.text):
        return False
    if not value.quoted and value.style != "environment" and is_member(value.text):
        return False
    if value.style == "listed" and name.startswith("--"):  # a command's words
        return _is_key(family, name, value) if family != "password" else is_password(value.text, quoted=True)
    if value.style == "sentence" or family in ("pass", "key alone"):
        return _is_one_of_few(family, value)
    if value.style in ("listed", "cell", "filled"):
        least = 8 if family == "password" else _LEAST.get(family, 16)
        plain = _NO_ALNUM.sub("", value.text) if _MANY_MARKS.search(value.text) else value.text
        return len(value.text) >= least and is_strong(plain)
    if family == "password":
        return _is_password(name, value)
    if value.style == "beside" and family in ("token", "pat"):
        return len(value.text) >= 20 and is_strong(value.text) and not is_hex(value.text)
    if is_path(value.text) or " " in value.text or value.style == "beside":
        return False
    return _is_key(family, name, value)


def _is_one_of_few(family: str, value: Value) -> bool:
    """The same for names that mostly have another meaning, and for a whole sentence with a colon."""
    if family == "key alone":
        fits = value.quoted and value.style == "assigned" and len(value.text) >= 32
        return fits and not is_hex(value.text) and is_random(value.text) and not value.text.islower()
    if value.style not in ("sentence", "assigned") or family not in ("pass", "password"):
        return False
    return _is_generated(value.text)


def _is_password(name: str, value: Value) -> bool:
    text, quoted, style = value.text, value.quoted, value.style
    if "(" in text and ")" in text and not quoted and style != "environment":
        return False
    if style == "environment" and not name.islower():
        return not is_path(text) and " " not in text and _CALLED.match(text) is None
    if style == "beside":
        return not quoted and (_is_hard(text) or (len(text) >= 16 and is_strong(text) and not is_hex(text)))
    if (style in ("spaced", "netrc") and (text.startswith("-") or text.endswith("="))) or (
        not quoted and "::" in text
    ):
        return False
    if style in ("call", "spaced") and text.isalpha():
        return False
    if style == "said" or not text.isascii():
        return is_password(text, quoted=False)
    if is_password(text, quoted=quoted or style in ("flag", "netrc", "pair")):
        return style != "netrc" or not text.startswith("(")
    # A password of letters alone: only in a place where nothing but a value is possible.
    if not quoted or not text.isalpha():
        return False
    if style == "assigned":
        return looks_typed_at_random(text)
    plain = style in ("setting", "element", "flag") and len(text) >= 6
    return plain and text.islower() and text not in name.lower()


def _is_key(family: str, name: str, value: Value) -> bool:
    text, style = value.text, value.style
    if _CLASS.search(text) or (not value.quoted and _is_name_of_type(text)):
        return False
    strong = family in ("secret", "key")
    least = _LEAST.get(family, _LEAST_OTHERS)
    if is_uuid(text):
        return strong or style in ("environment", "flag") or _ACCESS.search(name) is not None
    called = "(" in text and ")" in text
    if _is_word_of_environment(name, value) and strong and not called:
        return True
    if not value.quoted and (called or "[" in text or is_expression(text)):
        return False
    if strong and _DIGIT.search(text) and (value.quoted or style in ("environment", "setting", "flag")):
        return len(text) >= 8 and (is_random(text) or is_password(text, quoted=False))
    return not text.isdigit() and len(text) >= least and is_random(text)


def _is_name_of_type(text: str) -> bool:
    """Whether a bare value is written like a class: ``Pkcs7PrivateKeyTypes``."""
    words = _WORDS_OF_TYPE.findall(text)
    return (
        text[:1].isupper() and text.isalnum() and len(words) >= 2 and sum(map(len, words)) >= 0.58 * len(text)
    )


def _is_word_of_environment(name: str, value: Value) -> bool:
    return value.style == "environment" and name.isupper() and len(value.text) >= 8 and value.text.islower()


def _is_generated(value: str) -> bool:
    """Whether it looks generated: letters of both cases and digits, or many hexadecimal digits."""
    mixed = all(re.search(each, value) for each in ("[a-z]", "[A-Z]", r"\d"))
    return (
        len(value) >= 8
        and (mixed or (len(value) >= 32 and is_hex(value)))
        and is_password(value, quoted=False)
    )


def _is_hard(value: str) -> bool:
    """Whether it has letters of both cases, digits and inner punctuation, as no word of a sentence has."""
    inner = value.rstrip("!?")
    classes = (r"[a-z]", r"[A-Z]", r"\d", r"[!@#%^&*+=_~-]")
    return (
        8 <= len(value) <= 100
        and all(re.search(each, inner) for each in classes)
        and re.search(r"[/()\[\].:]", value) is None
    )


def _mnemonic(text: str, end: int) -> Span | None:
    found = _PHRASE.match(text, end)
    return Span(*found.span(1), "recovery phrase") if found else None
