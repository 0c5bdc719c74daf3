# ruff: noqa: E501 - long patterns
"""Places of values: after ``=``, ``:`` or "is", in a flag, an element, a call, a pair."""

from __future__ import annotations

import re

from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred

_QUOTES = "\"'`\u201c\u201d\xbb\u300d"
_TYPES = r"(?:str|string|String|SecureString|text|varchar|Optional\[str\])"
_SIGNS = r"=>|:=|\?=|==?|[:\uff1a\uff1d]"
_SAYS = r"\s(?:is|was|est|ist|es|est\xe1|\xe9|lautet)\s"
_SAYS_CJK = r"[\u662f\u4e3a\u306f\ub294\uc740]"
_MADE = (
    r"(?:(?:String::from|std::string|SecretStr|Secret|new\s+String)\(?|q[qw]?[({\[]|string\(\d{1,5}\)"
    r"|env\([^()\n]{1,60},)\s{0,3}"
)
"""Text between a separator and a value: a constructor, Perl's quotes, a dump of PHP, a default."""
_IN_YAML = r"(?:(?<=\s)-[ \t]{1,5}|\[\s{0,20}|['\"]\[\s{0,9}|[|>][+-]?[ \t]{0,3}\n\s{1,20}|![\w-]{1,40}[ \t]{1,5}|&[\w-]{1,40}[ \t]{1,5}){1,2}"
_ANY_TYPE = (
    r"(?:\[\w{0,20}\]|(?::[ \t]{0,3}|[ \t]{1,3}(?:[aA]s[ \t]{1,3})?)[A-Za-z][\w.:<>\[\]*&?]{0,40}(?:\(\d{1,5}\))?)"
    r"(?=[ \t]{0,5}=\s{0,5}[@bLu]?[\"'])"
)
"""A declared type, or an array size, before a quoted value."""

_ASSIGNED = deferred(
    r"(?:\\{0,4}[\"'`]\s{0,3})?[\])]{0,2}(?:\*\*|__|\s\d{1,2})?(?:\s(?:for|of|f\xfcr|von|de|pour|para)\s[\w@.'-]{1,40})?"
    rf"(?:{_ANY_TYPE})?\s{{0,20}}(?::\s{{0,3}}(?:const\s)?&?(?:'static\s)?{_TYPES}\s{{0,5}})?"
    rf"(?P<sign>{_SIGNS}|{_SAYS}|{_SAYS_CJK})(?:\*\*|__)?\s{{0,10}}(?:{_MADE}|{_IN_YAML})?(?:\"\"(?=\")|''(?='))?"
)
_SPACED = deferred(r"[ \t]{1,10}(?=[\"'])")
_CALL = deferred(r"\(\s{0,5}(?=[\"'])")
_ELEMENT = deferred(r"\s{0,3}>")
_LISTED = deferred(r"\\?[\"'`][\])]{0,2}(?:\s{0,3},\s{0,40}|\s{1,5})(?=[bBrRuU@]?\\?[\"'`])")
_SENTENCE = deferred(r"[ \t][a-z][^\n:=\"']{2,100}:[ \t]{0,3}(?:\n\s{1,8})?(?=\S)")
_SAID = deferred(r"\s(?:is|was)\s[a-z]+\s")
_CELL = deferred(r"[\"'`*]{0,3}[ \t]{0,40}\|[ \t]{0,5}(?=[^\s|])")
_FILLED = deferred(
    r"[\])]{0,2}[\"'`]\)\s{0,3}\.(?:fill|type|set_?[vV]alue|send_?[kK]eys|press_sequentially|val|set)"
    r"\(\s{0,3}(?=[\"'`])"
)
_IN_ATTRIBUTE = deferred(
    r"[\"'](?:\s{1,5}[\w:-]{1,40}=\"[^\"\n]{0,100}\"){0,4}\s{0,3}>\s{0,40}(?:<value>\s{0,5})?"
)
"""Text between a name in an attribute and the content of its element."""
_NEXT_ELEMENT = deferred(r"</[\w:-]{1,40}>\s{0,40}<(?:string|value|data)>")
_PAIR = deferred(
    r"(?:\\?[\"'`])?\s{0,5},?\s{0,40}(?:\\?[\"'`])?[vV]alue(?:\\?[\"'`])?\s{0,5}[=:]\s{0,5}(?=\S)"
    r"|\"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,9}=\s{0,3}(?=\S)"
    r"|[\"']?\s{1,3}--(?:value|body|string|data|secret-string)[= ]{1,3}(?=\S)"
)
_NEXT = deferred(r"[ \t]{1,5}(?![-=:])")
_GAPS = (
    ("assigned", _ASSIGNED),
    ("flag", _NEXT),
    ("pair", _PAIR),
    ("listed", _LISTED),
    ("cell", _CELL),
    ("filled", _FILLED),
    ("call", _CALL),
    ("spaced", _SPACED),
    ("declared", _NEXT),
    ("netrc", _NEXT),
    ("sentence", _SENTENCE),
    ("beside", _NEXT),
)
"""Separators between a name and its value."""
_FIRST = frozenset(" \t\n\r\x0b\x0c=:?\\\"'`[]|)(>,*_vV\uff1a\uff1d\u662f\u4e3a\u306f\ub294\uc740")
"""Text that may follow a name that has a value."""

