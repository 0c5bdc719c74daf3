# ruff: noqa: E501 - long patterns
"""Secrets in command lines, calls of login functions and password files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.ground.patterns import deferred
from memtui.secrets.secret_spans import Span
from memtui.secrets.secret_values import is_password, is_random, is_reference, is_strong, is_uuid

_PW = r"(?P<quote>[\"']?)(?P<value>[^\s\"'|;&]{1,200}|(?<=\")[^\"\n]{1,200}|(?<=')[^'\n]{1,200})(?P=quote)"
_REST = r"(?:(?!&&)[^\n|;]){0,400}?"
"""The words of one command: ``&&``, ``|`` or ``;`` begins another."""
_USER = r"[\"']?[^\s:\"']{0,100}:(?P<value>[^\s\"']{1,200})"
_OF_MYSQL = r"mysql(?:dump|admin)?|mariadb(?:-dump)?|mycli"
_LOGINS_WITH_P = (
    r"sshpass|(?:docker|podman|az|oc|argocd|cf|helm\s+registry)\s+login|mongo(?:sh|dump|restore)?|sqlcmd"
    r"|twine\s+upload"
)
_COMMANDS = (
    (("curl",), rf"\bcurl\b{_REST}\s(?:-[a-zA-Z]{{0,6}}[uU]\s?|--user[= ]|--proxy-user[= ]){_USER}"),
    (("http",), rf"\bhttps?\s{_REST}(?<=\s)(?:-a|--auth)[= ]{_USER}"),
    (("-u ", "-u=", "--user"),
     r"(?:^|\s)(?:-u|--user)[= ][\"']?[\w.@-]{1,60}:(?!:)(?P<value>[^\s\"'/]{4,200})(?=[\s\"']|$)"),
    (("mysql", "mariadb", "mycli"),
     rf"\b(?:{_OF_MYSQL})\b{_REST}\s-p[\"']?(?P<value>[^\s\"'|;&-][^\s\"'|;&]{{0,100}})"),
    (("login", "sshpass", "mongo", "sqlcmd", "twine"), rf"\b(?:{_LOGINS_WITH_P})\b{_REST}\s-[pP]\s?{_PW}"),
    (("zip",), rf"\b(?:zip|unzip)\b{_REST}\s-P\s?{_PW}"),
    (("7z",), rf"\b7za?\b{_REST}\s-p{_PW}"),
    (("redis-cli",), rf"\bredis-cli\b{_REST}\s(?:-a|--pass)[ =]{_PW}"),
    (("ldap",), rf"\bldap(?:search|modify|add|whoami|passwd)\b{_REST}\s-w\s{_PW}"),
    (("ssh-keygen",), rf"\bssh-keygen\b{_REST}\s-[NP]\s{_PW}"),
    (("htpasswd",), rf"\bhtpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:\S+\s+)?[\w.@-]+\s+{_PW}"),
    (("pass:",), r"-pass(?:in|out)?\s+[\"']?pass:(?P<value>[^\s\"']{1,200})"),
    (
        ("echo ", "printf "),
        rf"\b(?:echo|printf)\s+(?:-n\s+)?{_PW}\s*\|[^\n]{{0,200}}(?:-stdin|passwd|sudo\s+-S|--with-token|secret)",
    ),
    (
        ("chpasswd",),
        r"\b(?:echo|printf)\s+[\"']?[\w.-]{1,40}:(?P<value>[^\s\"'|]{1,100})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
    ),
    (
        ("smbclient", "mount.cifs", "rpcclient"),
        rf"\b(?:smbclient|mount\.cifs|rpcclient)\b{_REST}-U\s*[\"']?[^\s%\"']{{1,60}}%(?P<value>[^\s\"']{{1,100}})",
    ),
    (("rabbitmqctl",), rf"\brabbitmqctl\s+(?:add_user|change_password)\s+\S+\s+{_PW}"),
    (("net use",), r"\bnet\s+use\b[^\n]{0,200}?/user:\S+\s+(?P<value>[^\s/*]{4,100})"),
    (("securestring",), rf"ConvertTo-SecureString\s+(?:-String\s+)?{_PW}"),
    (("secret set", "secrets set"), rf"\bsecrets?\s+set\s{_REST}\s(?:--body|-b|--value)[= ]{_PW}"),
    (("<<<",), rf"(?:passw\w*|passphrase\S*|secrets?|tokens?|login|credentials?|sudo\s+-S)\b[^\n]{{0,200}}<<<\s*{_PW}"),
    (("bundle config",), rf"\bbundle\s+config\b{_REST}\s(?P<value>[\w-]+:[\w-]{{6,100}})(?=\s|$)"),
    (("ftp",), rf"\b(?:lftp|ncftp\w*)\b{_REST}\s-u\s[\"']?[^\s,\"']{{1,60}},(?P<value>[^\s\"',;|]{{4,100}})"),
    (
        ("sqlplus", "expdp", "impdp", "sqlldr", "rman"),
        r"\b(?:sqlplus|expdp|impdp|sqlldr|rman)\s(?:[^\n]{0,60}[\s=])?[\"']?\w{1,40}/(?P<value>[^\s@/\"']{4,60})@",
    ),
    (("openssl",), rf"\bopenssl\s+enc\b{_REST}\s-k\s{_PW}"),
    (
        ("echo ", "printf "),
        rf"\b(?:echo|printf)\s+(?:-\w+\s+)*{_PW}\s*>{{1,2}}\s*[\w./~-]{{0,100}}(?:passw|secret|token|passphrase|api-?_?key)",
    ),
    (
        ("echo", "printf"),
        r"(?:passw?\w*|key|psk|secret)\S{0,20}\s<\(\s*(?:echo|printf)\s+(?:-\w+\s+)*[\"']?(?:[\w.-]{1,40}\\n)?"
        r"(?P<value>[^\s\"')]{4,200})",
    ),
    (("unseal",), r"\bvault\s+operator\s+unseal\s+(?P<value>[A-Za-z0-9+/=]{20,100})"),
    (("snmp",), rf"\bsnmp\w+\b{_REST}\s-A\s{_PW}"),
    (("snmp",), rf"\bsnmp\w+\b{_REST}\s-X\s{_PW}"),
    (("wpa_passphrase",), rf"\bwpa_passphrase\s+(?:\"[^\"]+\"|\S+)\s+{_PW}"),
    (("http-basic",), rf"\bconfig\s+http-basic\.\S+\s+\S+\s+{_PW}"),
    (("signtool",), rf"\bsigntool\b{_REST}\s/p\s{_PW}"),
    (("@tcp(", "@unix("), r"[\"'][\w.-]{1,60}:(?P<value>[^\s\"'@/]{4,100})@(?:tcp|unix)\("),
    (("rootpw",), r"\brootpw\s+(?:--?\w+\s+)*(?P<value>[^\s-][^\s]{3,200})"),
    (("chpasswd",), r"\bchpasswd:\s{1,20}(?:\w+:[^\n]{0,40}\s{1,20}){0,3}-?\s?[\w-]{1,40}:(?P<value>[^\s:]{4,100})$"),
    (("identified",),
     r"(?i:user|role|grant|alter|create|@)[^\n]{0,200}\s[iI](?i:dentified)\s+(?i:with\s+\S+\s+)?(?i:by)\s+[\"'](?P<value>[^\"'\n]{3,200})[\"']"),
)  # fmt: skip
"""For each pattern, lower-case words of which such a line contains one."""

_DOUBTFUL = (
    ((" -p", " -w"),
     rf"\s(?:-[uUDla]|--user(?:name)?)[= ]\s?[\"']?[\w.@\\-]{{1,60}}[\"']?\s(?:[^\n|;&]{{0,60}}\s)?-[pPw]\s?{_PW}"),
    (("net user",), r"\bnet\s+user\s+\S+\s+(?P<value>[^\s/]\S{4,100})(?=\s|$)"),
    (("community",), r"^\s{0,8}r[ow]community6?\s+(?P<value>\S{4,100})"),
    (
        ("basic_auth ", "sp_addlogin "),
        r"\b(?:basic_auth|sp_addlogin)\s+N?[\"'][^\"'\n]{1,60}[\"'],\s*N?[\"'](?P<value>[^\"'\n]{4,100})",
    ),
    (("userpwd",), r"USERPWD\s*,\s*[\"'][^:\"'\n]{1,60}:(?P<value>[^\"'\n]{4,100})"),
    ((":587", ":465", ":25 "), r"^\[?[\w.-]{3,100}\]?(?::\d{2,5})?\s+[^\s:@]{1,60}(?:@[\w.-]+)?:(?P<value>\S{4,100})$"),
    (("/p",), rf"(?<=\s)/p(?:ass(?:word)?)?:{_PW}"),
    (("send",),
     r"assword[^\n]{0,40}\n[ \t]{0,20}[\w.]{0,20}send(?:line|_line)?[ (]{1,5}(?:--\s)?[\"'](?P<value>[^\"'\n\\]{4,100})"),
    (("auth plain", "auth login"), r"\bAUTH\s+(?:PLAIN|LOGIN)\s+(?P<value>[A-Za-z0-9+/]{10,400}={0,2})(?=[\s\"']|$)"),
    ((" login ",), r"^\S{1,10}\s+LOGIN\s+\S{1,100}\s+[\"']?(?P<value>[^\s\"']{4,100})"),
    (
        ("secret ", "password ", "community ", "key "),
        r"^[ \t]{0,8}(?:enable\s+(?:secret|password)|username\s+\S+[^\n]{0,60}\s(?:secret|password)"
        r"|snmp-server\s+community|(?:neighbor|tacacs-server|radius-server|ppp)\s[^\n]{0,60}\s(?:key|password))"
        r"\s+(?:\d\s+)?(?P<value>\S{4,100})",
    ),
)  # fmt: skip
"""The same for patterns in which the value may be an ordinary word."""
_TOKEN_COMMANDS = (
    r"\b[a-z][a-z0-9-]{1,20}\s(?:auth\s)?(?:login|auth|authenticate|authtoken|set-token|service\sinstall|config\sadd-authtoken)\s"
    r"(?:-[\w-]+\s){0,3}[\"']?(?P<value>[A-Za-z0-9_.-]{20,200})(?=[\"'\s]|$)",
    r"\b(?:codecov|codecovcli|snyk|nuget|dotnet\snuget|ngrok|cargo|influx|netlify|vercel|doctl)\b"
    rf"{_REST}\s-[tk]\s[\"']?(?P<value>[A-Za-z0-9_-]{{20,200}}={{0,2}})(?=[\"'\s]|$)",
)
_CALL = deferred(
    r"(?i:login|auth|authenticate|credentials?|passwordauthentication|getconnection|connect|mysqli|wifi\.begin|set_password)\b['\"]?\s{0,3}[=:]?\s{0,3}"
    r"[(\[][^()\n]{0,200}?(?P<user>\"[^\"\n]{1,100}\"|'[^'\n]{1,100}')\s{0,3},\s{0,3}"
    r"(?:\"(?P<double>[^\"\n]{4,200})\"|'(?P<single>[^'\n]{4,200})')\s{0,3}[)\]]"
)
_CALLS = ("login", "auth", "credential", "connect", "mysqli", "wifi.begin", "set_password")
_CLIENT = deferred(
    r"(?i:login|auth\w*|credentials?|connect\w*|connection|client|handler|bind\w*|\bpdo|search|teleb[ou]t|basic|(?:passw\w*|pwd|secret|token|api_key)[^()\n]{0,100}\)\s{0,3}values\s?)"
    r"\((?P<arguments>[^()\n]{0,400})\)"
)
_OF_CLIENTS = ('("', "('", ', "', ", '")
_TYPICAL = ("[a-z]", "[A-Z]", "[0-9]", "[-_!@#%^&*+=~?]")
_ARGUMENT = deferred(r"\"(?P<double>[^\"\n]{8,200})\"|'(?P<single>[^'\n]{8,200})'")
_KEYED = deferred(
    r"(?i:\bfernet|jwt\.(?:sign|encode|verify|decode)|\bcreate_?hmac|hmac\.new|create(?:de)?cipheriv|secretkeyspec"
    r"|aes\.new)\([^()\n]{0,200}?[bB]?[\"'](?P<value>[^\"'\n]{12,400})[\"']"
)
"""Functions with a key among their arguments."""
_OF_KEYED = ("fernet", "jwt.", "hmac", "cipher", "keyspec", "aes.new")
_PGPASS = deferred(
    r"^(?:localhost|\*|[\w-]+(?:\.[\w-]+)+):(?:\*|5\d{3}|6\d{3}):[^\s:]{1,60}:[^\s:]{1,60}:(?P<value>[^\s:]{3,200})$",
    re.MULTILINE,
)
_OF_PGPASS = deferred(r":(?:\*|[56]\d{3}):[^\s:]{1,60}:[^\s:]{1,60}:")
_SHA = deferred(r"^[\w.-]{1,40}:\{SHA\}(?P<value>[A-Za-z0-9+/]{27}=)$", re.MULTILINE)


_BY_WORD = tuple((word, pattern) for words, pattern in _COMMANDS for word in words)


def command_line_spans(text: str, lowered: str) -> Iterator[Span]:
    """Spans of passwords and tokens in command lines, calls and password files."""
    for pattern in dict.fromkeys([pattern for word, pattern in _BY_WORD if word in lowered]):
        for found in re.compile(pattern, re.MULTILINE).finditer(text):
            value = found["value"]
            if not is_reference(value) and not value.startswith(("$", "-", "/")):
                yield Span(*found.span("value"), "password")
    yield from _doubtful(text, lowered)
    yield from _token_commands(text, lowered)
    if any(word in lowered for word in _OF_KEYED):
        yield from _keyed(text)
    if "(" in text and any(word in text for word in _OF_CLIENTS):
        yield from _arguments(text)
    if "," in text and any(word in lowered for word in _CALLS):
        yield from _calls(text)
    yield from _password_files(text)


def _doubtful(text: str, lowered: str) -> Iterator[Span]:
    for words, pattern in _DOUBTFUL:
        if any(word in lowered for word in words):
            for found in re.compile(pattern, re.MULTILINE).finditer(text):
                if _is_hard_to_mistake(found["value"]):
                    yield Span(*found.span("value"), "password")


def _keyed(text: str) -> Iterator[Span]:
    for found in _KEYED.finditer(text):
        if is_random(found["value"]) and not is_reference(found["value"]):
            yield Span(*found.span("value"), "key")


def _is_hard_to_mistake(value: str) -> bool:
    mixed = any(char.isalpha() for char in value) and any(char.isdigit() for char in value)
    return mixed and not is_reference(value) and is_password(value, quoted=False)


def _token_commands(text: str, lowered: str) -> Iterator[Span]:
    hints = (("login ", "auth", "token ", "service install"), (" -t ", " -k "))
    for words, pattern in zip(hints, _TOKEN_COMMANDS, strict=True):
        if any(word in lowered for word in words):
            for found in re.compile(pattern).finditer(text):
                value = found["value"]
                if (is_random(value) or is_uuid(value)) and not is_reference(value):
                    yield Span(*found.span("value"), "token")


def _is_typical(value: str) -> bool:
    """Whether it has letters of both cases, digits and punctuation, and does not look like code."""
    return all(re.search(each, value) for each in _TYPICAL) and re.search(r"[^\w!@#%^&*+=~?-]", value) is None


def _arguments(text: str) -> Iterator[Span]:
    """Passwords and keys among the arguments of functions that connect or log in."""
    for call in _CLIENT.finditer(text):
        for found in _ARGUMENT.finditer(call["arguments"]):
            group = "double" if found["double"] else "single"
            value = found[group]
            if (is_strong(value) or _is_typical(value)) and not is_reference(value):
                start = call.start("arguments") + found.start(group)
                yield Span(start, start + len(value), "password")


def _calls(text: str) -> Iterator[Span]:
    for found in _CALL.finditer(text):
        group = "double" if found["double"] else "single"
        value = found[group]
        if not is_reference(value) and is_password(value, quoted=False):
            yield Span(*found.span(group), "password")


def _password_files(text: str) -> Iterator[Span]:
    if _OF_PGPASS.search(text):
        yield from (Span(*found.span("value"), "password") for found in _PGPASS.finditer(text))
    if "{SHA}" in text:
        yield from (Span(*found.span("value"), "password") for found in _SHA.finditer(text))
