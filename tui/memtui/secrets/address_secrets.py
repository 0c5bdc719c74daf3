"""Secrets in addresses and headers, and those that `memtui.secrets.command_lines` finds."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from memtui.ground.patterns import deferred
from memtui.secrets.command_lines import command_line_spans
from memtui.secrets.secret_spans import Span
from memtui.secrets.secret_values import is_hex, is_random, is_reference, is_uuid


def address_spans(text: str) -> Iterator[Span]:
    """Spans of passwords and keys in addresses, headers and command lines."""
    lowered = text.lower()
    if "@" in text and ("://" in text or "jdbc:" in text or ":pserver:" in text):
        yield from _addresses(text)
    if "code=" in text or "key=" in text:
        yield from _queries(text)
    yield from _headers(text, lowered)
    yield from command_line_spans(text, lowered)


_CREDENTIALS = deferred(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{0,20}://(?P<user>[^\s:/@\"'`<>]{0,200})"
    r":(?P<password>[^\s/\"'`<>,]{1,400})@(?=[\w\[$%{-])"
)
_ALONE = deferred(r"(?<![A-Za-z0-9])https?://(?P<password>[A-Za-z0-9_-]{16,200})@(?=\w)")
_PSERVER = deferred(r":pserver:[\w.-]{1,60}:(?P<password>[^\s@:/]{1,100})@")
_ORACLE = deferred(r"jdbc:oracle:thin:(?P<user>[^\s/@:]{1,60})/(?P<password>[^\s/@]{1,100})@")


_NO_PASSWORD = deferred(
    r"\$\{|\$\(|\{\{|<|\*{3}|^\{.*\}$|^%\w+%$|^\$\w+$|\[masked:|^%s$|^:|^(?:password|passwd|pass|pwd|pw)$",
    re.IGNORECASE,
)


def _addresses(text: str) -> Iterator[Span]:
    for pattern in (_CREDENTIALS, _ALONE, _ORACLE, _PSERVER):
        for found in pattern.finditer(text):
            value = found["password"]
            if pattern is _ALONE and not is_random(value):
                continue
            if _NO_PASSWORD.search(value) is None:
                yield Span(*found.span("password"), "password in an address")


_QUERY = deferred(r"[?&](?:code|key)=(?P<value>[A-Za-z0-9_%+/.-]{30,400}={0,2})")


def _queries(text: str) -> Iterator[Span]:
    for found in _QUERY.finditer(text):
        value = found["value"]
        if is_random(value) and not is_hex(value):
            yield Span(*found.span("value"), "key")


_SCHEME = (
    r"(?:Basic|Bearer|Token|Digest|Api-?Key|Key|SSWS|GenieKey|Bot|Splunk|OAuth|JWT|Negotiate|NTLM"
    r"|AWS4-HMAC-SHA256|SharedKey|SharedAccessSignature)"
)
_AUTHORIZATION = deferred(
    r"(?:proxy-)?authorization\\?[\"'`]?\s{0,5}[:=]\s{0,5}\\?[bf]?[\"'`]?"
    rf"(?:(?P<scheme>{_SCHEME})\s{{1,5}}|[A-Za-z][\w-]{{1,40}}\s{{1,5}}(?:token=)?)?"
    r"(?P<value>[^\s\"'`\\]{6,8000})",
    re.IGNORECASE,
)
_BEARER = deferred(
    r"(?<![A-Za-z0-9])(?P<scheme>[bB]earer|BEARER|[bB]asic|BASIC|SSWS|GenieKey)\s{1,5}"
    r"(?P<value>[A-Za-z0-9+/=._~:-]{8,8000})"
)
_HEADER = deferred(
    r"(?:x-[a-z-]{0,30}(?:key|token|secret|auth|password)|api-?key|(?:private|job|deploy)-token"
    r"|ocp-apim-subscription-key|dd-(?:api|application)-key|x-honeycomb-team)"
    r"\\?[\"'`]?\s{0,5}:\s{0,5}\\?[\"'`]?(?P<value>[^\s\"'`\\,;]{8,4000})",
    re.IGNORECASE,
)
_COOKIE = deferred(
    r"(?:(?<![A-Za-z-])(?:set-)?cookie\\?[\"'`]?\s{0,3}:|\bcurl(?=\s)[^\n]{0,400}?\s(?:-b|--cookie)[ =]?"
    r"|document\.cookie\s?=)\s{0,3}\\?[\"'`]?"
    r"(?P<value>[\w.-]{1,80}=[^\n\"'`\\]{6,8000})",
    re.IGNORECASE,
)
_HEADERS = deferred(r"(?:-(?:key|token|secret|auth|password|team)|apikey)\\?[\"'`]?\s{0,5}:")


def _headers(text: str, lowered: str) -> Iterator[Span]:
    if "authorization" in lowered:
        yield from _authorizations(text)
    if any(name in lowered for name in ("bearer", "basic", "ssws", "geniekey")):
        yield from _schemes(text)
    if _HEADERS.search(lowered):
        for found in _HEADER.finditer(text):
            value = found["value"]
            if not is_reference(value) and not _is_code(value) and (is_random(value) or is_uuid(value)):
                yield Span(*found.span("value"), "key")
    if "=" in text and ("cookie" in lowered or (" -b" in text and "curl" in lowered)):
        for found in _COOKIE.finditer(text):
            if any(is_random(part) or is_uuid(part) for part in re.split(r"[=;\s]+", found["value"])):
                yield Span(*found.span("value"), "cookie")


def _authorizations(text: str) -> Iterator[Span]:
    for found in _AUTHORIZATION.finditer(text):
        value = found["value"].rstrip(",;)}]")
        parts = re.split("[.:]", value)
        sure = found["scheme"] or any(is_random(part) or is_uuid(part) for part in (value, *parts))
        if not is_reference(value) and sure and not _is_code(value):
            yield Span(found.start("value"), found.start("value") + len(value), "authorization")


def _schemes(text: str) -> Iterator[Span]:
    for found in _BEARER.finditer(text):
        value = found["value"].rstrip(".,:")
        if found["scheme"].lower() == "basic":
            fits = _is_basic(value)
        else:
            fits = len(value) >= 12 and is_random(value) and not is_reference(value)
        if fits:
            yield Span(found.start("value"), found.start("value") + len(value), "authorization")


def _is_code(value: str) -> bool:
    return (
        re.search(r"[({\[]|\$|^[a-z]+[A-Z][A-Za-z]*$|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^[A-Za-z_]+$", value)
        is not None
    )


def _is_basic(value: str) -> bool:
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (Error, ValueError):
        return False
    return ":" in plain and plain.isprintable() and len(plain) >= 4
