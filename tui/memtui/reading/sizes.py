"""How large a text is for a model, by estimate."""

from __future__ import annotations

import re

_WIDE = re.compile(
    r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_LETTERS = 4
"""Characters of a token in scripts with spaces; in Chinese, Japanese and Korean one has about one."""


def tokens(text: str) -> int:
    """The number of tokens of a text, more rather than less."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _LETTERS)