_QUOTED = deferred(
    r"[bBrRfFuU@$]?(?:\\{0,4}[\"'`]|[\u201c\u201e\xab\u300c])"
    rf"(?P<value>[^\n{_QUOTES}]{{1,600}})[\\]{{0,4}}[{_QUOTES}]"
)
_QUOTED_MIXED = deferred(r"\"(?P<double>[^\n\"\\]{1,600})\"|'(?P<single>[^\n'\\]{1,600})'")
_BARE = deferred(r"[^\s\"'`<>\u201c\u201d\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]{1,600}")
_IN_ELEMENT = deferred(r"[^<>\n]{1,600}(?=</)")
_DECLARED = deferred(
    r"(?:(?<![A-Za-z])(?:ENV|ARG|SetEnv|setenv|setx|-x|-gx|-Ux)|config(?:ure)?\s+set"
    r"|(?:env|secrets?|variables?|config)(?::|\s{1,3})(?:set|add|put|create))\s+(?:--?\w[\w-]{0,20}\s+){0,2}(?:[^\s=]{1,80}[:/])?\Z"
)
_QUOTED_NAME = deferred(r"[\"'`](?:[#.\[/]|\w{1,20}\[|\[?\w{1,10}=[\"']?|[\w.]{1,40}:)?\Z")
_SPACED_NAMES = frozenset(
    ("password", "requirepass", "masterauth", "pass", "bindpw", "bindpasswd", "wpa-psk", "psk")
)
_LOGIN = deferred(r"\blogin\s+\S+\s+\Z|(?:^|\n)[ \t]*\Z")
_NEXT_SETTING = deferred(r";(?=[A-Za-z ]+=|$)")
_ESCAPED_END = deferred(r"\\[nr].*", re.DOTALL)
_OTHER_SCRIPT = deferred(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3].*", re.DOTALL)
_TRAILING = ",;:.)]}\\"
_MANY_SETTINGS = 200


class Value(NamedTuple):
    """A possible secret."""

    text: str
    start: int
    quoted: bool
    style: str
    """Notation: ``setting`` (``a=b``), ``assigned`` (``a: b``), ``environment``, ``flag``, ``said``,
    ``listed`` (``"a", "b"``), ``cell`` (``| a | b |``), ``filled`` (``type("a").fill("b")``)"""


def value_of(text: str, begin: int, end: int) -> Value | None:
    """The possible value of the name from `begin` to `end`."""
    if end < len(text) and text[end] not in _FIRST and not text.startswith("</", end):
        return None
    if begin and text[begin - 1] == "<" and (gap := _ELEMENT.match(text, end)):
        return _in_element(text, gap.end())
    if text.startswith("</", end) and (gap := _NEXT_ELEMENT.match(text, end)):
        return _in_element(text, gap.end())
    if text[end : end + 1] in ('"', "'") and (gap := _IN_ATTRIBUTE.match(text, end)):
        return _in_element(text, gap.end())
    name = text[begin:end]
    for style, gaps in _GAPS:
        gap = gaps.match(text, end)
        if gap is not None and style == "assigned" and _SAID.match(text, end) and _SENTENCE.match(text, end):
            continue
        if gap is not None and _fits(style, text, begin, name):
            return _value_at(text, gap.end(), _style(style, gap, name), begin)
    return None


def _in_element(text: str, at: int) -> Value | None:
    found = _IN_ELEMENT.match(text, at)
    return Value(found[0], found.start(), True, "element") if found else None


def _fits(style: str, text: str, begin: int, name: str) -> bool:
    """Whether a value in this style may follow the name."""
    if style == "flag":
        return name.startswith("-")
    if style == "declared":
        return _DECLARED.search(text[max(0, begin - 100) : begin]) is not None
    if style in ("listed", "filled"):  # the name is quoted, perhaps as part of a selector
        return _QUOTED_NAME.search(text[max(0, begin - 40) : begin]) is not None
    if style == "netrc":
        return name.lower() in _SPACED_NAMES and _LOGIN.search(text[max(0, begin - 80) : begin]) is not None
    return True


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
    if (found := _QUOTED_MIXED.match(text, at)) is not None:
        group = "double" if found["double"] else "single"
        return Value(found[group], found.start(group), True, style)
    if (found := _QUOTED.match(text, at)) is not None:
        return Value(found["value"], found.start("value"), True, style)
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    in_address = style != "environment" or "?" in text[max(0, begin - 200) : begin]
    value = _ended(bare[0], style, in_address)
    return Value(value, at, False, style) if value else None


def _ended(value: str, style: str, in_address: bool) -> str:
    """A value without the text that follows it in the same word; "" if a row of settings follows."""
    if len(value) > _MANY_SETTINGS and "=" in value.rstrip("="):
        return ""
    if in_address and "&" in value:
        value = value.partition("&")[0]
    if ";" in value:
        value = _NEXT_SETTING.split(value)[0]
    if "\\n" in value or "\\r" in value:
        value = _ESCAPED_END.sub("", value)
    if value[:1].isascii() and not value.isascii():
        value = _OTHER_SCRIPT.sub("", value)
    trailing = _TRAILING if style != "environment" else ",;\\"
    return value.rstrip(trailing.replace("}", "") if "{" in value else trailing)
