"""Secrets in a text: keys and tokens recognised by their form, values by the name they are assigned to.

One set of rules, ``rules.toml``, for every document, note, answer and export. A secret is replaced by its
kind: ``[masked: github token]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui.secrets.folding import Folded, replaced
from memtui.secrets.values import any_of

if TYPE_CHECKING:
    from memtui.secrets.rules import Span

MASK = "[masked: "
"""The beginning of every mask."""
_NAMED = 5
_NEAR = (
    "assword", "salasana", "kennwort", "http ", "https ", "mysql", "mycli", "mongo", "mariadb", "sqlcmd",
    "twine", "curl", "openssl", "7z x", "7z a", "7za ", "redis-cli", "ldap", "smbclient", "mount.cifs",
    "rpcclient", "rabbitmqctl", "rman", "expdp", "impdp", "ncftp", "telebot(", "ssws", "-team", "--value",
    "values", " / ", "service install", "securestring", "private-lines", "-u ", "-u=", "--user", "pass",
    "pwd", "pw", "psk", "phrase", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "bearer",
    "basic", "sig", "mnemonic", "salt", "pat", "login", "logon", "senha", "clave", "parola", "heslo",
    "lozinka", "geslo", "kode", "sandi", "wachtwoord", "mot de", "identified", "connect", "kty", "echo",
    "printf", "community", "code=", "unseal", "sqlplus", "sqlldr", "pdp ", "hmac", "fernet", "cipher",
    "aes.", "wifi", "jdbc:", "snmp", "sp_add", "add_user", "net use", "honeycomb", "header", "bundle",
    "install ", "client(", "bind", "pdo(", "handler(", "tcp(", "unix(", "search(", "mysqli", "zugang",
    "userpwd", " -a", " -b", " -k", " -p", " -t", " -u", " -w", " --u", "/p:", "/pass:", "<<<", "{sha}",
    ":*:", ":5", ":6", ":25", ":465", "://", ":pserver:", "administratorp", "lftp", "zip -", "sudo -s",
    "contraseña", "hasło", "jelszó", "lösenord", "mật kh", "şifre", "κωδικ", "парол", "סיסמ", "كلمة",
    "पासवर्ड", "รหัสผ่าน", "パスワード", "令牌", "口令", "密码", "密碼", "비밀번호", "암호",
)  # fmt: skip
"""A part of a word near every secret that is recognised by its place or name."""
_LONGEST = 24
"""Length of the rules' longest word, in characters."""
_SHORT = 4_000
"""A longer text is not looked at word by word."""
_WORD = re.compile(r"[a-z](?:[a-z']{0,14}|[a-z'-]{0,11})[.,;?]{0,2}")
_RUN = re.compile("[A-Za-z0-9_=~-]{16}")
"""Part of every token recognised by its form."""
_ODD = re.compile("[\x1b\x9b\u241b\xad\u034f\u061c\u200b-\u200f\u2060-\u2064\ufeff\uff01-\uff5e]")
_HIDDEN = re.compile(
    "[\xad\u034f\u061c\u200b-\u200f\u2060-\u2064\ufeff]|(?:[\x1b\u241b]\\[|\x9b)[0-?]{0,40}[ -/]{0,4}[@-~]"
)
"""What is not seen: zero-width characters and colours."""
_FULL_WIDTH = {
    code + 0xFEE0: chr(code) for code in (*range(48, 58), *range(65, 91), *range(97, 123), *b"_-@#!$%")
}
"""Full-width letters and digits with the ASCII ones they look like."""


class Hit(NamedTuple):
    """A reported secret."""

    line: int
    """1-based."""
    kind: str


def masked(text: str) -> str:
    """The text with each secret replaced by ``[masked: <kind>]``.

    Pass a whole text, and cut what is returned: half a secret, or one without its name, is not recognised.
    """
    parts: list[str] = []
    begin = 0
    for span in _spans(text):
        parts += (text[begin : span.start], f"{MASK}{span.kind}]")
        begin = span.end
    return "".join((*parts, text[begin:])) if parts else text


def find(text: str) -> tuple[Hit, ...]:
    """The secrets in a text, in order."""
    return tuple(Hit(text.count("\n", 0, span.start) + 1, span.kind) for span in _spans(text))


def holds_secrets(hits: Sequence[Hit]) -> str:
    """A sentence without its full stop that names the first secrets of a text and their lines."""
    named = ", ".join(f"{hit.kind} (line {hit.line})" for hit in hits[:_NAMED])
    more = f", and {len(hits) - _NAMED} more" if len(hits) > _NAMED else ""
    return f"It holds {'a secret' if len(hits) == 1 else f'{len(hits)} secrets'}: {named}{more}"


def masked_in(value: Any) -> Any:
    """A JSON value or a named tuple with its texts masked, keys included; a key names its value."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked_in(key): _masked_under(key, item) for key, item in value.items()}
    if hasattr(value, "_fields"):
        return type(value)(*map(masked_in, value))
    if isinstance(value, list | tuple):
        return [masked_in(item) for item in value]
    return value


def _masked_under(key: Any, item: Any) -> Any:
    if not isinstance(item, str):
        return masked_in(item)
    before = f'"{key}": "'
    alone, named = masked(item), masked(f'{before}{item}"')
    return named[len(before) : -1] if alone == item and named.startswith(before) else alone


def _spans(text: str) -> list[Span]:
    """Spans in order, without overlap: known forms first, then places and names."""
    seen = _as_seen(text)
    found = _found(seen.text)
    if not found:
        return []
    found = [
        span._replace(start=seen.origin(span.start), end=seen.origin(span.end - 1) + 1) for span in found
    ]
    if MASK in text:  # existing masks are kept
        found = [span for span in found if MASK not in text[max(0, span.start - len(MASK)) : span.end]]
    taken = bytearray(len(text))
    kept: list[Span] = []
    for span in found:
        if not any(taken[span.start : span.end]):
            kept.append(span)
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
    return sorted(kept)


@cache
def _near() -> re.Pattern[str]:
    return any_of(_NEAR)


def _found(text: str) -> list[Span]:
    lowered = text.lower()
    if len(lowered) != len(text):  # as İ becomes two characters
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
    hit = _near().search(lowered)
    run = _RUN.search(text)
    if not run and (not hit or (len(text) < _SHORT and _is_prose(text, lowered))):
        return []
    from memtui.secrets.names import assigned
    from memtui.secrets.rules import mixed_words, placed, tokens

    words = mixed_words(text) if run else ""
    known = [*tokens(text, words, "token")] if words else []
    at = max(0, hit.start() - _LONGEST) if hit else 0  # every word of the rules has one of `_NEAR` inside
    named = [*placed(text, lowered, at), *assigned(text, lowered, at)] if hit else []
    return [*known, *named, *(tokens(text, words, "form") if words else ())]


def _is_prose(text: str, lowered: str) -> bool:
    """Whether a text only speaks of secrets: words of letters, and no sign that a value follows."""
    if any(word in lowered for word in ("basic", "phrase", "mnemonic")) or "ENV " in text or "ARG " in text:
        return False
    return all(map(_WORD.fullmatch, lowered.split()))


def _as_seen(text: str) -> Folded:
    """The text without colours and zero-width characters, full-width letters as plain ones."""
    if (text.isascii() and "\x1b" not in text) or not _ODD.search(text):
        return replaced(text, ())
    text = text.translate(_FULL_WIDTH)
    return replaced(text, ((*hidden.span(), "") for hidden in _HIDDEN.finditer(text)))
