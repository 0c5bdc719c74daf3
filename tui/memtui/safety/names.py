"""Names that call their value a password, a secret, a token or a key."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.patterns import deferred

_CORES = (
    "passw(?:or)?ds?", "passwort", "passphrase", "passwd", "passcode", "pwd", "passe", "pass", "psk",
    "(?<![a-z])p(?:w|at)(?![a-z])", "secrets?", "tokens?", "keys?", "credentials?", "creds?", "auth", "jwt",
    "contrase\xf1a", "senha", "clave", "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801", "\u5bc6\u78bc",
    "\u53e3\u4ee4", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638", "mnemonic", "seed.phrase",
    "recovery.phrase", "signature", "(?<![a-z])sig(?![a-z])", "x-amz-credential", "login(?=\\s*=)",
)  # fmt: skip
CORE = deferred("|".join(_CORES))
"""The part of a name, in lower case, by which it is found."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORDS = _words(
    "password passwords passwd passwort passphrase passcode pwd pass pw passe psk contraseña senha clave"
    " пароль 密码 密碼 口令 パスワード 비밀번호 requirepass storepass keypass"
)
_SECRETS = _words("secret secrets credential credentials cred creds")
_TOKENS = _words("token tokens jwt auth sig signature authtoken")
_KEYS = _words("key keys apikey secretkey accesskey privatekey authkey accountkey")
_KINDS_OF_KEYS = _words(
    "api access secret private encryption signing auth account master service subscription storage app"
    " application license integration admin write server client deploy session crypt cipher aes hmac jwt"
    " shared consumer rest webhook vault functions management bot routing ingest ingestion instrumentation"
    " sdk merchant sender root host device"
    " openai anthropic gemini google azure aws stripe groq mistral cohere datadog dd algolia sendgrid"
    " mailgun pinecone deepgram wandb"
)
_NO_KEYS = _words(
    "public primary foreign sort cache partition row query react map object dict hash cached unique"
)
_ENDINGS = _words(
    "prod production dev development staging stage live test old new primary secondary b64 base64 hex"
    " value v1 v2 v3 default raw plain text plaintext main ci local id base"
)
"""Words behind the one that counts: ``PASSWORD_PROD``."""
_NO_PASSWORDS = _words("forgot no show toggle has is")
_NO_TOKENS = _words("next page continuation max num total cancellation csrf")
_TEST_OUTCOMES = ("PASS", "Pass")

_PART = deferred(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_PHRASE = deferred(r"mnemonic|seed.phrase|recovery.phrase", re.IGNORECASE)


@lru_cache(maxsize=10_000)
def family(name: str) -> str:
    """What a name calls its value: password, secret, token, key; "" when it is no secret by its name.

    ``some key`` and ``login`` say less: such a value has to look more like a secret.
    """
    plain = name.lstrip("-$.")
    lowered = plain.lower()
    if name in _TEST_OUTCOMES:
        return ""
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
    if last in _PASSWORDS or lowered.endswith(("password", "passwd", "passphrase")):
        return "" if before in _NO_PASSWORDS else "password"
    if last in _SECRETS or last.endswith("secret"):
        return "secret"
    if last in _TOKENS or lowered.endswith("token"):
        return "" if before in _NO_TOKENS and not name.isupper() else "token"
    if last == "pat" and name.isupper():  # in lower case it is a pattern
        return "token"
    if last == "login":
        return "login"
    if last in _KEYS or (last.endswith("key") and len(last) > 3):
        return _key(name, last, before)
    return ""


def _key(name: str, last: str, before: str) -> str:
    if before in _NO_KEYS or last in _NO_KEYS:
        return ""
    if before in _KINDS_OF_KEYS or last in _KEYS - {"key", "keys"} or last[:-3] in _KINDS_OF_KEYS:
        return "key"
    return "some key" if name.isupper() and before else ""


def kind(family: str, name: str) -> str:
    """What the value of such a name is called where it is masked."""
    if family in ("some key", "login"):
        return "key" if family == "some key" else "token"
    if family != "key":
        return family
    qualifier = next((each for each in ("private", "access", "api") if each in name.lower()), "")
    return f"{qualifier} key".strip()
