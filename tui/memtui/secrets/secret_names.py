# ruff: noqa: E501 - long patterns
"""Names whose value is a password, a secret, a token or a key."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.ground.patterns import deferred
from memtui.secrets.secret_spans import PASSWORDS_ELSEWHERE

_CORES = (
    "passw(?:or)?ds?", "passwort", "passphrase", "passwd", "passcode", "pwd", "passe", "pass", "psk",
    "pw(?<![a-z]pw)(?![a-z])", "pat(?<![a-z]pat)(?![a-z])", "secrets?", "tokens?", "keys?", "credentials?", "creds?", "auth", "jwt",
    "senha", "clave", "mnemonic", "seed.phrase", "recovery.phrase", "salts?", "signature", "sig(?<![a-z]sig)(?![a-z])",
    "x-amz-credential", "login(?=\\s*=)", "bindpw", *PASSWORDS_ELSEWHERE,
)  # fmt: skip
CORE = deferred("|".join(_CORES))
"""The lower-case part of a name by which it is found."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORDS = frozenset(PASSWORDS_ELSEWHERE) | _words(
    "password passwords passwd passwort passphrase passcode pwd pass pw passe psk senha clave requirepass"
    " storepass keypass bindpw bindpasswd"
)
_SECRETS = _words("salt salts secret secrets credential credentials cred creds")
_TOKENS = _words("token tokens jwt auth sig signature authtoken")
_KEYS = _words("key keys apikey secretkey accesskey privatekey authkey accountkey")
_KINDS_OF_KEYS = _words(
    "api access secret private encryption signing auth account master service subscription storage app"
    " application license integration admin write server client deploy session crypt cipher aes hmac jwt"
    " shared consumer rest webhook vault functions management bot routing ingest ingestion instrumentation"
    " unseal sdk merchant sender root host device"
    " preshared personal"
    " openai anthropic gemini google azure aws stripe groq mistral cohere datadog dd algolia sendgrid"
    " mailgun pinecone deepgram wandb"
)
_NO_KEYS = _words(
    "idempotency websocket public primary foreign sort cache partition row query react map object dict"
    " hash cached unique"
)
_ENDINGS = _words(
    "prod production dev development staging stage live test old new primary secondary b64 base64 hex"
    " value v1 v2 v3 default raw plain text plaintext main ci local id base"
)
"""Words that may follow the significant one: ``PASSWORD_PROD``."""
_NO_PASSWORDS = _words("forgot no show toggle has is")
_NO_TOKENS = _words("next page continuation max num total cancellation csrf")
_ENDS_OF_PASSWORDS = ("password", "passwd", "passphrase", "pass_phrase", "pass-phrase")
_JOINED = deferred(
    r"(?:db|user|root|admin|mysql|pg|smtp|mail|ftp|ssh|sudo|ldap|bind|http|proxy|account|wifi)p(?:ass|w)$"
)
"""Names with these endings, without a separator between the words."""
_TEST_OUTCOMES = ("PASS", "Pass")

_PART = deferred(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_HEADER_NAME = deferred(r"(?:[A-Z][A-Za-z0-9]{1,20}-){1,4}Key")
_PHRASE = deferred(r"mnemonic|seed.phrase|recovery.phrase", re.IGNORECASE)


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
    if name in _TEST_OUTCOMES and not assigned:
        return "" if name.isupper() else "pass"
    if _PHRASE.search(plain):
        return "mnemonic"
    if lowered in ("x-amz-signature", "x-amz-credential"):
        return "token"
    if lowered in _PASSWORDS:
        return "password"
    parts = [part.lower() for part in _PART.findall(plain)]
    while len(parts) > 1 and (parts[-1] in _ENDINGS or parts[-1].isdigit()) and parts[-2:] != ["key", "id"]:
        parts.pop()
    if not parts:
        return ""
    return _of_parts(plain, parts[-1], parts[-2] if len(parts) > 1 else "")


def _of_parts(name: str, last: str, before: str) -> str:
    lowered = name.lower()
    if last in _PASSWORDS or lowered.endswith(_ENDS_OF_PASSWORDS) or _JOINED.search(lowered):
        return "" if before in _NO_PASSWORDS else "password"
    if last in _SECRETS or last.endswith("secret"):
        return "secret"
    if last in _TOKENS or lowered.endswith("token"):
        return "" if before in _NO_TOKENS and not name.isupper() else "token"
    if last == "pat":  # in lower case it may be a pattern variable
        return "token" if name.isupper() else "pat"
    if last == "login":
        return "login"
    if last in _KEYS or (last.endswith("key") and len(last) > 3):
        return _key(name, last, before)
    return ""


def _key(name: str, last: str, before: str) -> str:
    if name.lower() == "key":
        return "key alone"
    if before in _NO_KEYS or last in _NO_KEYS:
        return ""
    if before in _KINDS_OF_KEYS or last in _KEYS - {"key", "keys"} or last[:-3] in _KINDS_OF_KEYS:
        return "key"
    return "some key" if before and (name.isupper() or _HEADER_NAME.fullmatch(name)) else ""


def kind(family: str, name: str) -> str:
    """The label of a masked value with such a name."""
    if family in ("some key", "key alone", "login", "pat"):
        return "key" if "key" in family else "token"
    if family == "pass":
        return "password"
    if family != "key":
        return family
    qualifier = next((each for each in ("private", "access", "api") if each in name.lower()), "")
    return f"{qualifier} key".strip()
