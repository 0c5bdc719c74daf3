"""Secrets that stand in a transcript are masked before they are stored under a Recovery ID."""

from __future__ import annotations

import re

MASK = "***"

_TOKENS = re.compile(
    r"\b(?:sk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{30,}"
    r"|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|AIza[0-9A-Za-z_-]{35}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|eyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10,2000})"
)
_KEY_BLOCK = re.compile(
    r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_BEARER = re.compile(r"(\b(?:Bearer|Basic)\s+)[A-Za-z0-9+/=._-]{16,}")
_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s:/@]{1,64}:)[^\s:/@]{3,128}(?=@)")
_ASSIGNED = re.compile(
    r"""(\b[\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)"""
    r"""(?=[A-Za-z0-9+/_-]{0,200}\d)(?=[A-Za-z0-9+/_-]{0,200}[A-Za-z])[A-Za-z0-9+/_-]{12,}=*(?![\w(.])""",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"""((?:\b(?:password|passwd|passphrase|mot de passe)\b|密码|口令|パスワード|비밀번호)["'`]?\s*"""
    r"""(?:\bis\b|\best\b|[=:：]|是|为|は|는)\s*["'`]?)"""
    r"""(?=[A-Za-z!@#%^&*+_-]{0,64}\d)(?=[\d!@#%^&*+_-]{0,64}[A-Za-z])"""
    r"""[A-Za-z0-9!@#%^&*+_-]{6,64}(?![\w!@#%^&*+(\[-]|\.\w)""",
    re.IGNORECASE,
)
"""A password that somebody tells in a sentence; shorter than what a program is given."""


def masked(text: str) -> tuple[str, int]:
    """The text with ``***`` in place of what is a secret by its form, and how many there were.

    Known kinds of tokens, private keys, passwords in addresses and sentences, and values of letters and
    digits that are assigned to something called a password, secret, token or key.
    """
    number = 0
    for pattern, mask in (
        (_KEY_BLOCK, rf"\1{MASK}\2"),
        (_TOKENS, MASK),
        (_BEARER, rf"\1{MASK}"),
        (_IN_ADDRESS, rf"\1{MASK}"),
        (_ASSIGNED, rf"\1{MASK}"),
        (_PASSWORD, rf"\1{MASK}"),
    ):
        text, found = pattern.subn(mask, text)
        number += found
    return text, number
