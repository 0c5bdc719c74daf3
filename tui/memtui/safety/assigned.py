# ruff: noqa: E501 - one pattern a line
"""Values that are secret by the name that they are given to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.named import NamedTuple
from memtui.patterns import deferred
from memtui.safety.hits import Span
from memtui.safety.values import is_password, is_path, is_random, is_reference, is_uuid

_CORE = deferred(
    r"passw(?:or)?ds?|passwort|passphrase|passwd|passcode|pwd|passe|pass|(?<![a-z])pw(?![a-z])|secrets?|tokens?|keys?"
    r"|credentials?|creds?|auth|jwt|contrase\xf1a|senha|clave|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4"
    r"|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638|mnemonic|seed.phrase|recovery.phrase|signature|(?<![a-z])sig(?![a-z])"
    r"|x-amz-credential",
    re.IGNORECASE,
)
_LEFT = deferred(r"[A-Za-z0-9_.$-]*\Z")
_RIGHT = deferred(r"[A-Za-z0-9_.-]{0,40}")
_PART = deferred(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")

_PASSWORDS = frozenset(
    [
        "password",
        "passwords",
        "passwd",
        "passwort",
        "passphrase",
        "passcode",
        "pwd",
        "pass",
        "pw",
        "passe",
        "contraseña",
        "senha",
        "clave",
        "пароль",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
        "requirepass",
        "storepass",
        "keypass",
    ]
)
_SECRETS = frozenset(("secret", "secrets", "credential", "credentials", "cred", "creds"))
_TOKENS = frozenset(("token", "tokens", "jwt", "auth", "sig", "signature", "authtoken"))
_KEYS = frozenset(("key", "keys", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "accountkey"))
_KEY_KINDS = frozenset(
    [
        "api",
        "access",
        "secret",
        "private",
        "encryption",
        "signing",
        "auth",
        "account",
        "master",
        "service",
        "subscription",
        "storage",
        "app",
        "application",
        "license",
        "integration",
        "admin",
        "write",
        "server",
        "client",
        "deploy",
        "session",
        "crypt",
        "cipher",
        "aes",
        "hmac",
        "jwt",
        "shared",
        "consumer",
        "rest",
        "webhook",
        "vault",
        "functions",
        "management",
        "bot",
        "openai",
        "anthropic",
        "gemini",
        "google",
        "azure",
        "aws",
        "stripe",
        "groq",
        "mistral",
        "cohere",
        "datadog",
        "dd",
        "algolia",
        "sendgrid",
        "mailgun",
        "pinecone",
        "deepgram",
        "wandb",
    ]
)
_ENDINGS = frozenset(
    [
        "1",
        "2",
        "3",
        "4",
        "prod",
        "production",
        "dev",
        "development",
        "staging",
        "stage",
        "live",
        "test",
        "old",
        "new",
        "primary",
        "secondary",
        "b64",
        "base64",
        "hex",
        "value",
        "v1",
        "v2",
        "v3",
        "default",
        "raw",
        "plain",
        "text",
        "plaintext",
        "main",
        "ci",
        "local",
        "id",
        "base",
    ]
)
_NO_KEYS = frozenset(
    [
        "public",
        "primary",
        "foreign",
        "sort",
        "cache",
        "partition",
        "row",
        "query",
        "react",
        "map",
        "object",
        "dict",
        "hash",
        "cached",
        "unique",
    ]
)

_BETWEEN = deferred(
    r"(?:\\{0,4}[\"'`]\s{0,3})?[\])]{0,2}(?:\s(?:for|of|f\xfcr|von|de|pour|para)\s[\w@.'-]{1,40})?\s{0,20}"
    r"(?::\s{0,3}(?:const\s)?&?(?:'static\s)?(?:str|string|String|SecureString|text|varchar|Optional\[str\])\s{0,5})?"
    r"(?P<sep>=>|:=|\?=|==?|[:\uff1a\uff1d]|(?:\s(?:is|was|est|ist|es|est\xe1|\xe9|lautet)\s)|[\u662f\u4e3a\u306f\ub294\uc740])\s{0,10}"
    r"(?:(?:String::from|std::string|SecretStr|Secret|new\s+String|ConvertTo-SecureString)\(?\s{0,3})?"
)
_SPACED = deferred(r"[ \t]{1,10}(?=[\"'])")
_CALL = deferred(r"\(\s{0,5}(?=[\"'])")
_ELEMENT = deferred(r"\s{0,3}>")
_PAIR = deferred(
    r"(?:\\?[\"'`])?\s{0,5},?\s{0,40}(?:\\?[\"'`])?(?:value|Value)(?:\\?[\"'`])?\s{0,5}[=:]\s{0,5}(?=\S)"
    r"|\"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,9}=\s{0,3}(?=\S)"
)
_QUOTED = deferred(
    r"[bBrRfFuU@$]?(?P<quote>\\{0,4}[\"'`]|[\u201c\u201e\xab\u300c])(?P<value>[^\n\"'`\u201c\u201d\xbb\u300d]{1,600})[\\]{0,4}[\"'`\u201c\u201d\xbb\u300d]"
)
_QUOTED_MIXED = deferred(r"(?:\"(?P<double>[^\n\"\\]{1,600})\"|'(?P<single>[^\n'\\]{1,600})')")
_BARE = deferred(r"[^\s\"'`<>\u201c\u201d\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]{1,600}")
_IN_ELEMENT = deferred(r"[^<>\n]{1,600}(?=</)")
_NEXT = deferred(r"[ \t]{1,5}(?![-=:])")
_GAPS = (
    ("assigned", _BETWEEN),
    ("flag", _NEXT),
    ("pair", _PAIR),
    ("call", _CALL),
    ("spaced", _SPACED),
    ("declared", _NEXT),
    ("netrc", _NEXT),
    ("beside", _NEXT),
)
"""How a name may be followed by its value."""
_DECLARED = deferred(r"(?:ENV|ARG|setx|-x|-gx|-Ux)\s+\Z")
_SPACED_NAMES = frozenset(("password", "requirepass", "masterauth", "pass"))
_LOGIN = deferred(r"\blogin\s+\S+\s+\Z|(?:^|\n)[ \t]*\Z")
_NEXT_SETTING = deferred(r";(?=[A-Za-z ]+=|$)")
_ESCAPED_END = deferred(r"\\[nr].*", re.DOTALL)
_CALLED = deferred(r"[\w.]+\(")
_ACCESS = deferred("auth|access|api", re.IGNORECASE)
_CODE = deferred(r"[A-Za-z]\.[A-Za-z]+\.|\?\.|::|->")
_DIGIT = deferred("[0-9]")
_PHRASE = deferred(r"[\"'`]?\s{0,5}[=:]?\s{0,5}[\"'`]?((?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})")
_TRAILING = ",;.)]}\\"


class Value(NamedTuple):
    """What may be a secret."""

    text: str
    start: int
    quoted: bool
    style: str
    """How it is given: ``setting`` (``a=b``), ``assigned`` (``a: b``), ``environment``, ``flag``, ``said``..."""


def assigned(text: str) -> Iterator[Span]:
    """Where values of passwords, secrets, tokens and keys stand."""
    at = 0
    while (core := _CORE.search(text, at)) is not None:
        at = core.end()
        if (span := _named(text, core)) is not None:
            at = max(at, span.end)
            yield span


def _named(text: str, core: re.Match[str]) -> Span | None:
    left = _LEFT.search(text[max(0, core.start() - 60) : core.start()])
    begin = core.start() - (len(left[0]) if left else 0)
    right = _RIGHT.match(text, core.end())
    end = right.end() if right else core.end()
    name = text[begin:end].rstrip(".-")
    end = begin + len(name)
    family = "" if name in ("PASS", "Pass") else _family(name.lstrip("-$."))  # a test's outcome
    if not family:
        return None
    if family == "mnemonic":
        return _mnemonic(text, end)
    found = _value(text, begin, end, name)
    if found is None or not _is_secret(family, name, found):
        return None
    return Span(found.start, found.start + len(found.text), _kind(family, name))


def _family(name: str) -> str:
    """What a name calls its value; "" when it is no secret by its name."""
    if re.search(r"mnemonic|seed.phrase|recovery.phrase", name, re.IGNORECASE):
        return "mnemonic"
    if name.lower() in ("x-amz-signature", "x-amz-credential"):
        return "token"
    parts = [part.lower() for part in _PART.findall(name)]
    while len(parts) > 1 and (parts[-1] in _ENDINGS or parts[-1].isdigit()) and parts[-2:] != ["key", "id"]:
        parts.pop()
    if not parts:
        return ""
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last in _PASSWORDS or name.lower().endswith(("password", "passwd", "passphrase")):
        return "" if before in ("forgot", "no", "show", "toggle", "has", "is") else "password"
    if last in _SECRETS:
        return "secret"
    if last in _TOKENS or name.lower().endswith("token"):
        return (
            ""
            if before in ("next", "page", "continuation", "max", "num", "total", "cancellation", "csrf")
            and not name.isupper()
            else "token"
        )
    if last in _KEYS or (last.endswith("key") and len(last) > 3):
        if before in _NO_KEYS or last in _NO_KEYS:
            return ""
        known = before in _KEY_KINDS or last in _KEYS - {"key", "keys"} or last[:-3] in _KEY_KINDS
        return "key" if known else "some key" if name.isupper() and before else ""
    return ""


def _kind(family: str, name: str) -> str:
    if family == "some key":
        return "key"
    if family != "key":
        return family
    qualifier = next((each for each in ("private", "access", "api") if each in name.lower()), "")
    return f"{qualifier} key".strip()


def _value(text: str, begin: int, end: int, name: str) -> Value | None:
    """What may be the value of the name that stands from `begin` to `end`."""
    if begin and text[begin - 1] == "<" and (gap := _ELEMENT.match(text, end)):
        found = _IN_ELEMENT.match(text, gap.end())
        return Value(found[0], found.start(), True, "element") if found else None
    for style, gaps in _GAPS:
        gap = gaps.match(text, end)
        if gap is not None and _fits(style, text, begin, name):
            return _value_at(text, gap.end(), _style(style, gap[0], name), begin)
    return None


def _fits(style: str, text: str, begin: int, name: str) -> bool:
    """Whether a name may be followed by its value in that way."""
    if style == "flag":
        return name.startswith("-")
    if style == "declared":
        return _DECLARED.search(text[max(0, begin - 12) : begin]) is not None
    if style == "netrc":
        return name.lower() in _SPACED_NAMES and _LOGIN.search(text[max(0, begin - 80) : begin]) is not None
    return True


def _style(style: str, gap: str, name: str) -> str:
    if style == "declared":
        return "environment"
    if style != "assigned":
        return style
    if gap.strip().isalpha():
        return "said"
    if gap not in ("=", ":=", "?="):
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
    value = bare[0]
    if len(value) > 200 and "=" in value.rstrip("="):  # many settings in a row
        return None
    if "&" in value and (style != "environment" or "?" in text[max(0, begin - 200) : begin]):
        value = value.partition("&")[0]
    if ";" in value:
        value = _NEXT_SETTING.split(value)[0]
    if "\\n" in value or "\\r" in value:
        value = _ESCAPED_END.sub("", value)
    value = value.rstrip(_TRAILING if style != "environment" else ",;\\")
    return Value(value, at, False, style) if value else None


def _is_secret(family: str, name: str, value: Value) -> bool:
    if len(value.text) < 4 or is_reference(value.text):
        return False
    if family == "password":
        return _is_password(name, value)
    if is_path(value.text) or " " in value.text or value.style == "beside":
        return False
    return _is_key(family, name, value)


def _is_password(name: str, value: Value) -> bool:
    text, quoted, style = value.text, value.quoted, value.style
    if "(" in text and ")" in text and not quoted and style != "environment":
        return False
    if style == "environment" and not name.islower():
        return not is_path(text) and " " not in text and _CALLED.match(text) is None
    if style == "beside":
        return not quoted and _is_hard(text)
    if style in ("call", "spaced") and text.isalpha():
        return False
    if style == "said" or not text.isascii():
        return is_password(text, quoted=False)
    if is_password(text, quoted=quoted or style in ("flag", "netrc", "pair")):
        return True
    # A password of letters alone: only where nothing but a value can stand.
    plain = style in ("setting", "element", "flag") and quoted and len(text) >= 6
    return plain and text.isalpha() and text.islower() and text not in name.lower()


def _is_key(family: str, name: str, value: Value) -> bool:
    text, style = value.text, value.style
    strong = family in ("secret", "key")
    if is_uuid(text):
        return strong or style in ("environment", "flag") or _ACCESS.search(name) is not None
    called = "(" in text and ")" in text
    if (
        style == "environment"
        and strong
        and name.isupper()
        and len(text) >= 8
        and not called
        and text.islower()
    ):
        return True
    if not value.quoted and (called or "[" in text or _CODE.search(text)):
        return False
    if strong and _DIGIT.search(text) and (value.quoted or style in ("environment", "setting", "flag")):
        return len(text) >= 8 and (is_random(text) or is_password(text, quoted=False))
    return not text.isdigit() and len(text) >= (12 if family != "some key" else 16) and is_random(text)


def _is_hard(value: str) -> bool:
    """Whether it has letters of both cases, digits and marks within: nothing else in a sentence does."""
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
