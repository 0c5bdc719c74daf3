"""Places in a text where secrets stand."""

from __future__ import annotations

import re

from memtui.named import NamedTuple


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """What it is, in a few words: ``github token``."""


class Hit(NamedTuple):
    """A secret as it is reported."""

    line: int
    """The first one is 1."""
    kind: str


_NAMES = (
    *(
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "cred",
        "auth",
        "cookie",
        "jwt",
        "bearer",
        "basic",
        "sig",
    ),
    *(
        "mnemonic",
        "phrase",
        "contrase\xf1a",
        "senha",
        "clave",
        "identified by",
        "net use",
        "add_user",
        "{sha}",
    ),
    *(
        "-u",
        "-a ",
        "-p",
        "-w ",
        ":*:",
        "\u043f\u0430\u0440\u043e\u043b\u044c",
        "\u5bc6\u7801",
        "\u5bc6\u78bc",
    ),
    *("\u53e3\u4ee4", "\u30d1\u30b9", "\ube44\ubc00"),
)
"""Words of which one is near every secret that is found by its place."""
_DIGIT = re.compile("[0-9]")
_LENGTH = 14
"""Characters of the shortest token that is known by its form."""


def may_hold_secret(text: str) -> bool:
    """A quick look, without the patterns: False only where there is no secret."""
    lowered = text.lower()
    if any(name in lowered for name in _NAMES) or ("://" in text and "@" in text):
        return True
    return any(len(word) >= _LENGTH and _DIGIT.search(word) is not None for word in text.split())
