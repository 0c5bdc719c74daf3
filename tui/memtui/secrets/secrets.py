"""Secrets in a text: keys and tokens recognised by their form, values by the name they are assigned to.

One set of rules, ``rules.toml``, for every document, note, answer and export. A secret is replaced by its
kind: ``[masked: github token]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui.ground.text import matcher
from memtui.secrets.folding import Folded, replaced
from memtui.secrets.values import any_of, any_word

if TYPE_CHECKING:
    from memtui.secrets.rules import Span

MASK = "[masked: "  # the beginning of every mask
_NAMED = 5
# A part of a word near every secret that is recognised by its place or name.
_WORDS = (
    "assword|salasana|kennwort|http |https |mysql|mycli|mongo|mariadb|sqlcmd|twine|curl|openssl|7z x|7z a|"
    "7za |redis-cli|ldap|smbclient|mount.cifs|rpcclient|rabbitmqctl|rman|expdp|impdp|ncftp|telebot(|ssws|"
    "-team|--value|values|service install|signtool|securestring|private-lines|-u |-u=|--user|pass|pwd|pw|psk|"
    "phrase|secret|token|key|cred|auth|cookie|jwt|bearer|basic|sig|mnemonic|salt|pat|login|logon|senha|clave|"
    "parola|heslo|lozinka|geslo|kode|sandi|wachtwoord|identified|connect|kty|echo |printf |community|code=|"
    "unseal|sqlplus|sqlldr|hmac|fernet|cipher|aes.|wifi|jdbc:|snmp|sp_add|net use|bundle|client(|bind|pdo(|"
    "handler(|tcp(|unix(|search(|zugang| -k | -p| -t | -w|/p:|<<<|<(|{sha}|:*:|:5432:|:5433:|:587|:6543:|"
    ":25 |:465|://|:pserver:|lftp|zip -|contraseña|hasło|jelszó|lösenord|mật kh|şifre|κωδικ|парол|סיסמ|كلمة|"
    "पासवर्ड|รหัสผ่าน|パスワード|令牌|口令|密码|密碼|비밀번호|암호"
)
_NEAR = tuple(_WORDS.split("|"))
# Part of every token that is recognised by its form; `_MIXED` is narrower, but has a look-around.
_RUN = "[0-9][A-Za-z0-9_=~-]{8}|[A-Za-z0-9_=~-]{8}[0-9]|[-_][A-Za-z]{20}"
_MIXED = re.compile("(?=[A-Za-z_=~-]{0,30}[0-9])[A-Za-z0-9_=~-]{16}|[-_][A-Za-z]{20}")
_SHORTEST = 16  # the minimum length of a token
_HIDE = "\xad\u034f\u061c\u200b-\u200f\u2060-\u2064\ufeff"  # what is not seen, as are colours
_ODD = f"[{_HIDE}\x1b\x9b\u241b\uff01\uff03-\uff05\uff0d\uff10-\uff19\uff20-\uff3a\uff3f\uff41-\uff5a]"
_HIDDEN = re.compile(f"[{_HIDE}]|(?:[\x1b\u241b]\\[|\x9b)[0-?]{{0,40}}[ -/]{{0,4}}[@-~]")
# Full-width letters and digits with the ASCII ones they look like; lone surrogates by U+FFFD.
_FULL_WIDTH = {
    **{code + 0xFEE0: chr(code) for code in (*range(48, 58), *range(65, 91), *range(97, 123), *b"_-@#!$%")},
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}


class Hit(NamedTuple):
    """A reported secret."""

    line: int  # 1-based
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
def _near() -> tuple[str, Callable[[str], object]]:
    return any_word(_NEAR), any_of(_NEAR).search


def _found(text: str) -> list[Span]:
    lowered = text.replace("İ", "i").lower()  # the one letter whose lower case has two characters
    is_near, is_run = matcher(*_near()), matcher(_RUN)
    hit, run = is_near(lowered), is_run(text)
    if not run and not hit:
        return []
    from memtui.secrets.names import assigned
    from memtui.secrets.rules import placed, tokens

    long = {word for word in text.split() if len(word) >= _SHORTEST and is_run(word)} if run else ()
    words = "\n".join(filter(_MIXED.search, long))
    lines = [*_lines(lowered, is_near)] if hit else []
    named = [*placed(text, lowered, lines), *assigned(text, lowered, lines)]
    if not words:  # token patterns take a while to compile
        return named
    return [*tokens(text, words, "token"), *named, *tokens(text, words, "form")]


def _lines(text: str, test: Callable[[str], object]) -> Iterator[tuple[int, int]]:
    """The start and end of each line that passes a test."""
    start = 0
    for line in text.split("\n"):
        if test(line):
            yield start, start + len(line)
        start += len(line) + 1


def _as_seen(text: str) -> Folded:
    """The text without colours and zero-width characters, full-width letters as plain ones."""
    if (text.isascii() and "\x1b" not in text) or (matcher("")(text) and not matcher(_ODD)(text)):
        return Folded(text, [0], [0])
    text = text.translate(_FULL_WIDTH)
    return replaced(text, ((*hidden.span(), "") for hidden in _HIDDEN.finditer(text)))
