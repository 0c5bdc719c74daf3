# ruff: noqa: E501 - one pattern a line
"""Secrets in addresses, headers and command lines."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from memtui.patterns import deferred
from memtui.safety.hits import Span
from memtui.safety.values import is_random, is_reference, is_uuid


def carried(text: str) -> Iterator[Span]:
    """Where passwords and keys stand in addresses, headers and command lines."""
    lowered = text.lower()
    if "://" in text or "jdbc:" in text:
        yield from _addresses(text)
    yield from _headers(text, lowered)
    yield from _commands(text, lowered)


_CREDENTIALS = deferred(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{0,20}://(?P<user>[^\s:/@\"'`<>]{0,200}):(?P<password>[^\s/\"'`<>,]{1,400})@(?=[\w\[$%{-])"
)
_ALONE = deferred(r"(?<![A-Za-z0-9])https?://(?P<password>[A-Za-z0-9_-]{16,200})@(?=\w)")
_ORACLE = deferred(r"jdbc:oracle:thin:(?P<user>[^\s/@:]{1,60})/(?P<password>[^\s/@]{1,100})@")


def _addresses(text: str) -> Iterator[Span]:
    for pattern in (_CREDENTIALS, _ALONE, _ORACLE):
        for found in pattern.finditer(text):
            value = found["password"]
            if pattern is _ALONE and not is_random(value):
                continue
            if re.search(r"\$\{|\$\(|\{\{|<|\*{3}|^\{.*\}$|^%\w+%$|^\$\w+$|\[masked:|^%s$|^:", value) is None:
                yield Span(*found.span("password"), "password in an address")


_SCHEME = r"(?:Basic|Bearer|Token|Digest|ApiKey|Api-Key|Key|SSWS|GenieKey|Bot|Splunk|OAuth|JWT|Negotiate|NTLM|Apikey|AWS4-HMAC-SHA256|SharedKey|SharedAccessSignature)"
_AUTHORIZATION = deferred(
    rf"(?:proxy-)?authorization\\?[\"'`]?\s{{0,5}}[:=]\s{{0,5}}\\?[bf]?[\"'`]?(?:(?P<scheme>{_SCHEME})\s{{1,5}})?(?P<value>[^\s\"'`\\]{{6,8000}})",
    re.IGNORECASE,
)
_BEARER = deferred(
    r"(?<![A-Za-z0-9])(?P<scheme>Bearer|Basic|SSWS|GenieKey)\s{1,5}(?P<value>[A-Za-z0-9+/=._~:-]{8,8000})",
    re.IGNORECASE,
)
_HEADER = deferred(
    r"(?:x-[a-z-]{0,30}(?:key|token|secret|auth|password)|api-?key|private-token|job-token|deploy-token|ocp-apim-subscription-key"
    r"|x-functions-key|dd-api-key|dd-application-key)\\?[\"'`]?\s{0,5}:\s{0,5}\\?[\"'`]?(?P<value>[^\s\"'`\\,;]{8,4000})",
    re.IGNORECASE,
)
_COOKIE = deferred(
    r"(?<![A-Za-z-])(?:set-)?cookie\\?[\"'`]?\s{0,3}:\s{0,3}\\?[\"'`]?(?P<value>[\w.-]{1,80}=[^\n\"'`\\]{6,8000})",
    re.IGNORECASE,
)


def _headers(text: str, lowered: str) -> Iterator[Span]:
    if "authorization" in lowered:
        yield from _authorizations(text)
    if any(name in lowered for name in ("bearer", "basic", "ssws", "geniekey")):
        yield from _schemes(text)
    if any(name in lowered for name in ("-key", "-token", "-secret", "-auth", "-password", "apikey")):
        for found in _HEADER.finditer(text):
            value = found["value"]
            if not is_reference(value) and not _is_code(value) and (is_random(value) or is_uuid(value)):
                yield Span(*found.span("value"), "key")
    if "cookie" in lowered:
        for found in _COOKIE.finditer(text):
            if any(is_random(part) or is_uuid(part) for part in re.split(r"[=;\s]+", found["value"])):
                yield Span(*found.span("value"), "cookie")


def _authorizations(text: str) -> Iterator[Span]:
    for found in _AUTHORIZATION.finditer(text):
        value = found["value"].rstrip(",;)}]")
        if not is_reference(value) and (found["scheme"] or is_random(value)) and not _is_code(value):
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


_PW = r"(?P<quote>[\"']?)(?P<value>[^\s\"'|;&]{1,200}|(?<=\")[^\"\n]{1,200}|(?<=')[^'\n]{1,200})(?P=quote)"
_LINES = (
    ("curl", deferred(r"\bcurl\b[^\n|;]{0,400}?\s(?:-[a-zA-Z]{0,6}[uU]\s?|--user[= ]|--proxy-user[= ])[\"']?(?P<user>[^\s:\"']{0,100}):(?P<value>[^\s\"']{1,200})")),
    ("http", deferred(r"\bhttps?\b[^\n|;]{0,200}?\s(?:-a|--auth)[= ][\"']?(?P<user>[^\s:\"']{1,100}):(?P<value>[^\s\"']{1,200})")),
    ("-u", deferred(r"(?:^|\s)(?:-u|--user)[= ][\"']?(?P<user>[\w.@-]{1,60}):(?P<value>[^\s\"'/]{4,200})(?=[\s\"']|$)", re.MULTILINE)),
    ("-p", deferred(r"\b(?:mysql|mysqldump|mysqladmin|mariadb|mycli|mariadb-dump)\b[^\n|;]{0,300}?\s-p[\"']?(?P<value>[^\s\"'|;&-][^\s\"'|;&]{0,100})")),
    ("-p", deferred(rf"\b(?:sshpass|docker\s+login|podman\s+login|helm\s+registry\s+login|az\s+login|oc\s+login|mongo(?:sh|dump|restore)?|sqlcmd|7z|unzip|zip|twine\s+upload|argocd\s+login|cf\s+login)\b[^\n|;]{{0,300}}?\s-[pP]\s?{_PW}")),
    ("-a", deferred(rf"\bredis-cli\b[^\n|;]{{0,200}}?\s(?:-a|--pass)[ =]{_PW}")),
    ("-w", deferred(rf"\bldap(?:search|modify|add|whoami|passwd)\b[^\n|;]{{0,300}}?\s-w\s{_PW}")),
    ("htpasswd", deferred(rf"\bhtpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:\S+\s+)?[\w.@-]+\s+{_PW}")),
    ("pass", deferred(r"-pass(?:in|out)?\s+[\"']?pass:(?P<value>[^\s\"']{1,200})")),
    ("stdin", deferred(rf"\b(?:echo|printf)\s+(?:-n\s+)?{_PW}\s*\|[^\n]{{0,200}}(?:-stdin|passwd|sudo\s+-S|--with-token|secret)")),
    ("chpasswd", deferred(r"\b(?:echo|printf)\s+[\"']?[\w.-]{1,40}:(?P<value>[^\s\"'|]{1,100})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd")),
    ("-u", deferred(r"\b(?:smbclient|mount\.cifs|rpcclient)\b[^\n|;]{0,200}?-U\s*[\"']?[^\s%\"']{1,60}%(?P<value>[^\s\"']{1,100})")),
    ("rabbitmqctl", deferred(rf"\brabbitmqctl\s+(?:add_user|change_password)\s+\S+\s+{_PW}")),
    ("net use", deferred(r"\bnet\s+use\b[^\n]{0,200}?/user:\S+\s+(?P<value>[^\s/*]{4,100})")),
    ("identified", deferred(r"\bidentified\s+(?:with\s+\S+\s+)?by\s+[\"'](?P<value>[^\"'\n]{3,200})[\"']", re.IGNORECASE)),
)  # fmt: skip
_PGPASS = deferred(
    r"^(?:localhost|\*|[\w-]+(?:\.[\w-]+)+):(?:\*|5\d{3}|6\d{3}):[^\s:]{1,60}:[^\s:]{1,60}:(?P<value>[^\s:]{3,200})$",
    re.MULTILINE,
)
_SHA = deferred(r"^[\w.-]{1,40}:\{SHA\}(?P<value>[A-Za-z0-9+/]{27}=)$", re.MULTILINE)


def _commands(text: str, lowered: str) -> Iterator[Span]:
    for hint, pattern in _LINES:
        if hint in lowered:
            for found in pattern.finditer(text):
                value = found["value"]
                if not is_reference(value) and not value.startswith(("$", "-", "/")):
                    yield Span(*found.span("value"), "password")
    for pattern in (_PGPASS, _SHA) if ":" in text else ():
        for found in pattern.finditer(text):
            yield Span(*found.span("value"), "password")
